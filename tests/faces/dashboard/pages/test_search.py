"""Search over everything: hits with their reasons, filters, moments, and the newest without a question."""

import re

import pytest
from markupsafe import escape
from tests.conftest import TestClock
from tests.faces.dashboard.conftest import HOSTILE, Browse, Sample

from waypost import Memory


def hits(text: str) -> list[str]:
    """The ids of the memories that are shown, in their order."""
    return re.findall(r'data-hit href="/s/[^/]+/memory/(\w+)"', text)


def test_the_best_answer_comes_first_with_its_place_and_reason(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("search", q="total prices tax")
    assert hits(text)[0] == sample["stale"]
    assert f'href="/s/{sample.memory.identity.space_id}/code/src/checkout.py#L4"' in text
    assert "Its code has changed: src/checkout.py:4" in text
    assert "an agent, <time" in text


def test_every_rank_is_explained_in_plain_words(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("search", q="deploys run")
    assert "Why this rank" in text
    assert "rare words it shares with the query" in text


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"kind": "learning"}, ["lesson"]),
        ({"domain": "accounts"}, ["fresh"]),
        ({"tag": "team=billing"}, ["tagged"]),
        ({"tag": "team"}, ["tagged"]),
        ({"level": "0"}, ["whole"]),
    ],
)
@pytest.mark.parametrize("question", ["", "cards migrations session shop tested python user charged"])
def test_filters_hold_with_and_without_a_question(
    sample: Sample, browse: Browse, filters: dict[str, str], wanted: list[str], question: str
) -> None:
    text = browse(sample.memory).get("search", q=question, k="100", **filters)
    assert hits(text) == [sample[name] for name in wanted]


def test_conversations_are_found_by_speaker_and_session(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("search", q="slow tests", session="s2", speaker="USER")
    assert len(hits(text)) == 1
    assert "Which tests are slow, part 2?" in text


@pytest.mark.slow
def test_only_what_is_fresh_can_be_asked_for(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    for query in ("", "total prices tax"):
        assert sample["stale"] in hits(browser.get("search", q=query, k="100"))
        assert sample["stale"] not in hits(browser.get("search", q=query, k="100", fresh="1"))


@pytest.mark.slow
def test_what_was_true_and_what_was_known_on_a_day_can_be_asked_for(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    assert "Deploys run on Tuesdays." in browser.get("search", q="deploys run")
    before = browser.get("search", q="deploys run", known_at="2025-09-22")
    assert "Deploys run on Fridays." in before
    assert "Tuesdays" not in before
    assert "Deploys" not in browser.get("search", q="deploys run", known_at="2025-09-10")
    assert hits(browser.get("search", as_of="2025-01-01")) == []


def test_a_day_counts_to_its_end_and_today_until_now(sample: Sample, browse: Browse, clock: TestClock) -> None:
    browser = browse(sample.memory)
    kept = sample.memory.remember("Said today.").id
    for day, there in (("2026-01-30", True), ("2026-01-29", False), ("9999-12-31", True)):
        assert (kept in hits(browser.get("search", known_at=day))) is there


def test_without_a_question_the_newest_come_first(sample: Sample, browse: Browse) -> None:
    kept = sample.memory.remember("The newest of all.").id
    text = browse(sample.memory).get("search")
    assert hits(text)[0] == kept
    assert "Newest memories" in text


def test_how_many_are_shown_can_be_chosen(sample: Sample, browse: Browse) -> None:
    assert len(hits(browse(sample.memory).get("search", k="3"))) == 3


@pytest.mark.slow
def test_how_sure_a_memory_is_can_be_asked_for(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    assert sample["stale"] in hits(browser.get("search", q="total prices tax"))
    assert sample["stale"] not in hits(browser.get("search", q="total prices tax", confidence="0.4"))
    assert "confidence filter needs a query" in browser.get("search", confidence="0.4")


def test_what_a_filter_leaves_out_is_told(sample: Sample, browse: Browse) -> None:
    assert "were applied to the best" in browse(sample.memory).get("search", q="tests", kind="learning")


@pytest.mark.slow
def test_values_that_make_no_sense_are_refused(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    wrong = {
        "scope": ["nowhere"],
        "kind": ["<script>alert(1)</script>"],
        "level": ["9", "-1", "x"],
        "k": ["0", "101", "1e9", "٣"],
        "confidence": ["2", "nan", "-0.1"],
        "as_of": ["yesterday", "2026-13-45"],
        "known_at": ["2026-01-30T99:00"],
        "q": ["x" * 2001],
        "domain": ["y" * 501],
    }
    for name, values in wrong.items():
        for value in values:
            assert "<script>alert" not in browser.get("search", 400, **{name: value})


def test_stored_markup_shows_as_text(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("search", q="script alert evil")
    assert sample["hostile"] in hits(text)
    assert "<img src=x" not in text
    assert "<b>tag" not in text
    assert "\u202e" not in text
    assert "\\u202e" in text
    assert "{{ 7*7 }}" in text


def test_what_was_asked_is_shown_again_as_text(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get("search", q=HOSTILE, domain='"><script>')
    assert str(escape(HOSTILE)) in text
    assert '"><script>' not in text


@pytest.mark.slow
def test_nothing_found_and_nothing_there_say_what_to_do(person: Memory, sample: Sample, browse: Browse) -> None:
    assert "No results." in browse(sample.memory).get("search", q="zebra", kind="preference")
    assert "No memories yet." in browse(person).get("search")


@pytest.mark.slow
def test_what_was_put_away_is_found_when_asked_for(sample: Sample, browse: Browse) -> None:
    sample.memory.facts.expire()
    browser = browse(sample.memory)
    assert sample["passing"] not in hits(browser.get("search", q="staging server", k="100"))
    assert sample["passing"] in hits(browser.get("search", q="staging server", k="100", archived="1"))
