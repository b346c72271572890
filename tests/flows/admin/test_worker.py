"""The worker of a checkout: one at a time, started only when there is something to do."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Git, OpenMemory, TestClock
from tests.flows.conftest import write_file

from waypost.config import Settings
from waypost.flows.admin import worker
from waypost.flows.findings import WORKER
from waypost.flows.open_space import OpenSpace
from waypost.memory import Memory


class Started:
    """Stands for the processes that are started: each has the input it was given until it ends."""

    def __init__(self) -> None:
        self.alive: list[int] = []
        self.count = 0

    def __call__(self, _command: list[str], *, stdin: int, **_: Any) -> None:
        self.count += 1
        self.alive.append(os.dup(stdin) if stdin >= 0 else -1)

    def end(self) -> None:
        while self.alive:
            if (handle := self.alive.pop()) >= 0:
                os.close(handle)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    processes = Started()
    monkeypatch.setattr("waypost.flows.admin.worker.subprocess.Popen", processes)
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    yield processes
    processes.end()


@pytest.fixture
def project(started: Started, open_memory: OpenMemory) -> Memory:
    """An indexed project, with nothing to do."""
    memory = open_memory()
    (memory.code.root / "shop.py").write_text("def price():\n    return 1\n")
    memory.index()
    memory.admin.run_worker()
    started.end()
    started.count = 0
    return memory


def test_however_often_a_worker_is_wanted_one_is_started(project: Memory, started: Started) -> None:
    for _ in range(20):
        project.code.track("shop.py")
    assert started.count == 1


def test_a_worker_that_died_before_it_did_anything_is_replaced(project: Memory, started: Started) -> None:
    project.code.track("shop.py")
    started.end()
    project.code.track("shop.py")
    assert started.count == 2


def test_a_worker_that_cannot_be_started_leaves_the_way_free(
    project: Memory, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    with monkeypatch.context() as patch:
        patch.setattr("waypost.flows.admin.worker.subprocess.Popen", fail)
        project.code.track("shop.py")
    project.code.track("shop.py")
    assert started.count == 1


def test_no_worker_is_started_when_there_is_nothing_to_do(project: Memory, started: Started) -> None:
    project.space.start_worker(project.space)
    project.recall("price")
    project.code.update(["shop.py"])
    assert started.count == 0


def test_a_new_journal_needs_no_worker_yet(started: Started, open_memory: OpenMemory) -> None:
    open_memory().remember("A note", kind="note")
    open_memory().close()
    assert started.count == 0


def test_a_worker_is_started_for_missed_maintenance(
    started: Started, open_memory: OpenMemory, clock: TestClock
) -> None:
    open_memory().remember("A note", kind="note")
    open_memory().close()
    clock.advance(days=2)
    open_memory()
    assert started.count == 1


def test_a_worker_is_started_for_what_has_expired(project: Memory, started: Started, clock: TestClock) -> None:
    receipt = project.remember("The sale ends soon", kind="fact")
    project.facts.set_ttl(receipt.id or "", 3600)
    clock.advance(hours=2)
    project.space.start_worker(project.space)
    assert started.count == 1


def test_what_is_noted_while_somebody_finds_nothing_to_do_is_not_left_lying(
    project: Memory, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []
    look = worker.has_work

    def looked(space: OpenSpace) -> bool:
        if looks == [True]:  # the second look, with the lock in hand: a worker has just done it all
            looks.append(False)
            project.code.track("shop.py")  # by somebody who finds the lock taken, and leaves it to us
            return False
        looks.append(look(space))
        return looks[-1]

    monkeypatch.setattr(worker, "has_work", looked)
    with project.space.store.write() as writer:
        writer.code.track(project.space.identity.checkout_id, ["shop.py"])
    project.space.start_worker(project.space)
    assert started.count == 1


def test_one_engine_that_is_away_keeps_the_worker_from_nothing_else(project: Memory, started: Started) -> None:
    project.space.engines.away["use-multilingual-v3"] = "its weights are not installed"
    project.code.track("shop.py")
    assert started.count == 1


@pytest.mark.slow
def test_a_worker_that_fails_is_told_by_status_and_doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real process, with settings that nobody can use."""
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def watched(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        options["env"] |= {"WAYPOST_ENGINE": "no such engine"}
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr("waypost.flows.admin.worker.subprocess.Popen", watched)
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    with Memory.open(tmp_path) as memory:
        memory.remember("Wir liefern jeden Dienstag eine neue Fassung aus")
        (worker,) = started
        assert worker.wait(120) != 0
        assert any("The background worker failed at" in notice for notice in memory.status()["notices"])
        (told,) = [one for one in memory.admin.doctor() if one.kind == WORKER.name]
        assert not told.ok and "no such engine" in told.message
        log = next(memory.space.folder.glob("worker-*.log"))
        assert log.stat().st_mode & 0o777 == 0o600
        memory.admin.doctor(fix=True)
        assert [one for one in memory.admin.doctor() if one.kind == WORKER.name] == []


@pytest.mark.slow
def test_a_worker_embeds_what_a_write_left_owed_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def watched(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr("waypost.flows.admin.worker.subprocess.Popen", watched)
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    with Memory.open(tmp_path) as memory:
        receipt = memory.remember("Wir liefern jeden Dienstag eine neue Fassung aus")
        assert receipt.pending == ("use-multilingual-v3",)
        (worker,) = started
        assert worker.wait(120) == 0
        assert memory.status()["pending"] == {"minilm-l6-v2": 0, "use-multilingual-v3": 0}
        assert memory.recall("Когда выходит новая версия?", unlikely=True).hits[0].id == receipt.id


_GATE = """
import atexit, fcntl, os, sys

if sys.orig_argv[-1:] == ["work"]:
    def note(line):
        with open({log!r}, "a") as file:
            file.write(line + "\\n")

    alive = open({alive!r}, "a")
    fcntl.flock(alive, fcntl.LOCK_SH)  # as long as this process lives
    note("started")
    atexit.register(lambda: note(f"nice {{os.nice(0)}}, cores {{len(os.sched_getaffinity(0))}}"))
    with open({gate!r}, "a") as gate:
        fcntl.flock(gate, fcntl.LOCK_SH)  # until all have asked
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for what was set")
@pytest.mark.parametrize("questions", [6, pytest.param(20, marks=pytest.mark.soak)])
def test_many_questions_at_once_after_an_edit_start_one_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git, settings: Settings, questions: int
) -> None:
    """No worker gets past its first line before the last question is answered: nobody may need a second one."""
    tree, log, gate, alive, site = (tmp_path / name for name in ("tree", "log", "gate", "alive", "site"))
    tree.mkdir()
    site.mkdir()
    (tree / "shop.py").write_text('def price():\n    """What an order costs."""\n    return 1\n')
    git(tree, "init", "--quiet")
    with Memory.open(tree, settings=settings) as memory:
        memory.index()
    (site / "sitecustomize.py").write_text(_GATE.format(log=str(log), gate=str(gate), alive=str(alive)))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH")))))
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    (tree / "shop.py").write_text('def price(of):\n    """What an order costs, with tax."""\n    return of * 2\n')
    with gate.open("a") as closed:
        fcntl.flock(closed, fcntl.LOCK_EX)
        ask = [sys.executable, "-P", "-m", "waypost", "-C", str(tree), "ask", "what does an order cost"]
        asking = [subprocess.Popen(ask, stdout=subprocess.DEVNULL) for _ in range(questions)]
        assert [one.wait(300) for one in asking] == [0] * questions
    with alive.open("a") as ended:
        fcntl.flock(ended, fcntl.LOCK_EX)
    assert log.read_text() == f"started\nnice {max(10, os.nice(0))}, cores 1\n"
    with Memory.open(tree, settings=replace(settings, background=False)) as memory:
        assert memory.status()["tree"]["complete"]
        assert not any(memory.status()["pending"].values())


@pytest.mark.slow
def test_the_worker_does_not_run_code_of_the_tree(
    empty_tree: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    write_file(empty_tree, "waypost.py", 'open("PWNED", "w").close()\n')
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def start(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(real(*arguments, **options))
        return started[-1]

    monkeypatch.chdir(empty_tree)
    monkeypatch.setattr("waypost.flows.admin.worker.subprocess.Popen", start)
    memory = Memory.open(empty_tree, settings=replace(settings, background=True))
    memory.code.track("waypost.py")
    for process in started:
        process.wait(60)
    assert started
    assert not (empty_tree / "PWNED").exists()
