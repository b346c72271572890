"""Turns that only ask, and turns that also state something."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from waypost import Memory
from waypost.flows.context.nearest import (
    IsKnown,
    PromptQuery,
    is_only_question,
    likely_stated,
    may_correct,
    names_in,
    newer_values,
    outdated_turns,
)
from waypost.model.memory import Version
from waypost.retrieve.calibration import ServingEngines


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
    assert names_in("engine.MaxMultipartMemory") == {"engine.maxmultipartmemory", "maxmultipartmemory"}
    assert names_in("a.b" * 100_000)  # read in part only


def _query(prompt: str, is_known: IsKnown = lambda _: False) -> PromptQuery:
    roles = ServingEngines("minilm-l6-v2", "use-multilingual-v3")
    vector = np.zeros(4, np.float32)
    return PromptQuery(prompt, "en", {"minilm-l6-v2": vector}, roles, is_known, 20, is_for_work=True)


def _likely(prompt: str, cosines: dict[int, float], turns: dict[int, Version]) -> dict[int, float]:
    return likely_stated(
        _query(prompt), turns, {number: {"minilm-l6-v2": cosine} for number, cosine in cosines.items()}
    )


RULE = _turn("handlers must not call c.Abort once they have written a body, we return early instead")
PRINTER = _turn("The printer on the second floor is out of paper because nobody orders any.")


def test_the_statement_that_stands_out_among_a_few_belongs_to_a_prompt_in_other_words() -> None:
    prompt = "need a handler for DELETE /users/:id, if the id isn't numeric send a 400 and stop there"
    assert _likely(prompt, {1: 0.31, 2: 0.02}, {1: RULE, 2: PRINTER}).keys() == {1}
    assert _likely("why is the sky blue", {1: 0.05, 2: 0.04}, {1: RULE, 2: PRINTER}) == {}


def test_among_many_statements_one_that_is_a_little_ahead_is_not_enough() -> None:
    prompt = "did my change make routing slower? measure it"
    few = {1: _turn("benchmarks on the shared box are noise unless you pin them"), 2: PRINTER}
    many = {**few, **{number: replace(PRINTER, number=number) for number in range(3, 60)}}
    assert 1 in _likely(prompt, {1: 0.22, 2: 0.05}, few)
    assert 1 not in _likely(prompt, {1: 0.22} | {number: number / 300 for number in range(2, 60)}, many)


def test_requests_and_answers_of_the_agent_are_no_statements() -> None:
    request = _turn("add a handler for POST /orders")
    answer = _turn("The handler must return early.", speaker="assistant")
    assert _likely("add a handler for GET /orders", {1: 0.9, 2: 0.9}, {1: request, 2: answer}) == {}


def test_a_former_value_leads_to_the_newest_one() -> None:
    former = _turn("assets are cached for a week at the moment, SEND_FILE_MAX_AGE_DEFAULT = 604800")
    newest = _turn("hashes are in the names, so app.SEND_FILE_MAX_AGE_DEFAULT is a year now (31536000)", minutes=9)
    turns = {1: former, 2: newest, 3: PRINTER}
    assert newer_values(turns) == {1: 2}
    assert newer_values({1: former, 2: PRINTER}) == {}
    prompt = "how long will a browser hold on to our stylesheet?"
    assert _likely(prompt, {1: 0.4, 2: 0.1, 3: 0.0}, turns).keys() == {2}


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
