"""The days that a text names. All are written on Thursday, 12 February 2026, in ISO week 7."""

import time
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.retrieve.lexicon import LANGUAGES
from waypost.retrieve.times.question_times import DaySpan, days_named

TODAY = date(2026, 2, 12)


def told(text: str, language: str, today: date = TODAY) -> list[str]:
    return [
        one.first.isoformat() if one.is_one_day else f"{one.first}..{one.last}"
        for one in days_named(text, language, today)
    ]


ENGLISH = [
    ("What did I say today?", "2026-02-12"),
    ("what did we discuss this morning", "2026-02-12"),
    ("What was it yesterday?", "2026-02-11"),
    ("what did you tell me last night", "2026-02-11"),
    ("What did I ask the day before yesterday?", "2026-02-10"),
    ("What is planned tomorrow?", "2026-02-13"),
    ("the day after tomorrow", "2026-02-14"),
    ("What did we decide last Tuesday?", "2026-02-10"),
    ("What did we decide on Tuesday?", "2026-02-10"),
    ("last Thursday", "2026-02-05"),
    ("on Thursday", "2026-02-05"),
    ("Friday morning", "2026-02-06"),
    ("next Monday", "2026-02-16"),
    ("this Monday", "2026-02-09"),
    ("on January 15th", "2026-01-15"),
    ("on January 15", "2026-01-15"),
    ("on the 15th of January", "2026-01-15"),
    ("15 Jan 2025", "2025-01-15"),
    ("Mar 3, 2025", "2025-03-03"),
    ("on the 3rd", "2026-02-03"),
    ("on the 31st", "2026-01-31"),
    ("2026-01-30", "2026-01-30"),
    ("12/31/2025", "2025-12-31"),
    ("31/12/2025", "2025-12-31"),
    ("15.01.2026", "2026-01-15"),
    ("in January", "2026-01-01..2026-01-31"),
    ("in May", "2025-05-01..2025-05-31"),
    ("in March of 2024", "2024-03-01..2024-03-31"),
    ("January last year", "2025-01-01..2025-01-31"),
    ("last February", "2025-02-01..2025-02-28"),
    ("next March", "2026-03-01..2026-03-31"),
    ("this week", "2026-02-09..2026-02-15"),
    ("last week", "2026-02-02..2026-02-08"),
    ("next week", "2026-02-16..2026-02-22"),
    ("in week 5", "2026-01-26..2026-02-01"),
    ("week 50", "2025-12-08..2025-12-14"),
    ("2026-W03", "2026-01-12..2026-01-18"),
    ("Q1 2026", "2026-01-01..2026-03-31"),
    ("in the fourth quarter", "2025-10-01..2025-12-31"),
    ("last quarter", "2025-10-01..2025-12-31"),
    ("in 2025", "2025-01-01..2025-12-31"),
    ("What happened 2025?", "2025-01-01..2025-12-31"),
    ("last month", "2026-01-01..2026-01-31"),
    ("this month", "2026-02-01..2026-02-28"),
    ("last year", "2025-01-01..2025-12-31"),
    ("three days ago", "2026-02-09"),
    ("10 days ago", "2026-02-02"),
    ("two weeks ago", "2026-01-26..2026-02-01"),
    ("three months ago", "2025-11-01..2025-11-30"),
    ("a year ago", "2025-01-01..2025-12-31"),
    ("an hour ago", "2026-02-12"),
    ("a few days ago", "2026-02-06..2026-02-10"),
    ("in the last 3 days", "2026-02-09..2026-02-12"),
    ("between Monday and Wednesday", "2026-02-09..2026-02-11"),
    ("between January 3 and February 5", "2026-01-03..2026-02-05"),
    ("from 30 November to 5 January", "2025-11-30..2026-01-05"),
    ("from November to January", "2025-11-01..2026-01-31"),
    ("January 3-5", "2026-01-03..2026-01-05"),
    ("3–5 January 2025", "2025-01-03..2025-01-05"),
    ("2026-01-03 to 2026-01-09", "2026-01-03..2026-01-09"),
    ("since Monday", "2026-02-09..2026-02-12"),
    ("since January", "2026-01-01..2026-02-12"),
    ("last weekend", "2026-02-07..2026-02-08"),
    ("On Monday and on Wednesday", "2026-02-09 2026-02-11"),
]

