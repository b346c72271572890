"""How much news a sentence is when somebody looks back."""

import time

import pytest

from waypost.journal.importance.word_lists import LANGUAGES
from waypost.journal.statements.news import is_outcome, is_setback, news_of


@pytest.mark.parametrize(
    ("news", "daily", "language"),
    [
        ("My aunt came first in the regatta.", "My aunt washed the carpet.", "en"),
        ("The landlord evicted us.", "The train was cancelled.", "en"),
        ("We're having twins!", "We might have soup.", "en"),
        ("Meine Tante ist Dritte geworden.", "Meine Tante hat den Teppich gewaschen.", "de"),
        ("Der Befund ist gutartig.", "Der Zug ist ausgefallen.", "de"),
        ("Das Haus gehört jetzt uns.", "Ich überlege, ob wir ein Haus suchen.", "de"),
        ("Тётя заняла первое место.", "Тётя постирала ковёр и шторы.", "ru"),
        ("Бабушке исполнилось 90.", "Поезд отменили.", "ru"),
        ("Мы выиграли суд.", "Думаю, может быть, подать в суд.", "ru"),
    ],
)
def test_what_came_out_is_more_news_than_what_is_daily_or_open(news: str, daily: str, language: str) -> None:
    assert news_of(news, language) >= 2 > 0 >= news_of(daily, language)
    assert is_outcome(news, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [("They rejected our plan.", "en"), ("Unser Plan wurde abgelehnt.", "de"), ("Наш план отклонили.", "ru")],
)
def test_a_refusal_is_a_setback(text: str, language: str) -> None:
    assert is_setback(text, language)


@pytest.mark.parametrize("unit", ["if we ", "we lost ", "hat die ", "will ", "если мы ", "is the ", "книга "])
def test_long_hostile_lines_are_read_in_time(unit: str) -> None:
    begun = time.process_time()
    for language in LANGUAGES:
        news_of(unit * 20_000, language)
    assert time.process_time() - begun < 1
