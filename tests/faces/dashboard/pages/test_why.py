"""Why something was decided, drawn and in words."""

import pytest
from tests.faces.dashboard.conftest import HOSTILE, Browse, Sample

from waypost import Memory


def test_a_question_is_answered_by_a_drawing_and_by_a_list(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("why", q="Why do payments go through one provider?")
    drawing, words = page.split("As text", 1)
    assert '<svg class="graph"' in drawing
    for column in ("Constraints", "Reasons", "Decisions", "Consequences"):
        assert column in drawing
    for text in (
        "Two providers doubled the work of every change.",
        "Refunds take a day longer.",
        "The contract runs until 2027.",
    ):
        assert text in words
    assert f'/memory/{sample["decision"]}"' in drawing


def test_mermaid_text_is_offered(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("why", q="payments one provider")
    assert '<textarea id="mermaid"' in page
    assert "graph" in page.split('id="mermaid"')[1]


def test_without_a_question_recent_decisions_are_listed(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("why")
    assert "Decisions, newest first" in page
    assert "why?q=Payments+go+through+one+provider." in page


def test_a_question_that_nothing_answers_still_offers_decisions(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("why", q="zebras on the moon xyzzy")
    assert "No decision answers this." in page
    assert "Payments go through one provider." in page


def test_depth_says_how_far_links_are_followed(sample: Sample, browse: Browse) -> None:
    sample.memory.decide(sample["decision"], because=["The contract with the bank ended."])
    reason = sample.memory.decide(
        "Two providers doubled the work of every change.", because=["Two teams kept two adapters."]
    )
    browser = browse(sample.memory)
    assert reason.id
    assert 'name="depth" type="number" min="1" max="20" value="2"' in browser.get("why", q="one provider", depth="2")
    browser.get("why", 400, q="x", depth="0")
    browser.get("why", 400, q="x", depth="99")
    browser.get("why", 400, q="x", depth="two")


def test_as_of_shows_what_held_then(sample: Sample, browse: Browse) -> None:
    assert "No decisions yet." in browse(sample.memory).get("why", as_of="2020-01-01")
    browse(sample.memory).get("why", 400, q="x", as_of="yesteryear<script>")


def test_hostile_reasons_show_as_text_also_in_the_drawing(sample: Sample, browse: Browse) -> None:
    sample.memory.decide("Escape all <b>markup</b> of pages.", because=[HOSTILE + " because"])
    page = browse(sample.memory).get("why", q="Escape all markup of pages")
    assert "Escape all &lt;b&gt;markup&lt;/b&gt;" in page
    for bad in ("<script>alert", "<img src=x", "<b>markup", "\u202e", "49 evil"):
        assert bad not in page


def test_a_hostile_question_comes_back_as_text(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("why", q='"><script>alert(9)</script>')
    assert "<script>alert(9)" not in page


def test_an_empty_memory_says_how_to_record_a_decision(person: Memory, browse: Browse) -> None:
    page = browse(person).get("why")
    assert "No decisions yet." in page
    assert "waypost decide" in page


@pytest.mark.parametrize("length", [2001, 60_000])
def test_a_question_without_end_is_refused(sample: Sample, browse: Browse, length: int) -> None:
    browse(sample.memory).get("why", 400, q="w" * length)
