"""Pages that git could not merge: both sides are read, and nothing is written until a person has chosen."""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from waypost.model.journal import Entry

_SIGN = re.compile(r"(?m)^(?:(<{7}|\|{7}|>{7})(?: [^\n]*+)?|(={7}))\r?$")
_LIKE = re.compile(r"(?:<{7}|\|{7}|>{7})(?: |$)")


def is_sign(line: str) -> bool:
    """Whether a line could begin or end a side of a conflict. A row of = alone does neither."""
    return _LIKE.match(line) is not None


def sides(text: str) -> tuple[str, str] | None:
    """The text as ours and as theirs, or None where no complete conflict is marked."""
    if "<<<<<<<" not in text:
        return None
    ours: list[str] = []
    theirs: list[str] = []
    done = 0
    for opened, base, middle, closed in _conflicts(text):
        shared = text[done : opened.start()]
        ours += (shared, _between(text, opened, base or middle))
        theirs += (shared, _between(text, middle, closed))
        done = _after(text, closed)
    if not done:
        return None
    return "".join(ours) + text[done:], "".join(theirs) + text[done:]


def union(ours: Sequence[Entry], theirs: Sequence[Entry]) -> tuple[Entry, ...]:
    """All entries of both sides: what only they have stands behind what only we have.

    The same entry stands once, with what either side says about it. Where an id has other words on their side, those are
    an entry of their own without an id.
    """
    result = list(ours)
    same: dict[object, deque[int]] = {}
    for place, entry in enumerate(ours):
        same.setdefault(_identity(entry), deque()).append(place)
    taken = {entry.id for entry in ours}
    waiting: list[Entry] = []
    before: dict[int, list[Entry]] = {}
    for entry in theirs:
        places = same.get(_identity(entry))
        if places:
            place = places.popleft()
            result[place] = _with_amendments(result[place], entry)
            before.setdefault(place, []).extend(waiting)
            waiting = []
        else:
            waiting.append(replace(entry, id=None) if entry.id in taken else entry)
    merged: list[Entry] = []
    for place, entry in enumerate(result):
        merged += (*before.get(place, ()), entry)
    return (*merged, *waiting)


def _conflicts(
    text: str,
) -> list[tuple[re.Match[str], re.Match[str] | None, re.Match[str], re.Match[str]]]:
    """The complete ones: opened, perhaps the common base, the middle, closed."""
    found = []
    opened = base = middle = None
    for sign in _SIGN.finditer(text):
        kind = (sign[1] or sign[2])[0]
        if kind == "<":
            opened, base, middle = sign, None, None
        elif kind == "|" and opened and not base and not middle:
            base = sign
        elif kind == "=" and opened and not middle:
            middle = sign
        elif kind == ">" and opened and middle:
            found.append((opened, base, middle, sign))
            opened = base = middle = None
    return found


def _after(text: str, sign: re.Match[str]) -> int:
    """Where the line behind that of a sign begins."""
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
