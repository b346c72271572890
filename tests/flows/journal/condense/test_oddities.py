"""Condensing in odd circumstances: clocks that change, files that are no journal's, several at work at once."""

import gzip
import os
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.flows.journal.days import (
    DAY,
    START,
    at_four,
    condensed,
    files_of,
    lost,
    noon,
    root_of,
    space_of,
    talk,
    words_in,
)

from waypost import Memory
from waypost.errors import InvalidInput
from waypost.flows.admin.journal_check import check_journal
from waypost.flows.journal.condense.texts import summary_of
from waypost.memory.spaces import open_spaces


def zone(tmp_path: Path, name: str) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text(f'[journal]\ntimezone = "{name}"\n')


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Pacific/Kiritimati", "Pacific/Pago_Pago"),
        pytest.param("America/Los_Angeles", "Asia/Tokyo", marks=pytest.mark.slow),
        pytest.param("UTC", "Europe/Berlin", marks=pytest.mark.slow),
    ],
)
def test_a_journal_whose_time_zone_is_changed_loses_and_doubles_nothing(
    open_memory: OpenMemory, tmp_path: Path, clock: TestClock, before: str, after: str
) -> None:
    zone(tmp_path, before)
    memory, words = open_memory(), []
    for number in range(14):
        clock.now = noon(START + number * DAY)
        words += talk(memory, START + number * DAY, number)
        if number == 7:
            condensed(memory, force=True)
            open_spaces.drop_all()
            zone(tmp_path, after)
            memory = open_memory()
    ids = {hit.id for hit in memory.recall("PostgreSQL", k=50).hits}
    for later in (14, 40, 100):
        clock.now = at_four(START + later * DAY)
        condensed(memory, force=True)
        assert lost(root_of(memory), words) == []
    assert condensed(memory, force=True).steps == ()
    said = [one.entry.text for one in memory.journal.timeline("2026").entries]
    assert len(said) == len(set(said)) == len(words)
    assert {hit.id for hit in memory.recall("PostgreSQL", k=50).hits} >= ids


@pytest.mark.slow
@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25)])
def test_days_on_which_the_clock_is_changed_are_condensed_like_others(
    open_memory: OpenMemory, tmp_path: Path, clock: TestClock, day: date
) -> None:
    zone(tmp_path, "Europe/Berlin")
    memory, words = open_memory(), []
    for hour in range(24):  # every hour of the day in UTC, the one that is twice and the one that is not among them
        clock.now = datetime(day.year, day.month, day.day, hour, 30, tzinfo=UTC)
        words.append(f"hour{hour}")
        memory.remember(f"Said at hour{hour}.", kind="conversation", session="s", speaker="user")
    times = [one.entry.at for one in memory.journal.timeline(day.isoformat()).entries]
    assert times == sorted(times)
    for later in (1, 2, 7, 8, 40, 100):
        clock.now = datetime.combine(day + later * DAY, noon(day).timetz())
        condensed(memory)
        assert lost(root_of(memory), words) == []
    said = memory.journal.timeline("2026").entries
    assert [one.entry.text for one in said] == [f"Said at {word}." for word in words]
    assert [one.entry.at for one in said] == sorted(one.entry.at for one in said)


def bomb(megabytes: int) -> bytes:
    return gzip.compress(b"\0" * megabytes * 1_000_000, 9)


STRANGE = {
    "daily/2026-01-15.md": b"no end of lines\n" * 70_000,
    "daily/2026-01-13.md": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 40,
    "daily/2026-01-14.md.gz": bomb(2),
    "archive/daily/2026-01-01.md": b"\x7fELF\2\1\1\0" + bytes(range(256)) * 40,
    "archive/daily/2026-01-02.md.gz": bomb(2),
    "archive/weekly/2025-W50.md": b"PK\3\4\0\0" + bytes(range(256)) * 40,
}


