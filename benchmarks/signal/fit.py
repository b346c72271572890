"""Fits the coefficients of certainty, and draws how well it is calibrated.

    python -m benchmarks.signal.fit --repositories DIR --work DIR                 # prints src/waypost/retrieve/data/certainty.toml
    python -m benchmarks.signal.fit --repositories DIR --work DIR --half check --plot docs/images/certainty.svg

Every question of a half is asked without a floor, in mixed spaces and in small memories. Each of the first hits is right or wrong, and a logistic
model learns that from its evidence. It also learns from each question without the memories that answer it: what is left is near,
and wrong. What counts without embedding models is fitted to searches without them. Fit on `dev`, check on `check`.
"""

import argparse
import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.eval_adapter import keep_vectors
from benchmarks.signal import small
from benchmarks.signal.exact import names_in
from benchmarks.signal.run import is_right
from benchmarks.signal.spaces import HALVES, SignalQuestion, open_space, questions_of

from waypost.flows.recall import search
from waypost.flows.recall.evidence import add_lead

LOOKUPS = 25  # names of code that are asked for
DEPTH = 15  # hits that are looked at
RIDGE = 0.5  # keeps coefficients of rare features small
FEATURES = {
    "prose": (
        *("meaning", "lead", "words", "misses", "foreign", "rank", "before", "first_fact", "topic"),
        *("abroad", "meaning_abroad", "words_abroad"),
    ),
    "code": ("meaning", "words", "misses", "foreign", "total", "named", "role"),
}
_OF_MEANING = ("meaning", "lead", "meaning_abroad")


class Judged(NamedTuple):
    """A hit, and whether it is right."""

    of: str  # "prose" or "code"
    evidence: dict[str, float]
    right: bool
    certainty: float
    question: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--half", choices=sorted(HALVES), default="dev")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    if os.environ.get("EVAL_VECTORS"):
        keep_vectors(os.environ["EVAL_VECTORS"])
    search.worth_showing = lambda hits, **_: hits
    judged = list(collect(given.half, given.repositories, given.work))
    if not given.plot:
        judged += list(without_answers(judged))
    if given.plot:
        given.plot.write_text(drawn(reliability(judged)))
    if given.plot or given.half != "dev":
        print("| certainty | hits | right |\n|---|---|---|")
        for low, high, mean, share, count in reliability(judged):
            print(f"| {low:.2f} – {high:.2f} (mean {mean:.2f}) | {count} | {share:.2f} |")
        return
    print("# Fitted by benchmarks/signal/fit.py. What each feature means: retrieve/certainty.py.")
    by_words = list(collect(given.half, given.repositories, given.work, models=False))
    by_words += list(without_answers(by_words))
    for of, names in FEATURES.items():
        only_words = [name for name in names if name not in _OF_MEANING]
        for table, used, some in ((of, names, judged), (f"{of}_without_meaning", only_words, by_words)):
            constant, coefficients = fitted([one for one in some if one.of == of], used)
            print(f"\n[{table}]\nconstant = {constant:.2f}")
            print("\n".join(f"{name} = {value:.2f}" for name, value in zip(used, coefficients, strict=True)))


def without_answers(judged: Sequence[Judged]) -> Iterable[Judged]:
    """The wrong memories for each question that has a right one, as if that were not stored."""
    by_question: dict[str, list[Judged]] = {}
    for one in judged:
        if one.of == "prose":
            by_question.setdefault(one.question, []).append(one)
    for some in by_question.values():
        rest = [one._replace(evidence=dict(one.evidence)) for one in some if not one.right]
        if len(rest) < len(some):
            add_lead([one.evidence for one in rest], [one.evidence.get("meaning") for one in rest])
            yield from rest


def collect(half: str, repositories: Path, work: Path, *, models: bool = True) -> Iterable[Judged]:
    about_code = [each.text for name in HALVES[half] for each in questions_of(half, name) if each.topic == "code"]
    for name, rows in small.asked(half, DEPTH, about_code, models=models):
        for text, hits, _ in rows:
            for hit, is_answer in hits:
                yield Judged("prose", dict(hit.evidence), is_answer, hit.certainty or 0.0, f"{name}:{text}")
    for repository in HALVES[half]:
        memory = open_space(work, half, repository, repositories / repository, models=models)
        lookups = [
            SignalQuestion(name, "code", names=frozenset({name})) for name in names_in(work / repository, LOOKUPS)
        ]
        for question in (*questions_of(half, repository), *lookups):
            for hit in memory.recall(question.text, DEPTH).hits:
                if not hit.evidence:
                    continue  # found by structure, not by certainty
                of = "code" if "symbol" in hit.evidence or "overview" in hit.evidence else "prose"
                right = is_right(hit, question)
                if "overview" in hit.evidence and question.is_answerable:
                    continue  # questions are labelled by symbols: whether a file or a section answers is not known
                yield Judged(of, dict(hit.evidence), right, hit.certainty or 0.0, f"{repository}:{question.text}")
        memory.close()


def fitted(judged: Sequence[Judged], names: Sequence[str]) -> tuple[float, list[float]]:
    """Constant and coefficients of a logistic regression, by Newton's method."""
    table = np.array([[1.0, *(one.evidence.get(name, 0.0) for name in names)] for one in judged])
    right = np.array([one.right for one in judged], float)
    weights, ridge = np.zeros(table.shape[1]), np.diag([0.0, *[RIDGE] * len(names)])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (right - likely) - ridge @ weights
        curve = (table * (likely * (1 - likely))[:, None]).T @ table + ridge
        weights += np.linalg.solve(curve, slope)
    return float(weights[0]), [float(weight) for weight in weights[1:]]


def reliability(judged: Sequence[Judged]) -> list[tuple[float, float, float, float, int]]:
    """For ranges of certainty: from, to, its mean, the share of right hits, and how many there are."""
    edges = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
    rows = []
    for low, high in pairwise(edges):
        some = [one for one in judged if low <= one.certainty < high or one.certainty == high == 1.0]
        if some:
            mean, share = (float(np.mean([getattr(one, name) for one in some])) for name in ("certainty", "right"))
            rows.append((low, high, mean, share, len(some)))
    return rows


def drawn(rows: Sequence[tuple[float, float, float, float, int]]) -> str:
    """Certainty and the share of right hits, as a plot."""
    size, edge = 320, 40
    points = [(edge + mean * size, edge + (1 - share) * size, count) for _, _, mean, share, count in rows]
    circles = "".join(
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{2 + count**0.3:.1f}" fill="#2a6"/>' for x, y, count in points
    )
    path = " ".join(f"{x:.0f},{y:.0f}" for x, y, _ in points)
    far = edge + size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 2 * edge} {size + 2 * edge}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="#fff"/><rect x="{edge}" y="{edge}" width="{size}" height="{size}" fill="none" stroke="#999"/>'
        f'<line x1="{edge}" y1="{far}" x2="{far}" y2="{edge}" stroke="#bbb" stroke-dasharray="4"/>'
        f'<polyline points="{path}" fill="none" stroke="#2a6"/>{circles}'
        f'<text x="{far}" y="{far + 16}" text-anchor="end">certainty 1</text><text x="{edge}" y="{far + 16}">0</text>'
        f'<text x="{edge}" y="{edge - 8}">share of right hits 1</text></svg>\n'
    )


if __name__ == "__main__":
    main()
