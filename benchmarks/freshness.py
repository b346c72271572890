"""What freshness does to ranking: `python -m benchmarks.freshness MIRRORS [--out FILE] [--again FILE]`.

MIRRORS is a folder with the git directories of the repositories in `freshness_histories.py`. Nothing is written by hand:

Pairs of commits. From each history commits A spread evenly over time, B a year later. Functions and methods are read
by Python's parser; one has changed if its syntax tree without docstring and types differs between A and B.
Memories. With the tree at A one memory about each chosen function, pointing at it, says its arguments and defaults, the
first sentence of its docstring, what it calls and what it raises. With the tree at B the same is said, as it is then,
of two thirds of the changed functions: these are *twins*, one stale and one fresh. The rest stay *alone*: there is only
what was said at A, and it is stale. Unchanged functions are in the way, and some are asked about (*same*). Messages of
earlier commits without their subjects are memories that point at no code (*plain*).
Questions. "What does NAME do?"; the first sentence of the docstring half-way between A and B; the subjects of commits
in the year after B that change the function, without issue numbers. For plain ones, the subject of the message. Right is
the fresh memory; where there is only a stale one, that one.
Left out, and counted: functions whose two texts are the same, and those where the second text was taken for what is
known and not stored again.

All are asked the day after B, when what was said at B is new and recency prefers it too, a month after B, and a year
after B, when recency tells nothing.
Without freshness means that the benchmark takes this part out of the sum; there is no such setting. The constants of
`waypost.retrieve.freshness` are chosen on every second repository and stated for the others apart.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from unittest import mock

from benchmarks.freshness_histories import REPOSITORIES, pairs
from benchmarks.freshness_spaces import LATER, Asked, K, Looked, Outcome, Tree, run
from benchmarks.speed import table

from waypost import config
from waypost.retrieve import freshness
from waypost.retrieve.score import ScoredMemory

CHOOSING = frozenset(sorted(REPOSITORIES)[::2])
_STALES, _OUTDONE = (0.0, -0.1, -0.2, -0.3, -0.5, -1.0, -2.0), (None, -0.25, -0.5, -1.0, -2.0)
_SOURCES = ("name", "docstring", "commit")
_CONTROLS = {"alone": "only a stale one", "same": "only a fresh one", "plain": "points at no code"}
Ranking = Callable[[Asked], Sequence[str]]  # the roles of the answer, best first


def measure(mirrors: Path, repos: Iterable[str], out: Path) -> Outcome:
    whole = Outcome()
    for repo in repos:
        with tempfile.TemporaryDirectory(prefix="waypost-fresh-") as work:
            tree = Tree(mirrors, repo, Path(work) / "tree")
            for number, pair in enumerate(pairs(mirrors, repo)):
                environment = {"WAYPOST_HOME": f"{work}/{number}", "WAYPOST_BACKGROUND": "0", "HOME": work}
                one = run(pair, tree, config.load(environment))
                whole.asked += one.asked
                for name, count in one.counts.items():
                    whole.add(name, count)
                out.write_text(json.dumps(whole.to_json()), "utf-8")
                print(f"… {repo} {pair.day_a} {pair.day_b}: {len(one.asked)} questions, {one.counts}", flush=True)
    return whole


def without(asked: Asked) -> Sequence[str]:
    return [one.role for one in asked.looked[:K]]


def given(asked: Asked) -> Sequence[str]:
    """The order that the library gives, by its own function, to what it looked at."""
    return [one.role for one in sorted(asked.looked, key=_total, reverse=True)[:K]]


def _total(one: Looked) -> float:
    weighed = freshness.with_freshness(
        ScoredMemory("", 0.0, one.total, {}),
        points_at_code=one.points,
        is_stale=one.is_stale,
        confidence=one.confidence,
        is_outdone=one.is_outdone,
    )
    return weighed.total


def reciprocal(roles: Sequence[str]) -> float:
    return next((1 / place for place, role in enumerate(roles, 1) if role == "right"), 0.0)


def mrr(asked: Sequence[Asked], ranking: Ranking) -> float:
    return fmean(reciprocal(ranking(one)) for one in asked) if asked else 0.0


def first(asked: Sequence[Asked], ranking: Ranking, role: str) -> float:
    return fmean(ranking(one)[:1] == [role] for one in asked) if asked else 0.0


# -- tables -----------------------------------------------------------------------------------------------


def _chosen(asked: Iterable[Asked], **wanted: object) -> list[Asked]:
    return [one for one in asked if all(getattr(one, name) == value for name, value in wanted.items())]


def _row(label: str, asked: Sequence[Asked]) -> list[str]:
    before, after = mrr(asked, without), mrr(asked, given)
    return [
        label,
        f"{len(asked):,}",
        f"{before:.3f}",
        f"{after:.3f}",
        f"{after / before - 1:+.1%}" if before else "–",
        *(f"{first(asked, ranking, 'right'):.1%}" for ranking in (without, given)),
        *(f"{first(asked, ranking, 'stale twin'):.1%}" for ranking in (without, given)),
    ]


def _halves(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    return {
        "choosing": [one for one in asked if one.repo in CHOOSING],
        "apart": [one for one in asked if one.repo not in CHOOSING],
    }


def report(outcome: Outcome) -> str:
    head = ["questions", "n", "MRR without", "MRR with", "", "first, without", "with", "stale first, without", "with"]
    twins, rows = _chosen(outcome.asked, about="twins"), []
    for when in LATER:
        for half, some in _halves(_chosen(twins, when=when)).items():
            rows.append(_row(f"{when}, repositories {half}", some))
    apart = _halves(twins)["apart"]
    for when in LATER:
        rows += [_row(f"{when}, apart, by {source}", _chosen(apart, when=when, source=source)) for source in _SOURCES]
    rows += [_row(f"next year, {repo}", _chosen(twins, when="next year", repo=repo)) for repo in sorted(REPOSITORIES)]
    controls = []
    for about, label in _CONTROLS.items():
        for when in LATER:
            for half, some in _halves(_chosen(outcome.asked, about=about, when=when)).items():
                found = [
                    fmean("right" in ranking(one) for one in some) if some else 0.0 for ranking in (without, given)
                ]
                controls.append([*_row(f"{label}: {when}, {half}", some)[:7], *(f"{one:.1%}" for one in found)])
    sought = [*head[:7], f"found in {K}, without", "with"]
    counts = [[name, f"{number:,}"] for name, number in outcome.counts.items()]
    return "\n\n".join((table(head, rows), table(sought, controls), table(["count", ""], counts), sweep(outcome.asked)))


def sweep(asked: Sequence[Asked]) -> str:
    """MRR for other constants a year later, where constants are chosen."""
    some = _chosen(_halves(asked)["choosing"], when="next year")
    parts = [_chosen(some, about=about) for about in ("twins", "alone", "same", "plain")]
    rows = []
    for stale in _STALES:
        cells = []
        for beaten in _OUTDONE:
            with mock.patch.multiple(freshness, STALE=stale, OUTDONE=stale if beaten is None else beaten):
                cells.append(" / ".join(f"{mrr(part, given):.3f}" for part in parts))
        rows.append([f"STALE {stale}", *cells])
    names = ["OUTDONE the same" if beaten is None else f"OUTDONE {beaten}" for beaten in _OUTDONE]
    return table(["twins / alone / same / plain", *names], rows)


def check(asked: Iterable[Asked]) -> None:
    """The library's answers are in the order that is computed here."""
    compared = [list(given(one)) == one.ranked for one in asked if one.ranked is not None]
    print(f"{sum(compared)} of {len(compared)} answers of the library are in the order computed here.")


def read(paths: Iterable[Path]) -> Outcome:
    whole = Outcome()
    for path in paths:
        kept = json.loads(path.read_text("utf-8"))
        for one in kept["asked"]:
            whole.asked.append(Asked(**{**one, "looked": [Looked(**row) for row in one["looked"]]}))
        for name, count in kept["counts"].items():
            whole.add(name, count)
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path, nargs="?", help="folder with git directories")
    parser.add_argument("--repos", nargs="*", default=list(REPOSITORIES))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "freshness.json")
    parser.add_argument("--again", type=Path, nargs="+", help="only report what earlier runs wrote")
    chosen = parser.parse_args()
    if chosen.again is not None:
        outcome = read(chosen.again)
    elif chosen.mirrors is not None:
        chosen.out.parent.mkdir(exist_ok=True)
        outcome = measure(chosen.mirrors.absolute(), chosen.repos, chosen.out)
        check(outcome.asked)
    else:
        parser.error("name a folder with git directories, or --again FILE")
    print(report(outcome))


if __name__ == "__main__":
    main()
