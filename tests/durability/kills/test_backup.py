"""Processes are killed while they make a snapshot, go back to one, or forget what snapshots hold: nothing is lost or half
done, and the next run finishes the work.

`main` is the process that forks those which are killed; it has nothing open then. It prints a JSON line for each kill.
"""

import itertools
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.durability.children import Log, open_memory, run_child
from tests.durability.conftest import Cast, answers_of
from tests.durability.kills.kill_server import become_kill_server
from tests.durability.kills.stops import LEVELS, SteppedFiles, Stops

from waypost import Memory, config
from waypost.memory.backups import Backups
from waypost.memory.handle import LIBRARY
from waypost.memory.location import identify_memory
from waypost.model.time import utc_now

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="the test forks and sends signals"),
    pytest.mark.usefixtures("no_models"),
]
KINDS = ("make", "restore", "restore damaged", "forget")
SAVED = {"Alpha runs on port 80", "Beta runs on port 81", "Gamma is the word xylophonist", "Talked to Anna"}
SINCE = {"Delta runs on port 83", "Talked to Ben"}


def prepare(home: Path, project: Path, log: Log) -> None:
    """Two snapshots; what was written since the first is in the second."""
    memory = open_memory(home, project)
    for text in sorted(SAVED - {"Talked to Anna"}):
        log({"id": memory.remember(text).id, "text": text})
    memory.journal.add("Talked to Anna")
    memory.admin.backups.make()
    for text in sorted(SINCE - {"Talked to Ben"}):
        memory.remember(text)
    memory.journal.add("Talked to Ben")
    memory.admin.backups.make()
    memory.close()  # no log is left


def closed(home: Path, project: Path) -> Backups:
    settings = replace(config.load(), home=home)
    return Memory(identify_memory(project, None, settings, utc_now), settings, LIBRARY).admin.backups


def act(kind: str, home: Path, project: Path, gamma: str) -> None:
    if kind == "make":
        open_memory(home, project).admin.backups.make()
    elif kind.startswith("restore"):
        closed(home, project).restore("1")
    else:
        memory = open_memory(home, project)
        if any(row["id"] == gamma for row in memory.list(limit=100)):
            memory.forget(gamma)


def look(home: Path, project: Path) -> dict[str, Any]:
    """What the next process finds. It opens the memory, which finishes what was begun."""

    def task(log: Log) -> None:
        backups = closed(home, project)
        if backups.plan("1").is_damaged:
            texts = None
        else:
            memory = open_memory(home, project)
            texts = sorted(row["text"] for row in memory.list(limit=100))
            assert list(memory.space.store.problems()) == []
        found = [(one.memories, one.is_sound, one.cause) for one in backups.list()]
        folder = next((home / "memory").iterdir())
        left = [path.name for path in (folder / "backups").iterdir() if path.name.startswith(".")]
        held = [path for path in home.rglob("*") if path.is_file() and b"xylophonist" in path.read_bytes()]
        words = [str(path.relative_to(folder)) for path in held]
        log({"texts": texts, "backups": found, "left": left, "words": words})

    (found,), *_ = run_child(task)
    assert isinstance(found, dict)
    return found


def stop_again_and_again(folder: Path, project: Path, kind: str, level: str, every: int) -> Iterator[dict[str, Any]]:
    template = folder / "template"
    known, *_ = run_child(lambda log: prepare(template, project, log))
    (gamma,) = [one["id"] for one in known if "xylophonist" in one["text"]]
    if kind == "restore damaged":
        path = next(template.glob("memory/*/memory.db"))
        path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    for chosen in itertools.count(1, every):
        home = folder / f"{level}-{chosen}"
        shutil.copytree(template, home)

        def task(log: Log, home: Path = home, chosen: int = chosen) -> None:
            stops = Stops(chosen)
            LEVELS[level](stops)
            act(kind, home, project, gamma)
            log({"done": kind})

        lines, ended_by, _ = run_child(task)
        after = look(home, project)
        run_child(lambda log, home=home: act(kind, home, project, gamma))  # type: ignore[misc]
        yield {"killed": bool(ended_by), "done": bool(lines), "after": after, "finished": look(home, project)}
        shutil.rmtree(home)
        if not ended_by:
            return


