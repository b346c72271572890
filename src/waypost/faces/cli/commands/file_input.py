"""The longer halves of commands that read or write files and streams."""

import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from waypost.errors import InvalidInput
from waypost.faces.cli.output.editor_links import spelled
from waypost.faces.cli.output.memories import print_json, print_receipt, safe, speaks_unicode
from waypost.faces.cli.session import CommandSession, confirm, interactive
from waypost.flows.move.export import memory_row, write_rows
from waypost.flows.move.import_rows import check_drafts, read_lines
from waypost.flows.write.lifecycle import History
from waypost.model.labels import LABELS
from waypost.model.memory import SAID_BY, State
from waypost.model.receipt import Receipt
from waypost.model.time import format_time
from waypost.store.open_databases import refuse_open_database
from waypost.store.protocol import AuditEntry
from waypost.text.plural import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waypost.compat.memory_bridge.importer import BridgeReport
    from waypost.flows.move.imports import Imported, Undone
    from waypost.memory import Memory

STDIN = Path("-")
INTO_JOURNAL = ("crowdbot", "locai")
IMPORTED_FROM = ("code-tags", "memory-bridge", *INTO_JOURNAL)
_MOST_NOTES = 20  # shown to people
_VALUE_FIELDS = ("kind", "domain", "session", "speaker", "time", "key")  # what a rejected value is found by
_MOST_INPUT = 4_000_000  # bytes of a text read from standard input


_NOTHING_IMPORTED = (
    "Nothing was imported: the file holds no memories but those of code, which `waypost init` reads itself."
)


def tags(given: list[str] | None) -> dict[str, str] | None:
    """`NAME=VALUE` options as a mapping."""
    if not given:
        return None
    pairs = [tag.partition("=") for tag in given]
    for name, mark, _ in pairs:
        if not mark or not name:
            raise InvalidInput(f"The tag {name[:40]!r} has no value.", "Write --tag NAME=VALUE.")
    return {name: value for name, _, value in pairs}


def labels(given: list[str] | None) -> dict[str, str]:
    """`NAME=VALUE` options with a name that labels have."""
    pairs = [label.partition("=") for label in given or ()]
    for name, mark, value in pairs:
        if name not in LABELS or not mark or not value:
            raise InvalidInput(
                f"{name[:40]!r} is no label with a value.", f"Write NAME=VALUE with {', '.join(LABELS)}."
            )
    return {name: value for name, _, value in pairs}


def remember_one(session: CommandSession, text: str | None, options: dict[str, Any], *, yes: bool, json: bool) -> None:
    if text is None:
        raise InvalidInput("There is nothing to remember.", "Give a text, - for standard input, or --batch FILE.jsonl.")
    text = text_given(text)
    memory = session.memory(yes=yes)
    receipt = memory.remember(text, **options)
    if receipt.status == "refused" and (yes or interactive()):
        receipt = _lift_and_repeat(memory, text, options, receipt, yes=yes)
    print_written(receipt, json=json)


def text_given(text: str) -> str:
    """The text itself, or what stands on standard input."""
    if text != "-":
        return text
    given = sys.stdin.buffer.read(_MOST_INPUT + 1)
    if len(given) > _MOST_INPUT:
        raise InvalidInput(f"The input has more than {_MOST_INPUT:,} bytes.", "Split it, or use --ref.")
    return given.decode("utf-8", "surrogateescape")


def _lift_and_repeat(memory: "Memory", text: str, options: dict[str, Any], refused: Receipt, *, yes: bool) -> Receipt:
    """A person who writes a rejected value again may mean it."""
    confirm(f"Refused: {refused.reason}. Store it all the same?", yes=yes)
    if not memory.facts.lift_rejection(text, **{name: options[name] for name in _VALUE_FIELDS if name in options}):
        return refused
    return memory.remember(text, **options)


def print_written(receipt: Receipt, *, json: bool) -> None:
    if json:
        print_json(receipt.to_json())
    else:
        print_receipt(receipt)
    if receipt.status == "refused":
        raise typer.Exit(1)


def remember_batch(session: CommandSession, path: Path, *, json: bool) -> None:
    with _opened(path) as file:
        drafts = check_drafts(read_lines(file))
    if not drafts:
        raise InvalidInput(f"{path} is empty: there is nothing to remember.", "Write one JSON object a line into it.")
    print_receipts(session.memory().facts.remember_drafts(drafts), json=json)


@contextmanager
def _opened(path: Path) -> "Iterator[IO[bytes]]":
    if path == STDIN:
        with tempfile.TemporaryFile() as spool:  # read whole before anything is written
            while block := sys.stdin.buffer.read(1 << 20):
                spool.write(block)
            spool.seek(0)
            yield spool
        return
    refuse_open_database(path)
    try:
        file = path.open("rb")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    with file:
        yield file


def print_receipts(receipts: Iterable[Receipt], *, json: bool) -> None:
    """One JSON line each as soon as it is committed, or the sums for people."""
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


