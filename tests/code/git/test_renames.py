"""Where files went, along the renames in a history."""

from pathlib import Path

import pytest
from tests.conftest import Git

from waypost.code.git.command import GitCheckout
from waypost.code.git.renames import earlier_paths, later_paths

TEXT = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def commits(root: Path, git: Git) -> list[str]:
    """A file that is renamed twice."""

    def commit(message: str) -> str:
        git(root, "add", "-A")
        git(root, "commit", "-qm", message)
        return git(root, "rev-parse", "HEAD")

    git(root, "init", "-q", "-b", "main")
    (root / "a.py").write_text(TEXT)
    made = [commit("start")]
    for old, new in (("a.py", "b.py"), ("b.py", "c.py")):
        git(root, "mv", old, new)
        made.append(commit(f"{old} to {new}"))
    return made


def test_later_paths_are_those_since_the_commit(root: Path, commits: list[str]) -> None:
    assert later_paths(root, ["a.py"], [commits[0]]) == {"a.py": ("c.py", "b.py")}
    assert later_paths(root, ["a.py"], [commits[1]]) == {}
    assert later_paths(root, ["a.py", "b.py"], commits[:2]) == {"a.py": ("c.py", "b.py"), "b.py": ("c.py",)}


@pytest.mark.parametrize("since", [[], [""], ["1" * 40], ["--all"]])
def test_without_a_commit_that_git_has_the_whole_history_is_searched(
    root: Path, commits: list[str], since: list[str]
) -> None:
    assert later_paths(root, ["a.py"], since) == {"a.py": ("c.py", "b.py")}


def test_earlier_paths_are_those_that_the_current_commit_may_have(root: Path, git: Git, commits: list[str]) -> None:
    assert earlier_paths(root, commits[2], ["c.py"]) == {}
    git(root, "checkout", "-q", commits[0])
    assert earlier_paths(root, commits[2], ["c.py"]) == {"c.py": ("a.py", "b.py")}


def test_only_commits_between_the_two_are_read(root: Path, commits: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A long history before the pin costs nothing."""
    ranges: list[str] = []

    def ask(checkout: GitCheckout, *arguments: str, **options: object) -> bytes | None:
        ranges.extend(argument for argument in arguments if "HEAD" in argument and arguments[0] == "log")
        return real_ask(checkout, *arguments, **options)  # type: ignore[arg-type]

    real_ask = GitCheckout.ask
    monkeypatch.setattr(GitCheckout, "ask", ask)
    later_paths(root, ["a.py"], [commits[1], commits[0]])
    earlier_paths(root, commits[1], ["b.py"])
    assert set(ranges) == {f"{commits[0]}..HEAD", f"HEAD..{commits[1]}"}
