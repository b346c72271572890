"""Lessons of a session, found by rules: few, and true.

`lessons.jsonl` was labelled by this rule: a lesson is a sentence that states something lasting as settled. It is a
fact, a cause or a practice (learning), a choice (decision), or what fixed an error named before (fix). Questions,
guesses, plans, reports of work, quotations and code do not count. Nor do denials, open points and mere references
("let's go with that"). Rows marked `held_out` were set aside while the rules were written.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.facts.lessons.extraction import MOST_LESSONS, Lesson, last_error, lessons
from waypost.facts.lessons.sentences import sentences_of
from waypost.model.session_turn import ASSISTANT, USER, SessionTurn

LABELLED = [json.loads(line) for line in Path(__file__).with_name("lessons.jsonl").read_text("utf-8").splitlines()]


def found(text: str, speaker: str = USER) -> list[str]:
    return [lesson.text for lesson in lessons([SessionTurn(speaker, text)])]


def quality(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Precision and recall. A lesson counts if it has the right kind and the important words."""
    right = proposed = wanted = 0
    for row in rows:
        expected = list(row["lessons"])
        wanted += len(expected)
        for lesson in lessons(SessionTurn(*turn) for turn in row["turns"]):
            proposed += 1
            match = [e for e in expected if e["kind"] == lesson.kind and e["has"].casefold() in lesson.text.casefold()]
            if match:
                expected.remove(match[0])
                right += 1
    return right / max(1, proposed), right / wanted


def test_the_labelled_set_is_large_and_half_of_it_teaches_nothing() -> None:
    assert len(LABELLED) >= 150
    assert 0.4 < sum(not row["lessons"] for row in LABELLED) / len(LABELLED) < 0.6
    assert {row["lang"] for row in LABELLED} == {"en", "de", "ru"}


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_lessons_are_found_and_nothing_else(language: str) -> None:
    precision, recall = quality([row for row in LABELLED if row["lang"] == language])
    assert precision >= 0.95
    assert recall >= 0.9


def test_lessons_are_found_in_what_was_set_aside() -> None:
    precision, recall = quality([row for row in LABELLED if row["held_out"]])
    assert precision >= 0.95
    assert recall >= 0.85


def test_a_lesson_says_who_said_it_where_and_which_files_it_names() -> None:
    turn = SessionTurn(USER, "Thanks.\n\n- So, **never** edit `src/gen/api.py` by hand; docs/build.md tells why.")
    (lesson,) = lessons([SessionTurn(ASSISTANT, "Done."), turn])
    assert lesson == Lesson(
        "learning",
        "Never edit `src/gen/api.py` by hand; docs/build.md tells why.",
        turn,
        "So, never edit `src/gen/api.py` by hand; docs/build.md tells why.",
        0.73,
        ("src/gen/api.py", "docs/build.md"),
        "said in a session (always, never)",
    )


def test_only_a_person_makes_rules() -> None:
    for text in (
        "Never edit generated files by hand.",
        "From now on all times are in UTC.",
        "No, we use pnpm, not npm.",
    ):
        assert found(text, USER)
        assert not found(text, ASSISTANT)


def test_the_same_lesson_comes_once() -> None:
    said = "The root cause was a missing index on orders."
    assert (
        len(
            lessons(
                [
                    SessionTurn(ASSISTANT, said),
                    SessionTurn(USER, said.upper()),
                    SessionTurn(ASSISTANT, f"{said} {said}"),
                ]
            )
        )
        == 1
    )


def test_what_a_person_pastes_is_not_their_word() -> None:
    rule = "Never edit generated files by hand."
    assert found(rule)
    assert not found(rule + "\n" + "This is a page of a handbook that somebody else wrote. " * 40)


def test_a_fix_belongs_to_the_error_that_was_named_lately() -> None:
    error = SessionTurn(USER, "I get:\n```\nTraceback …\nValueError: bad row 3\n```")
    fix = SessionTurn(ASSISTANT, "Fixed by skipping empty rows.")
    (lesson,) = lessons([error, SessionTurn(ASSISTANT, "I look."), fix])
    assert (lesson.kind, lesson.text) == ("fix", "ValueError: bad row 3 → Fixed by skipping empty rows.")
    assert lessons([fix]) == []
    assert lessons([error, *[SessionTurn(ASSISTANT, f"Step {number}.") for number in range(20)], fix]) == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("It fails with `bind: address already in use` again", "bind: address already in use"),
        ("error TS2307: Cannot find module '@app/shared'", "error TS2307: Cannot find module '@app/shared'"),
        ("Fehler: Symbol nicht gefunden: initPool", "Symbol nicht gefunden: initPool"),
        ("сборка падает: ошибка: не найден символ initPool", "ошибка: не найден символ initPool"),
        ("requests.exceptions.ConnectionError: refused. What now?", "requests.exceptions.ConnectionError: refused"),
        ("The lastError field and the ValueError class are documented", ""),
        ("There was an error in the ENTIRE file", ""),
        ("This fails with even more tests", ""),
    ],
)
def test_an_error_is_what_somebody_calls_one_by_its_words(text: str, error: str) -> None:
    assert last_error(text) == error


def test_secrets_do_not_get_into_lessons() -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    (lesson,) = found(f"Remember: deploys must use the token {token} of the robot.")
    assert token not in lesson
    assert token[:12] not in lesson


def test_sentences_are_read_across_wrapped_lines_and_not_across_items() -> None:
    wrapped = "It turns out that the importer reads the header twice when the file\nbegins with a mark. Next."
    assert [sentence.text for sentence in sentences_of(wrapped)] == [
        "It turns out that the importer reads the header twice when the file begins with a mark.",
        "Next.",
    ]
    assert [sentence.text for sentence in sentences_of("- one\n- two, e.g. three\n> quoted\n# Title\n| a |\n")] == [
        "one",
        "two, e.g. three",
    ]


def test_of_very_many_the_surest_are_kept_in_order() -> None:
    many = [SessionTurn(USER, f"Let's go with library{number} version{number}.") for number in range(60)]
    many += [SessionTurn(USER, f"We decided to use database{number} for logs.") for number in range(30)]
    kept = lessons(many)
    assert len(kept) == MOST_LESSONS
    assert sum(lesson.text.startswith("We decided") for lesson in kept) == 30


@settings(max_examples=60, deadline=None)
@given(st.lists(st.builds(SessionTurn, st.sampled_from([USER, ASSISTANT]), st.text(max_size=200)), max_size=4))
def test_no_words_make_it_fail(turns: list[SessionTurn]) -> None:
    for lesson in lessons(turns):
        assert lesson.kind in ("learning", "decision", "fix")
        assert 0 < lesson.confidence < 0.8


@pytest.mark.parametrize(
    "text",
    [
        "so " * 7000,
        "no, " + "a, " * 160,
        "the problem with " + "x " * 240 + "was",
        "не используй " * 40,
        '"' * 20_000,
        "`" * 20_000,
        "a/" * 10_000,
        "fails with error: " * 1000,
        "нет, " + "слово " * 80 + ", а не",
        "x" * 20_000,
        "wir haben " * 50,
        "_a" * 10_000,
        "E" * 20_000 + "Error",
        "never " * 80,
    ],
)
def test_hostile_words_are_read_in_time(text: str) -> None:
    lessons([SessionTurn(USER, "warm")])
    began = time.process_time()
    lessons([SessionTurn(USER, text)])
    assert time.process_time() - began < 1.5
