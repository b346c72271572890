"""Times that a question names. All are asked on Thursday, 15 June 2023."""

from datetime import date

import pytest

from waypost.retrieve.times.question_times import Span, spans_in

NOW = date(2023, 6, 15)


def one(text: str, language: str = "en") -> Span:
    (span,) = spans_in(text, language, NOW)
    return span


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What happened on 13 March, 2023?", "en"),
        ("What happened on March 13th, 2023?", "en"),
        ("What happened on the 13th of March 2023?", "en"),
        ("What happened on 2023-03-13?", "en"),
        ("Was geschah am 13. März 2023?", "de"),
        ("Что произошло 13 марта 2023?", "ru"),
    ],
)
def test_a_date_is_its_day_with_a_day_on_either_side(text: str, language: str) -> None:
    assert one(text, language) == Span(date(2023, 3, 12), date(2023, 3, 14), exact=True)


@pytest.mark.parametrize(
    ("text", "language"),
    [("Which trips did I make in February?", "en"), ("Was war im Februar?", "de"), ("Что было в феврале?", "ru")],
)
def test_a_month_without_a_year_is_the_last_one_that_has_begun(text: str, language: str) -> None:
    assert one(text, language) == Span(date(2023, 2, 1), date(2023, 2, 28), exact=True)


def test_a_month_that_is_still_to_come_this_year_was_last_year() -> None:
    assert one("Who came in August?") == Span(date(2022, 8, 1), date(2022, 8, 31), exact=True)


@pytest.mark.parametrize("text", ["What may help?", "Who will march with us?", "Can I mar the surface?"])
def test_words_that_are_also_months_are_no_times(text: str) -> None:
    assert spans_in(text, "en", NOW) == ()


def test_such_a_word_is_a_month_where_a_preposition_says_so() -> None:
    assert one("What happened in May?").first == date(2023, 5, 1)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What did I plant two weeks ago?", "en"),
        ("Was habe ich vor zwei Wochen gepflanzt?", "de"),
        ("Что я посадил две недели назад?", "ru"),
    ],
)
def test_weeks_ago_means_some_days_around_them(text: str, language: str) -> None:
    assert one(text, language) == Span(date(2023, 5, 29), date(2023, 6, 4), exact=False)


@pytest.mark.parametrize(
    ("text", "language"), [("and yesterday?", "en"), ("und gestern?", "de"), ("что было вчера?", "ru")]
)
def test_yesterday_is_near(text: str, language: str) -> None:
    assert one(text, language) == Span(date(2023, 6, 13), date(2023, 6, 15), exact=False)


@pytest.mark.parametrize(
    ("text", "language"),
    [("What did I cook last Thursday?", "en"), ("letzten Donnerstag", "de"), ("в прошлый четверг", "ru")],
)
def test_the_last_weekday_is_never_today(text: str, language: str) -> None:
    assert one(text, language) == Span(date(2023, 6, 8), date(2023, 6, 9), exact=False)


@pytest.mark.parametrize(
    ("text", "language"),
    [("last weekend", "en"), ("letztes Wochenende", "de"), ("на прошлых выходных", "ru")],
)
def test_the_last_weekend_begins_on_saturday(text: str, language: str) -> None:
    assert one(text, language) == Span(date(2023, 6, 10), date(2023, 6, 12), exact=False)


def test_the_last_month_reaches_to_today() -> None:
    assert one("How many plants did I get in the last month?") == Span(date(2023, 5, 1), NOW, exact=False)


def test_no_day_of_the_calendar_is_no_time() -> None:
    assert spans_in("on 2023-02-31 or 2023-13-01", "en", NOW) == ()


def test_a_day_inside_matches_in_full_and_one_soon_after_by_half() -> None:
    told = one("on 13 March 2023")
    assert [told.match(date(2023, 3, day)) for day in (11, 12, 14, 20, 30)] == [0.0, 1.0, 1.0, 0.5, 0.0]


def test_a_vague_time_has_no_time_after_it() -> None:
    assert one("two weeks ago").match(date(2023, 6, 5)) == 0.0
