"""Undo a set-up. Unchanged files are restored exactly; from others only our parts are removed."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from waypost.errors import Refused, SecurityError
from waypost.faces.setup.agent_folders import SetupSystem
from waypost.faces.setup.agents import Agent
from waypost.faces.setup.install import LOCK_SECONDS
from waypost.faces.setup.part import ConfigPart, PartName
from waypost.faces.setup.plan import Target, leaves_nothing, present, targets, text_without
from waypost.faces.setup.record import Record, Records, SetupFile
from waypost.faces.setup.report import ConfigChange, Deed, SetupReport, diff
from waypost.faces.setup.rules_part import block_is_edited, state_of
from waypost.system.config_file import LARGEST_FILE, ConfigFile, FileTransaction, Scope, read_config, remove_empty
from waypost.system.platform import make_private_directory, wait_lock


@dataclass(frozen=True, slots=True)
class _Step:
    """A file and its new content; None deletes it."""

    current: ConfigFile
    parts: tuple[ConfigPart, ...]
    deed: Deed
    content: bytes | None = None
    note: str = ""
    backup: Path | None = None


def uninstall(agent: Agent, system: SetupSystem, scope: Scope, project: Path, *, dry_run: bool = False) -> SetupReport:
    """Remove what set-up wrote. Files and folders that it created go too unless they have other content."""
    records = Records(system.state)
    if dry_run:
        steps = _steps(agent, system, scope, project, records)
    else:
        make_private_directory(system.state)
        with wait_lock(system.state / "lock", LOCK_SECONDS):
            steps = _steps(agent, system, scope, project, records)
            _apply(steps)
            record = records.load(agent.name, scope, project)
            if record is not None:
                for step in steps:
                    if step.content is not None:
                        after = state_of(step.content.decode("utf-8"))
                        records.follow(record, step.current.real, state_of(step.current.text), after)
                remove_empty([Path(folder) for file in record.files for folder in file.folders])
                records.delete(record)
                _hand_over(record, records)
    done = tuple(_change(step, dry_run=dry_run) for step in steps)
    return SetupReport(agent.name, agent.title, scope, project, done, dry_run)


def _steps(agent: Agent, system: SetupSystem, scope: Scope, project: Path, records: Records) -> list[_Step]:
    usual = targets(agent, system, scope, project)
    parts = {part.name: part for target in usual for part in target.parts}
    record = records.load(agent.name, scope, project)
    if record is None:
        steps = [_unrecorded(target, scope, project, records) for target in usual]
        return [step for step in steps if step.deed != "missing"] or steps
    steps = [_recorded(file, scope, project, parts, record, records) for file in record.files]
    for target in usual:
        with contextlib.suppress(Refused, SecurityError):  # not written by set-up: it may be in any state
            step = _unrecorded(target, scope, project, records)
            steps += [step] if step.deed != "missing" else []
    return steps


def _unrecorded(target: Target, scope: Scope, project: Path, records: Records) -> _Step:
    current = read_config(target.path, scope, project)
    recorded = {file.path for record in records.every() for file in record.files}
    if str(current.real) in recorded:
        return _Step(current, target.parts, "missing")
    return _by_content(current, target.parts, None)


def _recorded(
    file: SetupFile, scope: Scope, project: Path, parts: Mapping[PartName, ConfigPart], record: Record, records: Records
) -> _Step:
    written = tuple(part for name, part in parts.items() if name in file.parts)
    current = read_config(Path(file.path), scope, project)
    if current.raw is None:
        return _Step(current, written, "missing")
    others = records.others(record, current.real)
    sharing = [other for other in others if set(other.parts_in(current.real)) & set(file.parts)]
    if sharing:
        return _Step(current, written, "kept", note=f"{sharing[0].agent} uses it too")
    if not others and state_of(current.text) == file.after:
        if file.created:
            return _Step(current, written, "deleted")
        before = records.backup(file.before, LARGEST_FILE)
        if before is not None:
            return _Step(current, written, "unchanged" if before == current.raw else "restored", before)
    step = _by_content(current, written, file)
    if "memories" in file.parts and step.deed == "cleaned" and block_is_edited(current.text):
        step = replace(step, note="the block of memories was changed by hand: its text stays")
    backup = records.backup_place(file.before)
    return replace(step, note=f"what --force overwrote is in {backup}", backup=backup) if file.forced else step


def _by_content(current: ConfigFile, parts: tuple[ConfigPart, ...], file: SetupFile | None) -> _Step:
    if current.raw is None or not present(parts, current):
        return _Step(current, parts, "missing", current.raw)
    text = text_without(parts, current, dict(file.made) if file else {})
    if file is not None and file.created and leaves_nothing(parts, text):
        return _Step(current, parts, "deleted")
    return _Step(current, parts, "cleaned", text.encode("utf-8"))


def _apply(steps: list[_Step]) -> None:
    writing = FileTransaction()
    try:
        for step in steps:
            if step.deed == "deleted":
                writing.remove(step.current)
            elif step.deed in {"restored", "cleaned"} and step.content is not None:
                writing.write(step.current, step.content)
    except BaseException:
        writing.undo()
        raise


def _hand_over(record: Record, records: Records) -> None:
    """Let other records remove folders that still have their files."""
    remaining = [folder for file in record.files for folder in file.folders if Path(folder).is_dir()]
    for folder in remaining:
        for other in list(records.every()):
            inside = next((file for file in other.files if Path(folder) in Path(file.path).parents), None)
            if inside is not None and folder not in inside.folders:
                records.save(other.with_file(replace(inside, folders=(folder, *inside.folders))))


def _change(step: _Step, *, dry_run: bool) -> ConfigChange:
    current = step.current
    patch = ""
    if dry_run and step.deed in {"restored", "cleaned", "deleted"}:
        patch = diff(current.path, current.text, (step.content or b"").decode("utf-8"))
    return ConfigChange(
        current.path, current.real, step.deed, tuple(part.name for part in step.parts), step.backup, step.note, patch
    )
