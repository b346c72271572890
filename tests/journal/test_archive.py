"""The original of a day keeps every word that was ever in the live file."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.journal.archive import full_entries, updated_original, updated_summary_original, with_importance
from waypost.journal.markdown import new_page, parse_page, render_entry
from waypost.model.journal import Amendment, Entry, mark_of

DAY = date(2026, 1, 30)
AT = datetime(2026, 1, 30, 18, 0, tzinfo=UTC)
LATER = datetime(2026, 2, 2, 4, 0, tzinfo=UTC)
IDS = [f"01jk{number:022}" for number in range(40)]


def entry(text: str, number: int = 0, **more: object) -> Entry:
    return Entry(text, AT + timedelta(minutes=number), "conversation", "anna", IDS[number], **more)  # type: ignore[arg-type]


def page(*entries: Entry) -> str:
    return new_page(DAY) + "".join(render_entry(entry) for entry in entries)


def merge(original: str | None, live: str) -> str:
    return updated_original(original, live, DAY, UTC, LATER)


def texts(page: str) -> list[str]:
    return [entry.text for entry in parse_page(page, DAY, UTC).entries]


def test_the_first_copy_is_the_file_to_the_byte() -> None:
    live = "# Friday\r\n\r\nNoted by hand\r\n\r\n### 18:00 · anna\r\nHello  \r\n"
    assert merge(None, live) == live
    assert merge(live, live) == live


def test_an_entry_that_came_late_is_added_behind_the_one_it_follows() -> None:
    original = page(entry("one", 1), entry("three", 3))
    live = page(entry("one", 1), entry("two", 2), entry("three", 3))
    assert merge(original, live) == live
    assert texts(merge(original, page(entry("zero", 0)))) == ["zero", "one", "three"]


def test_words_changed_by_hand_come_below_the_first_words_with_a_date() -> None:
    original = page(entry("The exam is in May", 1), entry("Fine", 2))
    after = merge(original, page(entry("The exam is in June", 1), entry("Fine", 2)))
    first = parse_page(after, DAY, UTC).entries[0]
    assert first.text == "The exam is in May"
    assert first.amendments == (Amendment(LATER, "hand", "The exam is in June"),)
    assert "> corrected 2026-02-02T04:00:00+00:00 by hand: The exam is in June" in after


def test_merging_again_changes_nothing() -> None:
    original = page(entry("May", 1))
    live = "Noted above\n\n" + page(entry("June", 1), entry("new", 2), entry("June", 1), entry("July", 1))
    once = merge(original, live)
    assert merge(once, live) == once


def test_a_change_by_hand_that_was_undone_is_recorded_too() -> None:
    changed = merge(page(entry("May", 1)), page(entry("June", 1)))
    back = merge(changed, page(entry("May", 1)))
    assert [amendment.text for amendment in parse_page(back, DAY, UTC).entries[0].amendments] == ["June", "May"]


def test_a_trimmed_entry_keeps_its_full_words_unless_somebody_edits_what_was_left_of_it() -> None:
    original = page(entry("A long answer about handball", 1))
    trimmed = replace(entry("Handball", 1), trimmed=mark_of("Handball"))
    assert merge(original, page(trimmed)) == original
    edited = replace(trimmed, text="Handball, we won")
    (merged,) = parse_page(merge(original, page(edited)), DAY, UTC).entries
    assert merged.text == "A long answer about handball"
    assert merged.held == "Handball, we won"


def test_what_was_said_about_a_trimmed_entry_is_added_and_holds() -> None:
    original = page(entry("A long answer", 1))
    said = Amendment(AT + timedelta(days=1), "anna", None)
    live = replace(entry("Answer", 1), trimmed=mark_of("Answer"), amendments=(said,), protected=True)
    (merged,) = parse_page(merge(original, page(live)), DAY, UTC).entries
    assert (merged.text, merged.amendments, merged.protected) == ("A long answer", (said,), True)


def test_what_a_person_takes_out_of_the_day_afterwards_stays_in_the_archive() -> None:
    original = page(entry("one", 1), entry("two", 2))
    assert merge(original, page(entry("one", 1))) == original


def test_what_was_taken_out_and_is_back_holds_again() -> None:
    gone = page(entry("one", 1, amendments=(Amendment(AT, "hand", None),)), entry("two", 2))
    back = merge(gone, page(entry("one", 1), entry("two", 2)))
    assert parse_page(back, DAY, UTC).entries[0].held == "one"
    trimmed = replace(entry("o", 1), trimmed=mark_of("o"))
    assert parse_page(merge(gone, page(trimmed)), DAY, UTC).entries[0].held == "one"
    assert merge(back, page(entry("one", 1), entry("two", 2))) == back


def test_a_title_that_somebody_gave_the_day_is_kept() -> None:
    original = page(entry("one", 1))
    assert "# The day of the exam" in merge(original, original.replace("# 2026-01-30", "# The day of the exam"))


def test_an_entry_is_never_put_before_the_words_at_the_top_that_have_no_heading() -> None:
    original = new_page(DAY) + "Noted by hand\n\n" + render_entry(entry("one", 1))
    after = merge(original, page(entry("zero", 0)))
    assert texts(after) == ["Noted by hand", "zero", "one"]


def test_line_ends_stay_as_they_are() -> None:
    original = page(entry("one", 1)).replace("\n", "\r\n")
    after = merge(original, page(entry("one", 1), entry("two", 2)))
    assert after.startswith(original.rstrip())
    assert "\n" not in after.replace("\r\n", "")


def test_full_words_are_found_again_for_what_was_trimmed() -> None:
    original = page(entry("A long answer", 1), entry("other", 2))
    live = parse_page(
        page(replace(entry("Answer", 1), trimmed=mark_of("Answer"), importance=1), entry("x", 2)), DAY, UTC
    )
    assert [(entry.text, entry.importance) for entry in full_entries(original, live)] == [
        ("A long answer", 1),
        ("x", None),
    ]


def test_importance_is_written_only_where_it_changed_and_never_into_what_has_no_id() -> None:
    text = new_page(DAY) + "By hand\n\n" + render_entry(replace(entry("one", 1), importance=3))
    read = parse_page(text, DAY, UTC)
    assert with_importance(read, {IDS[1]: 3}) is read
    assert "importance=7" in with_importance(read, {IDS[1]: 7}).text
    assert "By hand\n" in with_importance(read, {IDS[1]: 7}).text


def test_lines_that_only_the_archived_summary_has_are_kept() -> None:
    assert updated_summary_original(None, "# W\nmine\n", ["mine"]) == "# W\nmine\n"
    assert updated_summary_original("# W\nmine\nold\n", "# W\nmine\n", ["mine", "old"]) == "# W\nmine\n\nold\n"


# -- nothing is lost

actions = st.lists(
    st.tuples(
        st.sampled_from(["append", "edit", "edit", "note", "delete", "trim", "trim", "join", "copy", "crlf"]),
        st.integers(0, 30),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(actions)
def test_every_word_ever_written_is_in_the_archive_or_the_live_file(steps: list[tuple[str, int]]) -> None:
    live, original, number = "", "", 0
    kept: set[str] = set()

    def word() -> str:
        nonlocal number
        number += 1
        return f"word{number}x"

    for action, chosen in steps:
        read = parse_page(live, DAY, UTC)
        if action == "append" and number < 39:
            said = word()
            live = (live or new_page(DAY)) + ("" if live.endswith("\n\n") or not live else "\n\n")
            live += render_entry(entry(f"{said} and the rest", number))
        elif action == "note":
            live = f"# Title {word()}\n\nNoted {word()}\n\n{live}" if chosen % 2 else f"{live}\nbehind {word()}\n"
        elif action == "edit" and read.entries:
            place = chosen % len(read.entries)
            if read.entries[place].id:
                live = read.with_entry(place, replace(read.entries[place], text=f"changed to {word()}")).text
        elif action == "delete" and read.entries:
            live = read.without([chosen % len(read.entries)]).text
        elif action == "copy" and read.entries and read.entries[chosen % len(read.entries)].id:
            live += "\n\n" + render_entry(replace(read.entries[chosen % len(read.entries)], text=f"copied {word()}"))
        elif action == "crlf":
            live = live.replace("\r\n", "\n").replace("\n", "\r\n")
        elif action in ("trim", "join") and live:
            original = merge(original or None, live)
            assert merge(original, live) == original
            kept |= set(re.findall(r"word\d+x", live))
            if action == "join":
                live = ""
            for place, live_entry in enumerate(read.entries if live else ()):
                if live_entry.id and live_entry.trimmed is None and place % 2 and not live_entry.amendments:
                    read = read.with_entry(place, replace(live_entry, text="short", trimmed=mark_of("short")))
                    live = read.text
        assert kept <= set(re.findall(r"word\d+x", original + live))
    original = merge(original or None, live) if live else original
    assert kept | set(re.findall(r"word\d+x", live)) <= set(re.findall(r"word\d+x", original))
