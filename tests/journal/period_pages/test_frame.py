"""A generated part inside a file that people edit."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from waypost.journal.period_pages.frame import split_frame, summary_file, with_part

LINES = st.sampled_from(
    [
        "words of a person",
        "",
        "# a title",
        "  trailing spaces  ",
        "<!-- waypost:begin 0123456789 -->",
        "<!-- waypost:end -->",
        "<!--waypost:end-->",
        "<!-- waypost:begin -->",
        "text <!-- waypost:end -->",
        "ünïcödé \u2028 \x0b",
        "\ufeff",
    ]
)
FREE = st.lists(LINES | st.text(max_size=20), max_size=8)
TEXTS = st.tuples(FREE, st.sampled_from(["\n", "\r\n", "\r"])).map(lambda pair: pair[1].join(pair[0]))


def test_a_new_file_has_its_title_and_then_our_part() -> None:
    text = summary_file(None, "2026-W05", "## Week 5\n\n- a point\n")
    head, begin, *inside, end, rest = text.split("\n")[:1] + text.split("\n")[2:]
    assert head == "# 2026-W05" and begin.startswith("<!-- waypost:begin ") and end == "<!-- waypost:end -->"
    assert inside == ["## Week 5", "", "- a point"] and rest == ""


def test_what_people_wrote_around_our_part_stays_to_the_byte() -> None:
    theirs = "# Mine\r\n\r\nbefore  \r\n"
    first = summary_file(theirs, "ignored", "one") + "after\r\n\r\n\t"
    second = summary_file(first, "ignored", "two\nlines")
    assert second.startswith(theirs) and second.endswith("<!-- waypost:end -->\r\nafter\r\n\r\n\t")
    assert "one" not in second and "two\r\nlines\r\n" in second


def test_a_part_that_was_edited_by_hand_is_kept_and_the_new_one_follows() -> None:
    first = summary_file(None, "2026-W05", "- a point\n- another") + "after\n"
    edited = first.replace("- another", "- another, and I know better")
    assert split_frame(edited).is_edited
    second = summary_file(edited, "2026-W05", "- new")
    assert second.index("I know better") < second.index("waypost:begin") < second.index("- new") < second.index("after")
    assert second.count("waypost:begin") == 1
    assert summary_file(second, "2026-W05", "- new") == second


def test_other_line_ends_and_stripped_spaces_are_no_edit() -> None:
    first = summary_file(None, "t", "- a point  \n\n- another")
    assert not split_frame(first.replace("\n", "\r\n")).is_edited
    assert not split_frame(first.replace("point  ", "point")).is_edited
    assert split_frame(first.replace("point", "Point")).is_edited


def test_a_lost_marking_line_makes_the_rest_a_persons_words() -> None:
    torn = summary_file(None, "t", "- a point").replace("<!-- waypost:end -->\n", "")
    again = summary_file(torn, "t", "- a point")
    assert again.startswith(torn) and summary_file(again, "t", "- a point") == again


def test_of_two_copies_the_one_that_nobody_edited_is_ours() -> None:
    ours = summary_file(None, "t", "- a point")
    both = ours + "\n" + ours.replace("a point", "my point")
    assert summary_file(both, "t", "- new") == both.replace("- a point", "- new").replace(
        ours.split("\n")[2], summary_file(None, "t", "- new").split("\n")[2], 1
    )


@pytest.mark.slow
@given(TEXTS, TEXTS)
@example("# a\n<!-- waypost:begin 00 -->\nx", "<!-- waypost:end -->")
def test_writing_twice_changes_nothing_and_what_was_written_is_found(text: str, part: str) -> None:
    once = with_part(text, part)
    assert with_part(once, part) == once
    frame = split_frame(once)
    assert frame.part is not None and not frame.is_edited


@pytest.mark.slow
@given(TEXTS, TEXTS, TEXTS)
def test_nothing_outside_the_part_ever_changes(text: str, part: str, other: str) -> None:
    frame = split_frame(with_part(text, part))
    again = split_frame(with_part(with_part(text, part), other))
    assert (again.before, again.after) == (frame.before, frame.after)
    if split_frame(text).part is None:
        assert frame.before.startswith(text)


@given(TEXTS)
def test_the_pieces_of_a_file_are_the_file(text: str) -> None:
    before, part, after, is_edited = split_frame(text)
    assert text.startswith(before) and text.endswith(after)
    assert part is None or part in text
    assert not (part is None and is_edited)


def test_long_lines_of_spaces_are_read_in_a_moment() -> None:
    hostile = "<!-- waypost:begin 00 -->" + " " * 200_000 + "x\n" + "<!--" + " " * 200_000 + "waypost:end -->"
    assert split_frame(hostile).part is None
    assert with_part("", hostile).endswith("<!-- waypost:end -->\n")
