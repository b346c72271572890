"""`waypost doctor --agent NAME`: start what set-up wrote as the agent does, and show what the agent gets."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from waypost.errors import WaypostError
from waypost.faces.setup.agent_folders import SetupSystem, config_path
from waypost.faces.setup.agents import Agent
from waypost.faces.setup.hook_command import HookCommand, hook_command
from waypost.faces.setup.install import sign_of
from waypost.faces.setup.part import ConfigPart, HookLines, ServerLine
from waypost.faces.setup.plan import present, targets
from waypost.faces.setup.record import Records
from waypost.faces.setup.server_session import try_server
from waypost.model.json_row import json_row
from waypost.system.config_file import AGENTS_FILE, ConfigFile, Scope, read_config, setup_record
from waypost.system.hook_log import log_size, notes_since
from waypost.text.marked_block import MEMORIES, UnpairedMarks, block_body, is_edited
from waypost.text.plural import counted

_SERVER_SECONDS = 20.0  # an agent grants 30 or more
_LIST_SECONDS = 90.0  # some agents start every server they know
_PROMPT = "What should I know about this project?"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_FAILED = re.compile(
    r"✗|✘|\b(?:fail|failed|error|disconnected|disabled|needs|timed out|not connected)\b", re.IGNORECASE
)
_UNTRUSTED = re.compile(r"\buntrusted\b|\bnot trusted\b", re.IGNORECASE)
_MOST_SHOWN = 4000
_SILENT = {  # why a hook that works has nothing to say
    "session-start": "nothing to add yet: no memory is a rule, decision, preference or open work; others come with prompts",
    "subagent-start": "nothing to add yet: no memory is a rule, decision, preference or open work",
    "prompt": "nothing to add: no memory matches the prompt that was tried",
    "pre-tool": "nothing to add: no memory is about the file that was tried",
    "post-tool": "nothing to add: no memory became stale, and no command failed",
}
_OWN_SESSION = ("pre-tool", "post-tool")  # tried as in a session that has seen nothing yet


@dataclass(frozen=True, slots=True)
class AgentCheck:
    """One thing that was tried. `output` is what the agent gets. A note is ok, and its remedy is optional."""

    check: str
    ok: bool
    message: str
    remedy: str = ""
    milliseconds: int | None = None
    output: str = ""

    def to_json(self) -> dict[str, Any]:
        return json_row(self)


@dataclass(frozen=True, slots=True)
class Sample:
    """What hooks are tried with: a prompt and a file that the memory knows something about."""

    prompt: str = _PROMPT
    file: str = "README.md"


def check_agent(agent: Agent, system: SetupSystem, project: Path, sample: Sample, data: Path) -> Iterator[AgentCheck]:
    """Try everything that set-up wrote for an agent. `data` is Waypost's data directory.

    Commands in files of the project run only if set-up wrote them on this machine: a repository may come from anybody.
    """
    if not agent.is_file:
        yield _installed(agent, system, project)
    again = f"Run: waypost setup {agent.name}"
    scopes = list(_scopes(agent, system, project))
    if not scopes:
        yield AgentCheck("set up", False, f"{agent.title} is not set up.", again)
        return
    for scope in scopes:
        again = f"Run: waypost setup {agent.name}{' --project' if scope == 'project' else ''}"
        yield from _Trial(agent, system, scope, project, sample, data, again).run()
    if agent.is_file or agent.needs_file:
        yield _memories(agent, system, project)


def _installed(agent: Agent, system: SetupSystem, project: Path) -> AgentCheck:
    """Whether the program can be started. Its folder alone may be that of an editor's extension, or made by set-up."""
    sign = sign_of(agent, system, project)
    if any(system.which(program) for program in agent.programs) or (sign and not agent.npm):
        return AgentCheck("installed", True, sign)
    missing = " or ".join(f"`{program}`" for program in agent.programs)
    what = f"{missing} is not on your PATH" if missing else "it was not found"
    if sign:
        list_command = f" `{' '.join(agent.list_command)}` was not tried." if agent.list_command else ""
        return AgentCheck("installed", True, f"{what}; there is {sign}.{list_command}", agent.how_to_install)
    folders = ", ".join(str(config_path(system, project, "user", folder)) for folder in agent.folders)
    return AgentCheck("installed", False, f"{what}, and there is no {folders}.", agent.how_to_install)


