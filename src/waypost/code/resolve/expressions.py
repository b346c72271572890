"""Split call receivers into steps: `Store(a).rows[0]` → Store, call, rows, unknown."""

import re
from functools import lru_cache

CALL = "()"
UNKNOWN = "?"  # an index, an operator, a literal: nothing after it can be resolved

_LEADING = re.compile(r"(?:(?:await|new)\s+|[&*!\\])+")
_MOST_BRACKETS = 4  # around an expression
_NAME = re.compile(r"[$@#]{0,2}[^\W\d][\w$]*(?:[?!](?![.?!]))?")
_STEP = re.compile(r"\s*(?:\?\.|!\.|\.|::|->|\\)\s*")
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


@lru_cache(maxsize=50_000)
def steps(expression: str) -> tuple[str, ...]:
    """The steps of an expression. Empty if it begins with something unknown."""
    text = _unwrap(expression.strip())
    parts: list[str] = []
    position = 0
    while position < len(text):
        name = _NAME.match(text, position)
        if name is None:
            return (*parts, UNKNOWN) if parts else ()
        parts.append(name[0])
        position = name.end()
        while position < len(text) and text[position] in "([{<!":
            if text[position] == "!":
                position += 1
                continue
            end = _closing_end(text, position)
            if end < 0:
                return (*parts, UNKNOWN)
            if text[position] != "<":
                parts.append(UNKNOWN if text[position] == "[" else CALL)  # Go creates objects with `Store{}`
            position = end
        if position >= len(text):
            break
        step = _STEP.match(text, position)
        if step is None:
            return (*parts, UNKNOWN)
        position = step.end()
    return tuple(parts)


def _unwrap(text: str) -> str:
    """`(await x).y` → `x.y`, `new Store()` → `Store()`."""
    for _ in range(_MOST_BRACKETS):
        if leading := _LEADING.match(text):
            text = text[leading.end() :]
        if not text.startswith("("):
            return text
        end = _closing_end(text, 0)
        rest = text[end:] if end > 0 else "?"
        if rest and not _STEP.match(rest):
            return ""
        text = text[1 : end - 1].strip() + rest
    return ""


def _closing_end(text: str, opening: int) -> int:
    """The index after the bracket that closes the one at `opening`, or -1."""
    depth = 0
    open_sign, close_sign = text[opening], _CLOSING[text[opening]]
    for position in range(opening, len(text)):
        depth += (text[position] == open_sign) - (text[position] == close_sign)
        if depth == 0:
            return position + 1
    return -1
