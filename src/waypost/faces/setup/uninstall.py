"""Undo a set-up: to the byte where nobody has touched a file since, else exactly what is ours."""

from dataclasses import dataclass, replace
from pathlib import Path

from waypost.faces.setup.agents import Agent
from waypost.faces.setup.files import LARGEST_FILE, Look, Writing, look
from waypost.faces.setup.install import LOCK_SECONDS
from waypost.faces.setup.part import Part
from waypost.faces.setup.places import Scope, System
from waypost.faces.setup.plan import leaves_nothing, present, taken_out, targets
from waypost.faces.setup.record import FileRecord, Record, Records, digest
from waypost.faces.setup.report import Deed, Done, Report, diff
from waypost.space.platform import make_private_directory, wait_lock


@dataclass(frozen=True, slots=True)
class _Step:
    """A file as it is and as it will be; `content` None means that it goes."""

    found: Look
    parts: tuple[Part, ...]
    deed: Deed
    content: bytes | None = None
    folders: tuple[Path, ...] = ()
    note: str = ""
    backup: Path | None = None


def uninstall(agent: Agent, system: System, scope: Scope, project: Path, *, dry_run: bool = False) -> Report:
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
                records.delete(record)
                _hand_over(record, records)
    done = tuple(_told(one, dry_run=dry_run) for one in steps)
    return Report(agent.name, agent.title, scope, project, done, dry_run)


def _steps(agent: Agent, system: System, scope: Scope, project: Path, records: Records) -> list[_Step]:
    parts = {part.name: part for target in targets(agent, system, scope, project) for part in target.parts}
    record = records.load(agent.name, scope, project)
    if record is None:
        usual = targets(agent, system, scope, project)
        return [_by_sight(look(one.path, scope, project), one.parts, None) for one in usual]
    return [
        _one(
            look(Path(file.path), scope, project),
            tuple(parts[name] for name in file.parts if name in parts),
            file,
            record,
            records,
        )
        for file in record.files
    ]


def _one(found: Look, parts: tuple[Part, ...], file: FileRecord, record: Record, records: Records) -> _Step:
    if found.raw is None:
        return _Step(found, parts, "missing")
    others = records.others(record, found.real)
    if others:
        return _Step(found, parts, "kept", note=f"{others[0].agent} uses it too")
    folders = tuple(Path(folder) for folder in file.folders)
    if digest(found.raw) == file.after:
        if file.created:
            return _Step(found, parts, "deleted", None, folders)
        before = records.backup(file.before, LARGEST_FILE)
        if before is not None:
            return _Step(found, parts, "unchanged" if before == found.raw else "restored", before)
    step = _by_sight(found, parts, file)
    if not file.forced:
        return step
    kept = records.backup_place(file.before)
    return _Step(found, parts, step.deed, step.content, folders, f"what --force overwrote is in {kept}", kept)


def _by_sight(found: Look, parts: tuple[Part, ...], file: FileRecord | None) -> _Step:
    """What is ours is known by what it says."""
    if found.raw is None or not present(parts, found):
        return _Step(found, parts, "missing", found.raw)
    text = taken_out(parts, found, dict(file.made) if file else {})
    if file is not None and file.created and leaves_nothing(parts, text):
        return _Step(found, parts, "deleted", None, tuple(Path(folder) for folder in file.folders))
    return _Step(found, parts, "cleaned", text.encode("utf-8"))


def _apply(steps: list[_Step]) -> None:
    writing = Writing()
    try:
        for step in steps:
            if step.deed == "deleted":
                writing.remove(step.found, list(step.folders))
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


def _told(step: _Step, *, dry_run: bool) -> Done:
    found = step.found
    shown = ""
    if dry_run and step.deed in {"restored", "cleaned", "deleted"}:
        shown = diff(found.path, found.text, (step.content or b"").decode("utf-8"))
    return Done(
        found.path, found.real, step.deed, tuple(part.name for part in step.parts), step.backup, step.note, shown
    )