GERMAN = [
    ("Was habe ich heute gesagt?", "2026-02-12"),
    ("Was war heute morgen?", "2026-02-12"),
    ("Was habe ich heute früh gefragt?", "2026-02-12"),
    ("heute Abend", "2026-02-12"),
    ("Was war gestern?", "2026-02-11"),
    ("gestern Abend", "2026-02-11"),
    ("gestern morgen", "2026-02-11"),
    ("vorgestern", "2026-02-10"),
    ("Was ist morgen?", "2026-02-13"),
    ("morgen früh", "2026-02-13"),
    ("übermorgen", "2026-02-14"),
    ("Was war letzten Dienstag?", "2026-02-10"),
    ("Was haben wir am Dienstag beschlossen?", "2026-02-10"),
    ("am Dienstagabend", "2026-02-10"),
    ("am Donnerstag", "2026-02-05"),
    ("vergangenen Samstag", "2026-02-07"),
    ("nächsten Montag", "2026-02-16"),
    ("kommenden Freitag", "2026-02-13"),
    ("diesen Montag", "2026-02-09"),
    ("am 15. Januar", "2026-01-15"),
    ("Was war am 15.01.?", "2026-01-15"),
    ("am 15.1. sagte ich", "2026-01-15"),
    ("am 15.01. sagte ich", "2026-01-15"),
    ("15.01.2026", "2026-01-15"),
    ("1.2.2026", "2026-02-01"),
    ("15.01.26", "2026-01-15"),
    ("am 24.12.", "2025-12-24"),
    ("am 3. war ich da", "2026-02-03"),
    ("am 15. Jänner 2025", "2025-01-15"),
    ("im Januar", "2026-01-01..2026-01-31"),
    ("im Mai", "2025-05-01..2025-05-31"),
    ("Mai 2025", "2025-05-01..2025-05-31"),
    ("im Januar letzten Jahres", "2025-01-01..2025-01-31"),
    ("nächsten März", "2026-03-01..2026-03-31"),
    ("diese Woche", "2026-02-09..2026-02-15"),
    ("letzte Woche", "2026-02-02..2026-02-08"),
    ("nächste Woche", "2026-02-16..2026-02-22"),
    ("in KW 5", "2026-01-26..2026-02-01"),
    ("KW 51", "2025-12-15..2025-12-21"),
    ("KW 5/2025", "2025-01-27..2025-02-02"),
    ("in der 5. Kalenderwoche", "2026-01-26..2026-02-01"),
    ("Q1 2026", "2026-01-01..2026-03-31"),
    ("im ersten Quartal 2025", "2025-01-01..2025-03-31"),
    ("im letzten Quartal", "2025-10-01..2025-12-31"),
    ("2025", "2025-01-01..2025-12-31"),
    ("Was war 2025 mit dem Garten?", "2025-01-01..2025-12-31"),
    ("letzten Monat", "2026-01-01..2026-01-31"),
    ("diesen Monat", "2026-02-01..2026-02-28"),
    ("letztes Jahr", "2025-01-01..2025-12-31"),
    ("vor drei Tagen", "2026-02-09"),
    ("vor zwei Wochen", "2026-01-26..2026-02-01"),
    ("vor einem Monat", "2026-01-01..2026-01-31"),
    ("vor einem Jahr", "2025-01-01..2025-12-31"),
    ("vor einer Stunde", "2026-02-12"),
    ("vor ein paar Tagen", "2026-02-06..2026-02-10"),
    ("in den letzten drei Tagen", "2026-02-09..2026-02-12"),
    ("zwischen Montag und Mittwoch", "2026-02-09..2026-02-11"),
    ("zwischen dem 3. Januar und dem 5. Februar", "2026-01-03..2026-02-05"),
    ("vom 3. bis 5. Januar", "2026-01-03..2026-01-05"),
    ("von November bis Januar", "2025-11-01..2026-01-31"),
    ("vom 03.01. bis zum 09.01.2026", "2026-01-03..2026-01-09"),
    ("seit Montag", "2026-02-09..2026-02-12"),
    ("seit dem 15. Januar", "2026-01-15..2026-02-12"),
    ("letztes Wochenende", "2026-02-07..2026-02-08"),
]

