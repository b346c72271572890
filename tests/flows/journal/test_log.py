"""Events of the journal as lines of JSON, and the seed's metrics with real values."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import InvalidInput
from waypost.flows.journal_files.log import (
    KEPT,
    LARGEST,
    LOG,
    events,
    last_cleanup,
    metrics,
    next_cleanup,
    note,
    note_all,
    note_cleanup,
    note_scores,
)
from waypost.model.journal import Entry, Score, ScoredEntry

SEED_METRICS = {
    "total_size_mb",
    "daily_files_count",
    "weekly_files_count",
    "monthly_files_count",
    "archive_files_count",
    "compressed_files_count",
    "avg_importance_score",
    "cleanup_runs",
    "summaries_created",
    "tokens_saved_vs_v1",
}


@pytest.fixture(autouse=True)
def days_in_utc(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "UTC"\n')


def test_an_event_is_a_line_of_json_and_the_newest_comes_first(memory: Memory, clock: TestClock) -> None:
    space = memory.space
    note(space, "soft_trim_applied", file="daily/2026-01-29.md", bytes=1200)
    clock.advance(minutes=1)
    note(space, "archive_compressed", file="archive/2025-10.tar.bz2", old_size=10, new_size=3)
    lines = (space.folder / LOG).read_text().splitlines()
    assert json.loads(lines[0]) == {
        "time": "2026-01-30T12:00:00Z",
        "event": "soft_trim_applied",
        "file": "daily/2026-01-29.md",
        "bytes": 1200,
    }
    assert [row["event"] for row in events(space)] == ["archive_compressed", "soft_trim_applied"]
    assert [row["bytes"] for row in events(space, event="soft_trim_applied")] == [1200]
    assert len(events(space, limit=1)) == 1


def test_only_known_events_are_noted(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        note(memory.space, "something_else")
    assert events(memory.space) == []


def test_a_value_cannot_break_the_line_nor_stand_for_the_event(memory: Memory) -> None:
    note(memory.space, "curated", id="a\nb\u2028" + "x" * 5000, event_="y", time="never")
    (row,) = events(memory.space)
    assert row["event"] == "curated"
    assert row["time"].startswith("2026-01-30")
    assert len(row["id"]) <= 200
    assert "\n" not in row["id"]


def test_a_damaged_line_is_passed_over(memory: Memory) -> None:
    note(memory.space, "pruned", entries=1)
    with (memory.space.folder / LOG).open("a") as log:
        log.write('{"torn\n[1]\n' + "[" * 50_000 + "\n")
    note(memory.space, "pruned", entries=2)
    assert [row["entries"] for row in events(memory.space)] == [2, 1]


def test_a_full_log_gets_another_name_and_three_are_kept(memory: Memory) -> None:
    space = memory.space
    for number in range(KEPT + 3):
        note(space, "pruned", entries=number)
        with (space.folder / LOG).open("a") as log:
            log.write("x" * LARGEST + "\n")
    note(space, "pruned", entries=99)
    names = sorted(path.name for path in space.folder.glob(f"{LOG}*"))
    assert names == [LOG, *(f"{LOG}.{number}" for number in range(1, KEPT + 1))]
    assert [row["entries"] for row in events(space)] == [99, 5, 4, 3]
    assert (space.folder / LOG).stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_several_processes_write_whole_lines(memory: Memory) -> None:
    script = (
        "import sys\nfrom datetime import UTC, datetime\nfrom pathlib import Path\nfrom types import SimpleNamespace\n"
        "from waypost.flows.journal_files.log import note\n"
        "space = SimpleNamespace(folder=Path(sys.argv[1]), clock=lambda: datetime.now(UTC))\n"
        "for n in range(100): note(space, 'importance_score', id='x' * 26, score=n, who=sys.argv[2])\n"
    )
    folder = str(memory.space.folder)
    started = [subprocess.Popen([sys.executable, "-c", script, folder, str(n)]) for n in range(3)]
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0]
    found = events(memory.space, limit=1000)
    assert len(found) == 300
    for who in "012":
        assert [row["score"] for row in found if row["who"] == who] == list(range(99, -1, -1))


def test_a_log_that_cannot_be_written_stops_nothing(memory: Memory) -> None:
    (memory.space.folder / LOG).mkdir()
    note(memory.space, "pruned", entries=1)
    assert events(memory.space) == []


def test_many_rows_are_one_write(memory: Memory) -> None:
    note_all(memory.space, "importance_score", [{"id": str(n), "score": n} for n in range(50)])
    assert len(events(memory.space)) == 50
    note_all(memory.space, "importance_score", [])
    assert len(events(memory.space)) == 50


def test_decisions_about_worth_are_told_without_words(memory: Memory, clock: TestClock) -> None:
    said = Entry("Quixzanthal is my secret plan.", clock.now, id="01kg81ytb0r5sgfwpgg1yz6cf5")
    by_hand = Entry("No id.", clock.now)
    score = Score(1, 2, 0, 3, "Because of Quixzanthal.", "keep")
    note_scores(memory.space, [ScoredEntry(said, score, 1, "Quixzanthal"), ScoredEntry(by_hand, score)])
    (row,) = events(memory.space)
    assert (row["event"], row["id"], row["score"]) == ("importance_score", said.id, 6)
    assert row["reasoning"] == "frequency 1, recency 2, explicit 0, relevance 3"
    assert "Quix" not in (memory.space.folder / LOG).read_text()


def test_upkeep_is_counted_and_the_next_is_at_four(memory: Memory, clock: TestClock) -> None:
    space = memory.space
    assert last_cleanup(space) is None
    note_cleanup(space, archived=["daily/2026-01-20.md"], created=["weekly/2026-W04.md"])
    clock.advance(days=1)
    note_cleanup(space)
    last = last_cleanup(space)
    assert last is not None
    assert (last.runs, last.archived, last.at) == (2, (), clock.now)
    assert next_cleanup(space, clock.now) == datetime(2026, 2, 1, 4, tzinfo=UTC)
    assert next_cleanup(space, datetime(2026, 2, 1, 3, 59, tzinfo=UTC)) == datetime(2026, 2, 1, 4, tzinfo=UTC)
    assert next_cleanup(space, datetime(2026, 2, 1, 4, 0, tzinfo=UTC)) == datetime(2026, 2, 2, 4, tzinfo=UTC)


def test_metrics_have_the_names_of_the_seed_and_count_what_there_is(memory: Memory) -> None:
    space = memory.space
    assert set(metrics(space)) == SEED_METRICS
    assert set(metrics(space).values()) == {0}
    root = space.journal.root
    for day, importance in (("2026-01-29", 2), ("2026-01-30", 5)):
        heading = (
            f"### 10:00:00 · user <!-- conversation id=x session=s importance={importance} at={day}T10:00:00+00:00 -->"
        )
        place = root / "daily" / f"{day}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"# {day}\n\n{heading}\nHello\n\n")
    (root / "archive" / "daily").mkdir(parents=True)
    (root / "archive" / "daily" / "2025-06-01.md").write_text("# 2025-06-01\n\n### 10:00 · user\n" + "word " * 20_000)
    space.journal.compress(["archive/daily/2025-06-01.md"])
    for path in (
        "weekly/2026-W03.md",
        "archive/weekly/2025-W10.md",
        "archive/weekly/2026-W03.md",
        "monthly/2025-11.md",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("- summary\n")
    note_cleanup(space)
    found = metrics(space)
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    assert found == {
        "total_size_mb": round(size / 1024**2, 3),
        "daily_files_count": 2,
        "weekly_files_count": 1,
        "monthly_files_count": 1,
        "archive_files_count": 3,
        "compressed_files_count": 1,
        "avg_importance_score": 3.5,
        "cleanup_runs": 1,
        "summaries_created": 3,
        "tokens_saved_vs_v1": found["tokens_saved_vs_v1"],
    }
    assert 24_900 < found["tokens_saved_vs_v1"] <= 25_010


def test_protecting_and_forgetting_an_entry_is_logged(memory: Memory) -> None:
    entry = memory.remember("We sail to Bergen on Friday.", kind="note").id or ""
    memory.protect(entry)
    memory.forget(entry)
    assert [row["id"] for row in events(memory.space, event="protected")] == [entry]
    assert [row["id"] for row in events(memory.space, event="forgotten")] == [entry]
