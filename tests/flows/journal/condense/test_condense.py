"""Condensing from end to end: real files, a real index, a clock that is told to go on."""

import errno
import gzip
import threading
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.flows.journal.days import (
    DAY,
    START,
    Worlds,
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
from waypost.errors import LlmUnavailable, StoreFull, StoreReadOnly
from waypost.flows.journal.condense import run_state
from waypost.flows.journal.condense.run import LOCK
from waypost.flows.journal.condense.texts import summary_of
from waypost.flows.journal_files.log import events
from waypost.journal.files import JournalFolder
from waypost.journal.markdown import parse_page
from waypost.system import platform
from waypost.system.platform import try_lock


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("WAYPOST_JOURNAL_TIMEZONE", "UTC")


def days(memory: Memory, clock: TestClock, count: int, start: date = START) -> list[str]:
    """So many days of talk; the clock then stands at noon of the last."""
    words = []
    for number in range(count):
        clock.now = noon(start + DAY * number)
        words += talk(memory, start + DAY * number)
    return words


def names(memory: Memory, under: str) -> list[str]:
    return [path for path in files_of(root_of(memory)) if path.startswith(under)]


def page_of(memory: Memory, path: str) -> str:
    return (root_of(memory) / path).read_text("utf-8")


def test_the_day_after_answers_that_are_worth_little_are_trimmed_and_questions_never(
    memory: Memory, clock: TestClock
) -> None:
    question, answer = days(memory, clock, 1)
    before = page_of(memory, "daily/2026-01-12.md")
    clock.now = at_four(START + DAY)
    done = condensed(memory)
    after = page_of(memory, "daily/2026-01-12.md")
    assert [step.step for step in done.steps] == ["trim"]
    assert done.saved == len(before) - len(after) > 300
    assert f"What is the weather like today? {question}" in after
    assert "importance=" in after
    assert page_of(memory, "archive/daily/2026-01-12.md") == before
    assert answer in words_in(root_of(memory), under="archive/")
    assert events(space_of(memory), event="soft_trim_applied")[0]["bytes"] == done.saved


def test_nothing_is_due_before_four_in_the_morning_unless_forced(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 1)
    clock.now = at_four(START + DAY).replace(hour=3)
    assert condensed(memory).steps == ()
    assert [step.step for step in condensed(memory, force=True).steps] == ["trim"]


def test_a_dry_run_says_what_is_due_and_touches_nothing(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 2)
    clock.now = at_four(START + DAY * 20)
    before = files_of(root_of(memory))
    done = condensed(memory, dry_run=True)
    assert [(step.step, step.made) for step in done.steps] == [
        ("trim", None),
        ("trim", None),
        ("join", "weekly/2026-W03.md"),
    ]
    assert files_of(root_of(memory)) == before
    assert done.to_json()["dry_run"] is True


@pytest.mark.slow
def test_a_day_joins_its_week_when_it_is_seven_days_old_and_leaves_for_the_archive(
    memory: Memory, clock: TestClock
) -> None:
    words = days(memory, clock, 3)
    clock.now = at_four(START + DAY * 8)
    done = condensed(memory)
    assert names(memory, "daily/") == ["daily/2026-01-14.md"]
    assert done.made == ("weekly/2026-W03.md",)
    week = page_of(memory, "weekly/2026-W03.md")
    assert "I have decided to use PostgreSQL for the billing project" in week
    assert "I prefer short answers" not in week  # still in its day
    clock.now = at_four(START + DAY * 9)
    condensed(memory)
    week = page_of(memory, "weekly/2026-W03.md")
    assert "I have decided to use PostgreSQL" in week
    assert "I prefer short answers" in week
    assert lost(root_of(memory), words) == []
    assert events(space_of(memory), event="weekly_summary_created")[0]["count"] == 3


@pytest.mark.slow
def test_what_people_wrote_around_a_summary_stays_when_it_is_made_again(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 2)
    clock.now = at_four(START + DAY * 7)
    condensed(memory)
    path = root_of(memory) / "weekly/2026-W03.md"
    path.write_text(path.read_text("utf-8") + "\nMy own line below.\n", "utf-8")
    clock.now = at_four(START + DAY * 8)
    condensed(memory)
    assert "\nMy own line below.\n" in page_of(memory, "weekly/2026-W03.md")
    assert "PostgreSQL" in page_of(memory, "weekly/2026-W03.md")


@pytest.mark.slow
def test_months_and_years_are_made_and_old_originals_compressed(memory: Memory, clock: TestClock) -> None:
    words = days(memory, clock, 8)
    clock.now = at_four(date(2026, 4, 1))
    made = condensed(memory)
    assert made.made == ("weekly/2026-W03.md", "weekly/2026-W04.md", "monthly/2026-01.md")
    assert names(memory, "weekly/") == []
    assert names(memory, "archive/weekly/") == ["archive/weekly/2026-W03.md", "archive/weekly/2026-W04.md"]
    clock.now = at_four(date(2028, 1, 1))
    assert condensed(memory).made == ("yearly/2026.md",)
    assert names(memory, "monthly/") == []
    archive = names(memory, "archive/")
    assert len(archive) == 8 + 2 + 1
    on_disk = {path.name for path in (root_of(memory) / "archive").rglob("*") if path.is_file()}
    assert on_disk == {"2026-01.tar.bz2"}
    assert lost(root_of(memory), words) == []
    assert "PostgreSQL" in page_of(memory, "monthly/2026-01.md") if names(memory, "monthly/") else True
    kinds = {event["event"] for event in events(space_of(memory), limit=1000)}
    assert {"monthly_summary_created", "yearly_summary_created", "archive_compressed"} <= kinds


@pytest.mark.slow
def test_a_second_run_on_the_same_day_changes_no_byte_of_any_file(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 9)
    clock.now = at_four(START + DAY * 9)
    condensed(memory)
    before = files_of(root_of(memory))
    clock.advance(hours=3)
    assert condensed(memory).steps == ()
    assert files_of(root_of(memory)) == before
    assert condensed(memory, force=True).made == ()
    assert files_of(root_of(memory)) == before


@pytest.mark.slow
def test_running_on_every_day_and_running_late_give_the_same_files(
    memory: Memory, clock: TestClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = days(memory, clock, 8)
    worlds = Worlds(tmp_path, tmp_path / "work" / "project", clock, monkeypatch)
    end = START + DAY * 12
    late = worlds.copy(tmp_path / "home")
    clock.now = at_four(end)
    condensed(late)
    expected = files_of(root_of(late))
    daily = worlds.copy(tmp_path / "home")
    for number in range(1, 13):
        clock.now = at_four(START + DAY * number)
        condensed(daily)
    found = files_of(root_of(daily))
    assert lost(root_of(daily), words) == []
    assert {path: found[path] for path in found if "/" in path and "important" not in path} == {
        path: expected[path] for path in expected if "/" in path and "important" not in path
    }


@pytest.mark.slow
def test_an_entry_that_comes_late_for_a_day_that_was_put_away_joins_its_week(memory: Memory, clock: TestClock) -> None:
    words = days(memory, clock, 2)
    clock.now = at_four(START + DAY * 12)
    condensed(memory)
    words += talk(memory, START, 6)  # a decision, said on the first day
    assert condensed(memory).made == ("weekly/2026-W03.md",)
    week = page_of(memory, "weekly/2026-W03.md")
    assert "q20260112n6" in week
    assert "q20260113n1" in week
    assert names(memory, "daily/") == []
    assert lost(root_of(memory), words) == []


@pytest.mark.slow
def test_a_late_entry_reopens_its_month_and_its_year(memory: Memory, clock: TestClock) -> None:
    words = days(memory, clock, 2)
    clock.now = at_four(date(2028, 1, 2))
    condensed(memory)
    words += talk(memory, START + DAY, 6)
    done = condensed(memory)
    assert done.made == ("weekly/2026-W03.md", "monthly/2026-01.md", "yearly/2026.md")
    assert [path for path in files_of(root_of(memory)) if not path.startswith(("archive", "important"))] == [
        "MEMORY.md",
        "yearly/2026.md",
    ]
    assert lost(root_of(memory), words) == []


@pytest.mark.parametrize(
    ("today", "path"),
    [
        (date(2026, 1, 25), "weekly/2026-W03.md"),
        (date(2026, 4, 2), "monthly/2026-01.md"),
        (date(2028, 3, 2), "yearly/2026.md"),
    ],
)
def test_a_page_is_made_again_after_an_entry_was_retracted_or_corrected(
    memory: Memory, clock: TestClock, today: date, path: str
) -> None:
    clock.now = at_four(START)
    turn: dict[str, Any] = {"kind": "conversation", "session": "s", "speaker": "user"}
    said = ("I got married to Clara in Bergen today!", "We decided to sell the Volvo.", "I got promoted to team lead!")
    married, sold, _ = (memory.remember(text, time=noon(START), **turn).id or "" for text in said)
    clock.now = at_four(today)
    condensed(memory)
    assert "Bergen" in page_of(memory, path) and "Volvo" in page_of(memory, path)
    memory.retract(married)
    memory.correct(sold, "We decided to sell the Honda.")
    assert condensed(memory).made == (path,)
    page = page_of(memory, path)
    assert "Bergen" not in page and "Volvo" not in page and "Honda" in page and "team lead" in page
    assert "Bergen" not in page_of(memory, "MEMORY.md") and "Volvo" not in page_of(memory, "MEMORY.md")
    assert condensed(memory).steps == ()


def test_what_was_edited_by_hand_is_kept_below_the_first_words(memory: Memory, clock: TestClock) -> None:
    question, _ = days(memory, clock, 1)
    clock.now = at_four(START + DAY)
    condensed(memory)
    path = root_of(memory) / "daily/2026-01-12.md"
    path.write_text(path.read_text("utf-8").replace("What is the weather like today?", "Will it snow?"), "utf-8")
    clock.now = at_four(START + DAY * 7)
    condensed(memory)
    kept = page_of(memory, "archive/daily/2026-01-12.md")
    assert f"What is the weather like today? {question}" in kept
    assert f"> corrected 2026-01-19T04:00:00+00:00 by hand: Will it snow? {question}" in kept


@pytest.mark.slow
def test_what_a_person_took_out_of_a_day_stays_in_the_archive_and_out_of_the_summary(
    memory: Memory, clock: TestClock
) -> None:
    days(memory, clock, 2)
    clock.now = at_four(START + DAY * 2)
    condensed(memory)
    path = root_of(memory) / "daily/2026-01-13.md"
    page = parse_page(path.read_text("utf-8"), None, None)
    path.write_text(page.without([0]).text, "utf-8")
    clock.now = at_four(START + DAY * 8)
    condensed(memory)
    assert "decided to use PostgreSQL" in page_of(memory, "archive/daily/2026-01-13.md")
    assert "decided to use PostgreSQL" not in page_of(memory, "weekly/2026-W03.md")


def test_what_is_held_or_in_conflict_is_left_alone_and_the_rest_goes_on(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 3)
    root = root_of(memory)
    held, torn = root / "daily/2026-01-12.md", root / "daily/2026-01-13.md"
    held.write_text(held.read_text("utf-8").replace("\n", "\n<!-- waypost:hold -->\n", 1), "utf-8")
    torn.write_text(f"<<<<<<< ours\n{torn.read_text('utf-8')}=======\nother\n>>>>>>> theirs\n", "utf-8")
    before = held.read_bytes(), torn.read_bytes()
    clock.now = at_four(START + DAY * 10)
    done = condensed(memory)
    assert (held.read_bytes(), torn.read_bytes()) == before
    assert names(memory, "daily/") == ["daily/2026-01-12.md", "daily/2026-01-13.md"]
    assert "daily/2026-01-12.md was left alone: it is on hold." in done.notices
    assert "daily/2026-01-13.md was left alone: it has an unresolved merge conflict." in done.notices


def test_an_original_that_is_damaged_stops_only_its_own_day(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 2)
    archive = root_of(memory) / "archive" / "daily"
    archive.mkdir(parents=True)
    (archive / "2026-01-12.md.gz").write_bytes(gzip.compress(b"# 2026-01-12\n")[:-6])
    clock.now = at_four(START + DAY * 10)
    done = condensed(memory)
    assert names(memory, "daily/") == ["daily/2026-01-12.md"]
    assert any("daily/2026-01-12.md was left alone" in notice and "damaged" in notice for notice in done.notices)


@pytest.mark.slow
def test_an_original_in_conflict_stops_only_its_own_day(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 8)
    clock.now = at_four(START + DAY)
    condensed(memory)
    original = root_of(memory) / "archive/daily/2026-01-12.md"
    original.write_text(
        f"<<<<<<< ours\n{original.read_text('utf-8')}=======\n### 13:00 · anna\nHi\n>>>>>>> b\n", "utf-8"
    )
    clock.now = at_four(START + DAY * 20)
    done = condensed(memory)
    assert names(memory, "daily/") == [f"daily/2026-01-{number}.md" for number in range(12, 19)]
    assert names(memory, "weekly/") == ["weekly/2026-W04.md"]
    assert any("daily/2026-01-12.md was left alone" in notice and "conflict" in notice for notice in done.notices)


def test_a_summary_that_cannot_be_made_leaves_the_originals_where_they_are(
    memory: Memory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    days(memory, clock, 2)
    clock.now = at_four(START + DAY * 10)

    def fail(*_: object, **__: object) -> None:
        raise LlmUnavailable("The model is away.")

    monkeypatch.setattr(run_state, "summary_of", fail)
    done = condensed(memory)
    assert names(memory, "daily/") == ["daily/2026-01-12.md", "daily/2026-01-13.md"]
    assert names(memory, "weekly/") == []
    assert "daily/2026-01-12.md was left alone: The model is away." in " ".join(done.notices)
    monkeypatch.undo()


def test_only_one_condenses_at_a_time(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 2)
    clock.now = at_four(START + DAY * 10)
    with try_lock(space_of(memory).folder / LOCK) as free:
        assert free
        done = condensed(memory)
    assert done.steps == ()
    assert "Another process is condensing" in done.notices[0]
    assert condensed(memory).made


def test_what_is_written_while_a_summary_is_made_is_neither_lost_nor_waited_for(
    memory: Memory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = days(memory, clock, 1)
    clock.now = at_four(START + DAY * 10)
    said: list[str] = []

    def slow(*told: object, **options: object) -> object:
        if not said:
            said.extend(["late"])
            writer = threading.Thread(target=lambda: words.extend(talk(memory, START, 6)))
            writer.start()
            writer.join(20)
            assert not writer.is_alive()  # nobody waits for the summary
        return summary_of(*told, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(run_state, "summary_of", slow)
    condensed(memory)
    assert lost(root_of(memory), words) == []
    assert "q20260112n6" in page_of(memory, "weekly/2026-W03.md")
    assert names(memory, "daily/") == []
    monkeypatch.undo()


@pytest.mark.slow
def test_a_day_that_is_too_large_joins_early(
    tmp_path: Path, open_memory: OpenMemory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("[journal]\nfile_limit = 0.01\n", "utf-8")
    memory = open_memory("large")
    clock.now = noon(START)
    for number in range(3):
        memory.remember(f"Words and words {number}. " * 300, kind="note", time=clock.now)
    clock.now = at_four(START + DAY)
    assert condensed(memory).made == ()
    clock.now = at_four(START + DAY * 2)
    assert condensed(memory).made == ("weekly/2026-W03.md",)
    (event,) = events(space_of(memory), event="size_trigger")
    assert event["folder"] == "daily/2026-01-12.md"


def test_a_day_file_without_entries_makes_no_week(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 1)
    root = root_of(memory)
    (root / "daily" / "2025-12-30.md").write_text("# 2025-12-30\n\n", "utf-8")
    clock.now = at_four(START + DAY)
    condensed(memory)
    assert names(memory, "weekly/") == []
    assert names(memory, "daily/") == ["daily/2026-01-12.md"]
    assert names(memory, "archive/daily/")[0] == "archive/daily/2025-12-30.md"


def test_two_files_of_one_day_in_both_spellings_become_one_original(memory: Memory, clock: TestClock) -> None:
    words = days(memory, clock, 1)
    other = root_of(memory) / "daily" / "20260112.md"
    other.write_text("# 2026-01-12\n\n### 09:00 · user\nI have decided to move to Bonn wordbonn\n", "utf-8")
    clock.now = at_four(START + DAY * 8)
    condensed(memory)
    assert names(memory, "daily/") == []
    assert names(memory, "archive/") == ["archive/daily/2026-01-12.md"]
    assert lost(root_of(memory), [*words, "wordbonn"]) == []


def test_a_space_in_which_nobody_has_said_anything_gets_no_journal(memory: Memory) -> None:
    assert condensed(memory).steps == ()
    assert not root_of(memory).exists()


def test_every_decision_about_worth_is_logged(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 1)
    clock.now = at_four(START + DAY)
    condensed(memory)
    logged = events(space_of(memory), event="importance_score")
    assert len(logged) == 2
    assert all("recency" in event["reasoning"] for event in logged)


def test_what_a_killed_writer_left_is_swept_up(memory: Memory, clock: TestClock) -> None:
    days(memory, clock, 1)
    root = root_of(memory)
    names = (
        "daily/.2026-01-12.md",
        "backups/.memory.sources",
        "backups/.memory.md.backup.20260112.gz",
        "archive/.2026-01.tar.bz2",
    )
    ours = [root / f"{name}.123.0123abcd.tmp" for name in names]
    other = root / "daily" / ".note.swp"
    (root / "backups").mkdir(exist_ok=True)
    (root / "archive").mkdir(exist_ok=True)
    for path in (*ours, other):
        path.write_text("half", "utf-8")
    condensed(memory)
    assert [path.name for path in ours if path.exists()] == []
    assert other.exists()


@pytest.mark.slow
def test_a_disk_that_is_full_at_any_file_loses_nothing(
    memory: Memory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = days(memory, clock, 10)
    clock.now = at_four(START + DAY * 130)
    place = platform.place_file
    stopped = 0
    for written in range(60):
        left = [written]

        def place_while_there_is_room(temporary: Path, path: Path, *, replace: bool, left: list[int] = left) -> bool:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return place(temporary, path, replace=replace)

        monkeypatch.setattr(platform, "place_file", place_while_there_is_room)
        try:
            condensed(memory)
        except StoreFull:
            stopped += 1
        monkeypatch.setattr(platform, "place_file", place)
        assert lost(root_of(memory), words) == []
        if left[0] >= 0:
            break
    assert stopped >= 2 and names(memory, "monthly/")


def test_entries_are_on_the_month_and_year_page_of_their_own_date(memory: Memory, clock: TestClock) -> None:
    """2025-12-29 is a Monday of week 1 of 2026."""
    start = date(2025, 12, 22)
    words = days(memory, clock, 28, start)
    clock.now = at_four(date(2028, 2, 1))
    assert condensed(memory).steps
    of_day = {number: words[2 * number] for number in range(28)}
    for number, word in of_day.items():
        day = start + DAY * number
        pages = {path: page_of(memory, path) for path in names(memory, "yearly/")}
        assert [path for path, text in pages.items() if word in text] in ([], [f"yearly/{day.year}.md"]), day
        files = files_of(root_of(memory))
        texts = {path: files[path].decode() for path in names(memory, "archive/monthly/")}
        inside = [path for path, text in texts.items() if word in text]
        assert inside in ([], [f"archive/monthly/{day:%Y-%m}.md"]), day
    assert any(of_day[number] in texts["archive/monthly/2025-12.md"] for number in range(7, 10))


def test_a_month_whose_only_days_are_in_weeks_of_another_month_has_a_page(memory: Memory, clock: TestClock) -> None:
    clock.now = noon(date(2025, 12, 30))
    word = "Bergen"
    text = f"Remember this: I have decided to move to {word} in May, that is very important to me."
    memory.remember(text, kind="conversation", session="s", speaker="user", time=clock.now)
    clock.now = at_four(date(2026, 5, 1))
    done = condensed(memory)
    assert names(memory, "monthly/") == ["monthly/2025-12.md"]
    assert word in page_of(memory, "monthly/2025-12.md")
    assert "monthly/2025-12.md" in done.made
    assert names(memory, "weekly/") == []
    assert condensed(memory).steps == ()


def test_a_read_only_folder_is_skipped_and_the_rest_continues(
    memory: Memory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    days(memory, clock, 9)
    replace = JournalFolder.replace

    def refuse(folder: JournalFolder, path: str, text: str, *, expected: str | None) -> bool:
        if path == "weekly/2026-W03.md":
            raise StoreReadOnly(f"{path} cannot be written: Permission denied.", "Make it writable.")
        return replace(folder, path, text, expected=expected)

    monkeypatch.setattr(JournalFolder, "replace", refuse)
    clock.now = at_four(START + DAY * 20)
    done = condensed(memory)
    assert done.made == ("weekly/2026-W04.md",)
    assert any("weekly/2026-W03.md cannot be written" in notice for notice in done.notices)
