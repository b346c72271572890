"""One memory in many threads: shared, closed when idle, open again when needed, safe across a fork."""

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.durability.conftest import ROOT

from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.flows.erase.forget import Forgotten
from waypost.flows.move import export as transfer
from waypost.flows.versions.row import memory_row
from waypost.memory.spaces import IDLE_SECONDS
from waypost.store.sqlite.store import SqliteStore

pytestmark = pytest.mark.slow  # not for the inner loop


def open_files(memory: Memory) -> int:
    """How many times this process has the database open."""
    database = str(memory.space.folder / "memory.db")
    return sum(os.path.realpath(f"/proc/self/fd/{handle}") == database for handle in os.listdir("/proc/self/fd"))


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files by /proc")


def test_eight_threads_share_one_memory(memory: Memory) -> None:
    def work(who: int) -> None:
        for number in range(8):
            text = f"Worker{who} noted item{who}x{number}"
            receipt = memory.remember(text, kind="note")
            assert receipt.status == "added"
            assert receipt.id in {hit.id for hit in memory.recall(text, k=3)}
            batch = [{"text": f"{text} part {n}", "kind": "note", "session": f"s{who}x{number}"} for n in range(3)]
            assert [r.status for r in memory.remember_many(batch)] == ["added"] * 3
            assert len(memory.list(session=f"s{(who + 1) % 8}x{number}")) in (0, 3)
            memory.correct(str(receipt.id), f"{text}, corrected")
            assert memory.show(str(receipt.id)).version.text == f"{text}, corrected"

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work, who) for who in range(8)]:
            done.result()
    rows = memory.list(limit=10_000)
    assert len(rows) == len({row["text"] for row in rows}) == 8 * 8 * 4
    assert list(memory.space.store.problems()) == []
    assert set(memory.status()["pending"].values()) == {0}


def test_the_same_fact_from_eight_threads_at_once_is_stored_once(memory: Memory) -> None:
    start = threading.Barrier(8)

    def say(number: int) -> tuple[str | None, str]:
        start.wait()
        receipt = memory.remember(f"The release train leaves on day {number}")
        return receipt.id, receipt.status

    with ThreadPoolExecutor(8) as pool:
        for number in range(10):
            receipts = list(pool.map(say, [number] * 8))
            assert sorted(status for _, status in receipts) == ["added"] + ["duplicate"] * 7
            assert len({one for one, _ in receipts}) == 1


@needs_proc
def test_two_objects_of_one_directory_share_one_open_database(open_memory: OpenMemory) -> None:
    one, two = open_memory(), open_memory()
    one.remember("Said through the first")
    two.remember("Said through the second")
    assert one.space is two.space
    assert open_files(one) == 1
    assert open_memory("other").space is not one.space


@needs_proc
def test_objects_with_different_settings_do_not_open_the_database_again_and_again(
    open_memory: OpenMemory, settings: object
) -> None:
    from waypost import config

    patient = open_memory()
    hasty = open_memory(settings=replace(config.load(), busy_timeout_seconds=1.0))
    for number in range(5):
        patient.remember(f"Patiently stored, number {number}")
        hasty.remember(f"Hastily stored, number {number}")
    assert open_files(patient) <= 2
    patient.close()
    hasty.close()
    assert len(patient.list()) == 10


@needs_proc
def test_a_memory_that_nobody_used_for_an_hour_is_closed_and_opens_again(
    open_memory: OpenMemory, clock: TestClock
) -> None:
    idle, busy = open_memory("idle"), open_memory("busy")
    idle.remember("Kept while idle")
    clock.advance(seconds=IDLE_SECONDS)
    folder = idle.space.folder  # used: the hour begins again
    clock.advance(seconds=IDLE_SECONDS)
    busy.remember("Something else")
    assert (folder / "memory.db-wal").exists()
    clock.advance(seconds=1)
    busy.remember("Something else again")
    assert not (folder / "memory.db-wal").exists()  # the last connection has gone
    assert [row["text"] for row in idle.list()] == ["Kept while idle"]
    assert idle.remember("Kept afterwards").status == "added"
    assert open_files(idle) == 1


@needs_proc
def test_a_closed_memory_holds_nothing_open_and_can_be_used(memory: Memory) -> None:
    memory.remember("Before closing")
    folder = memory.space.folder
    memory.close()
    memory.close()
    assert not (folder / "memory.db-wal").exists()
    assert memory.remember("After closing").status == "added"
    assert [row["text"] for row in memory.list()] == ["Before closing", "After closing"]
    with memory:
        pass
    assert not (folder / "memory.db-wal").exists()


