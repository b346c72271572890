"""Every text is a page whose blocks join to it, and every entry survives a round trip."""

import time as clock
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.journal.heading import read_heading, write_heading
from waypost.journal.markdown import (
    CONFLICT,
    HELD,
    gap_after,
    new_page,
    newline_of,
    no_edit_reason,
    parse_page,
    render_entry,
)
from waypost.model.characters import is_invisible, without_escapes
from waypost.model.draft import check_text
from waypost.model.journal import Amendment, Entry
from waypost.model.kinds import KINDS

DAY = date(2026, 1, 30)
ID = "01jkabcdefghjkmnpqrstvwxyz"
OURS = (
    "### 14:05 · anna",
    "### Benutzer - 18:00:15",
    f"### 18:00:15 · user <!-- conversation id={ID} at=2026-01-30T18:00:15+01:00 -->",
    f"### <!-- id={ID}",
    "### Hauptthemen",
    "## 14:05",
    "# 2026-01-29",
    "> corrected 2026-02-03T10:00:00+00:00 by anna: words",
    "> retracted 2026-02-03T10:00:00+00:00 by anna",
    "corrected 2026-02-03T10:00:00+00:00 by anna: words",
    "> corrected never by anna: words",
    "> quoted",
    ">",
    "<!-- waypost:hold -->",
    "<!-- waypost:anything",
    "<<<<<<< HEAD",
    "||||||| base",
    "=======",
    ">>>>>>> theirs",
    "```",
    "---",
    "tags: a",
    "",
    "  ",
)
PIECES = st.builds("{}{}".format, st.sampled_from(["", "\\", "\\\\", " "]), st.sampled_from(OURS))
ODD = st.text(
    st.sampled_from("ab ·-–<>!\"\\#:|=[]()'\u0085\u2028\u00a0\u202e\ufefféя🎉14:05") | st.characters(codec="utf-8"),
    max_size=12,
)
LINES = PIECES | ODD
WORDS = (
    st.lists(LINES, min_size=1, max_size=6)
    .map("\n".join)
    .map(lambda text: "".join(c for c in text if c in "\n\t" or (ord(c) >= 32 and ord(c) != 127)))
    .map(without_escapes)
    .filter(lambda text: bool(text.strip()) and not is_invisible(text.strip()))
    .map(check_text)
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1), timezones=ZONES)
NAMES = ODD | st.sampled_from(
    ["anna", "a · b", "<!--", "-->", "by: me", " x ", "14:05", "pm", "- x", "a - 14:05", "a\nb"]
)
AMENDMENTS = st.builds(Amendment, TIMES, NAMES, st.none() | WORDS)
ENTRIES = st.builds(
    Entry,
    text=WORDS,
    at=TIMES,
    kind=st.sampled_from(sorted(name for name, kind in KINDS.items() if kind.is_journal)),
    speaker=st.none() | NAMES.filter(bool),
    id=st.none() | st.just(ID),
    session=st.none() | NAMES,
    importance=st.none() | st.integers(0, 10),
    protected=st.booleans(),
    trimmed=st.none() | st.just("0123456789"),
    more=st.dictionaries(
        NAMES | st.sampled_from(["key", "id", "at", "speaker", "see_also", "a=b", "protected"]), NAMES, max_size=3
    ),
    amendments=st.lists(AMENDMENTS, max_size=3).map(tuple),
)
ENDS = st.sampled_from(["\n", "\r\n"])


@settings(max_examples=70, deadline=None)
@given(
    st.text(st.characters(codec=None), max_size=80)
    | st.lists(st.tuples(LINES | ODD, st.sampled_from(["\n", "\r\n", "\r", "\x0c", ""])), max_size=16).map(
        lambda pairs: "".join(line + end for line, end in pairs)
    ),
    st.sampled_from(["", "\ufeff", "\udc80"]),
)
def test_every_text_is_a_page_that_joins_to_it(text: str, start: str) -> None:
    page = parse_page(start + text, DAY, UTC)
    assert "".join(block.raw for block in page.blocks) == start + text
    assert all(block.raw for block in page.blocks)
    assert page.text == start + text
    assert page.is_conflicted or [block.entry for block in page.blocks if block.entry] == list(page.entries)
    assert parse_page(start + text, None, UTC).text == start + text
    assert no_edit_reason(start + text) == (CONFLICT if page.is_conflicted else HELD if page.hold else None)


@pytest.mark.slow
@settings(max_examples=70, deadline=None)
@given(st.lists(ENTRIES, max_size=4), ENDS, st.sampled_from(["", "\ufeff", "title"]))
def test_entries_come_back_from_a_page_as_they_went_in(entries: list[Entry], newline: str, start: str) -> None:
    top = new_page(DAY).replace("\n", newline) if start == "title" else start
    text = top + "".join(render_entry(entry, newline) for entry in entries)
    page = parse_page(text, DAY, UTC)
    assert page.entries == tuple(entries)
    assert [entry.at.isoformat() for entry in page.entries] == [entry.at.isoformat() for entry in entries]
    assert text.count("\r") == (text.count("\n") if newline == "\r\n" else 0)
    assert not page.is_conflicted and not page.hold


