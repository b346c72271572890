"""Other processes that use the same memory, and what must be true of a space whatever happened to them."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.durability.fork_server import Forked

ROOT = Path(__file__).parents[2]


def answers_of(module: str, **asked: object) -> list[dict[str, Any]]:
    """What `main` of a module answers in a process of its own: it is asked in JSON, and prints JSON lines."""
    process = Forked([json.dumps(asked)], environment(), module)
    out, errors = process.communicate()
    assert (errors, process.returncode) == ("", 0), errors
    return [json.loads(line) for line in out.splitlines()]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}


class Actor:
    """A process in one of the roles of `actors.py`."""

    def __init__(self, role: str, project: Path, *arguments: object) -> None:
        self._process = Forked([role, str(project), *map(str, arguments)], environment())

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_ready(self) -> None:
        assert self.hear() == {"ready": True}

    def tell(self, line: str = "") -> None:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        assert line, self._process.communicate()[1]
        message: dict[str, Any] = json.loads(line)
        return message

    def start(self, call: str, **arguments: object) -> None:
        self.tell(json.dumps({"call": call, "with": arguments}))

    def answer(self) -> Any:
        return self.hear()["answer"]

    def ask(self, call: str, **arguments: object) -> Any:
        self.start(call, **arguments)
        return self.answer()

    def hear_all(self) -> list[dict[str, Any]]:
        """Everything up to the message that it has finished; anything on its standard error is a failure."""
        out, errors = self._process.communicate()
        assert errors == ""
        assert self._process.returncode == 0
        messages = [json.loads(line) for line in out.splitlines()]
        assert messages[-1]["finished"]
        return messages

    def close(self) -> None:
        """Let a server end by itself."""
        _, errors = self._process.communicate()
        assert (errors, self._process.returncode) == ("", 0)

    def end(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


Cast = Callable[..., Actor]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "project"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines are away, in this process and in all that it starts: writes are fast, vectors are owed."""
    empty = tmp_path / "models"
    empty.mkdir()
    monkeypatch.setenv("WAYPOST_MODELS", str(empty))


@pytest.fixture
def cast() -> Iterator[Cast]:
    """Start actors; none of them outlives the test."""
    started: list[Actor] = []

    def start(role: str, project: Path, *arguments: object) -> Actor:
        started.append(Actor(role, project, *arguments))
        return started[-1]

    yield start
    for actor in started:
        actor.end()
