"""Real git repositories, made in an environment that knows nothing of the machine's own git settings."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Git


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Callable[..., Path]:
    """Make a repository with one commit and, if given, a remote."""

    def make(name: str, origin: str | None = None) -> Path:
        root = tmp_path / "work" / name
        root.mkdir(parents=True)
        git(root, "init", "-q", "-b", "main")
        (root / "app.py").write_text("x = 1\n")
        git(root, "add", "app.py")
        git(root, "commit", "-q", "-m", f"first of {name}")  # else two of the same second are one commit
        if origin is not None:
            git(root, "remote", "add", "origin", origin)
        return root

    return make
