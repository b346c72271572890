"""Find agents and set one up. All files are read before the first is written, and all of them change or none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from waypost.errors import Refused, WaypostError
from waypost.faces.setup.agent_folders import SetupSystem, config_path, server_program
from waypost.faces.setup.agents import Agent, agents
from waypost.faces.setup.plan import FileStep, leaves_nothing, present, step_of, targets, text_without
from waypost.faces.setup.record import Record, Records, SetupFile
from waypost.faces.setup.report import ConfigChange, Deed, SetupReport, diff
from waypost.faces.setup.rules_part import state_of
from waypost.system.config_file import LARGEST_FILE, FileTransaction, Scope, missing_folders, read_config
from waypost.system.platform import make_private_directory, wait_lock

LOCK_SECONDS = 10.0


def install(
    agent: Agent,
    system: SetupSystem,
    scope: Scope,
    project: Path,
    *,
    hooks: bool = True,
    rules: bool = True,
    permissions: bool = False,
    force: bool = False,
    dry_run: bool = False,
) -> SetupReport:
    """Write the server, the hooks and the rules into the agent's files, or update them.

    `permissions`: let the agent use tools that only read without asking.

    Raises Refused for a file that is broken, read-only, or has another entry of our name. Nothing is changed then.
    """
    records = Records(system.state)
    notes = _notes(agent, system, scope, project)

    def steps() -> list[FileStep]:
        wanted = targets(agent, system, scope, project, hooks=hooks, rules=rules, permissions=permissions)
        if not wanted:
            where = "a project" if scope == "project" else "your home directory"
            raise Refused(f"{agent.title} reads nothing from {where}.", f"Run: waypost setup {agent.name}")
        return [step_of(target, scope, project, force=force) for target in wanted]

    if dry_run:
        done = [_change(step, records, None, dry_run=True) for step in steps()]
    else:
        make_private_directory(system.state)
        with wait_lock(system.state / "lock", LOCK_SECONDS):
            done = _apply(agent, scope, project, steps(), records)
    return SetupReport(agent.name, agent.title, scope, project, tuple(done), dry_run, notes, agent.next)


def _apply(
    agent: Agent, scope: Scope, project: Path, steps: Sequence[FileStep], records: Records
) -> list[ConfigChange]:
    old = records.load(agent.name, scope, project)
    new = old or Record(agent.name, scope, str(project))
    for step in steps:
        new = new.with_file(_file_record(step, new, records))
    records.save(new)  # before the files: a killed process leaves a record
    writing = FileTransaction()
    try:
        for step in steps:
            if step.changes:
                writing.write(step.current, step.text.encode("utf-8"))
    except BaseException:
        writing.undo()
        records.save(old) if old else records.delete(new)
        raise
    for step in steps:
        records.follow(new, step.current.real, state_of(step.current.text), state_of(step.text))
    return [_change(step, records, new.of(step.current.real), dry_run=False) for step in steps]


def _file_record(step: FileStep, record: Record, records: Records) -> SetupFile:
    current, names = step.current, tuple(part.name for part in step.target.parts)
    after = state_of(step.text)
    earlier = record.of(current.real) or next(
        (other.of(current.real) for other in records.others(record, current.real)), None
    )
    if current.raw is None:
        old_folders = earlier.folders if earlier is not None and earlier.created else ()
        folders = (*old_folders, *(str(folder) for folder in missing_folders(current.real)))
        return SetupFile(str(current.real), names, after, "", True, False, folders, step.made)
    if earlier is not None:
        made = {name: [*earlier.made.get(name, []), *step.made.get(name, [])] for name in {*earlier.made, *step.made}}
        own = record.of(current.real)  # other agents may have other parts in this file
        parts = tuple(dict.fromkeys([*(own.parts if own else ()), *names]))
        joined = replace(earlier, parts=parts, made=made, after=after, forced=earlier.forced or step.forced)
        if state_of(current.text) == earlier.after and (
            earlier.created or records.backup(earlier.before, LARGEST_FILE) is not None
        ):
            return joined
        before = text_without(step.target.every, current, made)
        created = earlier.created and leaves_nothing(step.target.every, before)  # somebody may use it by now
        return replace(joined, created=created, before=records.back_up(before.encode("utf-8")))
    before = current.text if step.forced else text_without(step.target.every, current, {})
    return SetupFile(
        str(current.real), names, after, records.back_up(before.encode("utf-8")), False, step.forced, (), step.made
    )


def _change(step: FileStep, records: Records, record: SetupFile | None, *, dry_run: bool) -> ConfigChange:
    current = step.current
    deed: Deed = "unchanged" if not step.changes else "created" if current.raw is None else "changed"
    backup = records.backup_place(record.before) if record and record.before and deed == "changed" else None
    note = f"a link: written to {current.real}" if current.linked else ""
    patch = diff(current.path, current.text, step.text) if dry_run and step.changes else ""
    return ConfigChange(
        current.path, current.real, deed, tuple(part.name for part in step.target.parts), backup, note, patch
    )


def _notes(agent: Agent, system: SetupSystem, scope: Scope, project: Path) -> tuple[str, ...]:
    notes = (
        [] if agent.is_file or sign_of(agent, system, project) else [f"{agent.title} was not found on this machine."]
    )
    notes += [agent.notes[scope]] if scope in agent.notes else []
    if agent.needs_file:
        notes.append(
            "`waypost setup agents-md` keeps your rules and decisions in a project's AGENTS.md, for agents without hooks."
        )
    if agent.server is not None and scope == "project" and server_program(system, scope) == system.waypost:
        notes.append(
            "`waypost` is not on your PATH, so these files contain its path on this machine. Do not commit them."
        )
    if system.home_variable and (scope == "project" or system.platform == "win32"):
        notes.append("WAYPOST_HOME is not written into these files. Set it in the agent's environment too.")
    return tuple(notes)


State = Literal["yes", "partly", "no", "unreadable"]


@dataclass(frozen=True, slots=True)
class Detected:
    """An agent and its state. `sign` is the program or folder that shows it is installed, or empty."""

    agent: Agent
    sign: str
    user: State
    project: State

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent.name,
            "title": self.agent.title,
            "installed": bool(self.sign),
            "sign": self.sign,
            "user": self.user,
            "project": self.project,
        }


def detect(system: SetupSystem, project: Path) -> tuple[Detected, ...]:
    return tuple(
        Detected(
            agent,
            sign_of(agent, system, project),
            _state(agent, system, "user", project),
            _state(agent, system, "project", project),
        )
        for agent in agents().values()
    )


def sign_of(agent: Agent, system: SetupSystem, project: Path) -> str:
    """The program or folder that shows that the agent is installed; empty if there is neither."""
    for program in agent.programs:
        path = system.which(program)
        if path:
            return path
    for template in agent.folders:
        folder = config_path(system, project, "user", template)
        if folder.is_dir():
            return str(folder)
    return ""


def _state(agent: Agent, system: SetupSystem, scope: Scope, project: Path) -> State:
    written: list[bool] = []
    try:
        for target in targets(agent, system, scope, project, permissions=False):
            file = read_config(target.path, scope, project)
            written += [present([part], file) for part in target.parts]
    except WaypostError:
        return "unreadable"
    return "no" if not any(written) else "yes" if all(written) else "partly"
