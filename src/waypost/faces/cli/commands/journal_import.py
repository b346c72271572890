"""Bringing conversations and other tools' memories into the journal, with progress, and taking them back."""

from pathlib import Path
from typing import TYPE_CHECKING

from waypost.faces.cli.output.memories import print_json, print_notices, print_pairs, safe
from waypost.faces.cli.output.progress import progress
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.faces.cli.session import CommandSession
    from waypost.flows.journal.entry_import import EntryImportReport, Returned


_PHASE = "Writing entries"


def bring_chat(session: "CommandSession", path: Path, *, dry_run: bool, json: bool) -> None:
    with progress(json=json) as shown:
        report = session.memory().journal.import_chat(
            path, progress=lambda done, total: shown(_PHASE, done, total), dry_run=dry_run
        )
    tell(report, json=json)


def bring_folder(session: "CommandSession", origin: str, path: Path, *, json: bool, dry_run: bool = False) -> None:
    with progress(json=json) as shown:
        report = session.memory().journal.import_folder(
            origin, path, progress=lambda done, total: shown(_PHASE, done, total), dry_run=dry_run
        )
    tell(report, json=json)


def take_back(session: "CommandSession", path: Path | None, origin: str, *, json: bool) -> None:
    which = None if path is None else session.path(path)
    done = session.memory().journal.undo_import(which, origin)
    if json:
        print_json(done.to_json())
        return
    _tell_undone(done)


def _tell_undone(done: "Returned") -> None:
    """What went, what stays and why, each on a line."""
    print(f"Undone: the import {done.id}.")
    print(f"  {counted(len(done.retracted), 'entry', 'entries')} taken back, out of the files too.")
    if done.left:
        print(
            f"  {counted(len(done.left), 'entry stays, because it was', 'entries stay, because they were')} changed since."
        )
    if done.files:
        print(f"  Taken out of files: {safe(', '.join(done.files))}.")
    if done.kept:
        print(f"  Left as they are, because somebody changed them since: {safe(', '.join(done.kept))}.")


def tell(report: "EntryImportReport", *, json: bool) -> None:
    if json:
        print_json(report.to_json())
        return
    pairs = {
        "would come" if report.dry_run else "came": f"{counted(report.entries, 'entry', 'entries')} of "
        f"{counted(report.days, 'day')}, {counted(report.preferences, 'preference')}",
        "known already": report.duplicates,
    }
    if report.refused:
        pairs["refused"] = report.refused
    if report.masked:
        pairs["secrets masked"] = report.masked
    if report.files:
        pairs["files"] = ", ".join(report.files)
    if report.backup:
        pairs["copy of the source"] = report.backup
    if report.id:
        pairs["import"] = f"{report.id} (to undo it, add --undo to the command)"
    print_pairs(pairs)
    print_notices(report.notices)
