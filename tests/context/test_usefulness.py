"""What is worth its tokens: people's rules before plain facts, first facts about a project last."""

from dataclasses import replace
from datetime import UTC, datetime

from waypost.context.usefulness import AT_SYMBOL, IN_FILE, floor_of, leniency, matches, usefulness, warns
from waypost.model.recall import Hit

T0 = datetime(2026, 1, 30, tzinfo=UTC)
FACT = Hit("f", 0.5, "text", "fact", "facts", "agent", T0, T0)


def test_what_a_person_stated_counts_most_and_first_facts_least() -> None:
    by_source = [usefulness(2.0, replace(FACT, source=source)) for source in ("person", "agent", "extractor")]
    assert by_source == sorted(by_source, reverse=True)
    assert usefulness(3.0, replace(FACT, source="extractor")) < floor_of(2000)


def test_rules_decisions_and_pitfalls_count_more_than_plain_facts() -> None:
    for kind in ("constraint", "decision", "fix", "learning"):
        assert usefulness(2.0, replace(FACT, kind=kind)) > usefulness(2.0, FACT)


def test_a_memory_pinned_to_the_code_of_the_task_counts_more_and_a_stale_one_less() -> None:
    assert usefulness(2.0, FACT, AT_SYMBOL) > usefulness(2.0, FACT, IN_FILE) > usefulness(2.0, FACT)
    assert usefulness(2.0, replace(FACT, is_stale=True)) < usefulness(2.0, FACT)


def test_a_larger_budget_is_more_lenient_within_bounds() -> None:
    assert floor_of(1) == floor_of(500) > floor_of(1000) > floor_of(2000) > floor_of(4000) == floor_of(1_000_000)
    assert leniency(1000) == 0
    assert leniency(1) == leniency(500) < 0


def test_a_pitfall_of_a_symbol_to_open_warns_and_a_plain_fact_does_not() -> None:
    pitfall = replace(FACT, kind="fix")
    assert warns(pitfall, AT_SYMBOL)
    assert not warns(pitfall, IN_FILE)
    assert not warns(FACT, AT_SYMBOL)


def test_something_must_speak_for_a_memory_itself() -> None:
    assert matches(replace(FACT, why={"keywords": 0.2, "meaning": 0.2, "telling": 1.2}))
    assert not matches(replace(FACT, why={"meaning": 0.2, "telling": 1.2, "recency": 0.2}))
