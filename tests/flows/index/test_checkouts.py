"""Two worktrees of one repository: one memory, two trees."""

from pathlib import Path

import pytest

from waypost.embed.fake import FakeEngine
from waypost.memory import Memory


def names(memory: Memory) -> set[str]:
    return {row["name"] for row in memory.list(kind="symbol", limit=1000)}


@pytest.mark.slow
def test_each_worktree_answers_from_its_own_tree_and_embeds_only_what_differs(
    tree: Path, memory: Memory, fake_engine: FakeEngine, git: object, tmp_path: Path
) -> None:
    run = git
    assert callable(run)
    run(tree, "init", "-q")
    run(tree, "add", "-A")
    run(tree, "commit", "-qm", "first")
    other = tmp_path / "other"
    run(tree, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "shop/auth.py").write_text('def check_token(token: str) -> bool:\n    """Whether a token is good."""\n')
    main, feature = Memory.open(tree, clock=memory.space.clock), Memory.open(other, clock=memory.space.clock)
    assert main.identity.space_id == feature.identity.space_id
    main.index()
    fake_engine.calls = []
    feature.index()
    assert sum(len(texts) for texts in fake_engine.calls) <= 3  # the new function, its file, nothing else
    assert "check_password" in names(main)
    assert "check_token" not in names(main)
    assert {"check_token", "find_user"} <= names(feature)
    assert "check_password" not in names(feature)
    assert {hit.name for hit in feature.recall("check", scope="functions", k=20)}.isdisjoint({"check_password"})
    fact = main.remember("Tokens live for an hour.")
    assert fact.id in {hit.id for hit in feature.recall("how long do tokens live?")}


@pytest.mark.slow
def test_what_one_worktree_drops_stays_in_the_other(tree: Path, memory: Memory, git: object, tmp_path: Path) -> None:
    run = git
    assert callable(run)
    run(tree, "init", "-q")
    run(tree, "add", "-A")
    run(tree, "commit", "-qm", "first")
    other = tmp_path / "other"
    run(tree, "worktree", "add", "-q", "-b", "feature", str(other))
    main, feature = Memory.open(tree, clock=memory.space.clock), Memory.open(other, clock=memory.space.clock)
    main.index()
    feature.index()
    (other / "shop/storage.py").unlink()
    feature.index()
    assert "find_user" not in names(feature)
    hit = main.recall("look a customer up by name", scope="functions", k=1)[0]
    assert (hit.name, hit.path) == ("find_user", "shop/storage.py")
    assert "meaning" in hit.why or hit.score > 0  # its vector is still there
    assert main.status()["pending"] == {"minilm-l6-v2": 0}
