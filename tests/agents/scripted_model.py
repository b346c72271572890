"""A model on loopback that does what the prompt says, and keeps every request. It speaks the interfaces of all agents here.

In the last prompt, `[[call NAME {json}]]` calls the tool whose name ends in NAME; several are called one after the other.
`((call NAME {json}))` is a call in the prompt of a sub-agent: it counts where no other call is.
`[[say TEXT]]` is the final answer. `[[sleep N]]` delays the first answer by N seconds. `[[tokens N]]` reports N tokens as
used, so that the agent compacts its context. The model has no state.
"""

import gzip
import json
import re
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

_CALL = re.compile(r"\[\[call ([\w.-]+) (\{.*?\})\]\]", re.DOTALL)
_INNER_CALL = re.compile(r"\(\(call ([\w.-]+) (\{.*?\})\)\)", re.DOTALL)
_SAY = re.compile(r"\[\[say (.*?)\]\]", re.DOTALL)
_SLEEP = re.compile(r"\[\[sleep ([\d.]+)\]\]")
_TOKENS = re.compile(r"\[\[tokens (\d+)\]\]")

_REMEMBERED = re.compile(r"(?:<|&lt;)waypost-memory .*?(?:<|&lt;)/waypost-memory", re.DOTALL)

Body = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """What the model does next: it calls a tool, or says `text`."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    tokens: int = 0  # to report as used, instead of the true size


@dataclass(frozen=True)
class Offered:
    """A tool as a request lists it. Codex lists those of a server below a name of their own."""

    name: str
    group: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.group}__{self.name}" if self.group else self.name


def next_step(prompt: str, results: int, offered: Sequence[Offered]) -> Step:
    """The step that a prompt asks for after so many results of tools."""
    calls = _CALL.findall(prompt) or _INNER_CALL.findall(prompt)
    delay = _SLEEP.search(prompt)
    if delay is not None and not results and offered:
        time.sleep(float(delay[1]))
    if results >= len(calls) or not offered:
        said, tokens = _SAY.findall(prompt), _TOKENS.search(prompt)
        return Step(said[-1] if said else "Done.", tokens=int(tokens[1]) if tokens and offered else 0)
    name, given = calls[results]
    tool = _meant(name, [tool.full_name for tool in offered])
    if not tool:
        return Step(text=f"No tool is called {name}.")
    return Step(tool=tool, arguments=_arguments(given))


def _arguments(given: str) -> Any:
    try:
        return json.loads(given)
    except ValueError:  # opencode quotes the prompt
        return json.loads(given.replace('\\"', '"'))


def _meant(name: str, names: Sequence[str]) -> str:
    """The tool of exactly this name, else Waypost's, else one whose name ends so."""
    ours = [each for each in names if "waypost" in each and re.search(rf"(?:^|[_.-]){re.escape(name)}$", each)]
    exact = [each for each in names if each == name]
    return next(iter([*exact, *ours, *(each for each in names if each.endswith(name))]), "")


@dataclass(frozen=True)
class Turn:
    """A message to the model: its text, and how many results of tools it brings."""

    text: str
    results: int = 0


def _step_of(turns: Iterable[Turn], offered: Sequence[Offered]) -> Step:
    prompt, results = "", 0
    for turn in turns:
        text = _REMEMBERED.sub("", turn.text)  # an earlier prompt may stand there
        if _CALL.search(text) or _SAY.search(text):  # others are of hooks and reminders
            prompt, results = text, 0
        results += turn.results
    return next_step(prompt, results, offered)


def _joined(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _name(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:20]}"


def _size(body: Body) -> int:
    return len(json.dumps(body)) // 4


Events = list[tuple[str, Body]]


