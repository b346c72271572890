"""Parse one pattern in the syntax of `.gitignore`: `*`, `?`, `[a-z]`, `[[:alpha:]]`, `**`, `\\` and braces.

A pattern is split at its slashes. Each piece becomes a regular expression for one name. Stars become atomic groups, so
matching takes at most pattern length times name length, even for hostile patterns.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from waypost.errors import InvalidInput

_ANY_FOLDERS = "**"
_NEVER = r"(?!)"
_PLAIN = re.compile(r"(\w+)\\Z")  # a name without wildcards
_SIGNS = {"*": "*", "?": ".", "/": "/"}
_MOST_ALTERNATIVES = 1_000
_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e", "punct": r"!-/:-@\[-`{-~", "space": r" \t\n\r\f\v",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Glob:
    """A parsed pattern. `pieces` are expressions for one name each, or `**`."""

    pieces: tuple[str, ...]
    floating: bool  # without a slash: it matches names at any depth

    @property
    def expression(self) -> str:
        """The expression of a floating pattern, to be joined with others by `|`."""
        return self.pieces[0]

    @property
    def first_word(self) -> str:
        """The name that every matching path begins with, or empty."""
        plain = _PLAIN.fullmatch(self.pieces[0])
        return plain[1] if plain else ""

    def matches_name(self, name: str) -> bool:
        return _compiled(self.pieces[0]).match(name) is not None

    def matches_parts(self, parts: Sequence[str]) -> bool:
        """Whether the whole pattern matches the whole path. `**` takes as few parts as possible."""
        pieces = self.pieces
        if len(pieces) != len(parts) and _ANY_FOLDERS not in pieces:
            return False
        piece = part = 0
        star, resume = -1, 0
        while part < len(parts):
            if piece < len(pieces) and pieces[piece] == _ANY_FOLDERS:
                if piece == len(pieces) - 1:
                    return True  # at the end: everything inside, but not the folder itself
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
    """Parse a pattern without its `!` and its final slash. A malformed one matches nothing."""
    floating = "/" not in pattern
    pieces: list[list[str]] = [[]]  # for each name, expressions of one character; a star is "*"
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
    """Whether a pattern has an open bracket or a final backslash and so matches nothing."""
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
    """The expression for `[…]` that starts before `at`, and the position of its `]`. Empty if malformed."""
    negated = pattern[at : at + 1] in {"!", "^"}
    if negated:
        at += 1
    accepted = ""
    previous = ""  # the possible start of a range
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
    """One item inside brackets: its expression, the possible start of a range, and the position after it."""
    if pattern[at : at + 1] == "-" and previous and pattern[at + 1 : at + 2] not in {"", "]"}:
        last, at = _character(pattern, at + 1)
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
    sign, at = _character(pattern, at)
    return (re.escape(sign), sign, at) if sign else None


def _character(pattern: str, at: int) -> tuple[str, int]:
    """One character inside brackets, perhaps escaped, and the position after it."""
    if pattern[at : at + 1] == "\\":
        at += 1
    return pattern[at : at + 1], at + 1


def expand_braces(pattern: str) -> list[str]:
    """Expand `src/*.{js,ts}` to `src/*.js` and `src/*.ts`. Braces may nest. Without a comma or an end they are literal.

    Raises InvalidInput for more than a thousand patterns.
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
            raise InvalidInput(
                f"The pattern {pattern[:60]!r} expands to too many patterns.", "Use fewer braces, or stars."
            )
    return done


def _first_braces(pattern: str) -> list[int] | None:
    """The positions of `{`, its commas and its `}`, for the first braces that have all three."""
    open_: list[list[int]] = []
    spans: list[list[int]] = []
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
                spans.append(span)
    return min(spans) if spans else None
