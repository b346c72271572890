"""Turns that only ask, and turns that also state something."""

import pytest

from waypost.flows.context.nearest import is_only_question


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
