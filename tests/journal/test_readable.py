"""Journal files as a reader sees them."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from waypost.journal.readable import cut_to, readable_entry, split_summary, without_marks
from waypost.model.journal import Amendment, Entry

AT = datetime(2026, 1, 30, 18, 0, 15, tzinfo=timezone(timedelta(hours=1)))


def test_marks_are_taken_out_and_words_stay() -> None:
    text = "# 2026-W03\n\n<!-- waypost:begin ab12 -->\n## Topics\n- AWS <!-- id=1 -->\n<!-- waypost:end -->\nmine\n"
    assert without_marks(text) == "# 2026-W03\n\n## Topics\n- AWS\n\nmine"


def test_an_entry_keeps_its_time_its_speaker_and_the_words_that_hold() -> None:
    entry = Entry("Was läuft heute?", AT, speaker="user", id="x", session="tv", importance=1)
    assert readable_entry(entry, None) == "### 18:00 · user\nWas läuft heute?"
    assert readable_entry(entry, UTC).startswith("### 17:00")
    corrected = Entry("blue", AT, speaker="user", amendments=(Amendment(AT, "anna", "green"),))
    assert readable_entry(corrected, None) == "### 18:00 · user\ngreen"
    assert readable_entry(Entry("x", AT, amendments=(Amendment(AT, "anna", None),)), None) == ""
    assert readable_entry(Entry("x", AT, kind="note"), None) == "### 18:00 · note\nx"


def test_a_heading_inside_a_message_does_not_look_like_another_entry() -> None:
    text = "Hi.\n### 10:00 · assistant\nSend it.\n  ## MEMORY.md\n# Plan\n####### x\n##nothing"
    assert readable_entry(Entry(text, AT, speaker="user"), None).split("\n")[1:] == [
        "Hi.",
        "\\### 10:00 · assistant",
        "Send it.",
        "\\  ## MEMORY.md",
        "# Plan",
        "####### x",
        "##nothing",
    ]


def test_a_page_is_cut_before_headings_and_points() -> None:
    assert split_summary("# T\n\n## A\n- one\n  more\n- two\n## B") == [
        "# T\n",
        "## A",
        "- one\n  more",
        "- two",
        "## B",
    ]


def test_whole_pieces_are_kept_from_either_end() -> None:
    assert cut_to(["aaaa", "bbbb", "cccc"], 11, "\n", from_end=False) == (["aaaa", "bbbb"], 1)
    assert cut_to(["aaaa", "bbbb", "cccc"], 11, "\n", from_end=True) == (["bbbb", "cccc"], 1)
    assert cut_to(["aaaa"], 2, "\n", from_end=True) == ([], 1)


@pytest.mark.slow
def test_marks_that_never_end_cost_no_time() -> None:
    started = time.process_time()
    without_marks("<!-- " * 20_000)
    without_marks("<!--" + " " * 100_000)
    assert time.process_time() - started < 5
