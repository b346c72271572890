"""Calls: the name and its receiver."""

import re

from waypost.code.source import Call
from waypost.code.syntax.text import Captures, Text

MAX_RECEIVER = 120
_READ = 400  # bytes of a called expression without arguments
_CHAIN = 4_000  # bytes read at its end; a chain of calls can be as long as the file
_LAST_NAME = re.compile(r"(?:@[\w$]*+|(?<![\w$@])[\w$]++)[?!]?$")
_LONGEST_ARGUMENTS = 2_000
_TOKEN_RECEIVER = re.compile(rb"(?<![\w.:)\]])(?:\w{1,60}(?:\([^()\n]{0,60}\)|\[[^\[\]\n]{0,60}\])?(?:\.|::)){1,8}$")
_OPENING = re.compile(rb"\s{0,20}(?:<[\w\s,.?<>\[\]]{0,200}>)?\s{0,20}\(")
_BRACKET = re.compile(rb"[()\[\]{},]|(?<!\\)\"(?:[^\"\\\n]|\\.)*+\"|(?<!\\)'(?:[^'\\\n]|\\.)*+'")
_END = 1_200  # bytes of a long chain that are mostly enough
_FLAT = re.compile(rb"\([^()\[\]{}\"'\0]*+\)")
_NESTED = re.compile(rb"[()\[\]{}\"']")
_BETWEEN = ".:?!&\\ \t\r\n"


def read_call(captures: Captures, text: Text, *, count: bool = False) -> tuple[int, Call] | None:
    """A call and its position. None if it has no name, such as `(f or g)()`. With `count`, its arguments are counted."""
    called = captures.get("call")
    if called is None:
        return _token_call(captures, text) if "call.token" in captures else _named_call(captures, text, count=count)
    start, end = called[0].start_byte, called[0].end_byte
    data = text.data[start if end - start < _CHAIN else end - _CHAIN : end]
    if len(data) >= MAX_RECEIVER:
        data = _without_arguments(data)[-_READ:]
    raw = data.decode("utf-8", "replace")
    # Most calls are dotted names; this is the innermost loop of reading a file.
    receiver, _, name = raw.rpartition(".")
    if not name.isidentifier() or (receiver and not _ends_with_name(receiver)):
        match = _LAST_NAME.search(raw if raw[-1] != ">" else _without_types(raw))
        if match is None:
            return None
        name, receiver = match[0], raw[: match.start()].rstrip(_BETWEEN)
        if receiver.endswith("->"):
            receiver = receiver[:-2].rstrip(_BETWEEN)
    if len(receiver) > MAX_RECEIVER or "\n" in receiver:
        receiver = _short(receiver)
    return end - 1, Call(name, receiver, text.row(end - 1) + 1, _arguments(text.data, end) if count else -1)


def _named_call(captures: Captures, text: Text, *, count: bool) -> tuple[int, Call]:
    name = captures["call.name"][0]
    start = name.start_byte
    receiver = ""
    before = captures.get("call.receiver")
    if before:
        begin = before[0].start_byte
        receiver = _short(text.between(begin, min(before[0].end_byte, begin + _READ)))
    called = text.between(start, min(name.end_byte, start + _READ))
    return start, Call(called, receiver, text.row(start) + 1, _arguments(text.data, name.end_byte) if count else -1)


def _token_call(captures: Captures, text: Text) -> tuple[int, Call] | None:
    """A call among tokens: its receiver is what stands before the name on its line."""
    token = captures["call.token"][0]
    start, end = token.start_byte, token.end_byte
    if text.data[end : end + 1] != b"(":
        return None
    before = text.data[max(0, start - MAX_RECEIVER) : start]
    receiver = b""
    if before.endswith((b".", b"::")):
        match = _TOKEN_RECEIVER.search(before)
        if match is None:
            return None
        receiver = match[0].rstrip(b".:")
    return start, Call(text.between(start, end), receiver.decode("utf-8", "replace"), text.row(start) + 1)


def _arguments(data: bytes, position: int) -> int:
    """How many arguments the brackets after a called name have. -1 without brackets, or if they are too long."""
    opening = _OPENING.match(data, position, position + _READ)
    if opening is None:
        return -1
    depth = commas = 0
    for match in _BRACKET.finditer(data, opening.end() - 1, opening.end() + _LONGEST_ARGUMENTS):
        mark = match[0]
        if mark in b"([{":
            depth += 1
        elif mark in b")]}":
            depth -= 1
            if depth == 0:
                return commas + 1 if data[opening.end() : match.start()].strip() else 0
        elif mark == b"," and depth == 1:
            commas += 1
    return -1


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
    if len(data) > _END and (end := _flat_end(data)):
        return end
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
    return b"".join(b"".join([*parts, data[last:]]).split()) if depth == 0 else data


def _flat_end(data: bytes) -> bytes:
    """The last `_READ` bytes of a chain without arguments. Empty if its arguments have brackets or strings.

    Each call of a chain reads the chain before it. So this must not look at every bracket of a long one.
    """
    _, _, chain = _FLAT.sub(b"\0", data[-_END:]).partition(b"\0")
    if _NESTED.search(chain):
        return b""
    end = b"".join(chain.replace(b"\0", b"()").split())[-_READ:]
    return end if len(end) == _READ else b""


def _short(receiver: str) -> str:
    if len(receiver) <= MAX_RECEIVER and "\n" not in receiver:
        return receiver
    line = "".join(receiver.split())
    return line if len(line) <= MAX_RECEIVER else "…" + line[1 - MAX_RECEIVER :]
