"""Commands run in this process through the same entry as `waypost`, with real files and captured output."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from waypost.embed.fake import FakeEngine
from waypost.faces.cli.entry import run


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


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
        capfd.readouterr()
        code = run(list(arguments))
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return call
