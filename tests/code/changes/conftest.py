"""A small repository that a test writes, and what its changes are read as."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.conftest import Git

from waypost.code.changes import RawFile, change_set, commits
from waypost.code.changes.compare import examine, told
from waypost.model.change import ADDED, MODIFIED, REMOVED, ChangeSet, FileChange


@dataclass(frozen=True)
class Repo:
    root: Path
    git: Git

    def write(self, files: dict[str, str | bytes | None]) -> None:
        """Files by their paths; None deletes one."""
        for name, content in files.items():
            path = self.root / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, message: str, files: dict[str, str | bytes | None]) -> str:
        self.write(files)
        self.git(self.root, "add", "-A")
        self.git(self.root, "commit", "-q", "--allow-empty", "-m", message)
        return self.git(self.root, "rev-parse", "HEAD")

    def last(self) -> ChangeSet:
        """What the last commit did."""
        return change_set(next(commits(self.root, "HEAD")))


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Repo:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return Repo(root, git)


Changed = Callable[[str, str | None, str | None], FileChange]


@pytest.fixture
def changed() -> Changed:
    """What a file of this name is read as when its text goes from one to the other."""

    def compare_texts(path: str, before: str | None, after: str | None) -> FileChange:
        change = ADDED if before is None else REMOVED if after is None else MODIFIED
        old = None if before is None else before.encode()
        new = None if after is None else after.encode()
        return told(examine(RawFile(path, change, "", old, new)))

    return compare_texts
