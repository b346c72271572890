"""Turns that only ask, and turns that also state something."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from waypost import Memory
from waypost.flows.context.nearest import (
    is_only_question,
    may_correct,
    names_in,
    nearest_lessons,
    outdated_turns,
    with_names,
)
from waypost.model.memory import Version


@pytest.mark.parametrize(
    "text", ["How long do tokens live?", "Was läuft heute auf ZDF?", "Где ключи? А паспорт?", '"Really?"', "  Why?  "]
)
def test_a_question_alone_only_asks(text: str) -> None:
    assert is_only_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tokens live 15 minutes.",
        "We moved to Postgres. Is the old host still up?",
        "Ich nehme Kork: passt das?",
        "Why?\nBecause the bank wants it",
        "Is it so? Yes",
        "",
        "?" + "a" * 600 + "?",
    ],
)
def test_whoever_says_something_on_the_way_does_not_only_ask(text: str) -> None:
    assert not is_only_question(text)


def _said(memory: Memory, text: str, session: str = "before") -> None:
    memory.remember(text, kind="conversation", session=session, speaker="user")


def _given(memory: Memory, message: str) -> list[str]:
    return [hit.text for hit in memory.brief(message, preset="inject").memories]


def test_the_same_request_made_before_does_not_hide_its_answer(memory: Memory) -> None:
    answer = "The staging server of the shop lies in rack nine of the old hall."
    request = "Restart it, please. Where is the staging server of the shop?"
    _said(memory, answer)
    _said(memory, request, "yesterday")
    assert _given(memory, request) == [answer]


T0 = datetime(2026, 11, 18, 9, tzinfo=UTC)


def _turn(text: str, speaker: str = "user", language: str = "en", minutes: int = 0) -> Version:
    at = T0 + timedelta(minutes=minutes)
    return Version("m", "conversation", text, at, at, "agent", "test", speaker=speaker, language=language)


@pytest.mark.parametrize(
    "rule",
    [
        "Rule: no new dependencies in the binding package unless Olga agrees.",
        "Wir haben entschieden: Einstellungen werden nur noch aus TOML geladen, weil der Kunde das will.",
        "Правило: в пакете binding никаких новых зависимостей без согласия Ольги.",
    ],
)
def test_a_rule_or_decision_of_the_user_may_be_farther_away(rule: str) -> None:
    turns = {
        1: _turn(rule),
        2: _turn(rule, "assistant"),
        3: _turn("The printer is out of paper again."),
        4: _turn(rule),
    }
    assert nearest_lessons({1: -0.2, 2: -0.1, 3: -0.1, 4: -0.4}, turns) == [1]


def test_what_the_user_said_later_about_the_same_may_correct_it() -> None:
    first = _turn("The staging server for the demo app is stage-a.example.net.")
    correction = "Correction: the staging server moved, it is stage-b.example.net now."
    assert may_correct(_turn(correction, minutes=1), first)
    assert not may_correct(_turn(correction, minutes=-1), first)
    assert not may_correct(_turn(correction, "assistant", minutes=1), first)
    assert not may_correct(_turn("The printer moved to the second floor.", minutes=1), first)


def test_names_are_no_plain_words() -> None:
    text = "Mit ResponseWriter, go 1.24, flask/app.py, e.g. FLASK_DEBUG, quic-go, HTTP/3 or 2026 and/or so."
    assert names_in(text) == {"responsewriter", "1.24", "flask/app.py", "flask_debug", "http/3", "and/or"}
    assert names_in("a.b" * 100_000)  # read in part only


def test_a_statement_with_a_name_of_the_message_may_be_farther_away() -> None:
    frozen = _turn("Интерфейс ResponseWriter заморожен до марта.", language="ru")
    answer = _turn("ResponseWriter has been read.", speaker="assistant")
    turns = {1: frozen, 2: answer, 3: _turn("The printer is out of paper.")}
    assert with_names("Можно ли добавить метод в ResponseWriter?", turns) == [1]
    assert with_names("Can I add a method?", turns) == []
    everywhere = dict.fromkeys(range(9), frozen)
    assert with_names("Can I add a method to ResponseWriter?", everywhere) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The staging server is stage-a.example.net.", "Correction: the staging server is stage-b.example.net now."),
        (
            "Der Ansprechpartner für Releases ist Martin.",
            "Martin ist weg, Ansprechpartnerin für Releases ist jetzt Svenja.",
        ),
        ("Сервер для тестов называется alpha.", "Поправка: сервер для тестов называется beta."),
    ],
)
def test_what_the_user_corrected_is_left_out(older: str, newer: str) -> None:
    language = "ru" if "Сервер" in older else "de" if "ist" in older.split() else "en"
    first = replace(_turn(older, language=language), number=1)
    second = replace(_turn(newer, language=language, minutes=9), number=2)
    assert outdated_turns([first, second]) == {1}
    assert outdated_turns([second, replace(_turn("The printer is out of paper."), number=3)]) == set()
