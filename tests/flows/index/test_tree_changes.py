"""A question about code is answered from the files as they are now, whatever has changed them."""

import subprocess
from pathlib import Path

import pytest

from waypost.flows.index import tree_changes
from waypost.memory import Memory


def git(tree: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", "-C", str(tree), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(indexed: Memory, tree: Path) -> Path:
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "Begin")
    return tree


def names(memory: Memory, name: str) -> list[str]:
    return [symbol.path for symbol in memory.code.symbols(name).symbols]


def callers(memory: Memory, name: str) -> list[str]:
    return [row.symbol for row in memory.code.uses(name).rows]


def test_a_question_on_another_branch_loses_no_file(repository: Path, indexed: Memory) -> None:
    git(repository, "checkout", "-qb", "other")
    git(repository, "rm", "-q", "shop/storage.py")
    git(repository, "commit", "-qm", "Remove")
    assert names(indexed, "find_user") == []
    git(repository, "checkout", "-q", "main")
    assert names(indexed, "find_user") == ["shop/storage.py"]
    assert callers(indexed, "find_user") == ["check_password"]


def test_a_move_that_is_reset_loses_no_file(repository: Path, indexed: Memory) -> None:
    git(repository, "mv", "shop/storage.py", "shop/customers.py")
    assert names(indexed, "find_user") == ["shop/customers.py"]
    git(repository, "reset", "-q", "--hard")
    assert names(indexed, "find_user") == ["shop/storage.py"]


def test_what_was_indexed_between_two_questions_is_compared_too(repository: Path, indexed: Memory) -> None:
    assert names(indexed, "find_user")
    storage = repository / "shop/storage.py"
    storage.write_text("def found_elsewhere(): ...\n", encoding="utf-8")
    indexed.code.update(["shop/storage.py"])  # as a hook does
    git(repository, "checkout", "-q", "--", "shop/storage.py")
    assert names(indexed, "found_elsewhere") == []
    assert names(indexed, "find_user") == ["shop/storage.py"]


@pytest.mark.parametrize("has_git", [True, False])
def test_a_new_function_and_a_new_call_are_found_by_their_names(has_git: bool, tree: Path, indexed: Memory) -> None:
    if has_git:
        git(tree, "init", "-q")
    assert names(indexed, "find_user")
    auth = tree / "shop/auth.py"
    auth.write_text(auth.read_text(encoding="utf-8") + "\n\ndef reset_password(name):\n    find_user(name)\n")
    assert names(indexed, "reset_password") == ["shop/auth.py"]
    assert callers(indexed, "find_user") == ["check_password", "reset_password"]


@pytest.mark.parametrize("has_git", [True, False])
def test_a_new_file_is_found_and_its_calls_count(has_git: bool, tree: Path, indexed: Memory) -> None:
    if has_git:
        git(tree, "init", "-q")
    assert names(indexed, "find_user")
    (tree / "shop/refunds.py").write_text(
        "from shop.storage import find_user\n\n\ndef refund_customer(name):\n    find_user(name)\n"
    )
    assert "refund_customer" in callers(indexed, "find_user")
    assert names(indexed, "refund_customer") == ["shop/refunds.py"]


def test_a_staged_new_file_has_changed(repository: Path, indexed: Memory) -> None:
    (repository / "shop/refunds.py").write_text("def refund_customer(): ...\n", encoding="utf-8")
    git(repository, "add", "-A")
    assert [symbol.qualified for symbol in indexed.code.impact(staged=True).symbols] == ["refund_customer"]


def test_a_question_in_plain_language_finds_a_new_file(repository: Path, indexed: Memory) -> None:
    (repository / "shop/refunds.py").write_text('def refund_customer():\n    """Give the money back."""\n')
    assert indexed.recall("where do we give the money back?", k=1)[0].path == "shop/refunds.py"


def test_many_changed_files_are_left_to_the_worker_and_named(
    repository: Path, indexed: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_changes, "MOST_INDEXED", 2)
    for number in range(3):
        (repository / f"shop/part{number}.py").write_text(f"def part_{number}(): ...\n", encoding="utf-8")
    notices = indexed.code.symbols("part_1").notices
    assert any("files have changed and are being indexed in the background" in notice for notice in notices), notices


def test_a_file_that_is_never_indexed_is_read_once(
    repository: Path, indexed: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    names(indexed, "find_user")
    tree_changes._looks.clear()
    monkeypatch.setattr(tree_changes, "index_now", lambda _, paths: pytest.fail(str(paths)) if paths else False)
    assert names(indexed, "find_user")


def test_a_process_looks_again_only_after_a_while_or_a_change(
    repository: Path, indexed: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    names(indexed, "find_user")
    monkeypatch.setattr(tree_changes, "_WORTH", 1e6)
    looks = list[str]()

    def look(_: Path, earlier: str, commit: str) -> frozenset[str]:
        looks.append(commit)
        return frozenset()

    monkeypatch.setattr(tree_changes, "touched_since", look)
    for _ in range(10):
        names(indexed, "find_user")
    assert not looks
    (repository / "shop/new.py").write_text("x = 1\n", encoding="utf-8")
    names(indexed, "find_user")
    assert looks