class Gate:
    """Holds an engine up in the middle of a write until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    def __call__(self, texts: Sequence[str]) -> bool:
        if threading.current_thread() is not threading.main_thread():
            self.reached.set()
            assert self.open.wait(60)
        return False


def _close(memory: Memory, clock: TestClock, other: Memory) -> None:
    memory.close()


def _let_an_hour_pass(memory: Memory, clock: TestClock, other: Memory) -> None:
    clock.advance(seconds=IDLE_SECONDS + 1)
    other.list()


@needs_proc
@pytest.mark.parametrize("closing", [_close, _let_an_hour_pass])
def test_closing_does_not_disturb_a_write_that_is_under_way(
    open_memory: OpenMemory, fake_engine: FakeEngine, clock: TestClock, closing: Callable[..., None]
) -> None:
    memory, other = open_memory(), open_memory("other")
    folder = memory.space.folder
    fake_engine.fail = gate = Gate()
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(memory.remember, "Written while somebody closes")
        assert gate.reached.wait(60)
        closing(memory, clock, other)
        gate.open.set()
        assert writing.result().status == "added"
    assert not (folder / "memory.db-wal").exists()  # and it holds nothing open afterwards
    assert [row["text"] for row in memory.list()] == ["Written while somebody closes"]


def test_an_export_under_way_cannot_bring_back_what_is_forgotten_meanwhile(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = str(memory.remember("The word is quixzanthal").id)
    memory.remember("Another thing entirely")
    erased = threading.Event()
    plain = SqliteStore.scrub

    def tell_and_scrub(*given: Any, **named: Any) -> bool:
        erased.set()  # it is erased and the exports are cleaned; now it waits for those who still read
        return plain(*given, **named)

    def wait_and_write(*given: Any) -> dict[str, Any]:
        if not forgetting:
            forgetting.append(pool.submit(memory.forget, doomed))
        assert erased.wait(60)
        return memory_row(*given)

    monkeypatch.setattr(SqliteStore, "scrub", tell_and_scrub)
    monkeypatch.setattr(transfer, "memory_row", wait_and_write)
    forgetting: list[Future[Forgotten]] = []
    with ThreadPoolExecutor(1) as pool:
        assert memory.admin.export().memories == 1  # it was read again
        assert forgetting[0].result().complete
    (export,) = (memory.space.folder / "exports").iterdir()
    assert "quixzanthal" not in export.read_text()


FORKING = """
    import os, sys, threading
    from waypost import Memory
    memory = Memory.open(sys.argv[1])
    memory.remember("Said before the forks")
    begun, stop = threading.Event(), threading.Event()
    def write_on():  # another thread is writing when the process forks
        number = 0
        while not stop.is_set():
            with memory.space.store.write() as writer:
                writer.meta.set("count", str(number))
                begun.set()
            number += 1
    thread = threading.Thread(target=write_on)
    if sys.argv[2] == "busy":
        thread.start()
        begun.wait()
    for fork in range(5):
        child = os.fork()
        if child == 0:
            assert memory.list()[0]["text"] == "Said before the forks"
            memory.remember(f"Child {fork} says this", kind="note")
            sys.exit(0)  # with everything that runs at a normal exit
        memory.remember(f"Parent says {fork}", kind="note")
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    if sys.argv[2] == "busy":
        thread.join()
    assert list(memory.space.store.problems()) == []
    print(len(memory.list()))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.usefixtures("no_models")
@pytest.mark.parametrize("others", ["idle", "busy"])
def test_a_forked_child_opens_anew_and_leaves_the_parents_connection_alone(project: Path, others: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(FORKING), str(project), others],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert (done.stderr, done.stdout) == ("", "11\n")


FORKS = """
import os, sys
from waypost import Memory
memory = Memory.open(sys.argv[1])
memory.remember_many([{"text": f"The bell number {n} is rung at noon"} for n in range(40)])  # by the threads of the engine
child = os.fork()
if not child:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_does_not_wait_for_the_threads_of_an_engine_that_stayed_with_the_parent(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    command = [sys.executable, "-c", FORKS, str(tmp_path / "shop")]
    done = subprocess.run(command, timeout=120, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