@settings(max_examples=60, deadline=None)
@given(ENTRIES)
def test_a_heading_is_one_visible_line_whose_comment_closes_at_its_end(entry: Entry) -> None:
    line = write_heading(entry)
    assert line.isprintable()
    assert line.count("<!--") == line.count("-->") == 1 and line.endswith(" -->")
    assert "--" not in line[line.index("<!--") + 4 : -3]
    assert read_heading(line) is not None


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.lists(ENTRIES, min_size=1, max_size=4), ENTRIES, st.data(), ENDS)
def test_a_changed_entry_leaves_every_other_byte(
    entries: list[Entry], other: Entry, data: st.DataObject, newline: str
) -> None:
    head = f"# 2026-01-30{newline}{newline}by hand{newline}{newline}"
    raws = [render_entry(entry, newline) for entry in entries]
    raws[-1] = raws[-1].removesuffix(data.draw(st.sampled_from(["", newline, newline * 2])))
    page = parse_page(head + "".join(raws), DAY, UTC)
    place = data.draw(st.integers(0, len(entries) - 1))
    changed = page.with_entry(place + 1, other)
    assert changed.entries == (page.entries[0], *entries[:place], other, *entries[place + 1 :])
    assert changed.text.startswith(head + "".join(raws[:place]))
    assert changed.text.endswith("".join(raws[place + 1 :]))
    assert changed.with_entry(place + 1, entries[place]).text == page.text
    assert page.without([place + 1]).text == head + "".join(raws[:place] + raws[place + 1 :])
    assert page.without(range(len(page.entries))).entries == ()


@pytest.mark.slow
@settings(max_examples=70, deadline=None)
@given(st.lists(LINES, max_size=8), ENDS, ENTRIES)
def test_a_page_by_hand_can_be_changed_at_any_place(lines: list[str], newline: str, other: Entry) -> None:
    page = parse_page(newline.join(lines), DAY, UTC)
    for place in range(0 if page.is_conflicted else len(page.entries)):
        changed = page.with_entry(place, other)
        assert changed.entries == (*page.entries[:place], other, *page.entries[place + 1 :])
        again = page.with_entry(place, replace(page.entries[place], id=ID))
        assert again.entries[place] == replace(page.entries[place], id=ID)
        shorter = page.without([place])
        assert shorter.entries == (*page.entries[:place], *page.entries[place + 1 :])
    if not page.is_conflicted:
        assert page.with_hold(True).hold and page.with_hold(True).entries == page.entries
        assert not page.with_hold(False).hold and page.with_hold(False).entries == page.entries


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, max_size=6), ENDS, ENTRIES)
def test_an_entry_added_to_any_page_is_its_last(lines: list[str], newline: str, entry: Entry) -> None:
    text = newline.join(lines)
    before = parse_page(text, DAY, UTC)
    if before.is_conflicted:
        return
    longer = text + gap_after(text[-4:], newline_of(text)) + render_entry(entry, newline_of(text))
    assert parse_page(longer, DAY, UTC).entries == (*before.entries, entry)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "### 14:05 · anna\nWords of an ordinary line, and some more of them.\n\n" * 8_000,
        "### 14:05\nx\n" * 20_000,
        "### " + "a " * 250_000 + "- 14:05\nx",
        "### 14:05 " + " · " * 150_000 + "\nx",
        "### 14:05 <!-- " + 'a="\\" ' * 80_000 + "\nx",
        "### 14:05 <!-- " + '"' * 500_000 + "\nx",
        "### 14:05 <!-- note id=" + " kind id" * 60_000 + "-->\nx",
        "### 14:05" + " conversation" * 40_000 + " x -->\nx",
        "### 14:05" + " " * 500_000 + "\nx",
        "\\" * 500_000,
        "\\### 14:05\n" * 50_000,
        "<!-- waypost:hold\n" * 30_000,
        "> corrected 2026-02-03 by anna: x\n" * 15_000,
        "> corrected 2026-02-03 by " + "a: " * 150_000,
        '> corrected 2026-02-03 by "' + "[" * 500_000,
        "<<<<<<< a\n" * 50_000,
        "<<<<<<< a\n=======\n>>>>>>> b\n" * 17_000,
        "<<<<<<< a" + " " * 500_000 + "\n=======\n>>>>>>> b\n",
        "\n" * 500_000,
        "# " + "2026-" * 100_000,
    ],
    ids=lambda text: text[:16] + "…" + text[-8:],
)
def test_half_a_megabyte_of_anything_hostile_is_read_in_time(text: str) -> None:
    begun = clock.process_time()
    page = parse_page(text, None, UTC)
    assert clock.process_time() - begun < 3
    assert page.text == text
