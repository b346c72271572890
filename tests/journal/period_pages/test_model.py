"""What a summary takes from a model's answer."""

from datetime import UTC, datetime

import pytest

from waypost.journal.period_pages.items import summary_items
from waypost.journal.period_pages.model import ModelPoint, limit_points, points_from_json
from waypost.journal.period_pages.page import WEEK, YEAR, strongest_of_months
from waypost.model.journal import Entry, Score, ScoredEntry


def scored(month: int, text: str, score: int, speaker: str = "Ann") -> ScoredEntry:
    at = datetime(2025, month, 3, 9, tzinfo=UTC)
    return ScoredEntry(
        Entry(text, at, "conversation", speaker, f"e{month}{score}"), Score(0, 0, 0, score, "", ""), 0, ""
    )


def test_of_too_many_points_a_year_keeps_the_weightiest_in_order_of_time() -> None:
    many = [scored(1 + number // 3, f"We walked {number} miles along the river.", 2) for number in range(30)]
    items = summary_items([*many, scored(12, "Our daughter was born last night!", 9)])
    points = [ModelPoint("events", item.text, (index,)) for index, item in enumerate(items)]
    kept = limit_points(points, items, YEAR, set())
    assert len(kept) == YEAR.events
    assert kept[-1].text == "Our daughter was born last night!"


def test_an_assistants_words_represent_no_month() -> None:
    items = summary_items([scored(1, "Congratulations on the licence, well done!", 9, "assistant")])
    assert strongest_of_months(items) == []


def test_small_talk_and_commands_are_no_points_and_a_topic_may_be_one_word() -> None:
    items = summary_items([scored(1, "Our daughter was born last night!", 9), scored(2, "Hm, ok. Translate this.", 1)])
    said = [{"text": text, "from": [2]} for text in ("Hm, ok.", "Translate this.")]
    answer = {"topics": [{"text": "Daughter", "from": [1]}], "events": [{"text": items[0].text, "from": [1]}, *said]}
    points = points_from_json(answer, [[0], [1]], items)
    assert [(point.section, point.text) for point in points] == [
        ("topics", "Daughter"),
        ("events", "Our daughter was born last night!"),
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ("Hello! We moved to Leeds last week.", "Remember that we moved to Leeds last week.", "See you later, bye!"),
        ("Hallo! Wir sind nach Graz gezogen.", "Merke dir: Wir sind nach Graz gezogen.", "Haha, der war gut."),
        ("Привет! Мы переехали в Томск.", "Запомни: мы переехали в Томск.", "Ладно, до завтра!"),
    ],
)
def test_a_model_says_each_sentence_once_under_one_heading_and_no_small_talk(texts: tuple[str, ...]) -> None:
    items = summary_items([scored(1 + number, text, 7 - number) for number, text in enumerate(texts)])
    row = [{"text": text, "from": [number]} for number, text in enumerate(texts, 1)]
    points = points_from_json({"events": row, "insights": row}, [[0], [1], [2]], items)
    for measure in (WEEK, YEAR):
        kept = limit_points(points, items, measure, set())
        assert [point.text for point in kept] == [texts[0].split("! ", 1)[1]]
    assert limit_points(points, items, WEEK, {1}) == []


@pytest.mark.parametrize(
    "text",
    [
        "What goes with rice? The curry is nearly ready.",
        "Write me a shopping list.",
        "Schreib mir einen Einkaufszettel.",
    ],
)
def test_what_states_nothing_is_no_source_of_a_sentence(text: str) -> None:
    items = summary_items([scored(1, "Our daughter was born last night!", 9), scored(2, text, 5)])
    rows = [{"text": items[0].text, "from": [1]}, {"text": text, "from": [2]}]
    points = points_from_json({"events": rows}, [[0], [1]], items)
    assert [point.text for point in points] == ["Our daughter was born last night!"]
