"""Random texts in the JSON that agents write, and machines on which agents have been used before."""

import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from waypost.faces.setup.agent_folders import SetupSystem
from waypost.faces.setup.agents import agent_of
from waypost.faces.setup.install import install
from waypost.faces.setup.report import SetupReport
from waypost.faces.setup.uninstall import uninstall
from waypost.system.config_file import Scope

KEYS = ["mcpServers", "hooks", "waypost", "other", "a", "", 'qu"ote', "ключ", "SessionStart"]
SCALARS = [None, True, False, 0, -7, 2.5, "", "x", "//", "/*", ",", "\u2028", 'say "so"', "\\", "\t"]


class Spelled:
    """A value by chance, and one of the many ways to write it: comments anywhere, trailing commas, any space."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.newline = self.chance.choice(["\n", "\r\n"])
        self.dense = self.chance.random() < 0.3
        self.value = self._object(0)
        mark = self.chance.choice(["", "", "\ufeff"])
        self.text = f"{mark}{self._gap()}{self._write(self.value)}{self._gap()}"

    def _object(self, depth: int) -> dict[str, Any]:
        return {key: self._any(depth + 1) for key in self.chance.sample(KEYS, self.chance.randrange(5))}

    def _any(self, depth: int) -> Any:
        sort = self.chance.randrange(4 if depth < 4 else 2)
        if sort < 2:
            return self.chance.choice(SCALARS)
        return self._object(depth) if sort == 2 else [self._any(depth + 1) for _ in range(self.chance.randrange(4))]

    def _gap(self) -> str:
        line = self.newline
        gaps = ["", " ", line, line + "\t", f" // it{line}", "/* so */", f"/* so{line} */ ", f'{line}  // {{ , "{line}']
        return "" if self.dense else self.chance.choice(gaps)

    def _write(self, one: Any) -> str:
        if isinstance(one, dict):
            return (
                "{" + self._closed([f"{self._name(key)}{self._gap()}{self._write(v)}" for key, v in one.items()]) + "}"
            )
        if isinstance(one, list):
            return "[" + self._closed([self._write(item) for item in one]) + "]"
        return json.dumps(one, ensure_ascii=self.chance.random() < 0.5)

    def _name(self, key: str) -> str:
        return f"{json.dumps(key, ensure_ascii=False)}{self._gap()}:"

    def _closed(self, rows: list[str]) -> str:
        spaced = ",".join(f"{self._gap()}{row}{self._gap()}" for row in rows)
        return (spaced + self.chance.choice(["", f",{self._gap()}"])) if rows else self._gap()


@pytest.fixture(scope="session")
def spelled() -> type[Spelled]:
    return Spelled


SAMPLES = Path(__file__).parent / "samples"
Tree = dict[str, tuple[bytes, int] | None]  # a folder is None


@dataclass
class Machine:
    """A home and a project, with nothing of the real ones in them."""

    system: SetupSystem
    project: Path

    @property
    def home(self) -> Path:
        return self.system.home

    def root(self, scope: Scope) -> Path:
        return self.home if scope == "user" else self.project

    def install(self, agent: str, scope: Scope = "user", **options: Any) -> SetupReport:
        return install(agent_of(agent), self.system, scope, self.project, **options)

    def uninstall(self, agent: str, scope: Scope = "user", **options: Any) -> SetupReport:
        return uninstall(agent_of(agent), self.system, scope, self.project, **options)

    def lay_out(self, agent: str, scope: Scope, change: Callable[[bytes], bytes] = bytes) -> None:
        """The sample configuration of somebody who has used this agent for a while."""
        for name, content in sample(agent):
            if name.startswith(f"{scope}/"):
                path = self.root(scope) / name.removeprefix(f"{scope}/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(change(content))

    def tree(self) -> Tree:
        """Every folder and file of both, with content and mode."""
        found: Tree = {}
        for root in (self.home, self.project):
            for path in root.rglob("*"):
                plain = path.is_file()
                found[str(path)] = (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) if plain else None
        return found


def sample(agent: str) -> Iterator[tuple[str, bytes]]:
    for part in (SAMPLES / f"{agent}.txt").read_bytes().split(b"=== ")[1:]:
        name, _, content = part.partition(b"\n")
        yield name.decode(), content


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home, project = tmp_path / "me", tmp_path / "shop"
    home.mkdir()
    project.mkdir()
    programs = ("/opt/way/bin/waypost", "/opt/way/bin/waypost-hook")
    state = tmp_path / "state"
    system = SetupSystem("linux", home, {}, lambda _: None, state, *programs, read_tools=("recall", "brief"))
    return Machine(system, project)
