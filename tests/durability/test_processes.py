"""Any number of processes use one memory at once. Nothing is lost, doubled, torn or refused."""

from collections import Counter
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest
from tests.durability.actors import BATCH, SHARED_TEXTS, plan
from tests.durability.conftest import Cast

from waypost import Memory
from waypost.flows.move import export as transfer

pytestmark = pytest.mark.slow  # not for the inner loop

WRITERS = 8
LOG_LIMIT = 16 * 1024 * 1024


class Outcome:
    """What all writers and readers of one run reported, and the largest size of the log meanwhile."""

    def __init__(self, written: list[list[dict[str, Any]]], read: list[dict[str, Any]], largest_log: int) -> None:
        self.written = written
        self.read = read
        self.largest_log = largest_log

    @property
    def receipts(self) -> list[dict[str, Any]]:
        return [receipt for one in self.written for receipt in one]


def run_together(cast: Cast, project: Path, count: int, readers: int = 2) -> Outcome:
    """All processes open the memory, which does not exist before, at once; then they all begin at once."""
    names = [f"w{n}" for n in range(WRITERS)]
    sessions = [drafts[0]["session"] for drafts in plan(names[0], count) if len(drafts) > 1][:5]
    writing = [cast("write", project, name, count) for name in names]
    reading = [cast("read", project, *sessions) for _ in range(readers)]
    for actor in (*writing, *reading):
        actor.wait_ready()
    for actor in (*reading, *writing):
        actor.tell()
    folder = Memory.open(project).space.folder
    largest, written = 0, []
    for actor in writing:
        mine = []
        while "finished" not in (message := actor.hear()):
            mine.append(message)
            largest = max(largest, _log_size(folder))
        written.append(mine)
    for actor in reading:
        actor.tell()
    return Outcome(written, [actor.hear_all()[-1] for actor in reading], largest)


def _log_size(folder: Path) -> int:
    log = folder / "memory.db-wal"
    return log.stat().st_size if log.exists() else 0


def check_complete(memory: Memory, outcome: Outcome, count: int) -> None:
    receipts = outcome.receipts
    assert len(receipts) == WRITERS * count
    statuses = Counter(receipt["status"] for receipt in receipts)
    assert statuses == {
        "added": WRITERS * count - (WRITERS - 1) * SHARED_TEXTS,
        "duplicate": (WRITERS - 1) * SHARED_TEXTS,
    }
    rows = memory.list(limit=100_000)
    stored = {row["id"]: row["text"] for row in rows}
    assert len(stored) == len(rows) == statuses["added"]
    assert all(stored[receipt["id"]] == receipt["text"] for receipt in receipts)
    assert Counter(stored.values()) == Counter({receipt["text"]: 1 for receipt in receipts})
    audited = Counter(entry.memory_id for entry in memory.admin.audit(limit=100_000) if entry.action == "remember")
    assert audited == Counter(stored.keys())


def check_sound(memory: Memory) -> None:
    assert list(memory.space.store.problems()) == []
    assert [finding for finding in memory.admin.doctor() if finding.check == "database" and not finding.ok] == []


@pytest.mark.slow
@pytest.mark.both_stores
@pytest.mark.usefixtures("no_models")
def test_eight_processes_write_at_once_and_everything_is_there_exactly_once(project: Path, cast: Cast) -> None:
    outcome = run_together(cast, project, 30)
    memory = Memory.open(project)
    check_complete(memory, outcome, 30)
    check_sound(memory)
    for session in {r["session"] for r in outcome.receipts if r.get("session")}:
        turns = memory.list(session=session, limit=1000)
        expected = [r["text"] for r in outcome.receipts if r.get("session") == session]
        assert [turn["text"] for turn in turns] == expected  # in the order they were said
    for reader in outcome.read:
        assert reader["rounds"] > 0
        assert reader["most"] <= len(memory.list(limit=100_000))
        assert all(set(sizes) <= {0, BATCH} for sizes in reader["seen"].values())
    assert outcome.largest_log <= LOG_LIMIT
    folder = memory.space.folder
    memory.close()
    assert _log_size(folder) == 0


