"""Prompts that are about no subject, in three languages."""

import pytest

from waypost.context.small_talk import is_small_talk, subject_words


@pytest.mark.parametrize(
    "text",
    ["continue", "weiter", "продолжай", "ok, thanks!", "danke dir", "спасибо большое", "fix typo", "commit this", "what?", "",
     "run the tests again", "zeig mir die Änderungen", "покажи код", "yes, do it please", "…"],
)  # fmt: skip
def test_these_need_no_memory(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    ["how do I run the tests?", "Wie führe ich die Tests aus?", "Как запустить тесты?", "fix the login", "continue with the parser",
     "How are cookies signed?", "commit the upload fix", "x " * 300],
)  # fmt: skip
def test_these_are_about_something(text: str) -> None:
    assert not is_small_talk(text)


def test_words_about_a_subject_are_counted_once() -> None:
    assert subject_words("How are the cookies of the session signed? Cookies!") == 3
