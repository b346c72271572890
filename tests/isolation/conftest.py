"""Real git repositories, made in an environment that knows nothing of the machine's own git settings."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def git(monkeypatch: pytest.MonkeyPatch) -> Git:
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(folder: Path, *arguments: str) -> str:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Callable[..., Path]:
    """Make a repository with one commit and, if given, a remote."""

    def make(name: str, origin: str | None = None) -> Path:
        root = tmp_path / "work" / name
        root.mkdir(parents=True)
        git(root, "init", "-q", "-b", "main")
        (root / "app.py").write_text("x = 1\n")
        git(root, "add", "app.py")
        git(root, "commit", "-q", "-m", "first")
        if origin is not None:
            git(root, "remote", "add", "origin", origin)
        return root

    return make
