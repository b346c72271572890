"""What a question for a reason is about, and reasons inside statements."""

import time

import pytest

from waypost.facts.why_question import asked_about, told_reason


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("Why did we use FastAPI?", "FastAPI?"),
        ("What was the reason for choosing FastAPI?", "FastAPI?"),
        ("why don\u2019t we deploy on Fridays?", "deploy on Fridays?"),
        ("Warum nutzen wir PostgreSQL statt MySQL?", "PostgreSQL statt MySQL?"),
        ("Почему мы выбрали монорепозиторий?", "монорепозиторий?"),
        ("FastAPI", "FastAPI"),
        ("Redis, why?", "Redis, why?"),
        ("Why?", "Why?"),
        ("Почему так?", "Почему так?"),
    ],
)
def test_words_that_only_ask_are_left_out(question: str, about: str) -> None:
    assert asked_about(question) == about


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("We use FastAPI because it is asynchronous. It is young.", "because it is asynchronous"),
        ("Wir benutzen Redis, weil es schnell ist.", "weil es schnell ist"),
        ("Мы выбрали Go, потому что он прост в поддержке.", "потому что он прост в поддержке"),
        ("Uploads go to S3 due to the missing disk", "due to the missing disk"),
        ("We use FastAPI", ""),
        ("The becauseless word", ""),
        ("They stopped because.", ""),
    ],
)
def test_a_statement_tells_its_reason_in_its_own_words(text: str, reason: str) -> None:
    assert told_reason(text) == reason


def test_a_hostile_text_takes_no_time() -> None:
    begun = time.process_time()
    for text in (" because" * 200_000, "because " + "x" * 900_000, ". " * 400_000, "why " * 200_000):
        told_reason(text)
        asked_about(text)
    assert time.process_time() - begun < 2
