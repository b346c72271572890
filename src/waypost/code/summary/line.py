"""One line about a symbol without documentation: its signature, and what its code calls, raises and touches."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from waypost.code.summary.words import words

_MOST_SIGNATURE = 160
_MOST_DECORATORS = 2
_MOST_MEMBERS = 8
_MOST_CALLS = 5
_MOST_ERRORS = 3
_MOST_TABLES = 4
_SPACE = re.compile(r"(?<=[(\[]) (?=\S)|,? (?=[)\]])")  # of a signature that was on several lines
_SHORTEST_CALL = 3  # characters of a callee's name


def symbol_line(details: Mapping[str, Any]) -> str:
    """The line from the stored details of a symbol, or "" if nothing is stored."""
    errors: Sequence[str] = details.get("raises", ())
    parts = [
        short_signature(str(details.get("signature") or "")),
        _names("decorators", [mark for mark in details.get("decorators", ()) if "(" in mark], _MOST_DECORATORS),
        _names("members", details.get("members", ()), _MOST_MEMBERS),
        _names("calls", _callees(details.get("calls", ()), errors), _MOST_CALLS),
        _names("raises", errors, _MOST_ERRORS),
        _names("tables", details.get("tables", ()), _MOST_TABLES),
    ]
    return "; ".join(filter(None, parts))


def short_signature(signature: str) -> str:
    """On one line. A long one is cut after a parameter, not inside a word."""
    line = _SPACE.sub("", " ".join(signature.split())).rstrip(",")
    if len(line) <= _MOST_SIGNATURE:
        return line
    cut = line[: _MOST_SIGNATURE - 2]
    return (cut.rpartition(",")[0] or cut.rpartition(" ")[0] or cut).rstrip(" ,") + ", …"


def listing(names: Sequence[str], most: int) -> str:
    """ "a, b, c", and " …" if there are more."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _names(label: str, names: Sequence[str], most: int) -> str:
    return f"{label} {listing(names, most)}" if names else ""


def _callees(names: Iterable[str], errors: Sequence[str]) -> list[str]:
    return [
        name
        for name in dict.fromkeys(names)
        if len(name) >= _SHORTEST_CALL
        and not name.startswith("__")
        and name not in words().common_calls
        and name not in errors
    ]
