"""Pages as people write, edit and break them."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from waypost.errors import InvalidInput
from waypost.journal.markdown import gap_after, new_page, newline_of, parse_page, render_entry
from waypost.model.journal import Amendment, Entry

DAY = date(2026, 1, 30)
BERLIN = ZoneInfo("Europe/Berlin")
ID = "01jkabcdefghjkmnpqrstvwxyz"
OTHER_ID = "01jkabcdefghjkmnpqrstvwxy0"
AT = datetime(2026, 1, 30, 18, 0, 15, tzinfo=timezone(timedelta(hours=1)))


def only(text: str, day: date | None = DAY) -> Entry:
    [entry] = parse_page(text, day, BERLIN).entries
    return entry


def test_an_entry_reads_pleasantly() -> None:
    entry = Entry("Was läuft heute auf ZDF um 20:15?", AT, speaker="user", id=ID, session="tv", importance=1)
    assert new_page(DAY) + render_entry(entry) == (
        "# 2026-01-30\n\n"
        f"### 18:00:15 · user <!-- conversation id={ID} session=tv importance=1 at=2026-01-30T18:00:15+01:00 -->\n"
        "Was läuft heute auf ZDF um 20:15?\n\n"
    )


def test_amendments_stand_below_the_words() -> None:
    later = datetime(2026, 2, 3, 10, tzinfo=UTC)
    entry = Entry(
        "Tea at five", AT, "note", amendments=(Amendment(later, "anna", "Tea\nat six"), Amendment(later, "a: b", None))
    )
    assert render_entry(entry) == (
        "### 18:00:15 <!-- note at=2026-01-30T18:00:15+01:00 -->\nTea at five\n\n"
        "> corrected 2026-02-03T10:00:00+00:00 by anna: Tea\n> at six\n\n"
        '> retracted 2026-02-03T10:00:00+00:00 by "a: b"\n\n'
    )


@pytest.mark.parametrize(
    ("heading", "at", "speaker", "kind"),
    [
        ("### 14:05 · anna", time(14, 5), "anna", "conversation"),
        ("### 14:05", time(14, 5), None, "note"),
        ("### 14:05:30 anna", time(14, 5, 30), "anna", "conversation"),
        ("### 9:05 - Jean-Luc · Picard", time(9, 5), "Jean-Luc · Picard", "conversation"),
        ("### 2:05 pm, anna", time(14, 5), "anna", "conversation"),
        ("###\t14:05: Анна  ", time(14, 5), "Анна", "conversation"),
        ("### Benutzer - 18:00:15", time(18, 0, 15), "Benutzer", "conversation"),
        ("### Пользователь – 18:00", time(18), "Пользователь", "conversation"),
        ("### 14:05 <!-- preference protected -->", time(14, 5), None, "preference"),
        ("### 14:05 · anna <!-- kind=note importance=99 id=x at=never", time(14, 5), "anna", "note"),
    ],
)
def test_headings_by_hand_and_of_older_tools(heading: str, at: time, speaker: str | None, kind: str) -> None:
    entry = only(f"{heading}\nwords\n")
    assert (entry.at, entry.at.time(), entry.speaker, entry.kind, entry.id, entry.importance) == (
        datetime.combine(DAY, at, timezone(timedelta(hours=1))),
        at,
        speaker,
        kind,
        None,
        None,
    )
    assert entry.text == "words"


@pytest.mark.parametrize(
    "line",
    [
        "### Hauptthemen",
        "### 25:00 · anna",
        "### Room 14:05 is free",
        "## 14:05",
        "#### 14:05",
        "###14:05",
        "### 1:2:3:4",
        " ### 14:05",
    ],
)
def test_other_headings_are_words(line: str) -> None:
    entry = only(f"### 14:05 · anna\nfirst\n{line}\nlast")
    assert entry.text == f"first\n{line}\nlast"
    assert f"\n{line}\n" in render_entry(entry)


def test_who_changes_the_visible_time_or_name_has_changed_the_entry() -> None:
    raw = render_entry(Entry("words", AT.replace(microsecond=7), speaker="an\tna", id=ID))
    assert only(raw).speaker == "an\tna" and only(raw).at.microsecond == 7
    assert only(raw.replace("18:00:15 ·", "18:00 ·")).at.microsecond == 7
    moved = only(raw.replace("18:00:15 ·", "17:30 ·"), date(2020, 1, 1))
    assert moved.at == AT.replace(hour=17, minute=30, second=0) and moved.id == ID
    assert only(raw.replace("· an na", "· otto")).speaker == "otto"
    assert only(raw.replace("· an na", "")).speaker == "an\tna"


def test_a_half_deleted_comment_is_read_as_far_as_it_goes() -> None:
    raw = render_entry(Entry("words", AT, speaker="anna", id=ID, session="a b", importance=7, protected=True))
    heading, body = raw.split("\n", 1)
    for end in range(len("### 18:00:15"), len(heading)):
        assert only(f"{heading[:end]}\n{body}").text == "words"
    cut = only(f"{heading[: heading.index('importance')]}\n{body}")
    assert (cut.id, cut.session, cut.speaker, cut.at, cut.kind) == (ID, "a b", "anna", AT, "conversation")
    for lost in ("<!-- ", " -->", "### 18:00:15 · "):
        entry = only(raw.replace(lost, "### " if "#" in lost else "", 1))
        assert (entry.id, entry.speaker, entry.importance, entry.at) == (ID, "anna", 7, AT)


def test_words_typed_behind_the_comment_or_in_one_of_ones_own_are_kept() -> None:
    raw = f"### 14:05 · anna <!-- note id={ID} --> and this\nwords\n"
    assert only(raw).text == "and this\nwords"
    assert only("### 14:05 · anna <!-- ask her again -->\nwords\n").text == "<!-- ask her again -->\nwords"


def test_text_above_the_first_heading_is_a_note_of_that_day() -> None:
    page = parse_page("# 2026-01-30\n<!-- waypost:hold since=today -->\n\nTea\n\n- milk\n\n### 14:05\nx\n", DAY, BERLIN)
    note = page.entries[0]
    assert (note.text, note.kind, note.id, note.at.isoformat()) == (
        "Tea\n\n- milk",
        "note",
        None,
        "2026-01-30T00:00:00+01:00",
    )
    assert [block.raw for block in page.blocks] == [
        "# 2026-01-30\n<!-- waypost:hold since=today -->\n\n",
        "Tea\n\n- milk\n\n",
        "### 14:05\nx\n",
    ]
    assert parse_page("# 2026-01-30\n\n---\n", DAY, BERLIN).entries == ()


def test_properties_above_the_title_are_no_note() -> None:
    page = parse_page("---\ntags: [day]\n---\n# 2026-01-30\n\nTea\n", None, UTC)
    assert [block.raw for block in page.blocks] == ["---\ntags: [day]\n---\n# 2026-01-30\n\n", "Tea\n"]
    assert page.entries[0].at.date() == DAY and page.with_hold(True).with_hold(False) == page
    assert only("---\nTea\n---\n").text == "---\nTea\n---"


def test_only_kinds_of_the_journal_come_out_of_a_page() -> None:
    assert [only(f"### 14:05 · a <!-- {word} id={ID} -->\nx").kind for word in ("fact", "kind=symbol", "agent", "note")] == [
        "conversation", "conversation", "workflow_result", "note",
    ]  # fmt: skip


def test_a_note_above_that_gets_an_id_gets_a_heading() -> None:
    page = parse_page("\ufeff# T\r\n\r\nTea\r\n\r\n", DAY, UTC)
    [note] = page.entries
    assert page.with_entry(0, Entry("Tea", note.at, "note", id=ID)).text == (
        f"\ufeff# T\r\n\r\n### 00:00:00 <!-- note id={ID} at=2026-01-30T00:00:00+00:00 -->\r\nTea\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("# 2026-01-30, a Friday\n### 14:05\nx", date(2026, 1, 30)),
        ("\ufeff# daily/20260130.md\n### 14:05\nx", date(2026, 1, 30)),
        ("# 2026-02-31\n### 14:05\nx\n### 15:00 <!-- at=2026-01-29T15:00:00Z -->\ny", date(2026, 1, 29)),
        ("### 14:05\nx", date(1970, 1, 1)),
    ],
)
def test_a_file_whose_name_tells_no_day_has_that_of_its_title_or_of_its_entries(text: str, day: date) -> None:
    assert parse_page(text, None, UTC).entries[0].at == datetime.combine(day, time(14, 5), UTC)


def test_a_heading_without_words_is_no_entry_yet() -> None:
    page = parse_page("### 14:05 · anna\n\n### 15:00\nx", DAY, BERLIN)
    assert [block.entry is None for block in page.blocks] == [True, False]


def test_only_line_feeds_end_lines() -> None:
    text = "a\x0cb\u2028### 14:05\u2028c\u0085d\re\x1cf"
    assert only(f"### 14:05\n{text}\n").text == text


def test_a_text_by_hand_that_looks_like_an_amendment_but_is_none_stays() -> None:
    body = "> corrected yesterday by anna: no\n> corrected at last"
    assert only(f"### 14:05\n{body}\n").text == body
    entry = only("### 14:05\nx\n> retracted 2026-02-03 by anna\n\nand more\n> a quote\n")
    assert entry.text == "x\n\nand more\n> a quote"
    assert entry.amendments == (Amendment(datetime(2026, 2, 3, tzinfo=timezone(timedelta(hours=1))), "anna", None),)


def test_impossible_instants_are_passed_over() -> None:
    assert only("### 14:05 <!-- note at=0001-01-01T00:00:00+14:00 -->\nx").at.date() == DAY
    far = parse_page("### 00:05\nx", date(1, 1, 1), timezone(timedelta(hours=14))).entries[0]
    assert far.at.astimezone(UTC)
    assert parse_page("### 23:55\nx", date(9999, 12, 31), None).entries[0].at.astimezone(UTC)


def test_a_page_can_be_put_on_hold_and_released_to_the_byte() -> None:
    for text in (
        new_page(DAY),
        f"# T\r\n\r\nnote\r\n\r\n{render_entry(Entry('x', AT), chr(13) + chr(10))}",
        "note\n",
        "",
    ):
        page = parse_page(text, DAY, UTC)
        on_hold = page.with_hold(True)
        assert not page.hold and on_hold.hold and on_hold.entries == page.entries
        assert on_hold.with_hold(True) == on_hold
        assert on_hold.with_hold(False).text == text
    assert not parse_page(render_entry(Entry("<!-- waypost:hold -->", AT)), DAY, UTC).hold


def test_markers_among_the_words_are_no_words_and_outlive_them() -> None:
    page = parse_page("### 14:05\na\n<!-- waypost:x -->\nb\n\n### 15:00\nc\n", DAY, UTC)
    assert page.entries[0].text == "a\nb"
    assert "\n<!-- waypost:x -->\n\n### 15:00\nc\n" in page.with_entry(0, page.entries[0]).text
    assert page.without([0]).text == "<!-- waypost:x -->\n### 15:00\nc\n"


def test_several_entries_change_at_once_and_unknown_places_are_refused() -> None:
    page = parse_page("### 14:05\na\n\n### 15:00\nb\n\n\n### 16:00\nc", DAY, UTC)
    first, _, third = page.entries
    changed = page.with_entries({0: Entry("A", first.at, id=ID), 2: Entry("C", third.at, id=OTHER_ID)})
    assert [entry.text for entry in changed.entries] == ["A", "b", "C"]
    assert "\n\n### 15:00\nb\n\n\n### 16" in changed.text and changed.text.endswith("\nC")
    assert page.without([0, 2]).text == "### 15:00\nb\n\n\n"
    for place in (-1, 3):
        with pytest.raises(InvalidInput):
            page.with_entry(place, first)
        with pytest.raises(InvalidInput):
            page.without([place])


def test_the_line_end_that_prevails_is_kept() -> None:
    assert [newline_of(text) for text in ("", "a\n", "a\r\n", "a\r\nb\n", "a\r\nb\nc\n", "a\r")] == [
        "\n", "\n", "\r\n", "\r\n", "\n", "\n",
    ]  # fmt: skip
    assert [gap_after(tail) for tail in ("", "a", "a\n", "a\n\n", "a\r\n\r\n", "\n")] == ["", "\n\n", "\n", "", "", ""]