@pytest.mark.usefixtures("no_models")
def test_the_log_is_gone_when_the_last_process_has_closed(project: Path, cast: Cast) -> None:
    server = cast("serve", project)
    server.wait_ready()
    server.ask("remember", text="Uploads go to the bucket")
    folder = Memory.open(project).space.folder
    assert _log_size(folder) > 0  # the control: there is a log to be emptied
    Memory.open(project).close()
    assert _log_size(folder) > 0  # the other one still uses it
    server.close()
    Memory.open(project).close()
    assert _log_size(folder) == 0


@pytest.mark.both_stores
def test_a_change_is_seen_by_the_next_query_of_every_other_process(project: Path, cast: Cast, no_models: None) -> None:
    servers = [cast("serve", project) for _ in range(3)]
    for server in servers:
        server.wait_ready()
    for turn in range(9):
        writer, others = servers[turn % 3], [s for n, s in enumerate(servers) if n != turn % 3]
        text = f"Release {turn} was cut by team number{turn}"
        receipt = writer.ask("remember", text=text)
        for other in others:
            assert other.ask("texts")[-1] == text
            assert other.ask("recall", question=f"number{turn}", k=1) == [text]
            assert other.ask("remember", text=text) == {
                "id": receipt["id"], "status": "duplicate", "reason": "exactly this is stored"
            }  # fmt: skip


@pytest.mark.usefixtures("no_models")
def test_exports_made_in_the_same_second_are_all_kept_and_whole(project: Path, cast: Cast) -> None:
    servers = [cast("serve", project) for _ in range(4)]
    for server in servers:
        server.wait_ready()
    servers[0].ask("remember", text="The exported words")
    for _ in range(5):
        for server in servers:
            server.start("export")
        assert [server.answer() for server in servers] == [1] * 4
    memory = Memory.open(project)
    assert [one.memories for one in memory.admin.exports()] == [1] * 20
    assert {path.suffix for path in (memory.space.folder / "exports").iterdir()} == {".jsonl"}


@pytest.mark.usefixtures("no_models")
def test_an_export_whose_fresh_name_another_process_took_meanwhile_chooses_the_next(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = transfer._fresh_name
    chosen: list[Path] = []

    def raced(*arguments: Any) -> Path:
        chosen.append(fresh(*arguments))
        if len(chosen) == 1:
            chosen[0].write_text("somebody else's")
        return chosen[-1]

    monkeypatch.setattr(transfer, "_fresh_name", raced)
    memory = Memory.open(project)
    memory.remember("The exported words")
    assert memory.admin.export().path == chosen[1]
    assert chosen[0].read_text() == "somebody else's"


@pytest.mark.slow
def test_writers_with_the_real_engine_agree_on_what_is_new(project: Path, cast: Cast) -> None:
    """Near-duplicates are judged against what others stored while this one was embedding."""
    writers = [cast("serve", project) for _ in range(3)]
    for writer in writers:
        writer.wait_ready()
    receipts = []
    for number in range(4):
        for writer in writers:  # all three embed and judge the same sentence at the same time
            call = {"text": f"The nightly backup number {number} runs at 3 o'clock on server {number}"}
            writer.start("remember", **call)
        receipts.append([writer.answer() for writer in writers])
    for of_one_text in receipts:
        assert sorted(r["status"] for r in of_one_text) == ["added", "duplicate", "duplicate"]
        assert len({r["id"] for r in of_one_text}) == 1
    memory = Memory.open(project)
    assert len(memory.list()) == 4
    assert set(memory.status()["pending"].values()) == {0}
    check_sound(memory)


@pytest.mark.soak
@pytest.mark.usefixtures("no_models")
def test_soak_eight_processes_write_a_thousand_each(project: Path, cast: Cast) -> None:
    import time

    began = time.perf_counter()
    outcome = run_together(cast, project, 1000)
    took = time.perf_counter() - began
    memory = Memory.open(project)
    check_complete(memory, outcome, 1000)
    check_sound(memory)
    times = [receipt["took"] * 1000 for receipt in outcome.receipts]
    cuts = quantiles(times, n=100)
    print(
        f"\n{WRITERS} × 1,000 writes, 2 readers: {len(times) / took:.0f} writes/s, a write p50 {cuts[49]:.1f} ms,"
        f" p99 {cuts[98]:.1f} ms, max {max(times):.0f} ms, largest log {outcome.largest_log / 1e6:.1f} MB,"
        f" reads {[reader['rounds'] for reader in outcome.read]}"
    )
    assert outcome.largest_log <= LOG_LIMIT