RUSSIAN = [
    ("Что я говорил сегодня?", "2026-02-12"),
    ("сегодня утром", "2026-02-12"),
    ("Что было вчера?", "2026-02-11"),
    ("вчера вечером", "2026-02-11"),
    ("позавчера", "2026-02-10"),
    ("что завтра?", "2026-02-13"),
    ("послезавтра", "2026-02-14"),
    ("в прошлый вторник", "2026-02-10"),
    ("что мы решили во вторник?", "2026-02-10"),
    ("в прошлую пятницу", "2026-02-06"),
    ("в четверг", "2026-02-05"),
    ("в среду", "2026-02-11"),
    ("в субботу вечером", "2026-02-07"),
    ("в следующий понедельник", "2026-02-16"),
    ("в этот понедельник", "2026-02-09"),
    ("15 января", "2026-01-15"),
    ("15-го января", "2026-01-15"),
    ("15 января 2025", "2025-01-15"),
    ("15 января 2025 года", "2025-01-15"),
    ("15.01.2026", "2026-01-15"),
    ("с 15.01", "2026-01-15..2026-02-12"),
    ("3 числа", "2026-02-03"),
    ("9 мая", "2025-05-09"),
    ("в январе", "2026-01-01..2026-01-31"),
    ("в мае", "2025-05-01..2025-05-31"),
    ("в январе прошлого года", "2025-01-01..2025-01-31"),
    ("в марте 2024", "2024-03-01..2024-03-31"),
    ("на этой неделе", "2026-02-09..2026-02-15"),
    ("на прошлой неделе", "2026-02-02..2026-02-08"),
    ("на следующей неделе", "2026-02-16..2026-02-22"),
    ("неделя 5", "2026-01-26..2026-02-01"),
    ("на 5-й неделе", "2026-01-26..2026-02-01"),
    ("Q1 2026", "2026-01-01..2026-03-31"),
    ("в первом квартале 2025", "2025-01-01..2025-03-31"),
    ("в прошлом квартале", "2025-10-01..2025-12-31"),
    ("в 2025 году", "2025-01-01..2025-12-31"),
    ("в 2025", "2025-01-01..2025-12-31"),
    ("в прошлом месяце", "2026-01-01..2026-01-31"),
    ("в этом месяце", "2026-02-01..2026-02-28"),
    ("в прошлом году", "2025-01-01..2025-12-31"),
    ("три дня назад", "2026-02-09"),
    ("две недели назад", "2026-01-26..2026-02-01"),
    ("неделю назад", "2026-02-02..2026-02-08"),
    ("месяц назад", "2026-01-01..2026-01-31"),
    ("час назад", "2026-02-12"),
    ("несколько дней назад", "2026-02-06..2026-02-10"),
    ("за последние 3 дня", "2026-02-09..2026-02-12"),
    ("между понедельником и вторником", "2026-02-09..2026-02-10"),
    ("с 3 по 5 января", "2026-01-03..2026-01-05"),
    ("с ноября по январь", "2025-11-01..2026-01-31"),
    ("с понедельника", "2026-02-09..2026-02-12"),
    ("с января", "2026-01-01..2026-02-12"),
    ("на прошлых выходных", "2026-02-07..2026-02-08"),
]


@pytest.mark.parametrize(("text", "days"), ENGLISH)
def test_english_words_for_days_are_read(text: str, days: str) -> None:
    assert told(text, "en") == days.split()


@pytest.mark.parametrize(("text", "days"), GERMAN)
def test_german_words_for_days_are_read(text: str, days: str) -> None:
    assert told(text, "de") == days.split()


