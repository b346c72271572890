"""Simple ways to tell whether code changed, to compare with."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from benchmarks.staleness.scores import CHANGED, FRESH, GONE, Answer

Files = Mapping[str, str]
Case = Mapping[str, Any]


class System(Protocol):
    """Something that says what became of lines of a tree once the tree is another."""

    def answers(self, before: Files, after: Files, cases: Iterable[Case]) -> dict[str, Answer]: ...


class FileHash:
    """The file is another, so everything in it is suspect."""

    def answers(self, before: Files, after: Files, cases: Iterable[Case]) -> dict[str, Answer]:
        return {case["id"]: self._answer(before, after, case) for case in cases}

    def _answer(self, before: Files, after: Files, case: Case) -> Answer:
        path = case["path"]
        if path not in after:
            return Answer(GONE)
        return Answer(FRESH if before[path] == after[path] else CHANGED, path, case["start"])


class LineHash:
    """The lines of these numbers are others."""

    def answers(self, before: Files, after: Files, cases: Iterable[Case]) -> dict[str, Answer]:
        return {case["id"]: self._answer(before, after, case) for case in cases}

    def _answer(self, before: Files, after: Files, case: Case) -> Answer:
        path = case["path"]
        if path not in after:
            return Answer(GONE)
        was, now = (files[path].splitlines()[case["start"] - 1 : case["end"]] for files in (before, after))
        return Answer(FRESH if was == now else CHANGED, path, case["start"])


class LineDiff:
    """Lines are followed by a diff of the file; they changed if one of them did or something came between."""

    def answers(self, before: Files, after: Files, cases: Iterable[Case]) -> dict[str, Answer]:
        maps: dict[str, dict[int, int]] = {}
        out = {}
        for case in cases:
            path = case["path"]
            if path not in after:
                out[case["id"]] = Answer(GONE)
                continue
            if path not in maps:
                maps[path] = _line_map(before[path], after[path])
            out[case["id"]] = self._answer(maps[path], case)
        return out

    def _answer(self, lines: Mapping[int, int], case: Case) -> Answer:
        now = [lines.get(number) for number in range(case["start"], case["end"] + 1)]
        kept = [number for number in now if number is not None]
        if not kept:
            return Answer(GONE)
        first = kept[0]
        whole = now == list(range(first, first + len(now)))
        return Answer(FRESH if whole else CHANGED, case["path"], first)


def _line_map(before: str, after: str) -> dict[int, int]:
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return {
        block.a + step + 1: block.b + step + 1 for block in matcher.get_matching_blocks() for step in range(block.size)
    }
