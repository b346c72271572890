"""Forgetting is killed at any step, when there is something of the memory in every place that keeps words: either it is
all there still, or nothing of it is found once the memory was opened again, and what is not forgotten stays.

`main` is the process that forks those which are killed; it has nothing open then. It prints a JSON line for each kill.
"""

import contextlib
import itertools
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.durability.children import Log, run_child
from tests.durability.conftest import answers_of
from tests.durability.kills.kill_server import become_kill_server
from tests.durability.kills.stops import LEVELS, SteppedFiles, Stops

import waypost.store.sqlite.vectors
from waypost import Memory, config
from waypost.errors import NotFound
from waypost.model.time import utc_now
from waypost.store.sqlite.store import SqliteStore

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="the test forks and sends signals"),
    pytest.mark.usefixtures("no_models"),
]
# What is forgotten, by a word that stands nowhere else.
DOOMED = {"fact": "xylophonist", "entry": "quetzal", "expired": "zeppelin"}
KEPT = {
    "Alpha runs on port 80",
    "Beta runs on port 81",
    "The band rehearses on Mondays",
    "Talked to Anna about the harbour",
}


def opened(home: Path, project: Path, *, days: int = 0) -> Memory:
    """Some days later than now."""
    settings = replace(config.load(), home=home, busy_timeout_seconds=30.0)
    return Memory.open(project, settings=settings, clock=lambda: utc_now() + timedelta(days=days))


def prepare(home: Path, project: Path, log: Log) -> None:
    """Words to forget in rows, history, vectors, the journal and its files, exports, snapshots, copies of databases."""
    memory = opened(home, project)
    for text in ("Alpha runs on port 80", "Beta runs on port 81"):
        memory.remember(text)
    gone = str(memory.remember("The band has a xylophonist").id)
    other = str(memory.remember("The band rehearses in the cellar").id)
    memory.correct(other, "The band has a xylophonist")  # it said so once, and says something else now
    memory.correct(other, "The band rehearses on Mondays")
    memory.journal.add("Talked to Anna about the harbour")
    picture = home / "picture.png"
    picture.write_bytes(b"a picture of the quetzal")
    entry = str(memory.journal.add("A quetzal sat on the roof", media=picture).id)
    picture.unlink()
    expired = str(memory.remember("The zeppelin lands at noon", ttl=3600, on_expire="delete").id)
    memory.recall("Which port?")  # makes the sidecar of vectors
    memory.admin.backups.make()
    memory.admin.export()
    memory.admin.export(form="json", embeddings=True)
    (home / "elsewhere").mkdir()
    memory.admin.export(home / "elsewhere" / "mine.jsonl")
    folder = memory.space.folder
    memory.close()
    for place in ("damaged/20260101T000000Z.db", "imports/x.db"):
        (folder / place).parent.mkdir()
        shutil.copy(folder / "memory.db", folder / place)
    log({"fact": gone, "entry": entry, "expired": expired})


def forget(kind: str, memory: Memory, memory_id: str) -> None:
    if kind == "expired":
        memory.facts.expire()
        return
    with contextlib.suppress(NotFound):  # it is gone already
        memory.forget(memory_id)


def export_before_the_first_write(memory: Memory, stops: Stops) -> None:
    """Another process exports just when those exports that were there are clean."""
    plain = SqliteStore.write

    def write(store: SqliteStore) -> Any:
        SqliteStore.write = plain  # type: ignore[method-assign]
        stops.armed = False
        memory.admin.export()
        stops.armed = True
        return plain(store)

    SqliteStore.write = write  # type: ignore[method-assign, assignment]


def look(home: Path, project: Path, kind: str, memory_id: str) -> dict[str, Any]:
    """What the next process finds, which finishes what was begun as it opens the memory."""

    def task(log: Log) -> None:
        memory = opened(home, project)
        with memory.space.store.read() as reader:
            is_there = bool(reader.memories.versions(memory_id))
        texts = sorted(row["text"] for row in memory.list(limit=100))
        problems = list(memory.space.store.problems())
        memory.close()
        held = [path for path in home.rglob("*") if path.is_file() and DOOMED[kind].encode() in path.read_bytes()]
        words = [str(path.relative_to(home)) for path in held]
        log({"there": is_there, "texts": texts, "problems": problems, "words": words})

    (found,), *_ = run_child(task)
    assert isinstance(found, dict)
    return found


