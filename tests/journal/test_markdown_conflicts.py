"""Pages that git could not merge."""

import shutil
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from waypost.errors import InvalidInput
from waypost.journal.markdown import JournalPage, new_page, parse_page, render_entry
from waypost.model.journal import Amendment, Entry

DAY = date(2026, 1, 30)
IDS = [f"01jkabcdefghjkmnpqrstvwxy{sign}" for sign in "0123456789"]
LATER = datetime(2026, 2, 3, 10, tzinfo=UTC)


def said(number: int, text: str, *amendments: Amendment) -> Entry:
    at = datetime(2026, 1, 30, 12, number, tzinfo=UTC)
    return Entry(text, at, speaker="anna", id=IDS[number], session="s", amendments=amendments)


def page_of(*entries: Entry) -> str:
    return new_page(DAY) + "".join(render_entry(entry) for entry in entries)


def merged(folder: Path, base: str, ours: str, theirs: str, style: str) -> JournalPage:
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_bytes(text.encode())
    command = ["git", "merge-file", "-p", *([f"--{style}"] if style else []), "ours", "base", "theirs"]
    text = subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode()
    page = parse_page(text, DAY, UTC)
    assert page.text == text
    return page


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("style", ["", "diff3"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_two_machines_added_is_read_from_both_sides(tmp_path: Path, style: str, newline: str) -> None:
    shared, mine, yours, last = said(0, "shared"), said(1, "mine"), said(2, "yours"), said(3, "last")
    base, ours, theirs = (
        page_of(*entries).replace("\n", newline)
        for entries in ((shared, last), (shared, mine, last), (shared, yours, last))
    )
    page = merged(tmp_path, base, ours, theirs, style)
    assert page.is_conflicted
    assert page.entries == (shared, mine, yours, last)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_words_that_differ_stand_twice_and_only_ours_have_the_id(tmp_path: Path) -> None:
    base, ours, theirs = (page_of(said(0, "first"), said(1, words)) for words in ("old", "mine", "yours"))
    page = merged(tmp_path, base, ours, theirs, "diff3")
    assert [(entry.text, entry.id) for entry in page.entries] == [("first", IDS[0]), ("mine", IDS[1]), ("yours", None)]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_either_side_says_about_an_entry_holds(tmp_path: Path) -> None:
    mine, yours = Amendment(LATER, "anna", "better"), Amendment(LATER.replace(hour=9), "otto", None)
    base, ours, theirs = (page_of(said(0, "words", *given)) for given in ((), (mine,), (yours,)))
    [entry] = merged(tmp_path, base, ours, theirs, "").entries
    assert entry == said(0, "words", yours, mine)


def test_entries_by_hand_that_both_sides_have_stand_once_and_doubles_of_one_side_stay() -> None:
    hand = "### 14:05 · anna\nwords\n"
    page = parse_page(f"<<<<<<< HEAD\n{hand}{hand}=======\n{hand}### 15:00\nyours\n>>>>>>> x\n", DAY, UTC)
    assert [entry.text for entry in page.entries] == ["words", "words", "yours"]


def test_a_conflicted_page_is_not_changed() -> None:
    page = parse_page("<<<<<<< HEAD\n### 14:05\na\n=======\n<!-- waypost:hold -->\n>>>>>>> x", DAY, UTC)
    assert page.is_conflicted and page.hold
    with pytest.raises(InvalidInput, match="conflict"):
        page.with_entry(0, page.entries[0])
    with pytest.raises(InvalidInput, match="conflict"):
        page.without([])
    with pytest.raises(InvalidInput, match="conflict"):
        page.with_hold(True)


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=======\nwords\n",
        "<<<<<<< HEAD\na\n=======\nb\n",
        "=======\n<<<<<<< HEAD\n>>>>>>> x\n",
        " <<<<<<< HEAD\n=======\n>>>>>>> x\n",
        "<<<<<<<HEAD\n=======\n>>>>>>> x\n",
        "<<<<<<< HEAD\n========\n>>>>>>> x\n",
    ],
)
def test_parts_of_a_conflict_do_not_count(text: str) -> None:
    page = parse_page(text, DAY, UTC)
    assert not page.is_conflicted
    assert page.entries[0].text == text.strip()


def test_a_conflict_that_somebody_talks_about_does_not_count() -> None:
    entry = said(0, "git says\n<<<<<<< HEAD\na\n||||||| b\n=======\nc\n>>>>>>> x\nwhat now?")
    page = parse_page(page_of(entry), DAY, UTC)
    assert not page.is_conflicted and page.entries == (entry,)
