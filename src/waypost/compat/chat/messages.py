"""Messages of a chat, as other tools export them: who said what when, in which conversation.

Read are lines of `role`, `content` and `time`, the exports of ChatGPT (a tree of messages) and Claude, and lists of
messages. What a message holds beside words (calls of tools, pictures, files) is named, and its thoughts are left out:
nobody said them.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from waypost.errors import InvalidInput
from waypost.model.characters import without_escapes
from waypost.model.time import parse_time

SESSION_GAP = timedelta(minutes=30)  # a longer silence begins another conversation, where none is named
_ROLES = {
    "user": "user", "human": "user", "prompter": "user", "customer": "user",
    "assistant": "assistant", "ai": "assistant", "bot": "assistant", "model": "assistant", "gpt": "assistant",
    "chatbot": "assistant", "claude": "assistant", "chatgpt": "assistant",
    "tool": "tool", "function": "tool", "ipython": "tool",
    "system": "system", "developer": "system",
}  # fmt: skip
_ROLE, _CONTENT = ("role", "sender", "from"), ("content", "text", "value", "message", "parts")
_TIME = ("time", "timestamp", "created_at", "create_time", "datetime", "date", "ts")
_SESSION = ("session", "session_id", "conversation_id", "conversation", "thread_id", "thread", "chat_id")
_LIST = ("chat_messages", "messages", "turns")  # where a conversation has them
_UNSAID = frozenset(
    {"thinking", "redacted_thinking", "thoughts", "reasoning", "reasoning_recap", "model_editable_context"}
)
_UNSAID_TYPES = _UNSAID | {"user_editable_context"}
_DEEPEST = 8  # parts inside parts
_PICTURE = re.compile(r"image|picture|photo")
_MOST_NAME = 120
_CONTROL = {code: 0x2400 + code for code in (*range(9), 11, 12, *range(14, 32))} | {127: 0x2421}
_BEFORE = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    where: str  # how its place in the file is called: line 3, conversation 2
    speaker: str
    text: str
    at: datetime
    session: str | None = None


def messages_of(item: object, where: str) -> Iterator[ChatMessage]:
    """The messages of one object of the file: itself one, or a whole conversation. An empty one is none.

    Raises InvalidInput for the first that cannot be used.
    """
    if not isinstance(item, Mapping):
        raise InvalidInput(f"{where} is not an object.", "A message is {role, content, time}.")
    if isinstance(item.get("mapping"), Mapping):
        yield from _from_tree(item, where)
        return
    inner = next((item[name] for name in _LIST if isinstance(item.get(name), list)), None)
    if inner is None:
        yield from _message(item, where, None, None)
        return
    session = _conversation_name(item)
    last = None
    for number, one in enumerate(inner, 1):
        if not isinstance(one, Mapping):
            raise InvalidInput(f"{where}, message {number} is not an object.", "A message is {role, content, time}.")
        for found in _message(one, f"{where}, message {number}", session, last or _first(item, _TIME)):
            last = found.at
            yield found


def visible(text: str) -> str:
    """The text without what no memory can hold: terminal escapes go, other control characters become their pictures, as ␀."""
    clean = without_escapes(text.replace("\r\n", "\n").replace("\r", "\n")).translate(_CONTROL)
    return clean.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def with_sessions(messages: Sequence[ChatMessage], prefix: str = "chat") -> list[ChatMessage]:
    """The messages by time, each in a session. Where none is named, a silence longer than `SESSION_GAP` begins one, which
    is called by the time of its first message: more messages after it leave its name as it is."""
    done = []
    last: datetime | None = None
    name = ""
    for one in sorted(messages, key=lambda message: message.at):
        if one.session is None:
            if last is None or one.at - last > SESSION_GAP:
                name = f"{prefix} {one.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
            last = one.at
        done.append(one if one.session is not None else replace(one, session=name))
    return done


def time_of(value: object) -> datetime:
    """An instant as exports write it: ISO 8601 (UTC where no zone is told), or seconds, milli-, micro- or nanoseconds
    since 1970."""
    if isinstance(value, str):
        text = value.strip()
        if not re.fullmatch(r"\d{9,19}(?:\.\d{1,9})?", text):
            return parse_time(text)
        value = float(text) if "." in text else int(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e19:
        raise InvalidInput(f"time: {str(value)[:60]!r} is not a time.", "Write 2026-01-30T14:05:00Z, or seconds.")
    scale = next(scale for limit, scale in ((1e11, 1), (1e14, 1e3), (1e17, 1e6), (math.inf, 1e9)) if value < limit)
    try:
        return _BEFORE + timedelta(microseconds=round(value / scale * 1e6))
    except OverflowError as error:
        raise InvalidInput(f"time: {str(value)[:60]!r} is out of range.", "Is it in seconds?") from error


# -- one message


def _message(item: Mapping[str, Any], where: str, session: str | None, otherwise: object) -> Iterator[ChatMessage]:
    role, content, time = _first(item, _ROLE), _first(item, _CONTENT), _first(item, _TIME)
    if isinstance(item.get("author"), Mapping):
        role = role or item["author"].get("role")
    calls = item.get("tool_calls") or item.get("function_call")
    missing = [
        name
        for name, value in (("role", role), ("time", time if time is not None else otherwise))
        if value is None or value == ""
    ]
    if content is None and not calls and not any(name in item for name in _CONTENT):
        missing.insert(1 if "role" in missing else 0, "content")
    if missing:
        raise InvalidInput(f"{where} has no {' and no '.join(missing)}.", "A message is {role, content, time}.")
    if not isinstance(role, str):
        raise InvalidInput(f"{where}: role must be a text.", "For example user or assistant.")
    at = _time(time if time is not None else otherwise, where)
    named = _first(item, _SESSION)
    session = _name(named) if isinstance(named, str | int) and not isinstance(named, bool) else session
    said = _Said(_speaker(role, item))
    said.take(content)
    said.take_calls(calls)
    said.take_files(item)
    for speaker, text in said.texts():
        yield ChatMessage(where, speaker, text, at, session)


class _Said:
    """The words of one message. Results of tools are a tool's words, whoever handed them on."""

    def __init__(self, speaker: str) -> None:
        self.speaker = speaker
        self.own: list[str] = []
        self.tools: list[str] = []

    def texts(self) -> Iterator[tuple[str, str]]:
        for speaker, parts in (("tool", self.tools), (self.speaker, self.own)):
            text = visible("\n\n".join(part for part in map(str.strip, parts) if part)).strip()
            if text:
                yield speaker, text

    def take(self, content: object, depth: int = 0, into: list[str] | None = None) -> None:
        into = self.own if into is None else into
        if isinstance(content, str):
            into.append(content)
        elif depth >= _DEEPEST or content is None:
            return
        elif isinstance(content, Sequence):
            for part in content:
                self.take(part, depth + 1, into)
        elif isinstance(content, Mapping):
            self._take_part(content, depth + 1, into)
        else:
            into.append(str(content))

    def _take_part(self, part: Mapping[str, Any], depth: int, into: list[str]) -> None:
        kind = str(part.get("type") or part.get("content_type") or "")
        if kind in _UNSAID_TYPES:
            return
        if kind in ("tool_use", "server_tool_use", "function_call"):
            self.take_calls(part)
        elif kind.endswith(("tool_result", "function_call_output")):
            self.take(part.get("content") or part.get("output"), depth, self.tools)
        elif _PICTURE.search(kind) or "asset_pointer" in part:
            into.append(f"[image{_address(part)}]")
        else:
            inner = next(
                (
                    part[name]
                    for name in ("text", "parts", "content", "value", "transcript", "result")
                    if part.get(name)
                ),
                None,
            )
            if inner is not None:
                self.take(inner, depth, into)
            elif kind and kind != "text":
                into.append(f"[{kind}{_address(part)}]")

    def take_calls(self, calls: object) -> None:
        for call in calls if isinstance(calls, list) else [calls]:
            if isinstance(call, Mapping):
                inner = call.get("function") if isinstance(call.get("function"), Mapping) else call
                assert isinstance(inner, Mapping)
                given = inner.get("arguments", inner.get("input"))
                words = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False) if given else ""
                self.own.append(f"→ {inner.get('name') or 'tool'} {words}".strip())

    def take_files(self, item: Mapping[str, Any]) -> None:
        for one in _all(item.get("attachments"), item.get("files")):
            if isinstance(one, Mapping):
                name = one.get("file_name") or one.get("name") or one.get("filename")
                self.own.append(f"[file: {name}]" if name else "")
                self.take(one.get("extracted_content"))


