"""Routing and recall in a space of many facts: `python -m benchmarks.routing` in the repository.

Facts are sentences of a made-up company in 50 domains: 20 of level 0, of the others 5 % of level 1, 35 % of level 2 and
60 % of level 3. Each domain has words of its own, so that some questions are about one and others are not. The first 2,000
are embedded by MiniLM; of larger sets the others get the vector of one of these from the same domain with noise, since
embedding them would take an hour. They are written as `remember` writes, without the search for duplicates. Times are
medians over rounds, each of 60 questions, with embedding the question.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.clock import Figures, best_process, each, folder_bytes, percentiles, resident_mb, seconds
from benchmarks.stages import in_parts

from waypost import Memory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

RESULTS = Path(__file__).parent / "results"
SIZES = (1_000, 10_000, 100_000)
DOMAINS, OF_THE_PROJECT, EMBEDDED = 50, 20, 2_000
QUESTIONS, ROUNDS, WRITES, COLD_RUNS = 60, 5, 30, 7
NOISE = 0.7  # in length, beside a vector of length 1: their cosine is about .8
TOKENS = 2_000
_WORDS = tomllib.loads(Path(__file__).with_name("big_tree_words.toml").read_text("utf-8"))
_NOUNS, _VERBS, _ADJECTIVES = (_WORDS[name].split() for name in ("nouns", "verbs", "adjectives"))
_SENTENCES = (
    "The {noun} of a {other} is kept for {number} days before the {domain} service may {verb} it.",
    "We {verb} every {adjective} {noun} in {domain} twice, because the {other} may change in between.",
    "{domain}: a {noun} without a {other} is refused with error {number}.",
    "To {verb} the {noun}, {domain} asks the {other} table first; the limit is {number} rows.",
    "The {adjective} {noun} is owned by {domain}, and only its {other} job may {verb} it.",
)
_ASKED = (
    "How does {domain} {verb} a {noun}?",
    "fix the {noun} that the {domain} service should {verb}",
    "Why is a {adjective} {noun} without a {other} refused?",
    "add a {other} to every {noun}",
)


class Company:
    """Sentences and questions, the same ones on every machine."""

    def __init__(self) -> None:
        chance = random.Random(23)
        self.domains = chance.sample(_NOUNS, DOMAINS)
        self._words = {name: (chance.sample(_NOUNS, 12), chance.sample(_VERBS, 6)) for name in self.domains}

    def facts(self, count: int) -> Iterator[dict[str, Any]]:
        chance = random.Random(29)
        for number in range(count):
            if number < OF_THE_PROJECT:
                yield {
                    "text": f"Rule {number} of the project: " + self._said(chance, chance.choice(self.domains)),
                    "level": 0,
                }
                continue
            domain = self.domains[number % DOMAINS]
            level = chance.choices((1, 2, 3), (5, 35, 60))[0]
            yield {"text": f"{self._said(chance, domain)} (case {number})", "level": level, "domain": domain}

    def questions(self, count: int) -> list[str]:
        chance = random.Random(31)
        return [self._filled(chance, chance.choice(_ASKED), chance.choice(self.domains)) for _ in range(count)]

    def _said(self, chance: random.Random, domain: str) -> str:
        return self._filled(chance, chance.choice(_SENTENCES), domain)

    def _filled(self, chance: random.Random, sentence: str, domain: str) -> str:
        nouns, verbs = self._words[domain]
        return sentence.format(
            domain=domain,
            noun=chance.choice(nouns),
            other=chance.choice(_NOUNS),
            verb=chance.choice(verbs),
            adjective=chance.choice(_ADJECTIVES),
            number=chance.randrange(1000),
        )


def fill(memory: Memory, size: int) -> None:
    """Everything that `remember` does to a fact but looking for duplicates; beyond the first ones vectors are given."""
    from waypost.flows.versions.prepare import Embedded, prepare, put
    from waypost.memory.handle import LIBRARY
    from waypost.model.draft import Draft

    space = memory.space
    engine, key = space.engines.main, space.tombstone_key()
    facts = list(Company().facts(size))
    vectors = _vectors(engine.embed([fact["text"] for fact in facts[:EMBEDDED]]), size)
    for part in in_parts(zip(facts, vectors, strict=True), 256):
        items = [prepare(space, Draft.of(fact), LIBRARY, key) for fact, _ in part]
        given = {item.passages[0].content_hash: vector for item, (_, vector) in zip(items, part, strict=True)}
        with space.store.write() as writer:
            for item in items:
                put(writer, item.version, item.passages, Embedded((engine.name,), {engine.name: given}))


def _vectors(real: "Floats", size: int) -> "Iterator[Floats]":
    import numpy as np

    yield from real[:size]
    chance = np.random.default_rng(37)
    for number in range(len(real), size):
        like = real[number % DOMAINS + DOMAINS * int(chance.integers(1, len(real) // DOMAINS))]
        made = like + chance.standard_normal(len(like)).astype(np.float32) * (NOISE / len(like) ** 0.5)
        yield made / np.linalg.norm(made)


def measure(memory: Memory, size: int) -> Figures:
    asked = Company().questions(QUESTIONS)
    for question in asked[:5]:
        memory.brief(question, TOKENS, preset="route")
    long_ago = (datetime.now(UTC) - timedelta(days=365)).isoformat()
    figures = {
        **_timed("recall", lambda question: memory.recall(question, scope="facts"), [asked] * ROUNDS),
        **_timed("route", lambda question: memory.brief(question, TOKENS, preset="route"), [asked] * ROUNDS),
        **_timed(
            "then", lambda question: memory.brief(question, TOKENS, preset="route", known_at=long_ago), [asked[:5]]
        ),
    }
    figures |= {"disk_bytes": folder_bytes(memory.space.folder) / size, "rss_mb": resident_mb()}
    with memory.space.store.read() as reader:
        number = reader.memories.last_number()  # no run before this one has written the facts after it
    new = [fact["text"] for fact in islice(Company().facts(number + ROUNDS * WRITES), number, None)]
    memory.remember("The weights are loaded before the clock starts.", level=3)
    writing = _timed(
        "write", lambda text: memory.remember(text, level=2, domain=Company().domains[0]), in_parts(new, WRITES)
    )
    return figures | writing


def _timed(name: str, work: Callable[[str], object], rounds: Iterable[Sequence[str]]) -> Figures:
    """Milliseconds by the clock and of the processor: others use the machine too."""
    found: list[Figures] = []
    for items in rounds:
        began = time.process_time()
        wall = percentiles(each(work, items), name)
        found.append(wall | {f"{name}_cpu_ms": (time.process_time() - began) * 1000 / len(items)})
    return {key: statistics.median(figures[key] for figures in found) for key in found[0]}


def cold(project: Path) -> Figures:
    """A new process from start to end."""
    waypost = shutil.which("waypost", path=str(Path(sys.executable).parent)) or "waypost"
    command = [waypost, "-C", str(project), "context", Company().questions(1)[0], "--preset", "route"]
    return {"cold_route_ms": best_process(command, COLD_RUNS, stderr=subprocess.DEVNULL)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="leave out larger sets")
    parser.add_argument("--work", type=Path, help="keep the spaces here, or measure those that are kept")
    arguments = parser.parse_args()
    work = arguments.work or Path(tempfile.mkdtemp(prefix="waypost-routing-"))
    os.environ |= {"WAYPOST_HOME": str(work / "home"), "WAYPOST_BACKGROUND": "0", "OMP_NUM_THREADS": "1"}
    results: dict[str, Figures] = {}
    for size in (size for size in SIZES if size <= arguments.most):
        project = work / str(size)
        is_new = not project.exists()
        project.mkdir(parents=True, exist_ok=True)
        memory = Memory.open(project)
        figures = {"fill_s": seconds(lambda memory=memory, size=size: fill(memory, size))} if is_new else {}  # type: ignore[misc]
        results[str(size)] = figures | measure(memory, size) | cold(project)
        print(size, json.dumps({name: round(value, 1) for name, value in results[str(size)].items()}), flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "routing.json").write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
