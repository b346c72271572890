"""Databases of early versions are killed while they are opened and brought to today's tables: nothing is lost, and the next
opening ends with the same rows and answers as one that nobody disturbed.

`main` is the process that forks those which are killed; it has nothing open then. It prints a JSON line for each database that was killed, once or several times.
"""

import json
import os
import random
import shutil
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.durability.children import Log, run_child
from tests.durability.conftest import answers_of
from tests.durability.kills.kill_server import become_kill_server
from tests.durability.kills.stops import LEVELS, SteppedFiles, Stops
from tests.store.sqlite.test_early_versions import ARCHIVES, KEPT

from waypost import Memory, config
from waypost.store.sqlite.schema import MIGRATIONS

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="the test forks and sends signals"),
    pytest.mark.usefixtures("no_models"),
]
_FAR = 10**9
_NOW = datetime(2026, 11, 18, tzinfo=UTC)  # after they were written
_ORDER = ("statements", "files", "power", "system")
# Tables that SQLite keeps for an index of words: what they say is asked instead.
_PLAIN = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%keywords%' AND name NOT LIKE 'sqlite%'"
)
_QUESTIONS = ("Which port does the payment service listen on?", "How long does the cache live?", "the harbour festival")


def opened(home: Path, project: Path) -> Memory:
    return Memory.open(project, settings=replace(config.load(), home=home), clock=lambda: _NOW)


def place(archive: Path, home: Path, project: Path) -> None:
    """Make a home in which the memory of the project is as the early version left it."""
    memory = opened(home, project)
    folder = memory.space.folder
    memory.close()
    for path in folder.iterdir():
        if path.name != "metadata.json":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    with tarfile.open(archive) as early:
        early.extractall(folder, filter="data")


def open_stopped(home: Path, project: Path, level: str, chosen: int, log: Log) -> None:
    stops = Stops(chosen)
    LEVELS[level](stops)
    opened(home, project)
    log({"steps": chosen - stops._left})


def look(home: Path, project: Path) -> dict[str, Any]:
    """Every row there is once it was opened, and what it answers."""

    def task(log: Log) -> None:
        memory = opened(home, project)
        with memory.space.store.read() as reader:
            ask = reader.database.connection.execute  # type: ignore[attr-defined]
            names = sorted(name for (name,) in ask(_PLAIN).fetchall())
            rows = {name: sorted(map(repr, ask(f"SELECT * FROM {name}").fetchall())) for name in names}
            migrations = [name for (name,) in ask("SELECT name FROM migrations ORDER BY name").fetchall()]
        texts = [row["text"] for row in memory.list(limit=1000)]
        answers = {question: [hit.text for hit in memory.recall(question, k=5)] for question in _QUESTIONS}
        problems = list(memory.space.store.problems())
        log({"rows": rows, "migrations": migrations, "texts": texts, "answers": answers, "problems": problems})

    (found,), *_ = run_child(task)
    assert isinstance(found, dict)
    return found


def kill_again_and_again(folder: Path, project: Path, rounds: int, seed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(seed)
    made: dict[Path, Path] = {}
    calm: dict[Path, dict[str, Any]] = {}
    steps: dict[tuple[Path, str], int] = {}
    for turn in range(rounds):
        archive, level = ARCHIVES[turn % len(ARCHIVES)], _ORDER[turn % len(_ORDER)]
        if archive not in made:
            made[archive] = folder / archive.name / "home"
            run_child(lambda log: place(archive, made[archive], project))  # noqa: B023
            undisturbed = folder / archive.name / "undisturbed"
            shutil.copytree(made[archive], undisturbed)
            calm[archive] = look(undisturbed, project)
        if (archive, level) not in steps:
            counted = folder / archive.name / level
            shutil.copytree(made[archive], counted)
            (told,), *_ = run_child(lambda log: open_stopped(counted, project, level, _FAR, log))  # noqa: B023
            steps[archive, level] = told["steps"]
        home, kills = folder / archive.name / f"killed-{turn}", 0
        shutil.copytree(made[archive], home)
        for _ in range(chance.choice((1, 1, 2, 3))):  # also those who come to finish it are killed
            chosen = chance.randint(1, steps[archive, level])
            _, ended_by, _ = run_child(lambda log: open_stopped(home, project, level, chosen, log))  # noqa: B023
            kills += bool(ended_by)
        found = look(home, project)
        yield {
            "archive": archive.name,
            "level": level,
            "kills": kills,
            "steps": steps[archive, level],
            "differ": sorted(name for name, rows in calm[archive]["rows"].items() if found["rows"].get(name) != rows),
            "same": all(found[name] == calm[archive][name] for name in ("texts", "answers", "migrations")),
            "migrated": found["migrations"] == sorted(MIGRATIONS),
            "kept": set(found["texts"]) >= KEPT,
            "problems": found["problems"],
        }
        shutil.rmtree(home)


def run(tmp_path: Path, project: Path, rounds: int, seed: int) -> Counter[str]:
    """How often it was killed at each level."""
    answers = answers_of(
        "tests.durability.kills.test_schema", folder=str(tmp_path), project=str(project), rounds=rounds, seed=seed
    )
    for answer in answers:
        assert answer["migrated"] and answer["kept"] and answer["same"], answer
        assert (answer["differ"], answer["problems"]) == ([], []), answer
    return sum((Counter({answer["level"]: answer["kills"]}) for answer in answers), Counter[str]())


@pytest.mark.slow
def test_an_early_database_that_is_killed_while_it_migrates_is_whole_with_the_next_opening(
    tmp_path: Path, project: Path
) -> None:
    assert run(tmp_path, project, 4, 2).total() >= 4


@pytest.mark.soak
def test_soak_a_hundred_kills_inside_migrations(tmp_path: Path, project: Path) -> None:
    kills = run(tmp_path, project, 112, 1)
    print(f"\n{kills.total()} kills while {len(ARCHIVES)} early databases migrated ({dict(kills)}), nothing lost")
    assert kills.total() >= 100


def main(request: str) -> None:
    asked = json.loads(request)
    files = SteppedFiles("stepped", "unix", makedefault=True)
    folder, project = Path(asked["folder"]), Path(asked["project"])
    become_kill_server()
    for line in kill_again_and_again(folder, project, asked["rounds"], asked["seed"]):
        print(json.dumps(line), flush=True)
    files.unregister()
