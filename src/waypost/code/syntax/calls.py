"""Calls: the name and its receiver.

A receiver can be as long as the file: a chain of calls. Long ones are read together, each from where the one inside of it
ends, so that the time is linear.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from waypost.code.source import Call
from waypost.code.syntax.arguments import MACRO, read_arguments
from waypost.code.syntax.text import Captures, Text

MAX_RECEIVER = 120
_READ = 400  # bytes of a called expression without arguments
_NEAR = 60  # bytes before a name that has most receivers
_SPACED = 42  # bytes between a receiver and a name: dots and white space
_CHAIN = 4_000  # bytes read at its end; a chain of calls can be as long as the file
_LAST_NAME = re.compile(r"(?:@[\w$]*+|(?<![\w$@])[\w$]++)[?!]?$")
_COMMENT_MARKS = (b"//", b"#", b"/*", b"*")
_COMMENT_AFTER = re.compile(rb"(?<=[)\]}])\s*//.*$")
_COMMENT_LINE = re.compile(r"\s//[^\n]*(?:\n|$)")
_BYTE_COMMENT = re.compile(rb"\s//[^\n]*(?:\n|$)")
_SPACE = re.compile(r"(?<!\bnew)(?<!\bawait)\s+")
_BYTE_SPACE = re.compile(rb"(?<!\bnew)(?<!\bawait)\s+")
_TOKEN_RECEIVER = re.compile(
    rb"(?<![\w.:)\]])(?:\w{1,60}(?:(?:::<[\w:]{1,60}>)?\([^()]{0,60}\)|\[[^\[\]]{0,60}\])?\s{0,40}(?:\.|::)\s{0,40}){1,8}$"
)
_TOKEN_ARGUMENTS = re.compile(rb"(?:::<[\w\s,:&'<>]{0,100}>)?\(")
_BRACKET = re.compile(rb"[()\[\]{},]|(?<!\\)\"(?:[^\"\\\n]|\\.)*+\"|(?<!\\)'(?:[^'\\\n]|\\.)*+'")
_ASSIGNED = re.compile(rb"[ \t]*+(?:\|\||&&|[-+*/])?=(?![=~>])")
_TOKEN_BETWEEN = b".: \t\r\n"
_BETWEEN = ".:?!&\\ \t\r\n"


class LongCall(NamedTuple):
    """A call with a long receiver, by byte offsets."""

    start: int  # of its receiver
    receiver_end: int
    name_start: int
    name_end: int


def read_call(captures: Captures, text: Text, *, count: bool = False) -> tuple[int, Call] | LongCall | None:
    """A call and its position. None if it has no name, such as `(f or g)()`. With `count`, its arguments are counted."""
    called = captures.get("call")
    if called is None:
        return _token_call(captures, text) if "call.token" in captures else _named_call(captures, text, count=count)
    start, end = called[0].start_byte, called[0].end_byte
    if end - start >= MAX_RECEIVER:
        return _long_call(text.data, start, end)
    raw = text.between(start, end)
    # Most calls are dotted names; this is the innermost loop of reading a file.
    receiver, _, name = raw.rpartition(".")
    if not name.isidentifier() or (receiver and not _ends_with_name(receiver)):
        match = _LAST_NAME.search(raw if raw[-1] != ">" else _without_types(raw))
        if match is None:
            return None
        name, receiver = match[0], _receiver(raw[: match.start()])
    return end - 1, Call(name, _short(receiver), text.row(end - 1) + 1, *_arguments(text, end, count=count))


def read_long_calls(calls: Iterable[LongCall], text: Text, *, count: bool = False) -> Iterator[tuple[int, Call]]:
    """Calls with long receivers, without the arguments in these: `Arg::new("a") .help("b")` is `Arg::new().help()`."""
    start, end, before = -1, 0, ""
    for call in sorted(calls):
        if call.start == start and end < call.receiver_end:  # the call before it is its receiver
            piece = text.data[end : call.receiver_end]
            receiver = _shorter(f"{before}(){_after_arguments(piece)}" if b"(" in piece else "…")
        else:
            data = text.data[max(call.start, call.receiver_end - _CHAIN) : call.receiver_end]
            bare = _without_arguments(_BYTE_COMMENT.sub(b"\n", data))
            receiver = _shorter(bare[-_READ:].decode("utf-8", "replace"))
        name = text.between(call.name_start, call.name_end)
        start, end, before = call.start, call.name_end, f"{receiver}.{name}"
        line = text.row(call.name_end - 1) + 1
        yield call.name_end - 1, Call(name, receiver, line, *_arguments(text, call.name_end, count=count))


def _after_arguments(piece: bytes) -> str:
    """What follows the arguments of a call up to the next name, without comments: an index, a field, or nothing."""
    after = b""
    for line in reversed(piece[-_CHAIN:].split(b"\n")):
        code = _COMMENT_AFTER.sub(b"", line).strip()
        after = code + after if not code.startswith(_COMMENT_MARKS) else after
        if b")" in code and not code.startswith(_COMMENT_MARKS):
            break
    return "".join(after[after.rfind(b")") + 1 :].decode("utf-8", "replace").split())


def _long_call(data: bytes, start: int, end: int) -> LongCall | None:
    """Where receiver and name of a long called expression are."""
    raw = data[max(start, end - _READ) : end].decode("latin-1")
    match = _LAST_NAME.search(raw if raw[-1] != ">" else _without_types(raw))
    if match is None:
        return None
    offset = end - len(raw)
    return LongCall(start, offset + len(_receiver(raw[: match.start()])), offset + match.start(), offset + match.end())


def _receiver(before: str) -> str:
    """What is before a name, without the sign between."""
    receiver = before.rstrip(_BETWEEN)
    return receiver[:-2].rstrip(_BETWEEN) if receiver.endswith("->") else receiver


def _named_call(captures: Captures, text: Text, *, count: bool) -> tuple[int, Call] | LongCall:
    name = captures["call.name"][0]
    start = name.start_byte
    receiver = ""
    before = captures.get("call.receiver")
    if before:
        begin, end = before[0].start_byte, before[0].end_byte
        if end - begin >= MAX_RECEIVER and name.end_byte - start < _READ:
            return LongCall(begin, end, start, name.end_byte)
        receiver = _short(text.between(begin, min(end, begin + _READ)))
    called = text.between(start, min(name.end_byte, start + _READ))
    if receiver and _ASSIGNED.match(text.data, name.end_byte):  # Ruby's `cart.size = 3` calls `size=`
        called += "="
    return start, Call(called, receiver, text.row(start) + 1, *_arguments(text, name.end_byte, count=count))


def _token_call(captures: Captures, text: Text) -> tuple[int, Call] | None:
    """A call among tokens: its receiver is what stands before the name on its line."""
    token = captures["call.token"][0]
    start, end = token.start_byte, token.end_byte
    if _TOKEN_ARGUMENTS.match(text.data, end, end + _READ) is None:
        return None
    receiver = b""
    if text.data[max(0, start - _SPACED) : start].rstrip().endswith((b".", b"::")):
        near, far = (max(0, start - reach) for reach in (_NEAR, _READ))
        match = _TOKEN_RECEIVER.search(text.data, near, start) or _TOKEN_RECEIVER.search(text.data, far, start)
        if match is None:
            return None
        receiver = match[0].strip(_TOKEN_BETWEEN)
    return start, Call(text.between(start, end), _short(receiver.decode("utf-8", "replace")), text.row(start) + 1)


def _arguments(text: Text, position: int, *, count: bool) -> tuple[int, str]:
    if count:
        return read_arguments(text.data, position)
    return -1, MACRO if text.data.startswith(b"!", position) else ""


def _ends_with_name(receiver: str) -> bool:
    return receiver[-1].isalnum() or receiver[-1] in ")_]\"'"


def _without_types(raw: str) -> str:
    """`make<Foo<int>>` without its angle brackets."""
    depth = 0
    for position in range(len(raw) - 1, -1, -1):
        depth += (raw[position] == ">") - (raw[position] == "<")
        if depth == 0:
            return raw[:position].rstrip(":")
    return raw


def _without_arguments(data: bytes) -> bytes:
    """A chain of calls without arguments and white space: `Arg::new("a") .help("b")` is `Arg::new().help()`."""
    parts: list[bytes] = []
    depth = last = 0
    for match in _BRACKET.finditer(data):
        mark = match[0]
        if mark in b"([{":
            if depth == 0:
                parts.append(data[last : match.end()])
            depth += 1
        elif mark in b")]}":
            depth -= 1
            if depth < 0:  # the beginning was cut off
                return data
            last = match.start() if depth == 0 else last
    return _BYTE_SPACE.sub(b"", b"".join([*parts, data[last:]])) if depth == 0 else data


def _short(receiver: str) -> str:
    if len(receiver) <= MAX_RECEIVER and "\n" not in receiver:
        return receiver
    return _shorter(_SPACE.sub("", _COMMENT_LINE.sub("\n", receiver)))


def _shorter(receiver: str) -> str:
    """A long chain with each step once: builders return themselves. Cut at its beginning if it is still too long."""
    if len(receiver) <= MAX_RECEIVER:
        return receiver
    first, *rest = receiver.split("().")
    if rest:
        receiver = "().".join([first, *(step for step in dict.fromkeys(rest[:-1]) if step != rest[-1]), rest[-1]])
    return receiver if len(receiver) <= MAX_RECEIVER else "…" + receiver[1 - MAX_RECEIVER :]