def check(kind: str, answer: dict[str, Any]) -> None:
    after, finished = answer["after"], answer["finished"]
    assert all(sound for found in (after, finished) for _, sound, _ in found["backups"]), answer
    assert after["left"] == finished["left"] == []
    everything = SAVED | SINCE
    if kind == "make":
        assert set(after["texts"]) == set(finished["texts"]) == everything
        assert len(after["backups"]) in (2, 3) and len(finished["backups"]) == len(after["backups"]) + 1
    elif kind == "restore":
        assert set(after["texts"]) in (everything, SAVED), answer
        assert [6, True] in [one[:2] for one in after["backups"]]  # what was taken away is in a snapshot
        assert set(finished["texts"]) == SAVED
    elif kind == "restore damaged":
        # The journal's files were not damaged, and say what was said since.
        assert after["texts"] is None or set(after["texts"]) == SAVED | {"Talked to Ben"}, answer
        assert set(finished["texts"]) in (SAVED | {"Talked to Ben"}, SAVED)
    else:
        forgotten = {"Gamma is the word xylophonist"}
        assert set(after["texts"]) in (everything, everything - forgotten)
        if set(after["texts"]) != everything:
            assert after["words"] == [], answer
        assert set(finished["texts"]) == everything - forgotten
        assert finished["words"] == []


def run(tmp_path: Path, project: Path, kind: str, level: str, every: int) -> int:
    """How often it was killed."""
    module = "tests.durability.kills.test_backup"
    answers = answers_of(module, folder=str(tmp_path), project=str(project), kind=kind, level=level, every=every)
    for answer in answers:
        check(kind, answer)
    assert not answers[-1]["killed"]
    return sum(answer["killed"] for answer in answers)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_killed_anywhere_nothing_is_lost_and_the_next_run_finishes(tmp_path: Path, project: Path, kind: str) -> None:
    assert run(tmp_path, project, kind, "system", 8) >= 2


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_soak_a_hundred_kills(tmp_path: Path, project: Path, kind: str) -> None:
    kills = {}
    for level, every in (("system", 1), ("statements", 1), ("files", 2 if kind == "make" else 4)):
        (tmp_path / level).mkdir()
        kills[level] = run(tmp_path / level, project, kind, level, every)
    print(f"\n{kind}: {sum(kills.values())} kills ({kills}), nothing lost, every one finished by the next run")
    assert sum(kills.values()) >= 100


@pytest.mark.slow
def test_another_process_goes_on_writing_while_a_snapshot_is_restored(
    tmp_path: Path, project: Path, cast: Cast
) -> None:
    memory = Memory.open(project)
    memory.remember("Alpha runs on port 80", domain="before")
    made = memory.admin.backups.make()
    memory.remember("Beta runs on port 81", domain="since")
    writer = cast("write", project, "w0", 120)
    writer.wait_ready()
    writer.tell()
    acknowledged = [writer.hear() for _ in range(20)]
    memory.admin.backups.restore(made.id)
    texts = {row["text"] for row in memory.list(limit=1000)}
    begun = len(acknowledged)
    while "finished" not in (message := writer.hear()):
        acknowledged.append(message)
    assert "Beta runs on port 81" not in texts
    after = {row["text"] for row in memory.list(limit=1000)}
    assert "Alpha runs on port 80" in after
    # Those of the first that were written before the restore went with it; whatever came after its moment is there.
    gone = [place for place, one in enumerate(acknowledged) if one["text"] not in after]
    assert gone == list(range(len(gone))), gone
    assert len(gone) < len(acknowledged) - begun / 2
    assert texts - {"Alpha runs on port 80"} <= after
    assert list(memory.space.store.problems()) == []
    assert [one.is_sound for one in memory.admin.backups.list()] == [True, True]
    undo = memory.admin.backups.list()[0]
    memory.admin.backups.restore(undo.id)  # what the restore took away is in the snapshot that it made
    assert {one["text"] for one in acknowledged[:begun]} - {row["text"] for row in memory.list(limit=1000)} == set()


@pytest.mark.slow
def test_a_damaged_database_that_another_process_has_open_is_not_replaced_under_it(
    project: Path, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.errors import StoreBusy

    memory = Memory.open(project)
    memory.remember("Alpha runs on port 80")
    memory.admin.backups.make()
    path = memory.space.folder / "memory.db"
    memory.close()
    server = cast("serve", project)
    server.wait_ready()
    assert server.ask("texts") == ["Alpha runs on port 80"]
    with path.open("r+b") as file:  # this process has it not open
        file.write(bytes(4096))
    before = path.read_bytes()
    closed_backups = closed(config.load().home, project)
    with pytest.raises(StoreBusy, match="another process has it open"):
        closed_backups.restore()
    assert path.read_bytes() == before
    server.end()
    assert closed_backups.restore().aside
    assert [row["text"] for row in Memory.open(project).list()] == ["Alpha runs on port 80"]


def main(request: str) -> None:
    asked = json.loads(request)
    files = SteppedFiles("stepped", "unix", makedefault=True)
    become_kill_server()
    for line in stop_again_and_again(
        Path(asked["folder"]), Path(asked["project"]), asked["kind"], asked["level"], asked["every"]
    ):
        print(json.dumps(line), flush=True)
    files.unregister()
