"""Reads and writes files and streams for commands: batches, imports and exports."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from waypost.compat.agent_memory import AGENT_MEMORIES
from waypost.errors import InvalidInput
from waypost.faces.cli.output.memories import (
    print_json,
    print_notices,
    safe,
    speaks_unicode,
)
from waypost.faces.cli.output.progress import working
from waypost.faces.cli.session import CommandSession
from waypost.flows.move.export import write_rows
from waypost.flows.move.import_rows import check_drafts, read_lines
from waypost.flows.move.user_file import open_user_file
from waypost.model.receipt import Receipt
from waypost.text.plural import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waypost.compat.memory_bridge.importer import BridgeReport
    from waypost.flows.move.imports import Imported, Undone
    from waypost.memory import Memory

STDIN = Path("-")
INTO_JOURNAL = ("crowdbot", "locai")
_NO_JSON = (".md", ".mdc", ".txt", ".db", ".sqlite", ".sqlite3", ".yaml", ".toml", ".csv")  # never an export of Waypost
IMPORTED_FROM = (*AGENT_MEMORIES, "code-tags", "memory-bridge", *INTO_JOURNAL)
_MOST_NOTES = 20  # printed without --json


_NOTHING_IMPORTED = (
    "Nothing was imported: the file holds only code memories, which `waypost init` creates from the repository."
)


def remember_batch(session: CommandSession, path: Path, *, json: bool) -> None:
    with _open_input(path) as file:
        drafts = check_drafts(read_lines(file))
    if not drafts:
        raise InvalidInput(f"{path} is empty.", "Write one JSON object per line.")
    print_receipts(session.memory().facts.remember_drafts(drafts), json=json)


@contextmanager
def _open_input(path: Path) -> "Iterator[IO[bytes]]":
    if path == STDIN:
        with tempfile.TemporaryFile() as spool:  # read all input before writing anything
            while block := sys.stdin.buffer.read(1 << 20):
                spool.write(block)
            spool.seek(0)
            yield spool
        return
    with open_user_file(path) as file:
        yield file


def print_receipts(receipts: Iterable[Receipt], *, json: bool) -> None:
    """Print each receipt as JSON once it is committed, or print the totals."""
    sums: dict[str, int] = {}
    for receipt in receipts:
        sums[receipt.status] = sums.get(receipt.status, 0) + 1
        if json:
            print_json(receipt.to_json())
            sys.stdout.flush()
        elif receipt.status == "refused":
            which = f" {receipt.key}" if receipt.key else ""
            print(safe(f"refused{which}: {receipt.reason}"), file=sys.stderr)
    if not json:
        print(", ".join(f"{count} {status}" for status, count in sorted(sums.items())) or _NOTHING_IMPORTED)


def import_file(
    session: CommandSession, path: Path | None, source: str | None, *, project: str | None, undo: bool, json: bool
) -> None:
    if source is not None and source not in IMPORTED_FROM:
        raise InvalidInput(f"Unknown source {source[:40]!r}.", f"Use {', '.join(IMPORTED_FROM)}.")
    if undo and source is None:
        raise InvalidInput(
            "Only imports from another tool can be undone.",
            f"Add {' or '.join(f'--from {name}' for name in IMPORTED_FROM)}.",
        )
    if source in INTO_JOURNAL:
        _import_folder(session, path, source, undo=undo, json=json)
        return
    if undo:
        _print_undone(session.memory().admin.undo_import(path, origin=source), json=json)
        return
    if source in AGENT_MEMORIES:
        with working("Importing", json=json):
            done = session.memory().admin.import_notes(source, path and session.path(path), project=project)
        print_json(done.to_json()) if json else _print_import(done, source, [])
        return
    if path is None:
        raise InvalidInput("No file given.", "Name it: waypost import FILE.")
    if source is None:
        _import_recognized(session, path, project=project, json=json)
    elif source == "memory-bridge":
        _print_bridged(session.memory().admin.import_memory_bridge(path), json=json)
    else:
        _print_imported(session.memory().admin.import_coding_brain(path), json=json)


def _import_recognized(session: CommandSession, path: Path, *, project: str | None, json: bool) -> None:
    """Import a file or folder of which nobody said what wrote it."""
    from waypost.compat.recognition import CHAT, origin_of
    from waypost.faces.cli.commands.journal import import_chat

    given = session.path(path)
    if not os.path.lexists(given):
        raise InvalidInput(f"{path} does not exist.", "Check the path.")
    origin = origin_of(given)
    if origin == CHAT:
        print_notices((f"{path} has conversations: the same as `waypost journal import`.",))
        import_chat(session, given, dry_run=False, json=json)
    elif origin:
        print_notices((f"{path} is read as --from {origin}.",))
        import_file(session, path, origin, project=project, undo=False, json=json)
    elif given.is_dir() or given.suffix in _NO_JSON:
        raise InvalidInput(
            f"Waypost does not recognize {path}.",
            f"Name what wrote it: waypost import --from NAME {path}, with NAME one of {', '.join(IMPORTED_FROM)}.",
        )
    else:
        print_receipts(session.memory().admin.import_file(path), json=json)


def _import_folder(session: CommandSession, path: Path | None, source: str, *, undo: bool, json: bool) -> None:
    from waypost.faces.cli.commands.journal import import_folder, undo_import

    if undo:
        undo_import(session, path, source, json=json)
    elif path is None:
        raise InvalidInput("No path given.", f"Name it: waypost import --from {source} PATH.")
    else:
        import_folder(session, source, session.path(path), json=json)


def _print_imported(done: "Imported", *, json: bool) -> None:
    if json:
        print_json(done.to_json())
        return
    _print_import(done, "code-tags", [_places(done)])


def _print_bridged(done: "BridgeReport", *, json: bool) -> None:
    if json:
        print_json(done.to_json())
    else:
        levels = ", ".join(f"{count} on {level}" for level, count in done.sorted.items())
        lines = [
            _places(done),
            f"{counted(done.rows, 'row')}: {done.past} no longer true, {done.parents} with a parent, {done.links} links.",
            *([f"Levels assigned from the text: {levels}."] if levels else []),
            f"Backup of the database: {done.backup}." if done.backup else "",
            "Verified: every row is accounted for."
            if done.verified.is_complete
            else "NOT verified; --json shows what is missing.",
        ]
        _print_import(done, "memory-bridge", [line for line in lines if line])
    if not done.verified.is_complete:
        raise typer.Exit(1)


def _print_import(done: "Imported", source: str, lines: Sequence[str]) -> None:
    for note in done.notes[:_MOST_NOTES]:
        print(safe(str(note)), file=sys.stderr)
    if len(done.notes) > _MOST_NOTES:
        print(f"and {len(done.notes) - _MOST_NOTES} more; --json shows all", file=sys.stderr)
    print(", ".join(f"{count} {status}" for status, count in done.statuses.items()) + ".")
    if done.masked:
        print(f"{counted(done.masked, 'secret')} masked.")
    for line in lines:
        print(safe(line))
    if done.id:
        print(f"To undo: waypost import --from {source} --undo {done.id}")


def _places(done: "Imported") -> str:
    point = counted(done.references, "reference points", "references point")
    return f"{point} into this repository; {done.unplaced} {'was' if done.unplaced == 1 else 'were'} kept as a tag."


def _print_undone(done: "Undone", *, json: bool) -> None:
    if json:
        print_json(done.to_json())
        return
    print(f"Retracted {len(done.retracted)}; `waypost history ID` still shows them.")
    for memory_id in done.restored:
        print(f"restored: {memory_id} has its text from before the import")
    for memory_id in done.left:
        print(f"kept: {memory_id} was changed since the import; to remove it, run `waypost retract {memory_id}`")


def export(memory: "Memory", path: Path | None, options: dict[str, Any], *, json: bool) -> None:
    if path == STDIN:
        write_rows(
            memory.admin.export_rows(
                options["as_of"], options["known_at"], embeddings=options["embeddings"], code=options["code"]
            ),
            sys.stdout,
            options["form"],
            ascii_only=not speaks_unicode(),
        )
        return
    with working("Exporting", json=json):
        done = memory.admin.export(path, **options)
    if json:
        row = {"path": str(done.path), "memories": done.memories, "size": done.size, "format": options["form"]}
        print_json(row | ({"damaged": True, "skipped": list(done.skipped)} if done.is_damaged else {}))
    elif path is None and not sys.stdout.isatty():
        _copy_out(done.path)
        print(f"Also kept as {done.path}.", file=sys.stderr)
    else:
        print(f"{counted(done.memories, 'memory', 'memories')} written to {done.path}.")
    if done.is_damaged:
        _warn_of_damage(done.skipped)
        raise typer.Exit(1)


def _warn_of_damage(skipped: Sequence[str]) -> None:
    print(
        "warning: the database is damaged; this export holds what can be read. Run `waypost doctor --fix`.",
        file=sys.stderr,
    )
    if skipped:
        print(f"Missing or changed: {', '.join(skipped)}", file=sys.stderr)


def _copy_out(path: Path) -> None:
    """Copy a file to standard output as bytes: it is UTF-8 whatever the terminal's encoding."""
    sys.stdout.flush()
    with path.open("rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()