def _speaker(role: str, item: Mapping[str, Any]) -> str:
    """By role; a person, and whoever is named as the speaker, by name."""
    known = _ROLES.get(role.strip().casefold(), _name(role))
    told = item.get("speaker") or (item.get("name") if known == "user" else None)
    return _name(told) if isinstance(told, str) and told.strip() and known != "tool" else known


def _name(value: object) -> str:
    return " ".join(visible(str(value)).split())[:_MOST_NAME]


def _time(value: object, where: str) -> datetime:
    if isinstance(value, datetime):
        return value
    try:
        return time_of(value)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error.what}", error.remedy) from error


def _address(part: Mapping[str, Any]) -> str:
    """Where a picture or file lies, unless it is written out in place."""
    inner = part.get("image_url")
    found = inner.get("url") if isinstance(inner, Mapping) else inner
    found = found or part.get("url") or part.get("asset_pointer") or part.get("file_name") or part.get("name")
    return f": {_name(found)}" if isinstance(found, str) and not found.startswith("data:") else ""


def _first(item: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _all(*lists: object) -> Iterator[object]:
    for one in lists:
        if isinstance(one, list):
            yield from one


# -- a whole conversation


def _conversation_name(item: Mapping[str, Any]) -> str | None:
    """Its title with the beginning of its id: readable, and its own."""
    title = _first(item, ("title", "name"))
    number = _first(item, ("uuid", "conversation_id", "id", "session", "session_id"))
    title = _name(title)[: _MOST_NAME - 12] if isinstance(title, str) else ""
    number = _name(number) if isinstance(number, str | int) else ""
    return f"{title} ({number[:8]})" if title and number else title or number or None


def _from_tree(item: Mapping[str, Any], where: str) -> Iterator[ChatMessage]:
    """All branches of the tree: what was asked in other words, or answered anew, was said too."""
    session, nodes = _conversation_name(item), item["mapping"]
    begun = _first(item, ("create_time", "update_time"))
    known: dict[str, object] = {}
    for key in _parents_first(nodes):
        node = nodes[key]
        message = node.get("message")
        parent = known.get(str(node.get("parent")), begun)
        known[key] = parent
        if not isinstance(message, Mapping):
            continue
        time = message.get("create_time")
        known[key] = parent if time is None else time
        meta = message.get("metadata")
        if isinstance(meta, Mapping) and meta.get("is_visually_hidden_from_conversation"):
            continue
        yield from _message({**message, "create_time": time}, f"{where}, message {_name(key)}", session, parent)


def _parents_first(nodes: Mapping[str, Any]) -> Iterator[str]:
    """The keys of the nodes from the roots on. What leads in a circle comes last."""
    below: dict[str, list[str]] = {}
    roots: list[str] = []
    for key, node in nodes.items():
        if isinstance(node, Mapping):
            parent = node.get("parent")
            (below.setdefault(parent, []) if isinstance(parent, str) and parent in nodes else roots).append(key)
    left = {key for keys in below.values() for key in keys}
    stack = roots[::-1]
    while stack:
        key = stack.pop()
        left.discard(key)
        yield key
        stack += below.pop(key, [])[::-1]
    yield from (key for key in nodes if key in left)
