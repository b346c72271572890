"""Receivers of calls, as written, cut into steps: `Store(a).rows[0]` → Store, call, rows, unknown."""

import re
from functools import lru_cache

CALL = "()"
UNKNOWN = "?"  # an index, an operator, a literal: from here on nothing is known

_LEADING = re.compile(r"(?:(?:await|new)\s+|[&*!\\])+")
_MOST_BRACKETS = 4  # around an expression
_NAME = re.compile(r"[$@#]{0,2}[^\W\d][\w$]*(?:[?!](?![.?!]))?")
_STEP = re.compile(r"\s*(?:\?\.|!\.|\.|::|->|\\)\s*")
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


@lru_cache(maxsize=50_000)
def steps(expression: str) -> tuple[str, ...]:
    """The steps of an expression; empty when it begins with something unknown."""
    text = _unwrapped(expression.strip())
    found: list[str] = []
    position = 0
    while position < len(text):
        name = _NAME.match(text, position)
        if name is None:
            return (*found, UNKNOWN) if found else ()
        found.append(name[0])
        position = name.end()
        while position < len(text) and text[position] in "([{<!":
            if text[position] == "!":
                position += 1
                continue
            end = _partner(text, position)
            if end < 0:
                return (*found, UNKNOWN)
            if text[position] != "<":
                found.append(UNKNOWN if text[position] == "[" else CALL)  # Go makes objects with `Store{}`
            position = end
        if position >= len(text):
            break
        step = _STEP.match(text, position)
        if step is None:
            return (*found, UNKNOWN)
        position = step.end()
    return tuple(found)


def _unwrapped(text: str) -> str:
    """`(await x).y` → `x.y`, `new Store()` → `Store()`."""
    for _ in range(_MOST_BRACKETS):
        if leading := _LEADING.match(text):
            text = text[leading.end() :]
        if not text.startswith("("):
            return text
        end = _partner(text, 0)
        rest = text[end:] if end > 0 else "?"
        if rest and not _STEP.match(rest):
            return ""
        text = text[1 : end - 1].strip() + rest
    return ""


def _partner(text: str, opening: int) -> int:
    """The place behind the bracket that closes the one at `opening`; -1 when it is not there."""
    depth = 0
    open_sign, close_sign = text[opening], _CLOSING[text[opening]]
    for position in range(opening, len(text)):
        depth += (text[position] == open_sign) - (text[position] == close_sign)
        if depth == 0:
            return position + 1
    return -1
