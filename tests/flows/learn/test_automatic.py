"""Learning after commits: late hooks, other branches, excluded files, vanished evidence."""

from datetime import timedelta

import pytest
from tests.conftest import Git, TestClock

from waypost import Memory
from waypost.flows.index.track import git_changed
from waypost.flows.learn.automatic import learn_pending, learn_saved

pytestmark = pytest.mark.slow  # not for the inner loop


def waiting(memory: Memory) -> list[str]:
    return [candidate.text for _, candidate in memory.facts.review().candidates]


@pytest.fixture
def shop(memory: Memory, git: Git) -> Memory:
    git(memory.code.root, "init", "-q", "-b", "main")
    need(memory, git, "flask")
    return memory


def need(memory: Memory, git: Git, *names: str) -> None:
    listed = ", ".join(f'"{name}>=1"' for name in names)
    (memory.code.root / "pyproject.toml").write_text(f'[project]\nname = "shop"\ndependencies = [{listed}]\n')
    git(memory.code.root, "add", "-A")
    git(memory.code.root, "commit", "-q", "-m", f"Need {names[-1]}")


def known_words(memory: Memory) -> str:
    return "\n".join([*(row["text"] for row in memory.list()), *waiting(memory)])


@pytest.mark.parametrize("indexed", [False, True])
def test_every_commit_is_learned_from_however_late_the_worker_comes(shop: Memory, git: Git, indexed: bool) -> None:
    if indexed:
        shop.index()
    git_changed(shop.space)
    learn_pending(shop.space)
    need(shop, git, "flask", "httpx")
    git_changed(shop.space)
    need(shop, git, "flask", "httpx", "pydantic")
    git_changed(shop.space)
    learn_pending(shop.space)
    assert "httpx" in known_words(shop)
    assert "pydantic" in known_words(shop)


def test_a_commit_is_learned_from_though_the_index_met_it_before_the_hook(shop: Memory, git: Git) -> None:
    shop.index()
    git_changed(shop.space)
    learn_pending(shop.space)
    need(shop, git, "flask", "httpx")
    shop.index()
    git_changed(shop.space)
    learn_pending(shop.space)
    assert "httpx" in known_words(shop)


@pytest.mark.parametrize("indexed", [False, True])
def test_what_another_branch_holds_is_no_news_where_it_is_checked_out(shop: Memory, git: Git, indexed: bool) -> None:
    if indexed:
        shop.index()
    git(shop.code.root, "checkout", "-q", "-b", "other")
    need(shop, git, "flask", "zqother")
    git(shop.code.root, "checkout", "-q", "main")
    need(shop, git, "flask", "httpx")
    git_changed(shop.space)
    learn_pending(shop.space)
    git(shop.code.root, "checkout", "-q", "other")
    git_changed(shop.space)
    learn_pending(shop.space)
    assert "zqother" not in known_words(shop)
    assert "httpx" in known_words(shop)


@pytest.mark.parametrize("how", ["ignore file", "exclude"])
def test_nothing_is_learned_from_what_is_kept_out_of_the_tree(shop: Memory, git: Git, how: str) -> None:
    if how == "ignore file":
        (shop.code.root / ".waypostignore").write_text("private/\n")
    else:
        shop.index(exclude=["private/**"])
    for folder in ("private", "shop"):
        (shop.code.root / folder).mkdir()
        (shop.code.root / folder / f"{folder}_margin.py").write_text(
            f'"""Computes the {folder} margin of every order for the owners."""\n\n\n'
            'def margin(order, rate=0.2):\n    """The margin of an order."""\n    return order * rate\n'
        )
    shop.facts.learn()
    shop.facts.learn(file="private/private_margin.py")
    learn_saved(shop.space, ["private/private_margin.py"])
    git(shop.code.root, "add", "-A")
    git(shop.code.root, "commit", "-q", "-m", "Compute the margin of orders")
    shop.facts.learn(diff="HEAD~1")
    git(shop.code.root, "mv", "private/private_margin.py", "private/private_margins.py")
    git(shop.code.root, "commit", "-q", "-m", "Name the private margin better")
    shop.facts.learn(diff="HEAD~2")
    assert "shop_margin" in known_words(shop)
    assert "private" not in known_words(shop)


def test_what_a_project_does_not_say_of_itself_any_more_is_no_fact(shop: Memory, clock: TestClock) -> None:
    (shop.code.root / "Makefile").write_text("test:\n\tpytest -q\n")
    shop.facts.discover()
    assert "make test" in known_words(shop)
    clock.advance(days=1)
    (shop.code.root / "Makefile").unlink()
    shop.facts.discover()
    assert "make test" not in known_words(shop)
    assert any("make test" in row["text"] for row in shop.list(as_of=clock.now - timedelta(hours=1)))
    clock.advance(days=1)
    (shop.code.root / "Makefile").write_text("test:\n\tpytest -q\n")
    shop.facts.discover()
    assert "make test" in known_words(shop)
