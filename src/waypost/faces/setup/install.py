"""Set an agent up: every file is looked at before the first is written, and all of them change or none."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from waypost.faces.setup.agents import Agent
from waypost.faces.setup.detect import sign_of
from waypost.faces.setup.files import LARGEST_FILE, FileTransaction, missing_folders
from waypost.faces.setup.places import Scope, SetupSystem, server_program
from waypost.faces.setup.plan import FileStep, leaves_nothing, step_of, taken_out, targets
from waypost.faces.setup.record import Record, Records, SetupFile, digest
from waypost.faces.setup.report import ConfigChange, Deed, SetupReport, diff
from waypost.space.platform import make_private_directory, wait_lock

LOCK_SECONDS = 10.0


def install(
    agent: Agent,
    system: SetupSystem,
    scope: Scope,
    project: Path,
    *,
    hooks: bool = True,
    rules: bool = True,
    force: bool = False,
    dry_run: bool = False,
) -> SetupReport:
    """Put the server, the hooks and the rules into the agent's files. What is there already is left or brought up to date.

    Raises Refused, with nothing changed, for a file that is broken, read-only, or has another entry of our name.
    """
    records = Records(system.state)
    notes = _notes(agent, system, scope, project)

    def steps() -> list[FileStep]:
        found = targets(agent, system, scope, project, hooks=hooks, rules=rules)
        return [step_of(target, scope, project, force=force) for target in found]

    if dry_run:
        done = [_told(one, records, None, dry_run=True) for one in steps()]
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
    records.save(new)  # before the files: a killed process leaves a record of what may have been done
    writing = FileTransaction()
    try:
        for step in steps:
            if step.changes:
                writing.write(step.found, step.text.encode("utf-8"))
    except BaseException:
        writing.undo()
        records.save(old) if old else records.delete(new)
        raise
    return [_told(step, records, new.of(step.found.real), dry_run=False) for step in steps]


def _file_record(step: FileStep, record: Record, records: Records) -> SetupFile:
    """What will be true of the file: how it was before us, and how we leave it."""
    found, names = step.found, tuple(part.name for part in step.target.parts)
    after = digest(step.text.encode("utf-8"))
    known = record.of(found.real) or next((one.of(found.real) for one in records.others(record, found.real)), None)
    if found.raw is None:
        earlier = known.folders if known is not None and known.created else ()
        folders = (*earlier, *(str(folder) for folder in missing_folders(found.real)))
        return SetupFile(str(found.real), names, after, "", True, False, folders, step.made)
    if known is not None:
        made = {name: [*known.made.get(name, []), *step.made.get(name, [])] for name in {*known.made, *step.made}}
        parts = tuple(dict.fromkeys([*known.parts, *names]))
        joined = replace(known, parts=parts, made=made, after=after, forced=known.forced or step.forced)
        if digest(found.raw) == known.after and (
            known.created or records.backup(known.before, LARGEST_FILE) is not None
        ):
            return joined
        before = taken_out(step.target.every, found, made)
        created = known.created and leaves_nothing(step.target.every, before)  # somebody may have made it theirs
        return replace(joined, created=created, before=records.back_up(before.encode("utf-8")))
    before = found.text if step.forced else taken_out(step.target.every, found, {})
    return SetupFile(
        str(found.real), names, after, records.back_up(before.encode("utf-8")), False, step.forced, (), step.made
    )


def _told(step: FileStep, records: Records, record: SetupFile | None, *, dry_run: bool) -> ConfigChange:
    found = step.found
    deed: Deed = "unchanged" if not step.changes else "created" if found.raw is None else "changed"
    backup = records.backup_place(record.before) if record and record.before and deed == "changed" else None
    note = f"a link: written to {found.real}" if found.linked else ""
    shown = diff(found.path, found.text, step.text) if dry_run and step.changes else ""
    return ConfigChange(
        found.path, found.real, deed, tuple(part.name for part in step.target.parts), backup, note, shown
    )


def _notes(agent: Agent, system: SetupSystem, scope: Scope, project: Path) -> tuple[str, ...]:
    notes = [] if sign_of(agent, system, project) else [f"{agent.title} was not found on this machine."]
    notes += [agent.notes[scope]] if scope in agent.notes else []
    if scope == "project" and server_program(system, scope) == system.waypost:
        notes.append(
            "`waypost` is not on your PATH, so these files name its place on this machine: do not commit them."
        )
    if system.told_home and (scope == "project" or system.platform == "win32"):
        notes.append("WAYPOST_HOME is not written into these files: the agent must have it in its environment too.")
    return tuple(notes)
