"""Chat messages in other tools' exports.

Supported are objects with `role`, `content` and `time`, the exports of ChatGPT (a tree of messages) and Claude, and
lists of messages. Tool calls, images and files in a message are named. A model's reasoning is left out.
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

SESSION_GAP = timedelta(minutes=30)  # a longer pause begins another session, if messages have none
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
_LIST = ("chat_messages", "messages", "turns")  # fields with the messages of a conversation
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
    where: str  # its position in the file: line 3, conversation 2
    speaker: str
    text: str
    at: datetime
    session: str | None = None


def messages_of(item: object, where: str) -> Iterator[ChatMessage]:
    """The messages of one object of the file: a single message or a conversation. Empty messages are skipped.

    Raises InvalidInput for the first unusable message.
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
    for number, part in enumerate(inner, 1):
        if not isinstance(part, Mapping):
            raise InvalidInput(f"{where}, message {number} is not an object.", "A message is {role, content, time}.")
        for message in _message(part, f"{where}, message {number}", session, last or _first(item, _TIME)):
            last = message.at
            yield message


def storable_text(text: str) -> str:
    """The text without terminal escapes, and with other control characters replaced by symbols such as ␀."""
    clean = without_escapes(text.replace("\r\n", "\n").replace("\r", "\n")).translate(_CONTROL)
    return clean.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def with_sessions(messages: Sequence[ChatMessage], prefix: str = "chat") -> list[ChatMessage]:
    """The messages in order of time, each with a session.

    Without a given session, a pause longer than `SESSION_GAP` begins a new one. Its name has the time of its first
    message, so that later messages do not change it.
    """
    done = []
    last: datetime | None = None
    name = ""
    for message in sorted(messages, key=lambda message: message.at):
        if message.session is None:
            if last is None or message.at - last > SESSION_GAP:
                name = f"{prefix} {message.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
            last = message.at
        done.append(message if message.session is not None else replace(message, session=name))
    return done


def time_of(value: object) -> datetime:
    """An instant from ISO 8601 (UTC without a zone), or from seconds, milli-, micro- or nanoseconds since 1970."""
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
    message_text = _MessageText(_speaker(role, item))
    message_text.add(content)
    message_text.add_calls(calls)
    message_text.add_files(item)
    for speaker, text in message_text.texts():
        yield ChatMessage(where, speaker, text, at, session)


class _MessageText:
    """The text of one message. Tool results in it count as said by the tool."""

    def __init__(self, speaker: str) -> None:
        self.speaker = speaker
        self.own: list[str] = []
        self.tools: list[str] = []

    def texts(self) -> Iterator[tuple[str, str]]:
        for speaker, parts in (("tool", self.tools), (self.speaker, self.own)):
            text = storable_text("\n\n".join(part for part in map(str.strip, parts) if part)).strip()
            if text:
                yield speaker, text

    def add(self, content: object, depth: int = 0, into: list[str] | None = None) -> None:
        into = self.own if into is None else into
        if isinstance(content, str):
            into.append(content)
        elif depth >= _DEEPEST or content is None:
            return
        elif isinstance(content, Sequence):
            for part in content:
                self.add(part, depth + 1, into)
        elif isinstance(content, Mapping):
            self._add_part(content, depth + 1, into)
        else:
            into.append(str(content))

    def _add_part(self, part: Mapping[str, Any], depth: int, into: list[str]) -> None:
        kind = str(part.get("type") or part.get("content_type") or "")
        if kind in _UNSAID_TYPES:
            return
        if kind in ("tool_use", "server_tool_use", "function_call"):
            self.add_calls(part)
        elif kind.endswith(("tool_result", "function_call_output")):
            self.add(part.get("content") or part.get("output"), depth, self.tools)
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
                self.add(inner, depth, into)
            elif kind and kind != "text":
                into.append(f"[{kind}{_address(part)}]")

    def add_calls(self, calls: object) -> None:
        for call in calls if isinstance(calls, list) else [calls]:
            if isinstance(call, Mapping):
                inner = call.get("function") if isinstance(call.get("function"), Mapping) else call
                assert isinstance(inner, Mapping)
                arguments = inner.get("arguments", inner.get("input"))
                words = (
                    arguments
                    if isinstance(arguments, str)
                    else json.dumps(arguments, ensure_ascii=False)
                    if arguments
                    else ""
                )
                self.own.append(f"→ {inner.get('name') or 'tool'} {words}".strip())

    def add_files(self, item: Mapping[str, Any]) -> None:
        for file in _all(item.get("attachments"), item.get("files")):
            if isinstance(file, Mapping):
                name = file.get("file_name") or file.get("name") or file.get("filename")
                self.own.append(f"[file: {name}]" if name else "")
                self.add(file.get("extracted_content"))


def _speaker(role: str, item: Mapping[str, Any]) -> str:
    """The name of a person or named speaker, else the role."""
    by_role = _ROLES.get(role.strip().casefold(), _name(role))
    name = item.get("speaker") or (item.get("name") if by_role == "user" else None)
    return _name(name) if isinstance(name, str) and name.strip() and by_role != "tool" else by_role


def _name(value: object) -> str:
    return " ".join(storable_text(str(value)).split())[:_MOST_NAME]


def _time(value: object, where: str) -> datetime:
    if isinstance(value, datetime):
        return value
    try:
        return time_of(value)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error.what}", error.remedy) from error


def _address(part: Mapping[str, Any]) -> str:
    """The address of an image or file, or an empty string for inline data."""
    inner = part.get("image_url")
    address = inner.get("url") if isinstance(inner, Mapping) else inner
    address = address or part.get("url") or part.get("asset_pointer") or part.get("file_name") or part.get("name")
    return f": {_name(address)}" if isinstance(address, str) and not address.startswith("data:") else ""


def _first(item: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _all(*lists: object) -> Iterator[object]:
    for items in lists:
        if isinstance(items, list):
            yield from items


# -- a whole conversation


def _conversation_name(item: Mapping[str, Any]) -> str | None:
    """The title with the beginning of the id, so that it is readable and unique."""
    title = _first(item, ("title", "name"))
    number = _first(item, ("uuid", "conversation_id", "id", "session", "session_id"))
    title = _name(title)[: _MOST_NAME - 12] if isinstance(title, str) else ""
    number = _name(number) if isinstance(number, str | int) else ""
    return f"{title} ({number[:8]})" if title and number else title or number or None


def _from_tree(item: Mapping[str, Any], where: str) -> Iterator[ChatMessage]:
    """The messages of all branches of the tree, including edited questions and regenerated answers."""
    session, nodes = _conversation_name(item), item["mapping"]
    begun = _first(item, ("create_time", "update_time"))
    times: dict[str, object] = {}
    for key in _parents_first(nodes):
        node = nodes[key]
        message = node.get("message")
        parent = times.get(str(node.get("parent")), begun)
        times[key] = parent
        if not isinstance(message, Mapping):
            continue
        time = message.get("create_time")
        times[key] = parent if time is None else time
        meta = message.get("metadata")
        if isinstance(meta, Mapping) and meta.get("is_visually_hidden_from_conversation"):
            continue
        yield from _message({**message, "create_time": time}, f"{where}, message {_name(key)}", session, parent)


def _parents_first(nodes: Mapping[str, Any]) -> Iterator[str]:
    """The keys of the nodes, parents before children. Nodes in a cycle come last."""
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
