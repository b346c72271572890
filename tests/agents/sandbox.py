"""A home directory with a project, its memory and one agent, in an empty environment and without network."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents.packages import RealAgent, install, modules_folder, node_folder
from tests.agents.scripted_model import ModelRequest, ScriptedModel

from waypost.faces.setup.agents import agent_of

_SECONDS = 120.0  # for one run of an agent
_PATIENCE = 600.0  # for a command of ours: an index takes long on a busy machine
_QUIET = 60.0  # seconds for background work to end
_BIN = Path(sys.executable).parent

# Stands in for `waypost-hook`: the same, with input, output and time kept.
_RECORDING_HOOK = """#!/bin/sh
id=$(date +%s%N)-$$
cat > "{folder}/$id.in"
s=$(date +%s%N)
"{hook}" "$@" < "{folder}/$id.in" > "{folder}/$id.out"
e=$(date +%s%N)
echo "$1 $(( (e - s) / 1000000 ))" > "{folder}/$id.ran"
cat "{folder}/$id.out"
"""

_PROJECT = {
    "sessions.py": '''"""Sessions of the shop."""


def sign(cookie: str, key: str) -> str:
    """Sign a cookie."""
    return f"{cookie}.{hash((cookie, key))}"


def open_session(cookie: str) -> dict[str, str]:
    """The session behind a signed cookie."""
    return {"cookie": cookie}
''',
    "prices.py": '''"""Prices of the shop."""


def total(prices: list[int]) -> int:
    """The sum in cents."""
    return sum(prices)
''',
    "README.md": "# shop\n\nA shop with sessions and prices.\n",
}

MEMORIES: tuple[dict[str, Any], ...] = (
    {"text": "Session cookies stay signed with itsdangerous; never switch to JWT.", "refs": ["sessions.py#sign"]},
    {"text": "Prices are integers in cents; floats lost money in March.", "refs": ["prices.py#total"]},
    {"text": "Releases are cut on Tuesdays by David from the stable branch."},
    {"text": "The staging server is staging.example.internal."},
    {"text": "Without -p auto, tox takes nine minutes."},
)


RULE = "Never edit CHANGES.rst by hand."  # of a person

_STATE_A_RULE = """
import sys
from waypost import Memory
from waypost.model.memory import Caller
Memory.open(".", caller=Caller("person", "david")).remember(sys.argv[1], level=0)
"""


@dataclass(frozen=True)
class HookRun:
    event: str
    milliseconds: int
    given: dict[str, Any]
    answer: str


@dataclass(frozen=True)
class AgentRun:
    """One run of an agent: what the model got, the hooks that ran, and what the agent printed."""

    requests: tuple[ModelRequest, ...]
    hooks: tuple[HookRun, ...]
    output: str


class Sandbox:
    """One home directory. `folder` must be empty or missing."""

    def __init__(self, folder: Path, agent: RealAgent, model: ScriptedModel) -> None:
        self.agent = agent
        self.model = model
        self.home = folder / "home"
        self.project = self.home / "shop"
        self._hooks = folder / "hooks"
        self._bin = folder / "bin"
        self._program = install(agent)
        self._path = f"{self._bin}:{_BIN}:{node_folder(agent.node)}:/usr/bin:/bin"
        for made in (self.project, self._hooks, self._bin):
            made.mkdir(parents=True, exist_ok=True)

    # -- preparation ----------------------------------------------------------------------------------------

    def seed(self) -> None:
        """A small repository with an index and memories."""
        for name, content in _PROJECT.items():
            (self.project / name).write_text(content, "utf-8")
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Open the shop"]):
            subprocess.run(
                ["git", "-c", "user.name=David", "-c", "user.email=david@example.com", *command],
                cwd=self.project,
                env=self.environment(),
                check=True,
            )
        self.waypost("init")
        batch = self.home / "memories.jsonl"
        batch.write_text("".join(json.dumps(memory) + "\n" for memory in MEMORIES), "utf-8")
        self.waypost("remember", "--batch", str(batch))
        command = [sys.executable, "-c", _STATE_A_RULE, RULE]
        subprocess.run(command, cwd=self.project, env=self.environment(), timeout=_PATIENCE, check=True)

    def set_up(self) -> None:
        """Write the agent's own settings, then run `waypost setup` and let hooks be recorded."""
        self.write_files()
        self.connect()
        self._record_hooks()

    def connect(self, *options: str) -> None:
        """Run `waypost setup`. An agent that no hook briefs gets a block in AGENTS.md too."""
        if not self.agent.setup:
            return
        self.waypost("setup", self.agent.setup, *(options or ("--allow-reads",)))
        if agent_of(self.agent.setup).needs_file:
            self.waypost("setup", "agents-md", *options)

    @property
    def hooked(self) -> bool:
        return bool(self.agent.setup) and agent_of(self.agent.setup).is_briefed

    @property
    def keeps(self) -> bool:
        """Whether hooks keep what was said."""
        hooks = agent_of(self.agent.setup).hooks if self.agent.setup else None
        return hooks is not None and "turn-end" in hooks.events.values()

    def write_files(self) -> None:
        for name, content in self.agent.files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.format(port=self.model.port, waypost=_BIN / "waypost").lstrip(), "utf-8")

        for name, package in self.agent.modules.items():  # as if the agent had been started with a network before
            shutil.copytree(modules_folder(package), self.home / name, symlinks=True, dirs_exist_ok=True)

    def _record_hooks(self) -> None:
        stand_in = self._bin / "recording-hook" / "waypost-hook"
        stand_in.parent.mkdir(exist_ok=True)
        stand_in.write_text(_RECORDING_HOOK.format(folder=self._hooks, hook=_BIN / "waypost-hook"), "utf-8")
        stand_in.chmod(0o755)
        for path in self.settings_files():
            content = path.read_text("utf-8", "surrogateescape")
            path.write_text(content.replace(f"{_BIN}/waypost-hook", str(stand_in)), "utf-8", "surrogateescape")

    def settings_files(self) -> Iterator[Path]:
        """Small files in the home directory outside of the project and of Waypost's data directory that name Waypost."""
        for folder, names, files in os.walk(self.home):
            names[:] = [name for name in names if name not in (".waypost", "shop", "node_modules")]
            for name in files:
                path = Path(folder, name)
                if path.is_file() and path.stat().st_size < 200_000 and b"waypost" in path.read_bytes():
                    yield path

    def environment(self) -> dict[str, str]:
        own = {name: value.format(port=self.model.port) for name, value in self.agent.environment.items()}
        return {
            "HOME": str(self.home),
            "PATH": self._path,
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "NO_PROXY": "127.0.0.1,localhost",
            "HTTPS_PROXY": "http://127.0.0.1:9",  # nobody listens: no network beyond loopback
            **own,
        }

    # -- running --------------------------------------------------------------------------------------------

    def waypost(self, *arguments: str) -> str:
        command = [str(_BIN / "waypost"), *arguments]
        done = subprocess.run(
            command,
            cwd=self.project,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        if done.returncode not in (0, 3):
            raise RuntimeError(f"waypost {' '.join(arguments)} failed: {done.stdout} {done.stderr}")
        return done.stdout

    def run(self, prompt: str, *, resumed: bool = False) -> AgentRun:
        """Run the agent with one prompt, and wait for what it started."""
        before, hooks = len(self.model.requests), set(self._hooks.iterdir())
        process = self.start(prompt, resumed=resumed)
        try:
            output, _ = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill(process)
            output, _ = process.communicate()
        self.wait_until_quiet()
        return AgentRun(tuple(self.model.requests[before:]), tuple(self.hook_runs(hooks)), output)

    def start(self, prompt: str, *, resumed: bool = False) -> "subprocess.Popen[str]":
        template = self.agent.run
        if resumed:
            template = self.agent.resume if "{prompt}" in self.agent.resume else [*self.agent.resume, *self.agent.run]
        words = [word.replace("{prompt}", prompt) for word in template]
        return subprocess.Popen(
            [str(self._program), *words],
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def kill(self, process: "subprocess.Popen[str]") -> None:
        """Kill an agent and all that it started with SIGKILL."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def wait_until_quiet(self) -> None:
        """Wait until no hook runs, and no session waits to be kept."""
        until = time.monotonic() + _QUIET
        while time.monotonic() < until:
            running = {path.stem for path in self._hooks.glob("*.in")} - {
                path.stem for path in self._hooks.glob("*.ran")
            }
            waiting = list((self.home / ".waypost" / "memory").glob("*/sessions/*.*"))
            if not running and not waiting:
                return
            time.sleep(0.1)

    def hook_runs(self, before: set[Path]) -> Iterator[HookRun]:
        for ran in sorted(path for path in self._hooks.glob("*.ran") if path not in before):
            event, milliseconds = ran.read_text("utf-8").split()
            given = json.loads(ran.with_suffix(".in").read_text("utf-8") or "{}")
            yield HookRun(event, int(milliseconds), given, ran.with_suffix(".out").read_text("utf-8"))

    def journal(self) -> list[dict[str, Any]]:
        """The messages of all sessions that were kept."""
        rows = [json.loads(line) for line in self.waypost("list", "--kind", "conversation", "--json").splitlines()]
        return [row for value in rows for row in (value if isinstance(value, list) else value.get("memories", [value]))]

    def copy_memory(self, other: "Sandbox") -> None:
        """Take over the project and memory of another sandbox."""
        shutil.copytree(other.home, self.home, symlinks=True, dirs_exist_ok=True)
