"""Imports conversations and other tools' memories into the journal, with progress, and undoes imports."""

from pathlib import Path
from typing import TYPE_CHECKING

from waypost.faces.cli.output.memories import print_json, print_notices, print_pairs, safe
from waypost.faces.cli.output.progress import progress
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.faces.cli.session import CommandSession
    from waypost.flows.journal.entry_import import EntryImportReport, Returned


_PHASE = "Writing entries"


def import_chat(session: "CommandSession", path: Path, *, dry_run: bool, json: bool) -> None:
    with progress(json=json) as show_progress:
        report = session.memory().journal.import_chat(
            path, progress=lambda done, total: show_progress(_PHASE, done, total), dry_run=dry_run
        )
    _print_report(report, json=json)


def import_folder(session: "CommandSession", origin: str, path: Path, *, json: bool) -> None:
    with progress(json=json) as show_progress:
        report = session.memory().journal.import_folder(
            origin, path, progress=lambda done, total: show_progress(_PHASE, done, total)
        )
    _print_report(report, json=json)


def undo_import(session: "CommandSession", path: Path | None, origin: str, *, json: bool) -> None:
    which = None if path is None else session.path(path)
    done = session.memory().journal.undo_import(which, origin)
    if json:
        print_json(done.to_json())
        return
    _print_undone(done)


def _print_undone(done: "Returned") -> None:
    print(f"Undid the import {done.id}.")
    print(f"  Removed {counted(len(done.retracted), 'entry', 'entries')}, also from the files.")
    if done.left:
        print(f"  Kept {counted(len(done.left), 'entry', 'entries')} changed since the import.")
    if done.files:
        print(f"  Changed files: {safe(', '.join(done.files))}.")
    if done.kept:
        print(f"  Kept files changed since the import: {safe(', '.join(done.kept))}.")


def _print_report(report: "EntryImportReport", *, json: bool) -> None:
    if json:
        print_json(report.to_json())
        return
    pairs = {
        "would import" if report.dry_run else "imported": f"{counted(report.entries, 'entry', 'entries')} of "
        f"{counted(report.days, 'day')}, {counted(report.preferences, 'preference')}",
        "already stored": report.duplicates,
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
        pairs["import"] = f"{report.id} (to undo, add --undo to the command)"
    print_pairs(pairs)
    print_notices(report.notices)
