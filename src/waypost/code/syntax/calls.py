"""Calls: the name and what stands before it."""

import re

from waypost.code.source import Call
from waypost.code.syntax.captures import Captures, Text

MAX_RECEIVER = 120
_READ = 400  # bytes at the end of a called expression; a chain of calls can be as long as the file
_LAST_NAME = re.compile(r"[\w$@][\w$]*[?!]?$")
_BETWEEN = ".:?!&\\ \t\r\n"


def read_call(captures: Captures, text: Text) -> tuple[int, Call] | None:
    """Where a call is, and the call; None for what has no name, such as `(f or g)()`."""
    called = captures.get("call")
    if called is not None:
        node = called[0]
        start, end = node.start_byte, node.end_byte
        raw = text.data[max(start, end - _READ) : end].decode("utf-8", "replace")
        match = _LAST_NAME.search(raw if not raw.endswith(">") else _without_types(raw))
        if match is None:
            return None
        receiver = raw[: match.start()].rstrip(_BETWEEN)
        if receiver.endswith("->"):
            receiver = receiver[:-2].rstrip(_BETWEEN)
        return end - 1, Call(match[0], _short(receiver), text.row(end - 1) + 1)
    name = captures["call.name"][0]
    before = captures.get("call.receiver")
    receiver = (
        "" if not before else text.between(before[0].start_byte, min(before[0].end_byte, before[0].start_byte + _READ))
    )
    word = text.between(name.start_byte, min(name.end_byte, name.start_byte + _READ))
    return name.start_byte, Call(word, _short(receiver), text.line_of(name))


def _without_types(raw: str) -> str:
    """`make<Foo<int>>` without what is between its angle brackets."""
    depth = 0
    for position in range(len(raw) - 1, -1, -1):
        depth += (raw[position] == ">") - (raw[position] == "<")
        if depth == 0:
            return raw[:position].rstrip(":")
    return raw


def _short(receiver: str) -> str:
    if len(receiver) <= MAX_RECEIVER and "\n" not in receiver:
        return receiver
    line = "".join(receiver.split())
    return line if len(line) <= MAX_RECEIVER else "…" + line[1 - MAX_RECEIVER :]