def _memories(agent: Agent, system: SetupSystem, project: Path) -> AgentCheck:
    """The block of memories in AGENTS.md: agents without hooks have no other briefing at the start."""
    name, again = "AGENTS.md", "Run: waypost setup agents-md"
    if not setup_record(system.state, AGENTS_FILE, "project", project).is_file():
        message = f"No hook briefs {agent.title}, and AGENTS.md has no rules and decisions of Waypost."
        return AgentCheck(name, True, message, f"{again} to keep them there.")
    try:
        text = read_config(project / "AGENTS.md", "project", project).text
        block = block_body(text, MEMORIES)
    except (WaypostError, UnpairedMarks) as error:
        return AgentCheck(name, False, f"Its block can't be renewed: {error}", f"Repair AGENTS.md. {again}")
    if block is None:
        return AgentCheck(name, False, "The block of memories is missing.", again)
    if is_edited(text):
        remedy = f"Move your lines out of it, then run: {again.partition(': ')[2]} --force"
        return AgentCheck(
            name, False, "The block of memories was changed by hand, and is not renewed any more.", remedy
        )
    if system.memories and block[1] != system.memories:
        return AgentCheck(name, False, "The block of memories is not up to date.", again)
    return AgentCheck(
        name, True, "It has your rules and decisions." if block[1] else "Nothing to add yet.", "", None, block[1]
    )


def _scopes(agent: Agent, system: SetupSystem, project: Path) -> Iterator[Scope]:
    records = Records(system.state)
    if records.load(agent.name, "user", project) is not None or any(_written(agent, system, "user", project)):
        yield "user"
    if records.load(agent.name, "project", project) is not None:
        yield "project"


def _written(agent: Agent, system: SetupSystem, scope: Scope, project: Path) -> Iterator[tuple[ConfigPart, ConfigFile]]:
    for target in targets(agent, system, scope, project):
        try:
            file = read_config(target.path, scope, project)
            yield from ((part, file) for part in target.parts if present([part], file))
        except WaypostError:
            continue  # reported by what is missing


