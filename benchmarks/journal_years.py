"""A made-up life in the journal, day by day: how large its files get, how fast its context loads, what is still found.

    python -m benchmarks.journal_years sizes [--days 1095] [--conversations 10] [--characters 2000] [--languages en de ru]
    python -m benchmarks.journal_years recall [--days 1095] [--conversations 2] [--upkeep 7]
    python -m benchmarks.journal_years plots

Each day's conversations are written by `remember_many`, then, at four in the morning of an injected clock, `maintain`. The
life is that of `tests/simulation/life.py`: three languages, a seed, about as hard to compress as real conversations.

`sizes` uses an engine of hashed words: the size of the files does not depend on it. Every 30 days it notes the bytes on the
disk by stage and the median time of `brief(question, preset="journal")` in the open process. `recall` uses the engines of a
user (minilm and multilingual): facts that were stated once are asked for after 1, 7, 30, 90, 365 and 1,000 days; found means
that one of the first five hits has the subject and the answer. `plots` draws `benchmarks/images/journal-*.svg`.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.journal_plots import draw_all
from tests.simulation import life as lives
from tests.simulation.life import Day, Fact, Life
from tests.simulation.world import Clock, World, sizes

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
START = date(2024, 1, 1)
AGES = (1, 7, 30, 90, 365, 1000)  # days between a fact and the question
EVERY = 30  # days between two looks at sizes
QUESTIONS = (
    "What did we decide lately?",
    "Was war gestern?",
    "Что мы решили в январе?",
    "How is the AWS certification going?",
    "Wie weit bin ich mit dem Training?",
    "What do I like for breakfast?",
    "What was said last Tuesday?",
)


def main() -> None:
    chosen = _arguments()
    if chosen.part == "plots":
        draw_all(_read("sizes"), _read("recall"), ROOT / "benchmarks" / "images")
        return
    if chosen.languages:
        weights = {name: share for name, share in lives.LANGUAGES.items() if name in chosen.languages}
        lives.LANGUAGES.clear()
        lives.LANGUAGES.update(weights)
    measure: Callable[[argparse.Namespace], dict[str, Any]] = {"sizes": _sizes, "recall": _recall}[chosen.part]
    found = measure(chosen)
    _write(chosen.name or chosen.part, found)
    print(json.dumps(found["rows"][-1] if "rows" in found else found, indent=1))


def _sizes(chosen: argparse.Namespace) -> dict[str, Any]:
    from waypost.embed.fake import FakeEngine
    from waypost.memory import spaces

    engine = FakeEngine()
    setattr(spaces, "open_engine", lambda _name, _settings: engine)  # noqa: B010  as tests do
    rows: list[dict[str, Any]] = []
    said = entries = 0
    with _place(chosen) as folder:
        world = _begin(chosen, folder)
        started = time.process_time()
        for place, day in enumerate(world.live(chosen.days, upkeep_every=chosen.upkeep), 1):
            said += lives.characters(day.lines)
            entries += len(day.lines)
            if place % EVERY == 0 or place in (7, 365, chosen.days):
                row: dict[str, Any] = {"day": place, "characters": said, "entries": entries}
                row |= {"bytes": sizes(world.journal), "seconds": time.process_time() - started}
                row |= {"brief_ms": _brief_ms(world)} if chosen.load else {}
                rows.append(row)
                _write(chosen.name or "sizes", {"rows": rows, **_told(chosen)})
                print(f"day {place}: {sum(row['bytes'].values()) / 1e6:.2f} MB, {row.get('brief_ms')}", flush=True)
    return {"rows": rows, **_told(chosen)}


def _place(chosen: argparse.Namespace) -> AbstractContextManager[Path]:
    """The folder that is asked for, which stays; else one that goes."""
    return nullcontext(chosen.work) if chosen.work else _temporary()


@contextmanager
def _temporary() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _recall(chosen: argparse.Namespace) -> dict[str, Any]:
    """One fact of every few days is asked for again and again as it ages."""
    asked: dict[int, list[bool]] = defaultdict(list)
    by_language: dict[str, list[bool]] = defaultdict(list)
    due: dict[int, list[tuple[int, Fact]]] = defaultdict(list)
    with _place(chosen) as folder:
        world = _begin(chosen, folder)
        for place, day in enumerate(world.live(chosen.days, upkeep_every=chosen.upkeep), 1):
            _plan(place, day, due, chosen.every)
            for age, fact in due.pop(place, []):
                hit = world.found(fact)
                asked[age].append(hit)
                by_language[fact.line.language].append(hit)
            if place % EVERY == 0:
                print(f"day {place}: " + ", ".join(f"{age} d {_share(asked[age]):.2f}" for age in asked), flush=True)
                _write(chosen.name or "recall", _recalled(asked, by_language, chosen))
    return _recalled(asked, by_language, chosen)


def _plan(place: int, day: Day, due: dict[int, list[tuple[int, Fact]]], every: int) -> None:
    if place % every == 0 and day.facts:
        for age in AGES:
            due[place + age - 1].append((age, day.facts[place // every % len(day.facts)]))


def _recalled(
    asked: dict[int, list[bool]], by_language: dict[str, list[bool]], chosen: argparse.Namespace
) -> dict[str, Any]:
    ages = {str(age): {"asked": len(asked[age]), "found": _share(asked[age])} for age in sorted(asked)}
    languages = {name: {"asked": len(hits), "found": _share(hits)} for name, hits in sorted(by_language.items())}
    return {"ages": ages, "by_language": languages, **_told(chosen)}


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def _begin(chosen: argparse.Namespace, folder: Path) -> World:
    os.environ.update({"WAYPOST_HOME": str(folder / "home"), "WAYPOST_BACKGROUND": "0"})
    from waypost.memory import Memory

    life = Life(chosen.seed, START, chosen.conversations, chosen.characters)

    def open_(clock: Clock) -> Memory:
        return Memory.open(person="somebody", clock=clock)

    return World.begin(life, open_)


def _brief_ms(world: World) -> dict[str, float]:
    """By the clock, and by the time of the processor: on a machine that others use only the second one means much."""
    took, worked = [], []
    for question in QUESTIONS * 3:
        started, used = time.perf_counter(), time.process_time()
        world.memory.brief(question, preset="journal")
        took.append((time.perf_counter() - started) * 1000)
        worked.append((time.process_time() - used) * 1000)
    return {"p50": statistics.median(took), "cpu_p50": statistics.median(worked), "worst": max(took)}


def _told(chosen: argparse.Namespace) -> dict[str, Any]:
    names = ("days", "conversations", "characters", "upkeep", "seed")
    return {**{name: getattr(chosen, name) for name in names}, "languages": list(lives.LANGUAGES)}


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"journal_years_{name}.json").read_text())
    return found


def _write(name: str, found: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"journal_years_{name}.json").write_text(json.dumps(found, indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("sizes", "recall", "plots"))
    parser.add_argument("--days", type=int, default=3 * 365)
    parser.add_argument("--conversations", type=int, default=0, help="a day; 10 for sizes and 2 for recall unless told")
    parser.add_argument("--characters", type=int, default=2000, help="of a conversation")
    parser.add_argument("--languages", nargs="*", choices=("en", "de", "ru"))
    parser.add_argument("--every", type=int, default=4, help="recall: days between two facts that are asked for")
    parser.add_argument("--upkeep", type=int, default=1, help="days between two runs; late ones give the same files")
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--no-load", dest="load", action="store_false", help="sizes: without the time of the context")
    parser.add_argument("--work", type=Path, help="a new folder, in which the memory stays")
    parser.add_argument("--name", help="of the file of results; the part's unless told")
    chosen = parser.parse_args()
    chosen.conversations = chosen.conversations or {"sizes": 10, "recall": 2}.get(chosen.part, 10)
    return chosen


if __name__ == "__main__":
    main()
