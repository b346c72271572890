"""Undoing what condensing did, from the originals; and doing it again."""

from datetime import date
from pathlib import Path

import pytest
from tests.conftest import TestClock
from tests.flows.journal.days import DAY, START, at_four, condensed, files_of, lost, noon, root_of, space_of, talk

from waypost import Memory
from waypost.errors import InvalidInput, NotFound, StoreBusy, StoreError
from waypost.flows.journal.condense.restore import Restored, release, restore
from waypost.flows.journal.condense.run import LOCK
from waypost.journal.markdown import parse_page
from waypost.model.memory import Caller
from waypost.system.platform import try_lock

ANNA = Caller("person", "anna")


@pytest.fixture
def words(memory: Memory, clock: TestClock) -> list[str]:
    """What was said on three days in two weeks."""
    said = []
    for day in (START, START + DAY, START + 7 * DAY):
        clock.now = noon(day)
        said += talk(memory, day)
    return said


def back(memory: Memory, what: str) -> Restored:
    return restore(space_of(memory), what, ANNA)


def let_go(memory: Memory, what: str) -> Restored:
    return release(space_of(memory), what, ANNA)


def on_disk(memory: Memory) -> dict[str, bytes]:
    return {path: content for path, content in files_of(root_of(memory)).items() if path != "MEMORY.md"}


def text_of(memory: Memory, path: str) -> str:
    return (root_of(memory) / path).read_text("utf-8")


@pytest.mark.slow
def test_a_day_comes_back_with_its_first_words_and_the_next_run_leaves_it(
    memory: Memory, clock: TestClock, words: list[str]
) -> None:
    first = text_of(memory, "daily/2026-01-12.md")
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    done = back(memory, "2026-01-12")
    assert done.files == ("daily/2026-01-12.md",)
    brought = parse_page(text_of(memory, "daily/2026-01-12.md"), START, None)
    assert brought.hold
    assert [one.text for one in brought.entries] == [one.text for one in parse_page(first, START, None).entries]
    assert any("is on hold" in notice for notice in condensed(memory).notices)
    assert text_of(memory, "daily/2026-01-12.md") == brought.text


@pytest.mark.slow
@pytest.mark.parametrize("what", ["2026-01-12", "20260112", "2026-W03", "2026-W04"])
def test_condensing_again_after_a_day_or_week_was_let_go_gives_the_same_files(
    memory: Memory, clock: TestClock, words: list[str], what: str
) -> None:
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    before = on_disk(memory)
    back(memory, what)
    assert on_disk(memory) != before
    let_go(memory, what)
    condensed(memory)
    assert on_disk(memory) == before


@pytest.mark.slow
@pytest.mark.parametrize("what", ["2026-01", "2026", "2026-W03", "2026-01-19"])
def test_condensing_again_after_any_part_of_a_year_was_let_go_gives_the_same_files(
    memory: Memory, clock: TestClock, words: list[str], what: str
) -> None:
    clock.now = at_four(date(2028, 1, 3) if what != "2026-01" else date(2026, 5, 3))
    condensed(memory)
    before = on_disk(memory)
    back(memory, what)
    condensed(memory)
    let_go(memory, what)
    condensed(memory)
    assert on_disk(memory) == before
    assert lost(root_of(memory), words) == []


@pytest.mark.slow
def test_the_days_of_a_week_come_back_and_its_summary_goes(memory: Memory, clock: TestClock, words: list[str]) -> None:
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    done = back(memory, "2026-W03")
    assert done.files == ("daily/2026-01-12.md", "daily/2026-01-13.md")
    assert done.removed == ("weekly/2026-W03.md",)
    assert condensed(memory).made == ()


@pytest.mark.slow
def test_what_people_wrote_into_a_summary_that_goes_is_kept_and_comes_back_with_it(
    memory: Memory, clock: TestClock, words: list[str]
) -> None:
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    path = root_of(memory) / "weekly/2026-W03.md"
    path.write_text(path.read_text("utf-8") + "\nMy own line.\n", "utf-8")
    back(memory, "2026-W03")
    assert not path.exists()
    assert "My own line." in text_of(memory, "archive/weekly/2026-W03.md")
    let_go(memory, "2026-W03")
    condensed(memory)
    assert path.read_text("utf-8").endswith("\nMy own line.\n")


@pytest.mark.slow
def test_the_weeks_of_a_month_come_back(memory: Memory, clock: TestClock, words: list[str]) -> None:
    clock.now = at_four(date(2026, 4, 2))
    condensed(memory)
    done = back(memory, "2026-01")
    assert done.files == ("weekly/2026-W03.md", "weekly/2026-W04.md")
    assert done.removed == ("monthly/2026-01.md",)
    assert condensed(memory).steps == ()


@pytest.mark.slow
def test_a_line_in_the_file_of_a_year_stays_when_its_months_come_back(
    memory: Memory, clock: TestClock, words: list[str]
) -> None:
    clock.now = at_four(date(2028, 1, 3))
    condensed(memory)
    path = root_of(memory) / "yearly/2026.md"
    path.write_text(path.read_text("utf-8") + "\nA good year.\n", "utf-8")
    back(memory, "2026")
    assert text_of(memory, "yearly/2026.md") == "# 2026\n\n\nA good year.\n"
    assert (root_of(memory) / "monthly/2026-01.md").is_file()
    let_go(memory, "2026")
    condensed(memory)
    assert "A good year." in text_of(memory, "yearly/2026.md")
    assert "waypost:begin" in text_of(memory, "yearly/2026.md")


