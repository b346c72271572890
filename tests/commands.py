"""Commands run in this process through the same entry as `waypost`, with real files and captured output."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

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


def run_command(capfd: pytest.CaptureFixture[str], *arguments: str) -> Done:
    capfd.readouterr()
    code = run(list(arguments))
    out, err = capfd.readouterr()
    return Done(code, out, err)
