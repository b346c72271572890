"""Receivers of calls, as written, cut into steps: `Store(a).rows[0]` → Store, call, rows, unknown."""

import re
from functools import lru_cache

CALL = "()"
UNKNOWN = "?"  # an index, an operator, a literal: from here on nothing is known

_LEADING = re.compile(r"(?:\(?\s*)?(?:await\s+|new\s+|&+|\*+|!+)+")
_NAME = re.compile(r"[$@#]{0,2}[^\W\d][\w$]*[?!]?")
_STEP = re.compile(r"\s*(?:\?\.|!\.|\.|::|->|\\)\s*")
_CLOSING = {"(": ")", "[": "]", "<": ">"}


@lru_cache(maxsize=50_000)
def steps(expression: str) -> tuple[str, ...]:
    """The steps of an expression; empty when it begins with something unknown."""
    text = expression.strip()
    if leading := _LEADING.match(text):
        rest = text[leading.end() :]
        # "(await x).y" closes a bracket that was opened before the word
        text = rest.replace(")", "", 1) if leading[0].startswith("(") else rest
    text = text.removeprefix("\\")
    found: list[str] = []
    position = 0
    while position < len(text):
        name = _NAME.match(text, position)
        if name is None:
            return (*found, UNKNOWN) if found else ()
        found.append(name[0])
        position = name.end()
        while position < len(text) and text[position] in "([<!":
            if text[position] == "!":
                position += 1
                continue
            end = _partner(text, position)
            if end < 0:
                return (*found, UNKNOWN)
            if text[position] != "<":
                found.append(CALL if text[position] == "(" else UNKNOWN)
            position = end
        if position >= len(text):
            break
        step = _STEP.match(text, position)
        if step is None:
            return (*found, UNKNOWN)
        position = step.end()
    return tuple(found)


def _partner(text: str, opening: int) -> int:
    """The place behind the bracket that closes the one at `opening`; -1 when it is not there."""
    depth = 0
    open_sign, close_sign = text[opening], _CLOSING[text[opening]]
    for position in range(opening, len(text)):
        depth += (text[position] == open_sign) - (text[position] == close_sign)
        if depth == 0:
            return position + 1
    return -1
