"""Undo a set-up: to the byte where nobody has touched a file since, else exactly what is ours."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from waypost.errors import Refused, SecurityError
from waypost.faces.setup.agents import Agent
from waypost.faces.setup.files import LARGEST_FILE, FileLook, FileTransaction, look, remove_empty
from waypost.faces.setup.install import LOCK_SECONDS
from waypost.faces.setup.part import ConfigPart, PartName
from waypost.faces.setup.places import Scope, SetupSystem
from waypost.faces.setup.plan import Target, leaves_nothing, present, taken_out, targets
from waypost.faces.setup.record import Record, Records, SetupFile, digest
from waypost.faces.setup.report import ConfigChange, Deed, SetupReport, diff
from waypost.space.platform import make_private_directory, wait_lock


@dataclass(frozen=True, slots=True)
class _Step:
    """A file as it is and as it will be; `content` None means that it goes."""

    found: FileLook
    parts: tuple[ConfigPart, ...]
    deed: Deed
    content: bytes | None = None
    note: str = ""
    backup: Path | None = None


def uninstall(agent: Agent, system: SetupSystem, scope: Scope, project: Path, *, dry_run: bool = False) -> SetupReport:
    """Take out what set-up put in. Files and folders that it made go when nothing of others is in them."""
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
                remove_empty([Path(folder) for file in record.files for folder in file.folders])
                records.delete(record)
                _hand_over(record, records)
    done = tuple(_told(one, dry_run=dry_run) for one in steps)
    return SetupReport(agent.name, agent.title, scope, project, done, dry_run)


def _steps(agent: Agent, system: SetupSystem, scope: Scope, project: Path, records: Records) -> list[_Step]:
    usual = targets(agent, system, scope, project)
    parts = {part.name: part for target in usual for part in target.parts}
    record = records.load(agent.name, scope, project)
    if record is None:
        found = [_unrecorded(one, scope, project, records) for one in usual]
        return [one for one in found if one.deed != "missing"] or found
    known = [_recorded(file, scope, project, parts, record, records) for file in record.files]
    for target in usual:
        with contextlib.suppress(Refused, SecurityError):  # set-up did not write it: it may be in any state
            step = _unrecorded(target, scope, project, records)
            known += [step] if step.deed != "missing" else []
    return known


def _unrecorded(target: Target, scope: Scope, project: Path, records: Records) -> _Step:
    found = look(target.path, scope, project)
    taken = {file.path for one in records.every() for file in one.files}
    if str(found.real) in taken:
        return _Step(found, target.parts, "missing")
    return _by_sight(found, target.parts, None)


def _recorded(
    file: SetupFile, scope: Scope, project: Path, parts: Mapping[PartName, ConfigPart], record: Record, records: Records
) -> _Step:
    of = tuple(part for name, part in parts.items() if name in file.parts)
    return _one(look(Path(file.path), scope, project), of, file, record, records)


def _one(found: FileLook, parts: tuple[ConfigPart, ...], file: SetupFile, record: Record, records: Records) -> _Step:
    if found.raw is None:
        return _Step(found, parts, "missing")
    others = records.others(record, found.real)
    if others:
        return _Step(found, parts, "kept", note=f"{others[0].agent} uses it too")
    if digest(found.raw) == file.after:
        if file.created:
            return _Step(found, parts, "deleted")
        before = records.backup(file.before, LARGEST_FILE)
        if before is not None:
            return _Step(found, parts, "unchanged" if before == found.raw else "restored", before)
    step = _by_sight(found, parts, file)
    if not file.forced:
        return step
    kept = records.backup_place(file.before)
    return _Step(found, parts, step.deed, step.content, f"what --force overwrote is in {kept}", kept)


def _by_sight(found: FileLook, parts: tuple[ConfigPart, ...], file: SetupFile | None) -> _Step:
    """What is ours is known by what it says."""
    if found.raw is None or not present(parts, found):
        return _Step(found, parts, "missing", found.raw)
    text = taken_out(parts, found, dict(file.made) if file else {})
    if file is not None and file.created and leaves_nothing(parts, text):
        return _Step(found, parts, "deleted")
    return _Step(found, parts, "cleaned", text.encode("utf-8"))


def _apply(steps: list[_Step]) -> None:
    writing = FileTransaction()
    try:
        for step in steps:
            if step.deed == "deleted":
                writing.remove(step.found)
            elif step.deed in {"restored", "cleaned"} and step.content is not None:
                writing.write(step.found, step.content)
    except BaseException:
        writing.undo()
        raise


def _hand_over(record: Record, records: Records) -> None:
    """Folders that others have files in by now go with the last of those files."""
    left = [folder for file in record.files for folder in file.folders if Path(folder).is_dir()]
    for folder in left:
        for other in list(records.every()):
            inside = next((file for file in other.files if Path(folder) in Path(file.path).parents), None)
            if inside is not None and folder not in inside.folders:
                records.save(other.with_file(replace(inside, folders=(folder, *inside.folders))))


def _told(step: _Step, *, dry_run: bool) -> ConfigChange:
    found = step.found
    shown = ""
    if dry_run and step.deed in {"restored", "cleaned", "deleted"}:
        shown = diff(found.path, found.text, (step.content or b"").decode("utf-8"))
    return ConfigChange(
        found.path, found.real, step.deed, tuple(part.name for part in step.parts), step.backup, step.note, shown
    )
