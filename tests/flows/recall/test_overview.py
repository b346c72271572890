"""Questions about everything that is remembered."""

import pytest

from waypost.flows.recall.overview import asks_for_everything
from waypost.memory import Memory

ASKED = [
    "What do you remember about this project?",
    "what do you know about our codebase",
    "Tell me everything you know about this project.",
    "Was weißt du über dieses Projekt?",
    "Was hast du dir bisher gemerkt?",
    "Что ты знаешь об этом проекте?",
    "что помнишь",
]


@pytest.mark.parametrize("question", ASKED)
def test_everything_is_asked_for_in_three_languages(question: str) -> None:
    assert asks_for_everything(question)


@pytest.mark.parametrize(
    "question",
    [
        "What do you know about the project's cookies?",
        "What do you remember about signing?",
        "Was weißt du über Cookies?",
        "Что ты знаешь о куки?",
        "what do you do",
        "",
    ],
)
def test_a_subject_is_searched_for(question: str) -> None:
    assert not asks_for_everything(question)


@pytest.mark.parametrize("question", ASKED[:1] + ASKED[3:4] + ASKED[5:6])
def test_rules_and_what_people_said_come_first(memory: Memory, person: Memory, question: str) -> None:
    note = memory.remember("The staging server is called birch.")
    plain = person.remember("Invoices are sent at night.")
    rule = person.remember("Never deploy on Fridays.", level=0)
    memory.journal.add("Bitte mach weiter.", speaker="user")
    hits = memory.recall(question).hits
    assert [hit.id for hit in hits] == [rule.id, plain.id, note.id]
    assert [hit.id for hit in memory.recall(question, k=1).hits] == [rule.id]


def test_an_empty_memory_says_so(memory: Memory) -> None:
    answer = memory.recall(ASKED[0])
    assert (answer.hits, answer.notices[-1]) == ((), "Nothing relevant found.")
