"""Context: what an agent would be told, to the word, and why."""

import re

import pytest
from markupsafe import escape
from tests.faces.dashboard.conftest import HOSTILE, Browse, Sample

from waypost import Memory

TASK = "Add tax to the total of the basket"


def without_fence(text: str) -> str:
    """The mark of the fence is another one each time."""
    return re.sub(r"waypost-memory \w+", "waypost-memory", text)


@pytest.mark.parametrize("preset", ["", "scope", "route", "inject", "journal"])
def test_the_very_text_is_shown_that_an_agent_gets(sample: Sample, browse: Browse, preset: str) -> None:
    text = browse(sample.memory).get("context", task=TASK, preset=preset)
    told = sample.memory.brief(TASK, preset=preset or None).text
    for line in told.splitlines():
        if "\u202e" not in line:
            assert str(escape(without_fence(line))) in without_fence(text)


def test_cost_and_budget_are_told(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("context", task=TASK, tokens="120")
    spent = sample.memory.brief(TASK, 120).tokens
    assert f"{spent} of 120 tokens" in text
    assert f'aria-label="Tokens: used {spent}"' in text


def test_what_was_chosen_and_what_was_left_out_is_listed_with_reasons(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("context", task=TASK, tokens="150")
    assert "Found, but not included" in text
    assert "Why this rank" in text


def test_the_past_can_be_asked(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("context", task="When do deploys run?", as_of="2025-09-10")
    assert "Deploys" not in text


def test_without_a_task_it_says_what_it_is_for(sample: Sample, browse: Browse) -> None:
    assert "See what an agent sees" in browse(sample.memory).get("context")


def test_an_empty_memory_has_nothing_to_tell(person: Memory, browse: Browse) -> None:
    assert "The context is empty." in browse(person).get("context", task=TASK)


def test_hostile_words_show_as_text(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("context", task=HOSTILE)
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "\u202e" not in text.replace(text[text.index("<textarea") : text.index("</textarea>")], "")


def test_values_that_make_no_sense_are_refused(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    for wrong in ({"preset": "x"}, {"tokens": "0"}, {"tokens": "100001"}, {"tokens": "x"}, {"as_of": "x"}):
        browser.get("context", 400, **{"task": TASK, **wrong})
    browser.get("context", 400, task="x" * 10_001)
