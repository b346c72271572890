"""Times in words and durations are accepted wherever a time is taken."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.text.durations import parse_duration, parse_offset

NOW = datetime(2026, 2, 12, 15, 30, tzinfo=UTC)  # a Thursday


@pytest.fixture
def memory(tmp_path: Path, fake_engine: FakeEngine) -> Memory:
    (tmp_path / "home").mkdir(exist_ok=True)
    return Memory.open(tmp_path, clock=lambda: NOW)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("90", 90), ("30m", 1800), ("12H", 43_200), ("3d", 259_200), ("2w", 1_209_600), ("3 days", 259_200),
     ("2 Wochen", 1_209_600), ("3 Tage", 259_200), ("5 дней", 432_000), ("1 час", 3_600), ("2 недели", 1_209_600)],
)  # fmt: skip
def test_a_duration_is_a_number_with_a_unit(written: str, seconds: int) -> None:
    assert parse_duration(written) == seconds


@pytest.mark.parametrize("written", ["", "d", "3 apples", "-3d", "3d ago", "vor 3 Tagen", "1" * 99])
def test_everything_else_is_no_duration(written: str) -> None:
    with pytest.raises(InvalidInput):
        parse_duration(written)


@pytest.mark.parametrize(
    ("written", "ahead", "days"),
    [("3d", False, -3), ("3d", True, 3), ("3 days ago", True, -3), ("vor 3 Tagen", False, -3), ("3 дня назад", False, -3),
     ("in 3 days", False, 3), ("in 3 Tagen", True, 3), ("через 3 дня", False, 3)],
)  # fmt: skip
def test_a_duration_is_also_a_time(written: str, ahead: bool, days: int) -> None:
    assert parse_offset(written, ahead=ahead) == days * 86_400


@pytest.mark.parametrize("written", ["2026", "2026-01-30", "yesterday", ""])
def test_dates_are_no_durations(written: str) -> None:
    assert parse_offset(written, ahead=False) is None


@pytest.mark.parametrize("words", ["yesterday", "gestern", "вчера", "1d", "1 day ago", "vor 1 Tag", "2026-02-11"])
def test_a_memory_is_valid_since_a_day_in_words(memory: Memory, words: str) -> None:
    receipt = memory.remember("The old server is gone", valid_from=words)
    assert receipt.id is not None
    since = memory.show(receipt.id).version.valid_from
    assert since.date() == (NOW - timedelta(days=1)).date()


@pytest.mark.parametrize("words", ["3d", "in 3 days", "in 3 Tagen", "через 3 дня"])
def test_an_end_lies_ahead(memory: Memory, words: str) -> None:
    receipt = memory.remember("The demo server is down", valid_until=words)
    assert receipt.id is not None
    assert memory.show(receipt.id).version.valid_until == NOW + timedelta(days=3)


@pytest.mark.parametrize("words", ["last month", "letzten Monat", "в прошлом месяце", "20d"])
def test_questions_about_the_past_take_words(memory: Memory, words: str) -> None:
    memory.remember("We deploy on Tuesdays", valid_from="2025-12-01", valid_until="2026-02-01")
    assert [row["text"] for row in memory.list(as_of=words)] == ["We deploy on Tuesdays"]
    assert memory.list() == []


def test_an_unknown_word_names_the_field_and_what_to_write(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="as_of: 'soonish' is not a date or time") as refused:
        memory.list(as_of="soonish")
    assert "yesterday" in refused.value.remedy


def test_decisions_and_corrections_take_words(memory: Memory) -> None:
    decided = memory.decide("Use Postgres", because=["we need transactions"], valid_from="last Monday")
    assert decided.id is not None
    assert memory.show(decided.id).version.valid_from.date().isoformat() == "2026-02-09"
    memory.correct(decided.id, "Use PostgreSQL", valid_from="yesterday")
    assert memory.show(decided.id).version.valid_from.date().isoformat() == "2026-02-11"