def import_file(session: CommandSession, path: Path | None, source: str | None, *, undo: bool, json: bool) -> None:
    if source is not None and source not in IMPORTED_FROM:
        raise InvalidInput(f"There is no import from {source[:40]!r}.", f"Imports: {', '.join(IMPORTED_FROM)}.")
    if undo and source is None:
        raise InvalidInput(
            "Only an import from another tool can be undone.",
            f"Add {' or '.join(f'--from {name}' for name in IMPORTED_FROM)}.",
        )
    if source in INTO_JOURNAL:
        _import_folder(session, path, source, undo=undo, json=json)
        return
    if undo:
        _print_undone(session.memory().admin.undo_import(path, origin=source), json=json)
        return
    if path is None:
        raise InvalidInput("There is no file to read.", "Name it: waypost import FILE.")
    if source is None:
        print_receipts(session.memory().admin.import_file(path), json=json)
    elif source == "memory-bridge":
        _print_bridged(session.memory().admin.import_memory_bridge(path), json=json)
    else:
        _print_imported(session.memory().admin.import_coding_brain(path), json=json)


def _import_folder(session: CommandSession, path: Path | None, source: str, *, undo: bool, json: bool) -> None:
    from waypost.faces.cli.commands.journal_import import bring_folder, take_back

    if undo:
        take_back(session, path, source, json=json)
    elif path is None:
        raise InvalidInput("There is nothing to read.", f"Name it: waypost import --from {source} PATH.")
    else:
        bring_folder(session, source, session.path(path), json=json)


def _print_imported(done: "Imported", *, json: bool) -> None:
    if json:
        print_json(done.to_json())
        return
    _print_import(done, "code-tags", [])


def _print_bridged(done: "BridgeReport", *, json: bool) -> None:
    if json:
        print_json(done.to_json())
    else:
        levels = ", ".join(f"{count} on {level}" for level, count in done.sorted.items())
        told = [
            f"{counted(done.rows, 'row')}; true once: {done.past}, under another: {done.parents}, links: {done.links}.",
            *([f"Sorted by their words: {levels}."] if levels else []),
            f"A copy of the database is kept as {done.backup}." if done.backup else "",
            "Verified: every row is accounted for."
            if done.verified.is_complete
            else "NOT verified; --json tells what is missing.",
        ]
        _print_import(done, "memory-bridge", [line for line in told if line])
    if not done.verified.is_complete:
        raise typer.Exit(1)


def _print_import(done: "Imported", source: str, told: Sequence[str]) -> None:
    for note in done.notes[:_MOST_NOTES]:
        print(safe(str(note)), file=sys.stderr)
    if len(done.notes) > _MOST_NOTES:
        print(f"and {len(done.notes) - _MOST_NOTES} more; --json tells all", file=sys.stderr)
    print(", ".join(f"{count} {status}" for status, count in done.statuses.items()) + ".")
    point = counted(done.references, "reference points", "references point")
    print(f"{point} into this tree, {done.unplaced} {'is' if done.unplaced == 1 else 'are'} kept as a tag.")
    for line in told:
        print(safe(line))
    if done.id:
        print(f"To take it back: waypost import --from {source} --undo {done.id}")


def _print_undone(done: "Undone", *, json: bool) -> None:
    if json:
        print_json(done.to_json())
        return
    print(f"{len(done.retracted)} retracted; `waypost history ID` still shows them.")
    for memory_id in done.restored:
        print(f"restored: {memory_id} says again what it said before the import")
    for memory_id in done.left:
        print(f"left: {memory_id} was changed since; `waypost retract {memory_id}` takes it back")


def print_history(found: History, *, json: bool) -> None:
    if json:
        print_json(
            {
                "id": found.memory_id,
                "versions": [memory_row(version, State()) | {"number": version.number} for version in found.versions],
                "edges": [{"kind": e.kind, "from": e.from_id, "to": e.to_id} for e in found.edges],
                "related": [memory_row(version, State()) for version in found.related],
            }
        )
        return
    for version in (*found.versions, *found.related):
        until = f" until {format_time(version.superseded_at)}" if version.superseded_at else ""
        true = f"true from {format_time(version.valid_from)}"
        true += f" until {format_time(version.valid_until)}" if version.valid_until else ""
        other = "" if version.memory_id == found.memory_id else f"  [{version.memory_id}]"
        said = version.details.get(SAID_BY)
        who = f"{version.source} ({version.actor})" + (f" for {said['source']} ({said['actor']})" if said else "")
        print(f"{format_time(version.recorded_at)}{until}  {safe(who)}, {true}, version {version.number}{other}")
        print(f"    {safe(version.text)}")
        for ref in version.refs:
            print(f"    at {spelled(ref.file_path, ref.line_range.start if ref.line_range else None)}")


def print_audit(entries: Sequence[AuditEntry], *, json: bool) -> None:
    if json:
        rows = [
            {
                "number": e.number,
                "at": format_time(e.at),
                "action": e.action,
                "id": e.memory_id,
                "source": e.source,
                "actor": e.actor,
                "details": dict(e.details),
            }
            for e in entries
        ]
        print_json({"entries": rows})
        return
    for entry in entries:
        details = " ".join(f"{name}={value}" for name, value in entry.details.items())
        print(
            f"{format_time(entry.at)}  {entry.action:<10} {entry.memory_id or '-':<26}  {entry.source} ({entry.actor})  {safe(details)}"
        )


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
    print("warning: the database is damaged; this is what can be read. Run `waypost doctor --fix`.", file=sys.stderr)
    if skipped:
        print(f"Missing or changed: {', '.join(skipped)}", file=sys.stderr)


def _copy_out(path: Path) -> None:
    """A file of ours as it is: UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    with path.open("rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()