@dataclass(frozen=True, slots=True)
class _Trial:
    agent: Agent
    system: SetupSystem
    scope: Scope
    project: Path
    sample: Sample
    data: Path
    again: str

    def run(self) -> Iterator[AgentCheck]:
        wanted = {
            part.name
            for target in targets(self.agent, self.system, self.scope, self.project, permissions=False)
            for part in target.parts
        }
        written = list(_written(self.agent, self.system, self.scope, self.project))
        for name in sorted(wanted - {part.name for part, _ in written}):
            optional = name in ("hooks", "rules")  # `--no-hooks`, `--no-rules`
            yield AgentCheck(name, optional, f"No {name} of Waypost in its files.", self.again)
        with ExitStack() as running:
            for part, file in written:
                if isinstance(part, ServerLine):
                    yield self._server(part.server_line(file.text), file, running)
            if any(part.name == "server" for part, _ in written):
                yield from self._list()
            for part, file in written:
                if isinstance(part, HookLines):
                    yield from self._hooks(part, file)

    def _server(
        self, line: tuple[Sequence[str], Mapping[str, str]], file: ConfigFile, running: ExitStack
    ) -> AgentCheck:
        command, added = line
        words = [word.replace("${workspaceFolder}", str(self.project)) for word in command]
        name = f"server ({file.path})"
        if not words or not self._may_run(words[0], self.system.waypost):
            return AgentCheck(name, False, f"It starts {' '.join(words[:1])}, not this Waypost.", self.again)
        environment = {**self.system.environment, **added}
        trial = running.enter_context(try_server(words, self.project, environment, _SERVER_SECONDS))
        message = trial.failure or f"{shlex.join(words)}: {counted(len(trial.tools), 'tool')}"
        remedy = f"{self.again}. Try the command by hand: {shlex.join(words)}" if trial.failure else ""
        return AgentCheck(name, not trial.failure, message, remedy, trial.milliseconds, ", ".join(trial.tools))

    def _may_run(self, program: str, ours: str) -> bool:
        """In a project, only the program that set-up would write. In your own files, any of that name."""
        if self.scope == "user":
            return True
        return program == ours or (os.path.basename(program) == program and self.system.which(program) is not None)

    def _list(self) -> Iterator[AgentCheck]:
        """The agent's own list of servers. Agents start none of a project's servers that the person has not approved."""
        program = self.system.which(self.agent.list_command[0]) if self.agent.list_command else None
        if program is None:
            return
        name = " ".join(self.agent.list_command)
        started = time.monotonic()
        try:
            done = subprocess.run(
                [program, *self.agent.list_command[1:]],
                cwd=self.project,
                env=dict(self.system.environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_LIST_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            yield AgentCheck(name, False, "It did not answer.", f"Run it by hand: {name}")
            return
        taken = round((time.monotonic() - started) * 1000)
        printed = _plain(done.stdout).strip()
        lines = [line.strip() for line in printed.splitlines() if "waypost" in line.casefold()]
        if lines and done.returncode == 0 and not any(_FAILED.search(line) for line in lines):
            yield AgentCheck(
                name, True, f"{self.agent.title} lists waypost.", "", taken, "\n".join(lines)[:_MOST_SHOWN]
            )
            return
        message = f"{self.agent.title} {'cannot use' if lines else 'does not list'} waypost."
        remedy = f"Run it by hand: {name}" if lines else self.again
        if _UNTRUSTED.search(printed):
            remedy = f"Start {self.agent.title} in this folder, and trust the folder when it asks."
        yield AgentCheck(name, False, message, remedy, taken, printed[:_MOST_SHOWN])

    def _hooks(self, part: HookLines, file: ConfigFile) -> Iterator[AgentCheck]:
        session = f"doctor-{os.urandom(6).hex()}"
        order = list(_payloads()["usual"])  # a session starts first, and ends last
        commands = [(name, hook_command(line)) for name, line in part.hook_lines(file.text)]
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as transcript:
            values = {
                "session": session,
                "transcript": transcript.name,
                "cwd": str(self.project),
                "prompt": self.sample.prompt,
                "file": str(self.project / self.sample.file),
            }
            for name, command in sorted(commands, key=lambda row: order.index(row[1].event) if row[1] else -1):
                if command is None or not self._may_run(command.program, self.system.hook):
                    yield AgentCheck(name, False, "Its command is not what setup writes.", self.again)
                    continue
                number = f"{session}-2" if command.event in _OWN_SESSION else session
                yield self._hook(name, command, {**values, "session": number, "event_name": name})

    def _hook(self, name: str, command: HookCommand, values: Mapping[str, str]) -> AgentCheck:
        payload = json.dumps(payload_of(command.agent, command.event, values))
        granted = float(self.agent.hooks.seconds.get(command.event, 10)) if self.agent.hooks else 10.0
        before, started = log_size(self.data), time.monotonic()
        try:
            done = subprocess.run(
                [command.program, command.event, "--agent", command.agent],
                input=payload.encode(),
                cwd=self.project,
                env={**self.system.environment, **command.environment},
                capture_output=True,
                timeout=granted,
                check=False,
            )
        except subprocess.TimeoutExpired:
            message = f"no answer within the {granted:g} seconds that the agent grants."
            return AgentCheck(name, False, message, "Close busy programs, and try again.", round(granted * 1000))
        except OSError as error:
            return AgentCheck(name, False, f"{command.program}: {error.strerror}.", self.again)
        taken = round((time.monotonic() - started) * 1000)
        problems = notes_since(self.data, before)
        if done.returncode != 0 or problems:
            message = problems[0] if problems else f"exit code {done.returncode}: {_plain(done.stderr)[-200:].strip()}"
            return AgentCheck(name, False, message, f"See {self.data / 'hook.log'}", taken)
        output = _text_of(done.stdout)
        if output is None:
            return AgentCheck(name, False, "the answer is not JSON.", self.again, taken, _plain(done.stdout)[:200])
        message = "answered" if output else _SILENT.get(command.event, "done")
        return AgentCheck(name, True, message, "", taken, output[:_MOST_SHOWN])


def payload_of(agent: str, event: str, values: Mapping[str, str]) -> dict[str, Any]:
    """What this agent sends at this event."""
    table = _payloads().get(agent, _payloads()["usual"])
    return {**_filled(table["all"], values), **_filled(table.get(event, {}), values)}


def _payloads() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "payloads.toml").read_text("utf-8"))


def _filled(given: Any, values: Mapping[str, str]) -> Any:
    if isinstance(given, str):
        return given.format_map(values)
    if isinstance(given, dict):
        return {key: _filled(value, values) for key, value in given.items()}
    return [_filled(value, values) for value in given] if isinstance(given, list) else given


def _text_of(output: bytes) -> str | None:
    """The text for the model in a hook's answer; None if that is not JSON."""
    if not output.strip():
        return ""
    try:
        answer = json.loads(output)
    except ValueError:
        return None
    inner = answer.get("hookSpecificOutput", answer) if isinstance(answer, dict) else {}
    if isinstance(inner.get("tool_input"), dict):  # Gemini CLI: as part of a sub-agent's prompt
        inner = {"additionalContext": inner["tool_input"].get("prompt")}
    texts = [
        inner[name]
        for name in ("additionalContext", "additional_context", "message")
        if isinstance(inner.get(name), str)
    ]
    return texts[0] if texts else ""


def _plain(output: bytes) -> str:
    return _CONTROL.sub("", output.decode("utf-8", "replace"))
