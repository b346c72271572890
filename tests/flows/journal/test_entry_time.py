"""When an entry was said, as a person tells it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost.errors import InvalidInput
from waypost.flows.journal.entry_time import parse_entry_time


@pytest.fixture(autouse=True)
def days_in_new_york(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "America/New_York"\n')


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("gestern", "2026-01-29T12:00"),
        ("yesterday", "2026-01-29T12:00"),
        ("вчера", "2026-01-29T12:00"),
        ("vorgestern um 7:05 Uhr", "2026-01-28T07:05"),
        ("gestern 18:00", "2026-01-29T18:00"),
        ("18 Uhr gestern", "2026-01-29T18:00"),
        ("вчера в 18:30", "2026-01-29T18:30"),
        ("yesterday at 6 pm", "2026-01-29T18:00"),
        ("last Tuesday", "2026-01-27T12:00"),
        ("last Tuesday, 9:15:30", "2026-01-27T09:15:30"),
        ("15. Januar", "2026-01-15T12:00"),
        ("15 января 8:00", "2026-01-15T08:00"),
        ("2026-01-15", "2026-01-15T12:00"),
        ("2026-01-15 18:00", "2026-01-15T18:00"),
        ("2026-01-15T18:00:00-05:00", "2026-01-15T18:00"),
        ("06:00", "2026-01-30T06:00"),
        ("today", "2026-01-30T07:00"),
        ("3d", "2026-01-27T12:00"),
        ("2h", "2026-01-30T05:00"),
    ],
)
def test_a_time_is_told_in_words_by_the_journals_clock(open_memory: OpenMemory, told: str, expected: str) -> None:
    space = open_memory().space
    local = space.journal.local(parse_entry_time(space, told))
    assert local.replace(tzinfo=None) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "told", ["last week", "in January", "25:00", "yesterday 13 pm", "when pigs fly", "", "12-01-99"]
)
def test_what_names_no_single_instant_is_refused(open_memory: OpenMemory, told: str) -> None:
    with pytest.raises(InvalidInput):
        parse_entry_time(open_memory().space, told)


def test_an_entry_of_yesterday_stands_in_the_file_of_yesterday(open_memory: OpenMemory, clock: TestClock) -> None:
    clock.now = datetime(2026, 1, 31, 2, 0, tzinfo=UTC)  # still the 30th in New York
    memory = open_memory()
    memory.journal.add("Wir haben über den Umzug gesprochen.", time="gestern 23:30")
    memory.journal.add("A walk.", time="2026-01-15")
    assert "### 23:30:00" in memory.journal.show("2026-01-29").text
    assert "A walk." in memory.journal.show("2026-01-15").text
