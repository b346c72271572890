"""What was said at a time, from whatever file holds it; and a search through all files."""

from datetime import date
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import InvalidInput
from waypost.flows.journal.search import search_journal
from waypost.flows.journal.timeline import parse_span, timeline


@pytest.fixture(autouse=True)
def days_in_utc(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "UTC"\n')


def say(memory: Memory, text: str, time: str, speaker: str = "user") -> str:
    return memory.remember(text, kind="conversation", session=time[:10], speaker=speaker, time=time).id or ""


def write(memory: Memory, path: str, text: str) -> None:
    place = memory.space.journal.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def entry(memory_id: str, day: str, text: str, more: str = "") -> str:
    return (
        f"### 10:00:00 · user <!-- conversation id={memory_id} session=s{more} at={day}T10:00:00+00:00 -->\n{text}\n\n"
    )


ID = "01kg81ytb0r5sgfwpgg1yz6cf5"


@pytest.mark.parametrize(
    ("when", "first", "last"),
    [
        ("2026-01-15", (2026, 1, 15), (2026, 1, 15)),
        ("20260115", (2026, 1, 15), (2026, 1, 15)),
        ("2026-W05", (2026, 1, 26), (2026, 2, 1)),
        ("2026-02", (2026, 2, 1), (2026, 2, 28)),
        ("2024-12", (2024, 12, 1), (2024, 12, 31)),
        ("2025", (2025, 1, 1), (2025, 12, 31)),
        ("gestern", (2026, 1, 29), (2026, 1, 29)),
        ("last Tuesday", (2026, 1, 27), (2026, 1, 27)),
        ("15. Januar", (2026, 1, 15), (2026, 1, 15)),
        ("вчера", (2026, 1, 29), (2026, 1, 29)),
        ("3d", (2026, 1, 27), (2026, 1, 27)),
        ("2w", (2026, 1, 16), (2026, 1, 16)),
    ],
)
def test_a_time_is_a_date_a_period_or_words(
    memory: Memory, when: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    assert parse_span(memory.space, when) == (date(*first), date(*last))


@pytest.mark.parametrize("when", ["2026-13", "2026-02-30", "2026-W54", "0000", "no time at all", "x" * 10_000])
def test_what_is_no_time_is_refused(memory: Memory, when: str) -> None:
    with pytest.raises(InvalidInput):
        timeline(memory.space, when)


def test_a_day_tells_its_entries_in_order_with_their_ids_and_file(memory: Memory) -> None:
    later = say(memory, "And tea.", "2026-01-29T11:00:00Z")
    earlier = say(memory, "I like coffee.", "2026-01-29T10:00:00Z")
    say(memory, "Another day.", "2026-01-28T10:00:00Z")
    found = timeline(memory.space, "gestern")
    assert [(one.id, one.entry.text, one.path) for one in found.entries] == [
        (earlier, "I like coffee.", "daily/2026-01-29.md"),
        (later, "And tea.", "daily/2026-01-29.md"),
    ]
    row = found.to_json()["entries"][0]
    assert (row["speaker"], row["session"], row["held"], row["time"]) == (
        "user",
        "2026-01-29",
        True,
        "2026-01-29T10:00:00+00:00",
    )


def test_full_words_come_from_the_archive_while_the_day_is_shortened(memory: Memory) -> None:
    from waypost.model.journal import mark_of

    short = "Handball."
    write(
        memory,
        "archive/daily/2026-01-20.md",
        "# 2026-01-20\n\n" + entry(ID, "2026-01-20", "A long answer about handball."),
    )
    write(
        memory,
        "daily/2026-01-20.md",
        "# 2026-01-20\n\n" + entry(ID, "2026-01-20", short, f" trimmed={mark_of(short)}") + "### 11:00\nBy hand.\n",
    )
    found = timeline(memory.space, "2026-01-20").entries
    assert [one.entry.text for one in found] == ["A long answer about handball.", "By hand."]
    assert found[0].path == "daily/2026-01-20.md"
    assert found[1].id  # the index gave it one


def test_packed_archives_are_read_and_summaries_of_the_time_are_named(memory: Memory) -> None:
    write(memory, "archive/daily/2025-06-03.md", "# 2025-06-03\n\n" + entry(ID, "2025-06-03", "We met Clara."))
    memory.space.journal.compress(["archive/daily/2025-06-03.md"])
    for path in ("weekly/2025-W23.md", "weekly/2025-W30.md", "monthly/2025-06.md", "yearly/2025.md"):
        write(memory, path, "- x\n")
    for when in ("2025-06-03", "2025-W23", "2025-06", "2025"):
        assert [one.entry.text for one in timeline(memory.space, when).entries] == ["We met Clara."]
    assert timeline(memory.space, "2025-06-03").summaries == (
        "monthly/2025-06.md",
        "weekly/2025-W23.md",
        "yearly/2025.md",
    )


def test_what_was_retracted_or_taken_out_by_hand_says_so(memory: Memory, clock: TestClock) -> None:
    gone = say(memory, "I like coffee.", "2026-01-29T10:00:00Z")
    kept = say(memory, "I like tea.", "2026-01-29T11:00:00Z")
    memory.retract(gone)
    held = {one.id: one.is_held for one in timeline(memory.space, "2026-01-29").entries}
    assert held == {gone: False, kept: True}


def test_without_a_time_there_is_an_overview_of_what_is_told_where(memory: Memory) -> None:
    say(memory, "Today.", "2026-01-30T10:00:00Z")
    for day in ("2026-01-13", "2026-01-14", "2025-06-03", "2024-02-02"):
        write(
            memory,
            f"archive/daily/{day}.md",
            f"# {day}\n\n" + entry(f"{ID[:-10]}{day}".replace("-", "0"), day, "Said."),
        )
    for path in ("weekly/2026-W03.md", "monthly/2025-06.md", "yearly/2024.md"):
        write(memory, path, "- x\n")
    found = timeline(memory.space).overview
    assert [(one.name, one.entries, one.path) for one in found] == [
        ("2026-01-30", 1, "daily/2026-01-30.md"),
        ("2026-W03", 2, "weekly/2026-W03.md"),
        ("2025-06", 1, "monthly/2025-06.md"),
        ("2024", 1, "yearly/2024.md"),
    ]


def test_days_far_away_are_days_and_those_at_the_ends_of_time_do_no_harm(memory: Memory) -> None:
    for day in ("9998-12-31", "1000-01-01"):
        write(memory, f"daily/{day}.md", f"# {day}\n\n### 10:00\nFar away.\n")
        assert [one.entry.text for one in timeline(memory.space, day).entries] == ["Far away."]
    for day in ("9999-12-31", "0001-01-01"):
        write(memory, f"daily/{day}.md", f"# {day}\n\n### 10:00\nFurther away.\n")
        timeline(memory.space, day)
    assert len(timeline(memory.space).overview) == 2


# -- search


def test_search_finds_words_in_every_stage_packed_or_not_newest_first(memory: Memory) -> None:
    today = say(memory, "The FLUX capacitor\nis broken.", "2026-01-30T10:00:00Z")
    write(memory, "archive/daily/2025-06-03.md", "# 2025-06-03\n\n" + entry(ID, "2025-06-03", "A flux capacitor came."))
    memory.space.journal.compress(["archive/daily/2025-06-03.md"])
    write(memory, "weekly/2026-W03.md", "# W03\n\n- The flux capacitor <!-- from a1 -->\n")
    write(memory, "important/notes.md", "- Flux Capacitor: 1.21 GW\n")
    found = search_journal(memory.space, "flux  capacitor")
    assert [(one.path, one.line, one.id) for one in found] == [
        ("important/notes.md", 1, None),
        ("daily/2026-01-30.md", 4, today),
        ("archive/daily/2025-06-03.md", 4, ID),
        ("weekly/2026-W03.md", 3, "a1"),
    ]
    assert found[1].text == "The FLUX capacitor"
    lines = (memory.space.journal.root / "daily/2026-01-30.md").read_text().splitlines()
    assert lines[found[1].line - 1] == found[1].text
    assert len(search_journal(memory.space, "flux", limit=2)) == 2


def test_search_knows_no_case_nor_accents_nor_where_a_line_breaks(memory: Memory) -> None:
    say(memory, "Wir treffen uns in der Großen\nBrücke, уже завтра", "2026-01-30T10:00:00Z")
    for words in ("GROSSEN BRÜCKE", "bruecke", "УЖЕ ЗАВТРА"):
        assert len(search_journal(memory.space, words)) == 1


def test_search_falls_back_to_all_telling_words_of_one_entry(memory: Memory) -> None:
    wanted = say(memory, "The exam is booked.\nIt costs 150 dollars at AWS.", "2026-01-30T10:00:00Z")
    say(memory, "AWS is a cloud.", "2026-01-30T11:00:00Z")
    found = search_journal(memory.space, "what does the AWS exam")
    assert [one.id for one in found] == [wanted]
    assert search_journal(memory.space, "AWS bicycle") == []


def test_search_tells_a_line_once_though_the_archive_has_it_too(memory: Memory) -> None:
    for path in ("daily/2026-01-20.md", "archive/daily/2026-01-20.md"):
        write(memory, path, "# 2026-01-20\n\n" + entry(ID, "2026-01-20", "About handball."))
    assert [one.path for one in search_journal(memory.space, "handball")] == ["daily/2026-01-20.md"]


def test_search_leaves_out_what_the_index_page_repeats_and_our_own_comments(memory: Memory) -> None:
    from waypost.flows.journal.memory_page import refresh_index

    said = say(memory, "I have decided to learn Italian this year, remember this.", "2026-01-30T10:00:00Z")
    refresh_index(memory.space)
    place = memory.space.journal.root / "MEMORY.md"
    assert "Italian" in place.read_text()
    place.write_text("- Italian is fun\n\n" + place.read_text())
    assert [(one.path, one.line) for one in search_journal(memory.space, "italian")] == [
        ("MEMORY.md", 1),
        ("daily/2026-01-30.md", 4),
    ]
    assert search_journal(memory.space, said) == []


def test_an_empty_search_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        search_journal(memory.space, "  \n ")
