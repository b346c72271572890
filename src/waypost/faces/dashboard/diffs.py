"""Differences between code lines and between the words of two texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Change = Literal["same", "added", "removed"]

_MOST_WORDS = 1500  # per text; comparing more is slow and hard to read
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a code diff, with its number in each version that has it."""

    change: Change
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, slots=True)
class DiffWords:
    change: Change
    text: str


def line_diff(old: Sequence[str], new: Sequence[str], old_first: int = 1, new_first: int = 1) -> tuple[DiffLine, ...]:
    """Both versions in one list; removed lines come before added ones."""
    lines: list[DiffLine] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += [DiffLine("same", old_first + a + at, new_first + c + at, new[c + at]) for at in range(d - c)]
            continue
        lines += [DiffLine("removed", old_first + at, None, old[at]) for at in range(a, b)]
        lines += [DiffLine("added", None, new_first + at, new[at]) for at in range(c, d)]
    return tuple(lines)


def word_diff(old: str, new: str) -> tuple[DiffWords, ...]:
    """Both texts in one list. Long texts are shown one after the other."""
    before, after = _WORD.findall(old[: 20 * _MOST_WORDS]), _WORD.findall(new[: 20 * _MOST_WORDS])
    if max(len(before), len(after)) > _MOST_WORDS or max(len(old), len(new)) > 20 * _MOST_WORDS:
        return (DiffWords("removed", old), DiffWords("added", new))
    pieces: list[DiffWords] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(DiffWords("same", "".join(after[c:d])))
            continue
        if b > a:
            pieces.append(DiffWords("removed", "".join(before[a:b])))
        if d > c:
            pieces.append(DiffWords("added", "".join(after[c:d])))
    return tuple(pieces)
