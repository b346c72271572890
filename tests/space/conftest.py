"""Real git repositories, made in an environment that knows nothing of the machine's own git settings."""

from pathlib import Path

import pytest
from tests.conftest import Git


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    """A repository with one commit and no remote."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root
