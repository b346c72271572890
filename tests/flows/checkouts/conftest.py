"""Real repositories: one that is known, and others that claim to be the same."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.commands import Done, run_command
from tests.conftest import Git, TestClock

from waypost.embed.fake import FakeEngine
from waypost.memory import Memory
from waypost.memory.spaces import open_spaces

ORIGIN = "https://git.example.org/team/shop.git"
FACT = "The shop keeps its orders in Postgres sixteen."


Waypost = Callable[..., Done]


@pytest.fixture
def waypost(capfd: pytest.CaptureFixture[str], fake_engine: FakeEngine) -> Waypost:
    """Run a command in a folder, as a process of its own would: nothing is open yet."""

    def call(folder: Path, *arguments: str) -> Done:
        open_spaces.drop_all()
        return run_command(capfd, "-C", str(folder), *arguments)

    return call


Repository = Callable[..., Path]


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Repositories to copy: making one starts git many times."""
    return tmp_path_factory.mktemp("repositories")


@pytest.fixture
def repository(tmp_path: Path, git: Git, templates: Path) -> Repository:
    """A repository with commits of its own, and with this `origin`."""

    def make(name: str, origin: str | None = None, commits: int = 1) -> Path:
        template = templates / f"{name}-{commits}"
        if not template.exists():
            _make_repository(template, git, name, commits)
        root = tmp_path / "work" / name
        shutil.copytree(template, root, symlinks=True)
        if origin is not None:
            git(root, "remote", "add", "origin", origin)
        return root

    return make


def _make_repository(root: Path, git: Git, name: str, commits: int) -> None:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for number in range(commits):
        (root / f"{name}{number}.txt").write_text(f"{name} {number}\n")
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", f"{name} {number}")


Clone = Callable[..., Path]


@pytest.fixture
def clone(tmp_path: Path, git: Git) -> Clone:
    """A clone of a repository with this `origin`, as if it had been fetched from there."""

    def make(source: Path, name: str, origin: str = ORIGIN, *options: str) -> Path:
        git(tmp_path / "work", "clone", "-q", *options, f"file://{source}", name)
        git(tmp_path / "work" / name, "remote", "set-url", "origin", origin)
        return tmp_path / "work" / name

    return make


@pytest.fixture
def shop(repository: Repository, clock: TestClock, fake_engine: FakeEngine) -> Path:
    """A known checkout, of which something is remembered."""
    root = repository("shop", ORIGIN, 3)
    with Memory.open(root, clock=clock) as memory:
        memory.remember(FACT)
        memory.journal.add("We talked about orders in Postgres.")
    return root


def recalled(root: Path, question: str = "orders in Postgres") -> list[str]:
    open_spaces.drop_all()
    with Memory.open(root) as memory:
        return [hit.text for hit in memory.recall(question, k=10)]
