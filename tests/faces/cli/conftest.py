"""Commands in the folder of a project."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.commands import Done, run_command

from waypost.embed.fake import FakeEngine

Waypost = Callable[..., Done]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "work" / "project"
    directory.mkdir(parents=True)
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def waypost(project: Path, capfd: pytest.CaptureFixture[str], fake_engine: FakeEngine) -> Waypost:
    def call(*arguments: str) -> Done:
        return run_command(capfd, *arguments)

    return call
