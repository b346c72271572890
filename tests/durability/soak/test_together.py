"""Eight processes of every face use one memory for an hour: some write, others forget, expire, condense and rebuild.

After every step: locks and log of the process that made it, and the integrity of the database. At the end, and now and
then: everything acknowledged is there, and nothing that was forgotten.
"""

import contextlib
import itertools
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.durability.members import (
    Library,
    McpServer,
    Member,
    RestServer,
    Watcher,
    call,
    faults,
    remember_by_command,
)

from waypost import Memory

SECONDS = float(os.environ.get("SOAK_SECONDS", "3600"))
MOST_EACH = 40  # memories that one keeps: so that the whole database can be checked after every step
UPKEEP = ("rebuild", "maintain", "doctor", "export", "condense", "index")


class Life:
    """One process at work until the time is over."""

    def __init__(self, number: int, make: Callable[[Path], Member], project: Path, run: "Run") -> None:
        self.number, self._make, self._project, self._run = number, make, project, run
        self._chance = random.Random(number)
        self.kept: dict[str, str] = {}
        self.gone: set[str] = set()

    def work(self) -> None:
        try:
            while not self._run.is_over():
                process = self._make(self._project)
                for _ in range(self._chance.randint(20, 200)):
                    self._step(process)
                    if self._run.is_over():
                        break
                process.stop()
        except Exception as error:  # noqa: BLE001  a thread has nobody else to tell it to
            self._run.failures.append(f"process {self.number}: {type(error).__name__}: {error}")
            self._run.stop.set()

    def _step(self, process: Member) -> None:
        act = self._chance.choices(("remember", "forget", "expire", "upkeep"), (6, 3, 1, 1))[0]
        if act == "forget" or len(self.kept) > MOST_EACH:
            self._forget(process)
        elif act == "expire" and isinstance(process, Library):
            text = self._text()
            process.do("remember", text=text, ttl=1, on_expire="delete")
            process.do("maintain", force=True)
            self._run.steps["expire"] += 1
        elif act == "upkeep" and isinstance(process, Library):
            name = self._chance.choice(UPKEEP)
            process.do(name, **({"fix": True} if name == "doctor" else {"force": True} if name == "maintain" else {}))
            self._run.steps[name] += 1
        else:
            text = self._text()
            self.kept[process.remember(text)] = text
            self._run.steps["remember"] += 1
        self._run.check(process)

    def _forget(self, process: Member) -> None:
        if self.kept:
            memory_id = self._chance.choice(list(self.kept))
            text = self.kept.pop(memory_id)  # from here on it may be gone, whatever happens
            process.forget(memory_id)
            self.gone.add(text)
            self._run.steps["forget"] += 1

    def _text(self) -> str:
        return f"Process {self.number} saw ship {next(self._run.numbers)} at dock {self._chance.randrange(10**9)}"


class Commands:
    """No process of its own: each write is a command that opens the memory and closes it again."""

    def __init__(self, project: Path) -> None:
        self._project, self.pid = project, os.getpid()

    def remember(self, text: str) -> str:
        return remember_by_command(self._project, text)

    def forget(self, memory_id: str) -> None:
        call(self._project, "forget", memory_id, "--yes")

    def stop(self) -> None:
        pass

    def kill(self) -> None:
        pass


class Run:
    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder, self._until = folder, time.monotonic() + seconds
        self.stop = threading.Event()
        self.failures: list[str] = []
        self.steps: Counter[str] = Counter()
        self.numbers = itertools.count()

    def is_over(self) -> bool:
        return self.stop.is_set() or time.monotonic() > self._until

    def check(self, process: Member) -> None:
        if process.pid != os.getpid():
            self.failures += faults(process.pid, self._folder)
        with contextlib.closing(apsw.Connection(str(self._folder / "memory.db"))) as connection:
            connection.set_busy_timeout(60_000)
            found = [row[0] for row in connection.execute("PRAGMA quick_check(5)")]
        if found != ["ok"]:
            self.failures += found
        self.steps["checks"] += 1
        if self.failures:
            self.stop.set()


@pytest.mark.soak
@pytest.mark.usefixtures("no_models")
@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not list locks")
def test_eight_processes_lose_nothing_while_some_forget_expire_condense_and_rebuild(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost, run = hour(project, SECONDS)
    with capsys.disabled():
        print(f"\n{SECONDS:g} s: {dict(run.steps)}; lost or back: {len(lost)}; faults: {run.failures[:5]}")
    assert (lost, run.failures) == ([], [])
    assert min(run.steps[name] for name in ("remember", "forget", "expire", *UPKEEP)) > 0


def hour(project: Path, seconds: float) -> tuple[list[str], Run]:
    (project / "app.py").write_text("def start():\n    return 1\n")
    folder = Memory.open(project).space.folder
    Memory.open(project).close()
    run = Run(folder, seconds)
    makes: list[Callable[[Path], Member]] = [
        Library,
        Library,
        Library,
        RestServer,
        McpServer,
        Watcher,
        Library,
        Commands,
    ]
    lives = [Life(number, make, project, run) for number, make in enumerate(makes)]
    threads = [threading.Thread(target=life.work) for life in lives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Memory.open(project) as memory:
        stored = {row["id"]: row["text"] for row in memory.list(limit=1_000_000)}
        lost = [text for life in lives for memory_id, text in life.kept.items() if stored.get(memory_id) != text]
        back = [text for life in lives for text in life.gone if text in stored.values()]
        run.failures += list(memory.space.store.problems())
    return lost + back, run