@pytest.mark.parametrize(("text", "days"), RUSSIAN)
def test_russian_words_for_days_are_read(text: str, days: str) -> None:
    assert told(text, "ru") == days.split()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What may help against rust?", "en"),
        ("It may 2 or 3 times fail", "en"),
        ("Who will march with us?", "en"),
        ("Can I mar the surface?", "en"),
        ("What did April say about June?", "en"),
        ("Jan asked for coffee", "en"),
        ("I am 15. What now?", "en"),
        ("the meeting at 18:00", "en"),
        ("upgrade to version 1.2.2026", "en"),
        ("Python 3.11.12 and 10.0.0.1", "en"),
        ("every Monday I run", "en"),
        ("the Black Friday sale", "en"),
        ("2000 users and 2024 rows", "en"),
        ("it cost $2025 on port 2025", "en"),
        ("on 2026-02-31 or 2026-13-01", "en"),
        ("weekly reports of the weekend", "en"),
        ("a second quarterback", "en"),
        ("Was hat Mai Thi gesagt?", "de"),
        ("Hat Jan angerufen?", "de"),
        ("um 18:00 Uhr", "de"),
        ("um 18.15 Uhr", "de"),
        ("Version 1.2.2026", "de"),
        ("Guten Morgen!", "de"),
        ("jeden Morgen und jeden Montag", "de"),
        ("montags immer", "de"),
        ("Die Note war 3.5.", "de"),
        ("Das kostet 2025 Euro", "de"),
        ("Zimmer 2025", "de"),
        ("Was ist am Ende passiert?", "de"),
        ("Wochenplan und Tagebuch", "de"),
        ("настроить среду разработки", "ru"),
        ("каждый понедельник", "ru"),
        ("встреча в 18:00", "ru"),
        ("версия 1.2.2026", "ru"),
        ("2025 рублей", "ru"),
        ("порт 2025", "ru"),
        ("Мая Плисецкая танцевала", "ru"),
        ("маятник и маркетинг", "ru"),
        ("годовой отчёт", "ru"),
        ("дневник", "ru"),
    ],
)
def test_what_only_looks_like_a_time_is_none(text: str, language: str) -> None:
    assert told(text, language) == []


@pytest.mark.parametrize("text", ["next Monday", "nächsten Montag", "в следующий понедельник"])
def test_the_next_weekday_lies_ahead_on_every_day_of_the_week(text: str) -> None:
    for offset in range(7):
        day = TODAY + timedelta(days=offset)
        (span,) = days_named(text, "", day)
        assert span.first == span.last and timedelta(0) < span.first - day <= timedelta(7)


def test_a_text_too_short_to_have_a_language_is_read_in_each() -> None:
    assert [told(text, "") for text in ("gestern?", "вчера", "yesterday")] == [["2026-02-11"]] * 3


def test_letters_that_grow_when_they_are_made_small_move_nothing() -> None:
    assert told("\u0130" * 30 + "  between Monday   and Wednesday", "en") == ["2026-02-09..2026-02-11"]


def test_a_week_that_the_year_does_not_have_is_none() -> None:
    assert told("KW 53/2025", "de") == []
    assert told("KW 53/2026", "de") == ["2026-12-28..2027-01-03"]


def test_the_last_29th_of_february_was_in_a_leap_year() -> None:
    assert told("am 29.02.", "de") == ["2024-02-29"]


def test_the_31st_of_a_short_month_is_the_last_one_there_was() -> None:
    assert told("on the 31st", "en", date(2026, 5, 3)) == ["2026-03-31"]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_hostile_text_is_read_in_no_time(language: str) -> None:
    texts = (
        "1" * 50_000,
        "1." * 25_000,
        "vor " * 12_000,
        "in may " * 7_000,
        "last " * 9_000,
        "\u0130" * 20_000,
        "3-" * 20_000,
    )
    started = time.process_time()
    for text in texts:
        days_named(text, language, TODAY)
    assert time.process_time() - started < 10


WORDS = (
    *("1", "5", "31", "2025", "29.02.", ".", "-", "/", "q3", "kw", "january", "mai", "märz", "monday"),
    *("vor", "ago", "tagen", "days", "last", "letzten", "between", "und", "to"),
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS)),
    today=st.dates(min_value=date(1, 1, 20), max_value=date(9990, 12, 31)),
    language=st.sampled_from(["en", "de", "ru", "", "other"]),
)
def test_whatever_stands_together_is_read_without_an_error(words: list[str], today: date, language: str) -> None:
    for span in days_named(" ".join(words), language, today):
        assert isinstance(span, DaySpan) and span.first <= span.last
