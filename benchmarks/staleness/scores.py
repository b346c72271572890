"""How well a system tells stale from fresh, and whether it finds again what moved."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FRESH, CHANGED, MOVED, GONE = "fresh", "changed", "moved", "gone"
RIGHT = {
    "unchanged": FRESH,
    "shifted": FRESH,
    "cosmetic": FRESH,
    "doc_only": FRESH,
    "edited": CHANGED,
    "moved": MOVED,
    "renamed": MOVED,
    "deleted": GONE,
    "moved_edited": CHANGED,
}
BESIDE = frozenset({"moved_edited"})  # shown by itself and in no total
STALE = frozenset({"edited", "deleted"})
SOUND = frozenset({"unchanged", "shifted", "cosmetic", "moved"})  # doc_only and renamed are shown, not counted


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system says of a case: its status and where the code begins now, if it knows."""

    status: str
    path: str | None = None
    start: int | None = None

    @property
    def flag(self) -> bool:
        return self.status not in {FRESH, MOVED}


@dataclass(frozen=True, slots=True)
class Scores:
    cases: int
    precision: float
    recall: float
    right: float  # the status is the one of the class
    relocation: float  # of what still exists: the right path and first line
    flagged: Mapping[str, tuple[int, float]]  # by class: cases, part that was flagged
    relocated: Mapping[str, float]

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def score(rows: Iterable[tuple[Mapping[str, Any], Answer]]) -> Scores:
    shown = list(rows)
    every = [(case, answer) for case, answer in shown if case["label"] not in BESIDE]
    hit = sum(case["label"] in STALE and answer.flag for case, answer in every)
    missed = sum(case["label"] in STALE and not answer.flag for case, answer in every)
    wrong = sum(case["label"] in SOUND and answer.flag for case, answer in every)
    flags: dict[str, list[bool]] = defaultdict(list)
    places: dict[str, list[bool]] = defaultdict(list)
    for case, answer in shown:
        flags[case["label"]].append(answer.flag)
        if "new" in case:
            places[case["label"]].append(relocated(case, answer))
    return Scores(
        len(every),
        _part(hit, hit + wrong),
        _part(hit, hit + missed),
        _part(sum(RIGHT[case["label"]] == answer.status for case, answer in every), len(every)),
        _mean([one for label, row in places.items() if label not in BESIDE for one in row]),
        {label: (len(row), _mean(row)) for label, row in flags.items()},
        {label: _mean(row) for label, row in places.items()},
    )


def relocated(case: Mapping[str, Any], answer: Answer) -> bool:
    return (answer.path, answer.start) == (case["new"]["path"], case["new"]["start"])


def _part(some: int, whole: int) -> float:
    return some / whole if whole else 0.0


def _mean(row: Sequence[bool]) -> float:
    return _part(sum(row), len(row))
