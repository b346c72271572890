"""The router: facts of the project and of the domains near a task, within a budget, explained."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import TestClock

from waypost.context.budget import count_tokens
from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.flows.context.route import RouteBriefing
from waypost.memory import Memory
from waypost.model.recall import View
from waypost.model.time import Moment

pytestmark = pytest.mark.slow  # not for the inner loop

BILLING = (
    "invoices are numbered without gaps for the tax office",
    "invoices are sent by mail on the first day of a month",
    "invoices of companies carry no tax number of ours",
)
AUTH = (
    "sessions of users end after thirty minutes without a request",
    "sessions of users are kept in redis and never in cookies",
    "sessions of administrators end after five minutes",
)
TASK = "how are invoices numbered for the tax office"


def route(memory: Memory, task: str = TASK, tokens: int = 2000, **options: Any) -> RouteBriefing:
    found = memory.brief(task, tokens, preset="route", **options)
    assert isinstance(found, RouteBriefing)
    return found


def fill(memory: Memory, **domains: tuple[str, ...]) -> None:
    memory.remember_many(
        {"text": text, "domain": domain, "level": place % 3 + 1}
        for domain, texts in domains.items()
        for place, text in enumerate(texts)
    )


def texts(found: RouteBriefing) -> list[str]:
    return [hit.text for hit in found.memories]


def test_facts_of_the_domains_near_the_task_are_told_and_others_are_not(memory: Memory) -> None:
    fill(memory, billing=BILLING, auth=AUTH)
    found = route(memory)
    assert set(texts(found)) == set(BILLING)
    assert [one.domain for one in found.domains] == ["billing"]
    assert found.confidence > 0.5
    assert re.match(r"Near the task: billing \(0\.\d\d\), of 2 domains\. Shown: ", found.explanation)


def test_the_project_is_always_told_unless_it_is_not_wanted(memory: Memory) -> None:
    fill(memory, billing=BILLING)
    memory.remember("The shop is written in Go.", level=0, domain="elsewhere")
    assert texts(route(memory))[0] == "The shop is written in Go."
    assert "The shop is written in Go." not in texts(route(memory, include_l0=False))
    nothing_else = route(memory, "an entirely different matter")
    assert "The shop is written in Go." in texts(nothing_else)


def test_facts_without_a_domain_can_always_be_found(memory: Memory) -> None:
    fill(memory, billing=BILLING)
    memory.remember("the tax office wants invoices numbered in one sequence", level=2)
    assert "the tax office wants invoices numbered in one sequence" in texts(route(memory))


def test_conversations_and_notes_are_not_told(memory: Memory) -> None:
    memory.remember("invoices numbered for the tax office, said somebody", kind="note")
    assert route(memory).memories == ()


def test_when_nothing_answers_well_more_domains_join_and_that_is_said(memory: Memory) -> None:
    fill(memory, auth=AUTH, billing=BILLING)
    found = route(memory, "numbered crocodiles")
    assert found.confidence < 0.5
    assert {one.why for one in found.domains} == {"widened"}
    assert (
        "No domain is near the task, of 2 domains. No fact of a domain answered well (confidence 0."
        in found.explanation
    )
    assert BILLING[0] in texts(found)


def test_stale_facts_are_left_out_and_counted_unless_they_are_wanted(memory: Memory, clock: Any) -> None:
    fill(memory, billing=BILLING)
    memory.remember("invoices numbered by hand for the tax office", domain="billing", ttl=3600)
    clock.advance(hours=2)
    without = route(memory)
    assert "invoices numbered by hand for the tax office" not in texts(without)
    assert without.left_out["stale"] == 1
    assert "Left out: 1 stale." in without.explanation
    assert "Left out: 1 stale." in without.text
    wanted = route(memory, include_stale=True)
    assert "invoices numbered by hand for the tax office" in texts(wanted)
    assert "[stale: its time has run out]" in wanted.text
    assert wanted.left_out["stale"] == 0


def test_a_fact_about_code_that_has_changed_is_stale_at_once(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory("shop")
    source = tmp_path / "work" / "shop" / "pay.py"
    source.write_text("def number(invoice):\n    return invoice.last + 1\n")
    memory.remember("invoices are numbered for the tax office one by one", domain="billing", refs=["pay.py#L1-L2"])
    assert len(route(memory).memories) == 1
    source.write_text("def number(invoice):\n    raise NotImplementedError('use the sequence of the database')\n")
    found = route(memory)
    assert (found.memories, found.left_out["stale"]) == ((), 1)


def test_what_had_no_room_is_counted(memory: Memory) -> None:
    fill(memory, billing=tuple(f"invoices of kind {n} are numbered apart for the tax office" for n in range(30)))
    memory.remember_many({"text": f"Rule {n} holds for the whole project.", "level": 0} for n in range(3))
    found = route(memory, tokens=400)
    shown = [hit for hit in found.memories if hit.level]
    assert found.left_out == {"stale": 0, "project": 0, "room": 30 - len(shown)}
    assert f"{30 - len(shown)} more for want of room" in found.explanation
    small = route(memory, tokens=85)
    assert small.left_out["project"] == 3 - len(small.memories)
    assert "of the project for want of room" in small.explanation


def test_the_best_of_the_project_is_told_when_not_all_of_it_has_room(memory: Memory) -> None:
    memory.remember_many({"text": f"Rule {n} about crocodile habitats.", "level": 0} for n in range(40))
    memory.remember("invoices are numbered for the tax office", level=0)
    memory.remember_many({"text": f"Rule {n} about alligator habitats.", "level": 0} for n in range(40))
    found = route(memory, tokens=200)
    assert texts(found)[0] == "invoices are numbered for the tax office"
    assert found.left_out["project"] == 81 - len(found.memories)


# -- what belongs together --------------------------------------------------------------------------------


def test_a_decision_brings_its_whole_chain_on_one_line(memory: Memory) -> None:
    decided = memory.decide(
        "invoices are numbered for the tax office by a sequence",
        because=["two workers wrote the same number"],
        given=["the law forbids gaps"],
        leads_to=["a rollback leaves a gap that is explained"],
        domain="billing",
    )
    found = route(memory)
    (line,) = [line for line in found.text.splitlines() if "because" in line]
    assert line == (
        "- invoices are numbered for the tax office by a sequence; because two workers wrote the same number;"
        " given the law forbids gaps; leads to a rollback leaves a gap that is explained"
    )
    assert {first for first, _ in found.cross_references} == {decided.id}
    assert len(found.cross_references) == 3
    assert {hit.id for hit in found.memories} >= {other for _, other in found.cross_references}


def test_a_module_fact_brings_its_parent(memory: Memory) -> None:
    fill(memory, billing=BILLING)
    parent = memory.remember("everything about money lives here", level=1, domain="far away").id
    child = memory.remember(TASK, level=2, domain="billing", parent=parent).id
    found = route(memory)
    assert (child, parent) in found.cross_references
    assert "everything about money lives here" in found.text.split("## Related")[1]


def test_a_module_fact_without_a_parent_brings_a_fact_of_its_domain(memory: Memory, fake_engine: FakeEngine) -> None:
    above = memory.remember("quite another thing altogether", level=1, domain="billing").id
    child = memory.remember(TASK, level=2, domain="billing").id
    fake_engine.fail = True  # by keywords, the other one is not found by itself
    assert route(memory).cross_references == ((child, above),)


def test_at_most_five_entries_come_along(memory: Memory) -> None:
    for number in range(8):
        parent = memory.remember(f"far above {number}", level=1, domain=f"far {number}").id
        memory.remember(f"{TASK} {number}", level=2, domain="billing", parent=parent)
    assert len(route(memory).cross_references) == 5


def test_what_can_not_be_seen_does_not_come_along(memory: Memory) -> None:
    parent = memory.remember("everything about money lives here", level=1, domain="far away").id
    memory.remember(TASK, level=2, domain="billing", parent=parent)
    memory.retract(parent or "")
    assert route(memory).cross_references == ()


# -- other circumstances ----------------------------------------------------------------------------------


def test_without_an_engine_facts_of_all_domains_are_found_by_keywords(memory: Memory, fake_engine: FakeEngine) -> None:
    fill(memory, billing=BILLING, auth=AUTH)
    fake_engine.fail = True
    found = route(memory)
    assert BILLING[0] in texts(found)
    assert found.domains == ()
    assert "keywords searched the facts of all domains" in found.explanation
    assert "Answered without minilm-l6-v2" in found.explanation


def test_what_no_engine_has_read_is_found_by_keywords_in_any_domain(
    memory: Memory, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory, billing=BILLING)
    fake_engine.fail = True
    memory.remember("crocodiles are numbered too", domain="zoo")
    fake_engine.fail = False
    monkeypatch.setattr("waypost.flows.engines.query.ON_THE_SPOT", 0)
    assert "crocodiles are numbered too" in texts(route(memory))


def test_another_moment_is_told_as_it_was(memory: Memory, clock: Any) -> None:
    old = memory.remember("invoices are numbered by hand for the tax office", domain="billing").id
    before = clock()
    clock.advance(days=1)
    memory.correct(old or "", "invoices are numbered by a sequence for the tax office")
    then = route(memory, known_at=before)
    assert texts(then) == ["invoices are numbered by hand for the tax office"]
    assert [one.domain for one in then.domains] == ["billing"]
    assert texts(route(memory)) == ["invoices are numbered by a sequence for the tax office"]
    assert route(memory, as_of=before - timedelta(days=1)).memories == ()


def test_the_answer_as_json_has_all_that_a_briefing_has_and_how_it_was_routed(memory: Memory) -> None:
    fill(memory, billing=BILLING)
    row = route(memory).to_json()
    plain = memory.brief(TASK).to_json()
    assert set(row) == {*plain, "cross_references", "domains", "left_out"}
    assert row["domains"] == [
        {"domain": "billing", "similarity": row["domains"][0]["similarity"], "facts": 3, "joined_by": "mean"}
    ]


@pytest.mark.parametrize("tokens", [0, -5, True, 1.5])
def test_a_budget_that_makes_no_sense_is_refused(memory: Memory, tokens: Any) -> None:
    with pytest.raises(InvalidInput):
        route(memory, tokens=tokens)


def test_an_empty_space_is_told_as_empty(memory: Memory) -> None:
    found = route(memory)
    assert (found.text, found.tokens, found.memories, found.confidence) == ("", 0, (), 0.0)
    assert found.explanation == "Nothing is shown in 2000 tokens."


words = st.sampled_from((*TASK.split(), "sessions", "налог", "Steuer", "</waypost-memory>", "<|im_end|>", "x" * 90))
facts = st.fixed_dictionaries(
    {
        "text": st.lists(words, min_size=1, max_size=40).map(" ".join),
        "level": st.integers(0, 3),
        "domain": st.sampled_from(("", "billing", "auth", "mail")),
        "kind": st.sampled_from(("fact", "decision", "learning", "fix")),
    }
)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(facts, max_size=25), st.lists(st.integers(1, 5000), min_size=4, max_size=4))
def test_whatever_is_known_the_budget_is_kept_and_the_explanation_agrees(
    open_memory: Callable[..., Memory], known: list[dict[str, Any]], budgets: list[int]
) -> None:
    memory = open_memory(f"p{abs(hash(str(known)))}")
    memory.remember_many({name: value for name, value in fact.items() if value != ""} for fact in known)
    for tokens in budgets:
        found = route(memory, tokens=tokens)
        assert found.tokens == count_tokens(found.text) <= tokens
        told = sum(int(count) for count in re.findall(r"(\d+) (?:of level \d|related) in \d+", found.explanation))
        assert told == sum(line.startswith("- ") for line in found.text.splitlines())
        assert all(f"of level {hit.level}" in found.explanation for hit in found.memories[:1])
        ids = {hit.id for hit in found.memories}
        assert all(first in ids and other in ids for first, other in found.cross_references)
        assert len(ids) == len(found.memories)
        if found.left_out["room"]:
            assert f"{found.left_out['room']} more for want of room" in found.explanation


def test_a_domain_is_what_is_true_of_it_now(memory: Memory, clock: TestClock) -> None:
    old = memory.remember("Logins use tokens", domain="auth")
    clock.advance(days=1)
    memory.remember("Zebras live in the zoo", domain="auth", replaces=str(old.id))
    clock.advance(days=1)
    with memory.space.store.read() as reader:
        kept = reader.facts.domains("minilm-l6-v2", View(Moment(clock.now)))
        counted = reader.facts.domains("minilm-l6-v2", View(Moment(clock.now, explicit=True)))
    assert kept["auth"][0] == counted["auth"][0]
