"""Levels, parents and children, promotion and demotion, subtrees; each also at another time."""

from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory
from waypost.errors import InvalidInput, NotFound
from waypost.model.time import format_time


def remembered(memory: Memory, text: str, **options: Any) -> str:
    receipt = memory.remember(text, **options)
    assert receipt.status == "added", receipt
    return str(receipt.id)


@pytest.fixture
def tree(memory: Memory) -> dict[str, str]:
    project = remembered(memory, "Shop sells tea", level=0)
    auth = remembered(memory, "Login uses OAuth", level=1, domain="auth", parent=project)
    tokens = remembered(memory, "Tokens live an hour", level=2, domain="auth", module="tokens", parent=auth)
    pay = remembered(memory, "Payment goes through Stripe", level=1, domain="pay", parent=project)
    return {"project": project, "auth": auth, "tokens": tokens, "pay": pay}


def shape(memory: Memory, root: str, **moment: str) -> list[tuple[int, str]]:
    return [(row["depth"], row["text"]) for row in memory.facts.subtree(root, **moment)]  # type: ignore[arg-type]


def test_a_subtree_has_each_fact_followed_by_what_is_below_it(memory: Memory, tree: dict[str, str]) -> None:
    assert shape(memory, tree["project"]) == [
        (0, "Shop sells tea"),
        (1, "Login uses OAuth"),
        (2, "Tokens live an hour"),
        (1, "Payment goes through Stripe"),
    ]
    assert shape(memory, tree["auth"]) == [(0, "Login uses OAuth"), (1, "Tokens live an hour")]
    assert [row["depth"] for row in memory.facts.subtree(tree["project"], depth=1)] == [0, 1, 1]
    assert memory.list(level=2)[0]["parent"] == tree["auth"]


def test_facts_are_listed_by_level_domain_and_module(memory: Memory, tree: dict[str, str]) -> None:
    assert [row["id"] for row in memory.list(level=1)] == [tree["auth"], tree["pay"]]
    assert [row["id"] for row in memory.list(level=1, domain="auth")] == [tree["auth"]]
    assert [row["id"] for row in memory.list(module="tokens")] == [tree["tokens"]]


def test_a_promoted_fact_has_another_level_and_keeps_its_words_and_history(
    memory: Memory, tree: dict[str, str], clock: TestClock
) -> None:
    before = format_time(clock.now)
    clock.advance(days=1)
    receipt = memory.facts.promote(tree["tokens"], 1)
    assert (receipt.status, receipt.reason) == ("added", "promoted from level 2 to 1")
    assert memory.show(tree["tokens"]).version.level == 1
    assert memory.show(tree["tokens"]).version.text == "Tokens live an hour"
    assert memory.show(tree["tokens"], known_at=before).version.level == 2
    assert [version.level for version in memory.history(tree["tokens"]).versions] == [2, 1]
    assert memory.facts.promote(tree["tokens"], 1).status == "duplicate"
    assert memory.facts.promote(tree["tokens"], 3).reason == "demoted from level 1 to 3"
    assert [entry.action for entry in memory.admin.audit(tree["tokens"])][:2] == ["promote", "promote"]


def test_a_fact_moves_to_another_parent_and_stands_where_it_stood_in_the_past(
    memory: Memory, tree: dict[str, str], clock: TestClock
) -> None:
    before = format_time(clock.now)
    clock.advance(days=1)
    memory.facts.promote(tree["tokens"], parent=tree["pay"], domain="pay")
    assert shape(memory, tree["pay"]) == [(0, "Payment goes through Stripe"), (1, "Tokens live an hour")]
    assert shape(memory, tree["auth"]) == [(0, "Login uses OAuth")]
    assert shape(memory, tree["auth"], known_at=before) == [(0, "Login uses OAuth"), (1, "Tokens live an hour")]
    assert shape(memory, tree["pay"], known_at=before) == [(0, "Payment goes through Stripe")]
    memory.facts.promote(tree["tokens"], parent="")
    assert shape(memory, tree["pay"]) == [(0, "Payment goes through Stripe")]
    assert memory.show(tree["tokens"]).version.domain == "pay"


def test_nothing_stands_under_itself_or_under_what_is_more_special(memory: Memory, tree: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="under itself"):
        memory.facts.promote(tree["auth"], 2, parent=tree["tokens"])
    with pytest.raises(InvalidInput, match="under itself"):
        memory.facts.promote(tree["auth"], parent=tree["auth"])
    with pytest.raises(InvalidInput, match="Level 0 cannot stand under level 1"):
        memory.facts.promote(tree["project"], parent=tree["pay"])
    with pytest.raises(InvalidInput, match=f"{tree['auth']} stands under it on level 1"):
        memory.facts.promote(tree["project"], 2)
    assert memory.remember("All of it", level=0, parent=tree["auth"]).status == "refused"
    with pytest.raises(NotFound, match="to put it under"):
        memory.remember("Lost", parent="0" * 26)
    with pytest.raises(NotFound):
        memory.facts.promote(tree["pay"], parent="0" * 26)
    with pytest.raises(InvalidInput, match="Nothing says"):
        memory.facts.promote(tree["pay"])
    assert shape(memory, tree["project"])[0] == (0, "Shop sells tea")


def test_entries_of_the_journal_have_no_level(memory: Memory) -> None:
    note = remembered(memory, "We met on Monday", kind="note")
    with pytest.raises(InvalidInput, match="no level"):
        memory.facts.promote(note, 1)


def test_a_retracted_child_is_gone_from_the_subtree_and_a_retracted_parent_leaves_its_children(
    memory: Memory, tree: dict[str, str]
) -> None:
    memory.retract(tree["tokens"])
    assert shape(memory, tree["auth"]) == [(0, "Login uses OAuth")]
    memory.retract(tree["auth"])
    assert memory.recall("OAuth").hits == () or all(hit.id != tree["auth"] for hit in memory.recall("OAuth"))
    assert [text for _, text in shape(memory, tree["project"])] == ["Shop sells tea", "Payment goes through Stripe"]


def test_a_forgotten_parent_leaves_no_edge(memory: Memory, tree: dict[str, str]) -> None:
    memory.forget(tree["auth"])
    assert memory.show(tree["tokens"]).version.text == "Tokens live an hour"
    assert memory.facts.promote(tree["tokens"], 1).status == "added"


def test_a_fact_about_code_says_so_when_it_names_none(memory: Memory) -> None:
    receipt = memory.remember("The retry loop backs off", level=3)
    assert any("Level 3 is about code" in notice for notice in receipt.notices)
    (memory.code.root / "retry.py").write_text("def retry():\n    return 1\n")
    tied = memory.remember("The retry function backs off", level=3, refs=["retry.py#retry"])
    assert tied.links == ("retry.py#L1-L2",)
    assert not tied.notices


def test_an_export_and_import_keep_the_tree(memory: Memory, tree: dict[str, str], open_memory: OpenMemory) -> None:
    file = memory.admin.export().path
    other = open_memory("other")
    assert all(receipt.status == "added" for receipt in other.admin.import_file(file))
    assert shape(other, tree["project"]) == shape(memory, tree["project"])