def anthropic(body: Body) -> tuple[Body, Events]:
    step = _step_of(_anthropic_turns(body), [Offered(tool.get("name", "")) for tool in body.get("tools") or []])
    usage = {"input_tokens": step.tokens or _size(body), "output_tokens": 12}
    block: Body = {"type": "text", "text": step.text}
    delta: Body = {"type": "text_delta", "text": step.text}
    empty: Body = {"type": "text", "text": ""}
    if step.tool:
        block = {"type": "tool_use", "id": _name("toolu"), "name": step.tool, "input": dict(step.arguments)}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
        empty = {**block, "input": {}}
    stop = "tool_use" if step.tool else "end_turn"
    message = {
        "id": _name("msg"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    events: Events = [
        ("message_start", {"message": {**message, "content": [], "stop_reason": None}}),
        ("content_block_start", {"index": 0, "content_block": empty}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}),
        ("message_stop", {}),
    ]
    return message, [(name, {"type": name, **event}) for name, event in events]


def _anthropic_turns(body: Body) -> Iterator[Turn]:
    for message in body.get("messages", []):
        if message["role"] == "user":
            content = message["content"]
            parts = content if isinstance(content, list) else []
            yield Turn(_joined(content), sum(part.get("type") == "tool_result" for part in parts))


def responses(body: Body) -> tuple[Body, Events]:
    offered = list(_offered(body.get("tools") or []))
    step = _step_of(_response_turns(body), offered)
    if step.tool:
        tool = next(tool for tool in offered if tool.full_name == step.tool)
        item: Body = {
            "type": "function_call",
            "id": _name("fc"),
            "call_id": _name("call"),
            "name": tool.name,
            "arguments": json.dumps(step.arguments),
            "status": "completed",
            **({"namespace": tool.group} if tool.group else {}),
        }
        if tool.name == "apply_patch":  # Codex takes the patch itself, not JSON
            item = {**item, "type": "custom_tool_call", "input": step.arguments.get("input", "")}
            del item["arguments"]
    else:
        text = {"type": "output_text", "text": step.text, "annotations": []}
        item = {"type": "message", "id": _name("msg"), "role": "assistant", "status": "completed", "content": [text]}
    size = step.tokens or _size(body)
    whole = {
        "id": _name("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": body.get("model", "scripted"),
        "output": [item],
        "usage": {
            "input_tokens": size,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": size + 10,
        },
    }
    events: Events = [
        ("response.created", {"response": {**whole, "status": "in_progress", "output": []}}),
        ("response.output_item.added", {"output_index": 0, "item": item}),
    ]
    if not step.tool:
        delta = {"output_index": 0, "content_index": 0, "item_id": item["id"], "delta": step.text}
        events.append(("response.output_text.delta", delta))
    events += [
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    return whole, [
        (name, {"type": name, "sequence_number": number, **event}) for number, (name, event) in enumerate(events)
    ]


def _response_turns(body: Body) -> Iterator[Turn]:
    items = body.get("input", [])
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        kind = item.get("type", "message")
        if kind == "message" and item.get("role") == "user":
            yield Turn(_joined(item["content"]))
        elif kind.endswith("_output"):
            yield Turn("", 1)


def _offered(tools: Iterable[Body]) -> Iterator[Offered]:
    for tool in tools:
        if "tools" in tool:
            yield from (Offered(inner.get("name", ""), tool.get("name", "")) for inner in tool["tools"])
        else:
            yield Offered(tool.get("name") or tool.get("function", {}).get("name") or tool.get("type", ""))


def chat(body: Body) -> tuple[Body, Events]:
    step = _step_of(_chat_turns(body), list(_offered(body.get("tools") or [])))
    message: Body = {"role": "assistant", "content": step.text}
    if step.tool:
        function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
        call = {"index": 0, "id": _name("call"), "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    stop, size = "tool_calls" if step.tool else "stop", step.tokens or _size(body)
    head = {"id": _name("chatcmpl"), "created": int(time.time()), "model": body.get("model", "scripted")}
    usage = {"prompt_tokens": size, "completion_tokens": 10, "total_tokens": size + 10}
    whole = {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": stop}],
        "usage": usage,
    }
    piece = {**head, "object": "chat.completion.chunk"}
    return whole, [
        ("", {**piece, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        ("", {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": usage}),
    ]


def _chat_turns(body: Body) -> Iterator[Turn]:
    for message in body.get("messages", []):
        if message["role"] == "user":
            yield Turn(_joined(message["content"]))
        elif message["role"] == "tool":
            yield Turn("", 1)


def gemini(body: Body) -> tuple[Body, Events]:
    declared = [tool for group in body.get("tools", []) for tool in group.get("functionDeclarations", [])]
    settings = body.get("generationConfig") or {}
    schema = settings.get("responseJsonSchema") or settings.get("responseSchema")
    size = _size(body)
    if schema:
        part: Body = {"text": json.dumps({name: _any_value(value) for name, value in schema["properties"].items()})}
    else:
        step = _step_of(_gemini_turns(body), [Offered(tool["name"]) for tool in declared])
        part, size = {"text": step.text}, step.tokens or size
        if step.tool:
            part = {"functionCall": {"name": step.tool, "args": dict(step.arguments)}}
    whole = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": size, "candidatesTokenCount": 10, "totalTokenCount": size + 10},
        "modelVersion": "scripted",
    }
    return whole, [("", whole)]


def _any_value(schema: Body) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    return 1 if str(schema.get("type")).lower() in ("integer", "number") else "flash"


def _gemini_turns(body: Body) -> Iterator[Turn]:
    for content in body.get("contents", []):
        if content.get("role") in ("user", "function", None):
            parts = content.get("parts", [])
            yield Turn(_joined(parts), sum("functionResponse" in part for part in parts))


@dataclass(frozen=True)
class ModelRequest:
    path: str
    body: Body


_INTERFACES = {
    "/messages": anthropic,
    "/responses": responses,
    "/chat/completions": chat,
    ":generateContent": gemini,
    "eamGenerateContent": gemini,
}


class ScriptedModel:
    """A server on a free port of loopback, and the requests that it has got."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []
        model = self

        class Handler(_Handler):
            requests = model.requests

        self._server = _Server(("127.0.0.1", 0), Handler)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """An agent that was killed takes no answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests: list[ModelRequest]

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []}
        self._send(*((200, json.dumps(models)) if "/models" in self.path else (404, "{}")))

    def do_HEAD(self) -> None:
        self._send(200, "")

    def do_POST(self) -> None:
        body, path = self._body(), self.path.partition("?")[0]
        interface = next((answer for end, answer in _INTERFACES.items() if path.endswith(end)), None)
        if path.endswith(("/count_tokens", ":countTokens")):
            self._send(200, json.dumps({"input_tokens": _size(body), "totalTokens": _size(body)}))
        elif interface is None:
            self._send(404, "{}")
        else:
            self.requests.append(ModelRequest(path, body))
            whole, events = interface(body)
            if body.get("stream") or "stream" in path:
                self._send(200, _stream(events, path), "text/event-stream")
            else:
                self._send(200, json.dumps(whole))

    def _body(self) -> Body:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("transfer-encoding") == "chunked":
            raw = b"".join(self._chunks())
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            body = json.loads(raw)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().strip() or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _send(self, status: int, content: str, kind: str = "application/json") -> None:
        data = content.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _stream(events: Events, path: str) -> str:
    lines = "".join(
        f"event: {name}\ndata: {json.dumps(event)}\n\n" if name else f"data: {json.dumps(event)}\n\n"
        for name, event in events
    )
    return lines + ("data: [DONE]\n\n" if path.endswith("/chat/completions") else "")