def stop_again_and_again(
    folder: Path, project: Path, kind: str, level: str, first: int, every: int
) -> Iterator[dict[str, Any]]:
    template = folder / "template"
    (ids,), *_ = run_child(lambda log: prepare(template, project, log))
    days = 1 if kind == "expired" else 0
    for chosen in itertools.count(first, every):
        home = folder / f"{level}-{chosen}"
        shutil.copytree(template, home)

        def task(log: Log, home: Path = home, chosen: int = chosen) -> None:
            stops = Stops(chosen, armed=False)
            LEVELS[level](stops)
            memory = opened(home, project, days=days)
            export_before_the_first_write(memory, stops)
            stops.armed = True
            forget(kind, memory, ids[kind])
            log({"done": kind})

        lines, ended_by, _ = run_child(task)
        after = look(home, project, kind, ids[kind])
        run_child(lambda log, home=home: forget(kind, opened(home, project, days=days), ids[kind]))  # type: ignore[misc]
        yield {
            "step": chosen,
            "killed": bool(ended_by),
            "done": bool(lines),
            "after": after,
            "finished": look(home, project, kind, ids[kind]),
        }
        shutil.rmtree(home)
        if not ended_by:
            return


def check(kind: str, answer: dict[str, Any]) -> None:
    after, finished = answer["after"], answer["finished"]
    doomed = DOOMED[kind]
    for found in (after, finished):
        assert found["problems"] == [], answer
        assert set(found["texts"]) >= KEPT, answer
        assert len(found["texts"]) == len(set(found["texts"])), answer
        others = [word for name, word in DOOMED.items() if name != kind]
        assert all(any(word in text for text in found["texts"]) for word in others), answer
    assert not (answer["done"] and after["there"]), answer
    if not after["there"]:
        assert after["words"] == [], answer
    assert not finished["there"], answer
    assert finished["words"] == [], answer
    assert not any(doomed in text for text in finished["texts"]), answer


def run(tmp_path: Path, project: Path, kind: str, level: str, first: int, every: int) -> int:
    """How often it was killed."""
    answers = answers_of(
        "tests.durability.kills.test_forget",
        folder=str(tmp_path),
        project=str(project),
        kind=kind,
        level=level,
        first=first,
        every=every,
    )
    for answer in answers:
        check(kind, answer)
    assert not answers[-1]["killed"]
    return sum(answer["killed"] for answer in answers)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DOOMED)
def test_killed_anywhere_it_is_all_there_or_nothing_of_it_is_found(tmp_path: Path, project: Path, kind: str) -> None:
    assert run(tmp_path, project, kind, "system", 5, 7) >= 2


@pytest.mark.soak
@pytest.mark.parametrize("kind", DOOMED)
def test_soak_a_hundred_kills(tmp_path: Path, project: Path, kind: str) -> None:
    kills = {}
    for level, every in (("system", 1), ("statements", 1), ("files", 3), ("power", 7)):
        (tmp_path / level).mkdir()
        kills[level] = run(tmp_path / level, project, kind, level, 1, every)
    print(f"\n{kind}: {sum(kills.values())} kills ({kills}), nothing lost, nothing left of what was forgotten")
    assert sum(kills.values()) >= 100


def main(request: str) -> None:
    asked = json.loads(request)
    waypost.store.sqlite.vectors._SIDECAR_FROM = 2
    files = SteppedFiles("stepped", "unix", makedefault=True)
    folder, project = Path(asked["folder"]), Path(asked["project"])
    become_kill_server()
    for line in stop_again_and_again(folder, project, asked["kind"], asked["level"], asked["first"], asked["every"]):
        print(json.dumps(line), flush=True)
    files.unregister()
