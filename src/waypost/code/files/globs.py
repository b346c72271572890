"""One pattern in the syntax of `.gitignore`, taken apart: `*`, `?`, `[a-z]`, `[[:alpha:]]`, `**`, `\\` and braces.

A pattern is cut at its slashes; each piece is a regular expression for one name. Stars are written as atomic groups, so
that a hostile pattern costs no more than its length times that of the name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from waypost.errors import InvalidInput

_ANY_FOLDERS = "**"
_NEVER = r"(?!)"
_PLAIN = re.compile(r"(\w+)\\Z")  # an expression that stands for itself
_SIGNS = {"*": "*", "?": ".", "/": "/"}
_MOST_ALTERNATIVES = 1_000
_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e", "punct": r"!-/:-@\[-`{-~", "space": r" \t\n\r\f\v",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern, ready to be asked. `pieces` are expressions for one name each, or `**`."""

    pieces: tuple[str, ...]
    floating: bool  # without a slash: it speaks of names at any depth

    @property
    def expression(self) -> str:
        """For a floating pattern: the expression for the name, to be joined with others by `|`."""
        return self.pieces[0]

    @property
    def first_word(self) -> str:
        """The name that every matching path begins with; empty when it may begin with several."""
        plain = _PLAIN.fullmatch(self.pieces[0])
        return plain[1] if plain else ""

    def matches_name(self, name: str) -> bool:
        return _compiled(self.pieces[0]).match(name) is not None

    def matches_parts(self, parts: Sequence[str]) -> bool:
        """Whether the whole pattern stands for the whole path. `**` takes as little as it can, then more."""
        pieces = self.pieces
        if len(pieces) != len(parts) and _ANY_FOLDERS not in pieces:
            return False
        piece = part = 0
        star, resume = -1, 0
        while part < len(parts):
            if piece < len(pieces) and pieces[piece] == _ANY_FOLDERS:
                if piece == len(pieces) - 1:
                    return True  # at the end it takes everything inside, but not the folder itself
                star, resume = piece, part
                piece += 1
            elif piece < len(pieces) and _compiled(pieces[piece]).match(parts[part]):
                piece, part = piece + 1, part + 1
            elif star >= 0:
                resume += 1
                piece, part = star + 1, resume
            else:
                return False
        return piece == len(pieces)


@lru_cache(maxsize=4_096)
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.DOTALL)


def parse_glob(pattern: str) -> Glob:
    """Read a pattern without its `!` and without the slash at its end. A malformed one matches nothing."""
    floating = "/" not in pattern
    pieces: list[list[str]] = [[]]  # of each name, expressions of one character each; a star is "*"
    at = 1 if pattern.startswith("/") else 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "\\":
            sign, at = pattern[at : at + 1], at + 1
            expression = re.escape(sign) if sign != "/" else "/"
        elif sign == "[":
            expression, at = _bracket(pattern, at)
            at += 1
        else:
            expression = _SIGNS.get(sign) or re.escape(sign)
        if not expression:
            return Glob((_NEVER,), floating)
        if expression == "/":
            pieces.append([])
        else:
            pieces[-1].append(expression)
    return Glob(tuple(_finish(piece, floating) for piece in pieces), floating)


def is_malformed(pattern: str) -> bool:
    """Whether a pattern matches nothing because of how it is written: an open bracket, a backslash at its end."""
    return any(_NEVER in piece for piece in parse_glob(pattern).pieces)


def _finish(piece: list[str], floating: bool) -> str:
    """The expression for one name, or `**`."""
    if len(piece) > 1 and not floating and set(piece) == {"*"}:
        return _ANY_FOLDERS
    runs: list[str] = [""]
    starred = False
    for expression in piece:
        if expression == "*":
            if not starred or runs[-1]:
                runs.append("")
            starred = True
        else:
            runs[-1] += expression
    if not starred:
        return runs[0] + r"\Z"
    middle = "".join(f"(?>.*?{run})" for run in runs[1:-1])
    return f"{runs[0]}{middle}.*{runs[-1]}" + r"\Z"


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The expression for `[…]` that starts before `at`, and the place of its `]`; empty when it is malformed."""
    negated = pattern[at : at + 1] in {"!", "^"}
    if negated:
        at += 1
    accepted = ""
    previous = ""  # the character that a range may begin with
    first = at
    while at == first or pattern[at : at + 1] != "]":
        item = _bracket_item(pattern, at, previous)
        if item is None:
            return "", at
        expression, previous, at = item
        accepted += expression
    if not accepted:
        return ("." if negated else _NEVER), at
    return f"[{'^' if negated else ''}{accepted}]", at


def _bracket_item(pattern: str, at: int, previous: str) -> tuple[str, str, int] | None:
    """One item inside brackets: its expression, the character that a range may go on from, and the place behind it."""
    if pattern[at : at + 1] == "-" and previous and pattern[at + 1 : at + 2] not in {"", "]"}:
        last, at = _plain(pattern, at + 1)
        if not last:
            return None
        return (f"{re.escape(previous)}-{re.escape(last)}" if previous <= last else ""), "", at
    if pattern.startswith("[:", at):
        close = pattern.find("]", at + 2)
        if close > at + 2 and pattern[close - 1] == ":":
            named = _POSIX.get(pattern[at + 2 : close - 1])
            return None if named is None else (named, "", close + 1)
        if close < 0:
            return None
    sign, at = _plain(pattern, at)
    return (re.escape(sign), sign, at) if sign else None


def _plain(pattern: str, at: int) -> tuple[str, int]:
    """One character inside brackets, perhaps after a backslash, and the place behind it."""
    if pattern[at : at + 1] == "\\":
        at += 1
    return pattern[at : at + 1], at + 1


def expand_braces(pattern: str) -> list[str]:
    """`src/*.{js,ts}` as `src/*.js` and `src/*.ts`; braces nest; those without a comma or an end are plain signs.

    Raises InvalidInput when that would be more than a thousand patterns.
    """
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        current = waiting.pop()
        span = _first_braces(current)
        if span is None:
            done.append(current)
        else:
            before, after = current[: span[0]], current[span[-1] + 1 :]
            waiting += [before + current[a + 1 : b] + after for a, b in reversed([*pairwise(span)])]
        if len(done) + len(waiting) > _MOST_ALTERNATIVES:
            raise InvalidInput(f"The pattern {pattern[:60]!r} stands for too many.", "Use fewer braces, or stars.")
    return done


def _first_braces(pattern: str) -> list[int] | None:
    """The places of `{`, its commas and its `}`, of the first braces that have all three."""
    open_: list[list[int]] = []
    found: list[list[int]] = []
    escaped = False
    for at, sign in enumerate(pattern):
        if escaped:
            escaped = False
        elif sign == "\\":
            escaped = True
        elif sign == "{":
            open_.append([at])
        elif sign == "," and open_:
            open_[-1].append(at)
        elif sign == "}" and open_:
            span = [*open_.pop(), at]
            if len(span) > 2:
                found.append(span)
    return min(found) if found else None