@pytest.mark.slow
def test_the_full_words_of_an_entry_come_back_and_are_not_trimmed_again_until_let_go(
    memory: Memory, clock: TestClock
) -> None:
    clock.now = noon(START)
    talk(memory, START)
    full = text_of(memory, "daily/2026-01-12.md")
    clock.now = at_four(START + DAY)
    condensed(memory)
    trimmed = text_of(memory, "daily/2026-01-12.md")
    answer = parse_page(trimmed, START, None).entries[1]
    assert answer.trimmed
    assert answer.id
    back(memory, answer.id)
    clock.now = at_four(START + DAY * 2)
    condensed(memory)
    assert parse_page(text_of(memory, "daily/2026-01-12.md"), START, None).entries[1].text == (
        parse_page(full, START, None).entries[1].text
    )
    let_go(memory, answer.id)
    clock.now = at_four(START + DAY * 3)
    condensed(memory)
    assert parse_page(text_of(memory, "daily/2026-01-12.md"), START, None).entries[1].text == answer.text
    assert text_of(memory, "archive/daily/2026-01-12.md") == full


def test_what_somebody_made_of_a_trimmed_entry_is_kept_when_its_full_words_come_back(
    memory: Memory, clock: TestClock
) -> None:
    clock.now = noon(START)
    talk(memory, START)
    clock.now = at_four(START + DAY)
    condensed(memory)
    path = root_of(memory) / "daily/2026-01-12.md"
    page = parse_page(path.read_text("utf-8"), START, None)
    entry_id, trimmed = page.entries[1].id or "", page.entries[1].text
    path.write_text(path.read_text("utf-8").replace(trimmed, "It rained all day"), "utf-8")
    back(memory, entry_id)
    entry = parse_page(path.read_text("utf-8"), START, None).entries[1]
    assert entry.text.startswith("The forecast says")
    assert entry.held == "It rained all day"


@pytest.mark.slow
def test_an_entry_whose_day_is_in_the_archive_says_how_to_bring_it_back(
    memory: Memory, clock: TestClock, words: list[str]
) -> None:
    entry_id = parse_page(text_of(memory, "daily/2026-01-12.md"), START, None).entries[1].id or ""
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    with pytest.raises(NotFound, match="journal restore 2026-01-12"):
        back(memory, entry_id)


@pytest.mark.slow
def test_the_index_page_comes_back_from_its_copy(memory: Memory, clock: TestClock, words: list[str]) -> None:
    clock.now = at_four(START + DAY * 8)
    condensed(memory)
    before = text_of(memory, "MEMORY.md")
    clock.now = at_four(START + DAY * 9)
    condensed(memory)
    assert text_of(memory, "MEMORY.md") != before
    assert back(memory, "index").files == ("MEMORY.md",)
    assert text_of(memory, "MEMORY.md") == before
    assert back(memory, "index 20260121").files == ("MEMORY.md",)
    with pytest.raises(NotFound):
        back(memory, "index 20200101")
    with pytest.raises(InvalidInput):
        back(memory, "index 20201301")


@pytest.mark.slow
def test_a_late_entry_of_a_day_is_not_lost_when_the_day_comes_back(
    memory: Memory, clock: TestClock, words: list[str]
) -> None:
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    words += talk(memory, START, 6)
    back(memory, "2026-01-12")
    assert "q20260112n6" in text_of(memory, "daily/2026-01-12.md")
    assert "q20260112n6" in text_of(memory, "archive/daily/2026-01-12.md")
    assert lost(root_of(memory), words) == []


@pytest.mark.parametrize("what", ["2020-01-01", "2020-W01", "2020-01", "2020", "01jk0000000000000000000000"])
def test_what_was_never_there_is_not_found(memory: Memory, words: list[str], what: str) -> None:
    with pytest.raises(NotFound):
        back(memory, what)
    with pytest.raises(NotFound):
        let_go(memory, what)


@pytest.mark.parametrize("what", ["", "yesterday", "../../etc", "2026-13", "2026-W60"])
def test_what_is_no_time_and_no_id_is_refused_with_what_can_be_named(memory: Memory, what: str) -> None:
    with pytest.raises(InvalidInput, match="2026-W05"):
        back(memory, what)


def test_undoing_waits_for_nobody(memory: Memory, words: list[str]) -> None:
    with try_lock(space_of(memory).folder / LOCK), pytest.raises(StoreBusy):
        back(memory, "2026-01-12")


@pytest.mark.slow
def test_undoing_is_audited(memory: Memory, clock: TestClock, words: list[str]) -> None:
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    back(memory, "2026-01-12")
    with space_of(memory).store.read() as reader:
        entry = reader.audit.entries(None, 1)[0]
    assert (entry.action, entry.actor, entry.details["what"]) == ("restore", "anna", "2026-01-12")


@pytest.mark.slow
def test_a_link_in_the_place_of_a_day_is_not_followed(
    memory: Memory, clock: TestClock, words: list[str], tmp_path: Path
) -> None:
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    outside = tmp_path / "outside.md"
    outside.write_text("mine", "utf-8")
    (root_of(memory) / "daily" / "2026-01-12.md").symlink_to(outside)
    with pytest.raises(StoreError):
        back(memory, "2026-01-12")
    assert outside.read_text("utf-8") == "mine"
