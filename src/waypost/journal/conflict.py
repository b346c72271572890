"""Pages that git could not merge. Both sides are read; nothing is written until a person resolves the conflict."""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from waypost.model.journal import Entry

_SIGN = re.compile(r"(?m)^(?:(<{7}|\|{7}|>{7})(?: [^\n]*+)?|(={7}))\r?$")
_OUTER_SIGN = re.compile(r"(?:<{7}|\|{7}|>{7})(?: |$)")


def is_sign(line: str) -> bool:
    """Whether a line could begin or end a side of a conflict. A row of `=` does neither."""
    return _OUTER_SIGN.match(line) is not None


def sides(text: str) -> tuple[str, str] | None:
    """Our text and their text, or None if no complete conflict is marked."""
    if "<<<<<<<" not in text:
        return None
    ours: list[str] = []
    theirs: list[str] = []
    done = 0
    for start, base, middle, end in _conflicts(text):
        shared = text[done : start.start()]
        ours += (shared, _between(text, start, base or middle))
        theirs += (shared, _between(text, middle, end))
        done = _after(text, end)
    if not done:
        return None
    return "".join(ours) + text[done:], "".join(theirs) + text[done:]


def union(ours: Sequence[Entry], theirs: Sequence[Entry]) -> tuple[Entry, ...]:
    """All entries of both sides. Entries that only they have follow those that only we have.

    An entry on both sides appears once, with the amendments of both. If an id has other text on their side, that text
    becomes an entry without an id.
    """
    result = list(ours)
    positions: dict[object, deque[int]] = {}
    for index, entry in enumerate(ours):
        positions.setdefault(_identity(entry), deque()).append(index)
    our_ids = {entry.id for entry in ours}
    pending: list[Entry] = []
    before: dict[int, list[Entry]] = {}
    for entry in theirs:
        indices = positions.get(_identity(entry))
        if indices:
            index = indices.popleft()
            result[index] = _with_amendments(result[index], entry)
            before.setdefault(index, []).extend(pending)
            pending = []
        else:
            pending.append(replace(entry, id=None) if entry.id in our_ids else entry)
    merged: list[Entry] = []
    for index, entry in enumerate(result):
        merged += (*before.get(index, ()), entry)
    return (*merged, *pending)


def _conflicts(text: str) -> list[tuple[re.Match[str], re.Match[str] | None, re.Match[str], re.Match[str]]]:
    """Complete conflicts: the start, the common base if there is one, the middle and the end sign."""
    conflicts = []
    start = base = middle = None
    for sign in _SIGN.finditer(text):
        kind = (sign[1] or sign[2])[0]
        if kind == "<":
            start, base, middle = sign, None, None
        elif kind == "|" and start and not base and not middle:
            base = sign
        elif kind == "=" and start and not middle:
            middle = sign
        elif kind == ">" and start and middle:
            conflicts.append((start, base, middle, sign))
            start = base = middle = None
    return conflicts


def _after(text: str, sign: re.Match[str]) -> int:
    return min(sign.end() + 1, len(text))


def _between(text: str, first: re.Match[str], last: re.Match[str]) -> str:
    return text[_after(text, first) : last.start()]


def _identity(entry: Entry) -> object:
    return (entry.id, entry.text) if entry.id else (None, entry.text, entry.at, entry.speaker, entry.kind)


def _with_amendments(ours: Entry, theirs: Entry) -> Entry:
    extra = [amendment for amendment in theirs.amendments if amendment not in ours.amendments]
    if not extra:
        return ours
    return replace(ours, amendments=tuple(sorted((*ours.amendments, *extra), key=lambda amendment: amendment.at)))
