"""The smart context of a task, from a real index."""

import os
from pathlib import Path

import pytest
from tests.conftest import TestClock
from tests.flows.conftest import write_file

from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.memory import Memory


def test_the_scope_of_a_task_shows_where_to_begin(indexed: Memory) -> None:
    briefing = indexed.brief("check a password and compare it with the stored hash", preset="scope")
    assert "shop/auth.py:6" in briefing.text
    assert "check_password(name, password) → bool" in briefing.text
    assert briefing.tokens <= 500
    assert briefing.memories[0].why.keys() == {"meaning", "keywords", "recency", "type"}
    assert briefing.confidence > 0.5


def test_a_task_about_nothing_here_gets_a_plain_sentence(indexed: Memory) -> None:
    briefing = indexed.brief("zzz qqq xxx", preset="scope")
    assert briefing.memories == ()
    assert "nothing strongly relevant" in briefing.text


def test_a_tree_without_an_index_gets_a_hint(memory: Memory) -> None:
    assert "waypost init" in memory.brief("anything", preset="scope").text


def test_the_same_task_is_answered_from_the_cache_until_a_file_changes(
    tree: Path, indexed: Memory, fake_engine: FakeEngine, clock: TestClock
) -> None:
    task = "check a password and compare it with the stored hash"
    fake_engine.calls = []

    def asked() -> int:
        return len(fake_engine.calls or ())

    first = indexed.brief(task, preset="scope")
    once = asked()
    assert indexed.brief(task, preset="scope") == first
    assert asked() == once
    path = tree / "shop/auth.py"
    path.write_text(path.read_text().replace("def check_password", "def check_password_again"))
    os.utime(path, ns=(0, 5_000_000_000))
    indexed.code.update(["shop/auth.py"])
    assert "check_password_again" in indexed.brief(task, preset="scope").text
    asked_before = asked()
    clock.advance(seconds=301)
    indexed.brief(task, preset="scope")
    assert asked() > asked_before


def test_a_table_is_as_recent_as_its_file_not_as_its_index(tree: Path, memory: Memory, clock: TestClock) -> None:
    path = tree / "schema.sql"
    path.write_text("CREATE TABLE customers (id INT PRIMARY KEY, email TEXT);\n")
    old = (clock.now.timestamp() - 400 * 86_400) * 1e9
    os.utime(path, ns=(int(old), int(old)))
    memory.index()
    hits = memory.brief("add a column to the customers table with email id", preset="scope").memories
    table = next(hit for hit in hits if hit.kind == "table")
    assert table.why["recency"] == 0.2


def test_a_past_moment_is_not_answered_from_the_cache(indexed: Memory, clock: TestClock) -> None:
    task = "check a password and compare it with the stored hash"
    assert indexed.brief(task, preset="scope").memories
    assert indexed.brief(task, preset="scope", known_at="2020-01-01").memories == ()


@pytest.mark.slow
def test_a_scope_briefing_shows_no_file_that_is_gone(empty_tree: Path, memory: Memory) -> None:
    write_file(empty_tree, "banana.py", 'def peel_banana():\n    """Peel the banana function."""\n    return 1\n')
    write_file(empty_tree, "apple.py", "def apple():\n    return 1\n")
    memory.index()
    assert "banana.py" in memory.brief("peel banana function", preset="scope").text
    (empty_tree / "banana.py").unlink()
    memory.close()  # nothing is cached by another process
    assert "banana.py" not in memory.brief("peel banana function", preset="scope").text


@pytest.mark.slow
def test_a_scope_briefing_knows_what_was_tracked(empty_tree: Path, memory: Memory) -> None:
    write_file(empty_tree, "apple.py", "def apple():\n    return 1\n")
    memory.index()
    write_file(empty_tree, "banana.py", 'def peel_banana():\n    """Peel the banana function."""\n    return 1\n')
    memory.code.track("banana.py", "create")
    assert "banana.py" in memory.brief("peel banana function", preset="scope").text


@pytest.mark.slow
@pytest.mark.parametrize("tokens", [0, -1])
def test_a_scope_budget_that_cannot_be_kept_is_refused(empty_tree: Path, memory: Memory, tokens: int) -> None:
    write_file(empty_tree, "banana.py", 'def peel_banana():\n    """Peel the banana function."""\n    return 1\n')
    memory.index()
    with pytest.raises(InvalidInput):
        memory.brief("peel banana function", tokens=tokens, preset="scope")


@pytest.mark.slow
def test_a_scope_budget_that_is_too_small_is_told(empty_tree: Path, memory: Memory) -> None:
    write_file(empty_tree, "banana.py", 'def peel_banana():\n    """Peel the banana function."""\n    return 1\n')
    memory.index()
    assert memory.brief("peel banana function", preset="scope").memories
    told = memory.brief("peel banana function", tokens=10, preset="scope").explanation
    assert "scored above" not in told
