"""Sentences, cuts and relative days in three languages."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.journal.wording import (
    clip,
    main_language,
    relative_days,
    relative_words,
    safe_cut,
    sentences,
    summary_words,
    with_date,
    without_markdown,
)

DAY = date(2026, 1, 30)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Dr. Smith came at 5 p.m. on Monday. He left, i.e. went home.", ["Dr. Smith came at 5 p.m. on Monday.", "He left, i.e. went home."]),
        ("en", "Version 3.11 is out! Is it good? Yes...", ["Version 3.11 is out!", "Is it good?", "Yes..."]),
        ("de", "Am 30. Januar kommt Dr. Meier, z. B. um 9 Uhr. Danach ist Schluss.", ["Am 30. Januar kommt Dr. Meier, z. B. um 9 Uhr.", "Danach ist Schluss."]),
        ("de", "Das kostet ca. 20 Euro bzw. 25 mit Porto. „Zu teuer!“ Sagt sie.", ["Das kostet ca. 20 Euro bzw. 25 mit Porto.", "„Zu teuer!“", "Sagt sie."]),
        ("ru", "В 2025 г. Иван переехал, т. е. сменил город. Потом он вернулся.", ["В 2025 г. Иван переехал, т. е. сменил город.", "Потом он вернулся."]),
        ("ru", "Это ул. Ленина, д. 5. Там живёт А. С. Пушкин.", ["Это ул. Ленина, д. 5.", "Там живёт А. С. Пушкин."]),
        ("en", "今天下雨。明天晴。", ["今天下雨。", "明天晴。"]),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_would_end_them(language: str, text: str, expected: list[str]) -> None:
    assert sentences(text, summary_words(language)) == expected


def test_markdown_is_read_as_plain_words_and_code_is_no_sentence() -> None:
    text = """# A title

A **bold** word, a [link](https://example.org/a_(b)) and `code`
that goes on in the next line.

- first point
  1. second _point_
> quoted

```python
print("no sentence. At all.")
```

| a | b |
|---|---|
| c | d |
"""
    assert sentences(text, summary_words("en")) == [
        "A title",
        "A bold word, a link and code that goes on in the next line.",
        "first point",
        "second point",
        "quoted",
        "a, b",
        "c, d",
    ]


@pytest.mark.parametrize("name", ["snake_case_name", "a*b*c", "2 * 3 * 4", "__init__.py", "C:\\path"])
def test_names_of_code_keep_their_signs(name: str) -> None:
    assert without_markdown(name) == name


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "It rains tomorrow.", "It rains tomorrow (2026-01-31)"),
        ("en", "Yesterday it rained, the day before yesterday too", "Yesterday it rained, the day before yesterday too (said on 2026-01-30)"),
        ("en", "It opens next week", "It opens next week (said on 2026-01-30)"),
        ("en", "It opened on 2026-01-30, that is today", "It opened on 2026-01-30, that is today"),
        ("de", "Heute morgen war Frost", "Heute morgen war Frost (30.01.2026)"),
        ("de", "Morgen kommt Besuch", "Morgen kommt Besuch (31.01.2026)"),
        ("de", "Guten Morgen! Der Morgen war kalt", "Guten Morgen! Der Morgen war kalt"),
        ("de", "Das war vorgestern", "Das war vorgestern (28.01.2026)"),
        ("de", "Heute, am 30. Januar, ist frei", "Heute, am 30. Januar, ist frei"),
        ("ru", "Послезавтра приедет мама.", "Послезавтра приедет мама (01.02.2026)"),
        ("ru", "Завтрак готов", "Завтрак готов"),
    ],
)  # fmt: skip
def test_the_day_that_is_meant_is_put_behind(language: str, text: str, expected: str) -> None:
    assert with_date(text, DAY, summary_words(language)) == expected


def test_today_is_not_also_tomorrow() -> None:
    assert relative_days("heute morgen und übermorgen", DAY, summary_words("de")) == [DAY, date(2026, 2, 1)]


def test_a_long_sentence_is_cut_after_a_clause_else_after_a_word() -> None:
    assert (
        clip("The shop opens in March, and then we will see how many people come to it", 40)
        == "The shop opens in March …"
    )
    assert (
        clip("The shop opens in March and then we will see how many people come", 40)
        == "The shop opens in March and then we …"
    )
    assert clip("short", 40) == "short"


@given(st.text(max_size=300), st.integers(10, 120))
def test_a_cut_is_never_longer_than_allowed(text: str, longest: int) -> None:
    assert len(clip(text, longest)) <= max(longest, 0)


@given(st.text(alphabet="a\u0301👩\u200d🔬🇩🇪\ufe0f", max_size=30), st.integers(0, 30))
def test_a_safe_cut_lies_at_or_before_the_wished_one(text: str, at: int) -> None:
    assert 0 <= safe_cut(text, min(at, len(text))) <= at


def test_one_pasted_document_does_not_make_the_language_of_a_week() -> None:
    english = "This is a long English document about many things. " * 100
    german = ["Wir haben heute lange über den Umbau der Werkstatt gesprochen und nichts entschieden. " * 4] * 10
    assert main_language([english, *german]) == "de" and main_language([]) == "en"


def test_every_language_has_every_word() -> None:
    english = summary_words("en")
    for language in ("de", "ru"):
        words = summary_words(language)
        assert words.headings.keys() == english.headings.keys() and words.phrases.keys() == english.phrases.keys()
        assert len(words.months) == 12 and len(words.relative) >= 6
        for phrase, text in english.phrases.items():
            places = {"number": 5, "count": 7, "days": 3, "first": "a", "last": "b", "date": "c"}
            assert words.say(phrase, **places) and ("{" in text) == ("{" in words.phrases[phrase])


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Kim is flying to Oslo on Friday.", "en", [("on Friday", date(2026, 3, 20))]),
        ("Die Feier ist am Montag um acht.", "de", [("am Montag", date(2026, 3, 23))]),
        ("Поеду к тёте в субботу.", "ru", [("в субботу", date(2026, 3, 21))]),
        ("Kim had an accident on Friday.", "en", []),
        ("We play chess on Friday every week.", "en", []),
        ("Am Montag haben wir gefeiert.", "de", []),
        ("В субботу ездили к тёте.", "ru", []),
        ("Kim is flying to Oslo on Wednesday.", "en", []),  # today or in a week
    ],
)
def test_a_weekday_that_lies_ahead_gets_its_date(text: str, language: str, expected: list[tuple[str, date]]) -> None:
    assert relative_words(text, date(2026, 3, 18), summary_words(language)) == expected
