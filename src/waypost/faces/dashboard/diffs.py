"""Differences as people read them: between lines of code, and between the words of two texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Change = Literal["same", "added", "removed"]

_MOST_WORDS = 1500  # of a text that is compared word by word: more takes long, and is not read
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of two stretches of code, with its number in each that has it."""

    change: Change
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, slots=True)
class DiffWords:
    change: Change
    text: str


def line_diff(old: Sequence[str], new: Sequence[str], old_first: int = 1, new_first: int = 1) -> tuple[DiffLine, ...]:
    """Both stretches in one: what was removed before what took its place."""
    found: list[DiffLine] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [DiffLine("same", old_first + a + at, new_first + c + at, new[c + at]) for at in range(d - c)]
            continue
        found += [DiffLine("removed", old_first + at, None, old[at]) for at in range(a, b)]
        found += [DiffLine("added", None, new_first + at, new[at]) for at in range(c, d)]
    return tuple(found)


def word_diff(old: str, new: str) -> tuple[DiffWords, ...]:
    """What a text was and is, in one. Texts too long to compare are shown one after the other."""
    before, after = _WORD.findall(old[: 20 * _MOST_WORDS]), _WORD.findall(new[: 20 * _MOST_WORDS])
    if max(len(before), len(after)) > _MOST_WORDS or max(len(old), len(new)) > 20 * _MOST_WORDS:
        return (DiffWords("removed", old), DiffWords("added", new))
    found: list[DiffWords] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(DiffWords("same", "".join(after[c:d])))
            continue
        if b > a:
            found.append(DiffWords("removed", "".join(before[a:b])))
        if d > c:
            found.append(DiffWords("added", "".join(after[c:d])))
    return tuple(found)