@pytest.mark.slow
def test_files_that_are_no_journals_are_left_alone_and_named_by_doctor(
    memory: Memory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.journal.files.MAX_FILE", 1_000_000)
    clock.now = noon(START)
    words = talk(memory, START)
    root = root_of(memory)
    for path, content in STRANGE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    for later in (2, 9, 40, 150):
        clock.now = at_four(START + later * DAY)
        condensed(memory)
    files = files_of(root)
    assert {path: files.get(path) for path in STRANGE} == STRANGE
    assert [word for word in words if word not in words_in(root, under="archive/daily/2026-01-12")] == []
    told = " ".join(finding.message for finding in check_journal(space_of(memory)))
    assert [path for path in STRANGE if path.removesuffix(".gz") not in told] == []
    assert [hit.text for hit in memory.recall("PNG IHDR", k=5).hits if "IHDR" in hit.text] == []


def test_an_entry_is_not_written_into_what_is_no_text(memory: Memory, clock: TestClock) -> None:
    clock.now = noon(START + DAY)
    place = root_of(memory) / "daily" / "2026-01-13.md"
    place.parent.mkdir(parents=True)
    place.write_bytes(STRANGE["daily/2026-01-13.md"])
    with pytest.raises(InvalidInput, match="is not UTF-8 text"):
        memory.journal.add("A walk.")
    assert place.read_bytes() == STRANGE["daily/2026-01-13.md"]


def test_an_entry_for_a_day_that_somebody_packed_joins_what_stands_there(memory: Memory, clock: TestClock) -> None:
    clock.now = noon(START)
    words = talk(memory, START)
    place = root_of(memory) / "daily" / f"{START}.md"
    place.with_name(place.name + ".gz").write_bytes(gzip.compress(place.read_bytes()))
    place.unlink()
    words += talk(memory, START, 1)
    assert lost(root_of(memory), words) == []
    clock.now = at_four(START + 10 * DAY)
    condensed(memory)
    assert lost(root_of(memory), words) == []
    assert len(memory.journal.timeline(START.isoformat()).entries) == 4


@pytest.mark.slow
def test_an_entry_that_comes_late_for_a_day_put_away_while_a_summary_is_made_joins_too(
    memory: Memory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.now = noon(START)
    words = talk(memory, START)
    clock.now = at_four(START + 8 * DAY)
    condensed(memory)  # the first day is put away
    clock.now = noon(START + 9 * DAY)
    words += talk(memory, START + 9 * DAY)
    clock.now = at_four(START + 17 * DAY)
    real = summary_of

    def slow(*given: Any, **told: Any) -> Any:
        monkeypatch.setattr("waypost.flows.journal.condense.run_state.summary_of", real)
        words.extend(talk(memory, START, 2))  # while the other week is summarised
        return real(*given, **told)

    monkeypatch.setattr("waypost.flows.journal.condense.run_state.summary_of", slow)
    condensed(memory)
    root = root_of(memory)
    assert lost(root, words) == []
    assert not list((root / "daily").iterdir())
    assert words[-2] in (root / "weekly" / "2026-W03.md").read_text()
    assert condensed(memory).steps == ()


CONDENSES = """
import sys
from datetime import datetime
from pathlib import Path
from waypost import Memory
memory = Memory.open(Path(sys.argv[1]), clock=lambda: datetime.fromisoformat(sys.argv[2]))
print("ready", flush=True)
sys.stdin.readline()
done = memory.journal.condense()
print(len(done.steps), len(done.notices))
"""


@pytest.mark.slow
def test_several_processes_that_condense_at_once_end_with_the_files_of_one(
    memory: Memory, clock: TestClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = []
    for number in range(15):
        clock.now = noon(START + number * DAY)
        words += talk(memory, START + number * DAY, number)
    open_spaces.drop_all()
    (tmp_path / "no models").mkdir()
    monkeypatch.setenv("WAYPOST_MODELS", str(tmp_path / "no models"))
    results = []
    for several in (1, 4):
        home = tmp_path / f"home{several}"
        shutil.copytree(tmp_path / "home", home)
        command = [sys.executable, "-c", CONDENSES, str(tmp_path / "work" / "project"), "2028-01-03T04:00:00+00:00"]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        environment = {**os.environ, "WAYPOST_HOME": str(home), "TZ": "UTC"}
        started = [subprocess.Popen(command, env=environment, **pipes) for _ in range(several)]
        ready = [one.stdout.readline() if one.stdout else "" for one in started]
        for one in started:
            if one.stdin:
                one.stdin.write("go\n")
                one.stdin.flush()
        told = [one.communicate()[0].split() for one in started]
        assert ready == ["ready\n"] * several and [one.returncode for one in started] == [0] * several
        assert sum(steps != "0" for steps, _ in told) >= 1
        root = next(home.glob("memory/*/journal"))
        assert lost(root, words) == []
        results.append({path: content for path, content in files_of(root).items() if path != "MEMORY.md"})
    assert results[0] == results[1]
