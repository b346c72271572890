"""Lists of bullets: parsing them, and adding or removing one without touching the rest."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.errors import InvalidInput
from waypost.journal.bullets import Bullet, parse_bullets, render_bullet, with_bullet, without_bullets
from waypost.model.draft import check_text

ID = "01jkabcdefghjkmnpqrstvwxyz"
PAGE = """# Preferences

Written by Anna.

## Food
- no coffee after noon
- tea: green
  or white <!-- id=01jkabcdefghjkmnpqrstvwxyz -->

## Work
1. **Projects:**
   - Waypost
   - the garden

---
<!-- waypost:generated -->
"""


def texts(text: str) -> list[str]:
    return [bullet.text for bullet in parse_bullets(text)]


def test_items_and_paragraphs_are_bullets_and_headings_rules_and_comments_do_not_count() -> None:
    assert [(bullet.text, bullet.id, bullet.heading) for bullet in parse_bullets(PAGE)] == [
        ("Written by Anna.", None, "Preferences"),
        ("no coffee after noon", None, "Food"),
        ("tea: green\nor white", ID, "Food"),
        ("**Projects:**\n- Waypost\n- the garden", None, "Work"),
    ]


def test_a_bullet_knows_where_it_stands() -> None:
    for bullet in parse_bullets(PAGE):
        assert bullet.text.split("\n")[0] in PAGE[bullet.start : bullet.end]
    assert PAGE[parse_bullets(PAGE)[1].start : parse_bullets(PAGE)[1].end] == "- no coffee after noon\n"


@pytest.mark.parametrize("mark", ["-", "*", "+", "1.", "12)"])
def test_every_sign_of_a_list_makes_items(mark: str) -> None:
    assert texts(f"{mark} one\n{mark} two\n") == ["one", "two"]


def test_a_line_that_goes_on_without_indentation_belongs_to_its_item() -> None:
    assert texts("- a long\nsentence\n\nand a paragraph\nof two lines\n") == [
        "a long\nsentence",
        "and a paragraph\nof two lines",
    ]


def test_an_indented_list_has_items_of_its_own() -> None:
    assert texts("  - a\n  - b\n    - under b\n") == ["a", "b\n- under b"]


def test_code_between_fences_stays_in_one_piece() -> None:
    code = "```sh\n# no heading\n\n- no item\n```"
    assert texts(f"{code}\n\nwords\n") == [code, "words"]
    assert texts("```sh\n- item\n") == ["```sh", "item"]


def test_what_stands_in_a_comment_is_no_bullet() -> None:
    assert texts("<!-- write\n\n- your preferences here\n-->\n- mine\n<!-- never closed\n") == [
        "mine",
        "<!-- never closed",
    ]


def test_an_id_may_stand_below_and_a_broken_one_is_dropped() -> None:
    assert parse_bullets(f"words\n<!-- id={ID} -->\n")[0].id == ID
    assert parse_bullets("- words <!-- id=nonsense -->\n") == (Bullet(0, 29, "words", None, None, "-"),)


def test_a_bullet_goes_to_the_end_of_the_list_under_its_heading() -> None:
    assert with_bullet(PAGE, "no nuts\nat all", ID, "food") == PAGE.replace(
        f"or white <!-- id={ID} -->\n", f"or white <!-- id={ID} -->\n- no nuts\n  at all\n  <!-- id={ID} -->\n"
    )


def test_a_bullet_without_a_list_stands_apart_from_what_is_above() -> None:
    assert with_bullet("", "a", None, None) == "- a\n"
    assert with_bullet("words", "a", None, None) == "words\n\n- a\n"
    assert with_bullet("# T\n\n## Empty\n\n## Next\n", "a", None, "Empty") == "# T\n\n## Empty\n\n- a\n\n## Next\n"
    assert with_bullet("* a\r\n", "b", None, None) == "* a\r\n* b\r\n"


def test_a_heading_that_is_missing_is_added() -> None:
    assert with_bullet("# T\n", "a", None, "Food") == "# T\n\n## Food\n\n- a\n"
    assert with_bullet("", "a", None, "Food") == "## Food\n\n- a\n"


def test_a_heading_is_found_again_however_it_is_written() -> None:
    page = with_bullet(with_bullet("", "a", None, "C#"), "b", None, "c#")
    assert page == "## C#\n\n- a\n- b\n"
    assert parse_bullets("## Food ##\n- a\n")[0].heading == "Food"


def test_bullets_are_removed_without_a_trace_and_the_rest_stays() -> None:
    assert without_bullets(PAGE, [1]) == PAGE.replace("- no coffee after noon\n", "")
    assert without_bullets(PAGE, []) == PAGE
    with pytest.raises(InvalidInput):
        without_bullets(PAGE, [9])


LINES = st.sampled_from(
    [
        "",
        " ",
        "- a",
        "  b",
        "\tc",
        "# d",
        "1. e",
        "---",
        "```",
        "<!-- x",
        "-->",
        f"<!-- id={ID} -->",
        "<!-- id= -->",
        "<!-- waypost:hold -->",
        "<!-- \\waypost:x",
        "\\",
        "word",
        "> q",
        "\u2028",
        "* * *",
        "***",
        "- ",
        "-",
    ]
)
PAGES = st.lists(LINES | st.text("ab -#<>!\\\u0085", max_size=8), max_size=12).map("\n".join)
WORDS = PAGES.filter(lambda text: bool(text.strip())).map(check_text)
IDS = st.none() | st.just(ID)


@settings(max_examples=80, deadline=None)
@given(WORDS, IDS, st.sampled_from(["-", "*", "3."]), st.sampled_from(["\n", "\r\n"]))
def test_words_come_back_as_they_were_given(text: str, id: str | None, mark: str, newline: str) -> None:
    rendered = render_bullet(text, id, mark, newline)
    assert parse_bullets(rendered) == (Bullet(0, len(rendered), text, id, None, mark),)
    assert "<!-- waypost:" not in rendered


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(PAGES, WORDS, IDS, st.none() | st.sampled_from(["d", "New"]), st.sampled_from(["\n", "\r\n"]))
def test_adding_a_bullet_changes_no_other_and_removing_it_removes_only_it(
    page: str, text: str, id: str | None, heading: str | None, newline: str
) -> None:
    page = page.replace("\n", newline)
    before = parse_bullets(page)
    longer = with_bullet(page, text, id, heading)
    after = parse_bullets(longer)
    [place] = [
        place for place, bullet in enumerate(after) if (bullet.text, bullet.id) not in facts(before[place : place + 1])
    ][:1]
    assert (after[place].text, after[place].id) == (text, id)
    assert facts(after[:place] + after[place + 1 :]) == facts(before)
    assert heading is None or after[place].heading == heading
    assert facts(parse_bullets(without_bullets(longer, [place]))) == facts(before)


def facts(bullets: tuple[Bullet, ...]) -> list[tuple[str, str | None]]:
    return [(bullet.text, bullet.id) for bullet in bullets]


@settings(max_examples=80, deadline=None)
@given(st.text(st.characters(codec=None), max_size=60) | PAGES)
def test_bullets_stand_in_order_and_do_not_overlap(page: str) -> None:
    place = 0
    for bullet in parse_bullets(page):
        assert place <= bullet.start < bullet.end <= len(page)
        place = bullet.end


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    ["- ", "```py\n", "<!--\n", "- a\n\n", "<!-- id=", "\n", "--> x\n<!-- "],
)
def test_hostile_pages_are_read_in_time(page: str) -> None:
    begun = time.process_time()
    parse_bullets("- a\n" + page * (100_000 // len(page)) + "--> b")
    assert time.process_time() - begun < 3
