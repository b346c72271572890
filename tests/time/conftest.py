"""Memories without models: whether two texts are the same is judged by their words alone, as the naive model does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost.memory import Memory

FreshMemory = Callable[[TestClock], Memory]


@pytest.fixture
def fresh_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FreshMemory:
    """Each call opens the memory of another, empty project."""
    models = tmp_path / "models"
    models.mkdir()
    monkeypatch.setenv("WAYPOST_MODELS", str(models))

    def make(clock: TestClock) -> Memory:
        project = tmp_path / f"project-{len(list(tmp_path.glob('project-*')))}"
        project.mkdir()
        return Memory.open(project, clock=clock)

    return make


@pytest.fixture
def memory(fresh_memory: FreshMemory, clock: TestClock) -> Memory:
    return fresh_memory(clock)
