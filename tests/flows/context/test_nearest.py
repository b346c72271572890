"""Turns that only ask, and turns that also state something."""

from datetime import UTC, datetime, timedelta

import pytest

from waypost import Memory
from waypost.flows.context.nearest import is_only_question, may_correct, nearest_lessons
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
