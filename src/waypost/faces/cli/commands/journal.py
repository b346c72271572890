"""Commands for the journal: conversations and notes in Markdown files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from waypost.faces.cli.framework import Ctx, Json, app, command_group, session_of
from waypost.faces.cli.output.journal import print_condensed, print_lines, print_similar, print_stats, print_timeline
from waypost.faces.cli.output.memories import print_json, print_notices, print_pairs, safe
from waypost.faces.cli.output.progress import progress, working
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.faces.cli.session import CommandSession
    from waypost.flows.journal.entry_import import EntryImportReport, Returned


journal_app = command_group("Conversations and notes in daily Markdown files, condensed as they age.")
app.add_typer(journal_app, name="journal")

DryRun = Annotated[bool, Option("--dry-run", help="Only show what would be done.")]
OwnerRights = Annotated[bool, Option("--yes", "-y", help="Confirm with owner rights, without a terminal.")]


@journal_app.command()
def add(
    context: Ctx,
    text: Annotated[str, Argument(help="The text; - reads standard input.")],
    kind: Annotated[
        str | None, Option(help="note, conversation, workflow_result or preference (default: depends on --session).")
    ] = None,
    session: Annotated[str | None, Option(help="The conversation it belongs to.")] = None,
    speaker: Annotated[str | None, Option(help="Who said it.")] = None,
    time: Annotated[str | None, Option(help='When: 2026-01-30, "2026-01-30 18:00", yesterday (default: now).')] = None,
    media: Annotated[Path | None, Option(help="A picture, recording or file to attach; a copy is kept.")] = None,
    json: Json = False,
) -> None:
    """Add an entry to the file of its day."""
    from waypost.faces.cli.writes import print_written, text_given

    journal = session_of(context).memory().journal
    receipt = journal.add(text_given(text), kind=kind, session=session, speaker=speaker, time=time, media=media)
    print_written(receipt, json=json)


@journal_app.command()
def show(
    context: Ctx,
    what: Annotated[
        str, Argument(help="2026-01-30, 2026-W05, 2026-01, 2026, yesterday, an id or a file (default: today).")
    ] = "",
    json: Json = False,
) -> None:
    """Print a journal file as it is."""
    page = session_of(context).memory().journal.show(what)
    print_json(page.to_json()) if json else print(safe(page.text.replace("\r\n", "\n")), end="")


@journal_app.command()
def timeline(
    context: Ctx,
    when: Annotated[str, Argument(help="A date, week, month, year, or words such as `last week`.")] = "",
    json: Json = False,
) -> None:
    """Show what was said at a time, in the original words. Without a time, show an overview."""
    entries = session_of(context).memory().journal.timeline(when)
    print_json(entries.to_json()) if json else print_timeline(entries)
    if not entries.entries and not entries.overview:
        raise typer.Exit(3)


@journal_app.command()
def search(
    context: Ctx,
    text: Annotated[str, Argument(help="The words to find.")],
    limit: Annotated[int, Option("-k", "--limit", min=1, max=1000, help="Maximum number of lines.")] = 20,
    json: Json = False,
) -> None:
    """Find lines with these words in all files, including the archive. `ask --in journal` searches by meaning."""
    lines = session_of(context).memory().journal.search(text, limit)
    print_json({"query": text, "lines": [line.to_json() for line in lines]}) if json else print_lines(lines)
    if not lines:
        raise typer.Exit(3)


@journal_app.command()
def why(
    context: Ctx,
    memory_id: Annotated[str, Argument(metavar="ID", help="The entry's id.")],
    json: Json = False,
) -> None:
    """Explain the importance of an entry in one sentence."""
    reason = session_of(context).memory().journal.why(memory_id)
    print_json(reason.to_json()) if json else print(safe(reason.reason))


@journal_app.command()
def stats(context: Ctx, json: Json = False) -> None:
    """Show the journal's size, topics, importance and maintenance state."""
    counts = session_of(context).memory().journal.stats()
    print_json(counts) if json else print_stats(counts)


@journal_app.command()
@journal_app.command("cleanup", hidden=True)
def condense(
    context: Ctx,
    force: Annotated[bool, Option("--force", help="Run now instead of at 4 a.m.")] = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Condense what is due: trim yesterday, write weekly, monthly and yearly summaries, compress the archive."""
    with working("Condensing", json=json):
        done = session_of(context).memory().journal.condense(force=force, dry_run=dry_run)
    print_json(done.to_json()) if json else print_condensed(done)


@journal_app.command()
def restore(
    context: Ctx,
    what: Annotated[
        str, Argument(help="2026-01-30, 2026-W05, 2026-01, 2026, an entry's id, `index` or `index 20260130`.")
    ],
    release: Annotated[bool, Option("--release", help="Allow condensing it again instead.")] = False,
    json: Json = False,
) -> None:
    """Undo condensing from the originals. Restored parts stay as they are until you release them."""
    journal = session_of(context).memory().journal
    done = journal.release(what) if release else journal.restore(what)
    if json:
        print_json(done.to_json())
        return
    print(f"{'Released' if release else 'Restored'}: {', '.join(done.files) or 'nothing'}.")
    if done.removed:
        print(f"Removed, will be written again when due: {', '.join(done.removed)}.")


@journal_app.command()
def protect(
    context: Ctx,
    what: Annotated[str, Argument(help="An entry's id, or words from it.")],
    off: Annotated[bool, Option("--off", help="Remove the protection.")] = False,
    json: Json = False,
) -> None:
    """Keep an entry unchanged forever."""
    memory = session_of(context).memory()
    memory_id = memory.journal.protect(what, on=not off)
    if json:
        print_json({"id": memory_id, "protected": not off})
        return
    text = " ".join(memory.show(memory_id).version.text.split())
    print(f"{'No longer protected' if off else 'Protected'} {memory_id}: {safe(text[:100])}")


@journal_app.command("import")
def import_(
    context: Ctx,
    path: Annotated[Path, Argument(help="JSON lines of role, content and time; or an assistant's export.")],
    dry_run: DryRun = False,
    undo: Annotated[bool, Option("--undo", help="Undo the import of this file.")] = False,
    json: Json = False,
) -> None:
    """Import conversations. Running it again adds no duplicates."""
    session = session_of(context)
    if undo:
        undo_import(session, path, "chat", json=json)
    else:
        import_chat(session, session.path(path), dry_run=dry_run, json=json)


@journal_app.command()
def curate(
    context: Ctx,
    memory_id: Annotated[str, Argument(metavar="ID", help="The entry's id.")],
    heading: Annotated[str | None, Option(help="The heading to put it under (default: at the end).")] = None,
    json: Json = False,
) -> None:
    """Copy an entry into your own part of MEMORY.md."""
    done = session_of(context).memory().journal.curate(memory_id, heading)
    print_json(done.to_json()) if json else print(f"{'Added to' if done.added else 'Already in'} {done.path}.")


@journal_app.command()
def prune(
    context: Ctx,
    after_days: Annotated[int | None, Option(min=0, help="Minimum age in days; 0: any age.")] = None,
    unused_days: Annotated[int | None, Option(min=0, help="Days since last read; 0: read or not.")] = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Archive old conversations that nobody has read lately. They stay searchable."""
    done = session_of(context).memory().journal.prune(after_days=after_days, unused_days=unused_days, dry_run=dry_run)
    if json:
        print_json(done.to_json())
    else:
        verb = "Would archive" if dry_run else "Archived"
        kept = counted(done.kept, "old entry is", "old entries are")
        print(f"{verb} {counted(len(done.entries), 'entry', 'entries')}; {kept} kept.")


@journal_app.command()
def similar(
    context: Ctx,
    what: Annotated[str, Argument(metavar="SESSION", help="A conversation, or the id of one of its entries.")],
    k: Annotated[int, Option("-k", min=1, max=100, help="Maximum number of conversations.")] = 5,
    json: Json = False,
) -> None:
    """Find conversations similar to this one."""
    conversations = session_of(context).memory().journal.similar(what, k)
    if json:
        print_json({"conversations": [conversation.to_json() for conversation in conversations]})
    else:
        print_similar(conversations)
    if not conversations:
        raise typer.Exit(3)


@journal_app.command()
def topics(
    context: Ctx,
    by: Annotated[str, Option(help="week, month or year.")] = "month",
    most: Annotated[int, Option(min=1, max=100, help="Maximum number of topics per period.")] = 5,
    json: Json = False,
) -> None:
    """Show the most frequent topics over time."""
    periods = session_of(context).memory().journal.topics(by, most)
    if json:
        rows = {name: [{"topic": topic, "entries": n} for topic, n in members] for name, members in periods.items()}
        print_json({"by": by, "topics": rows})
        return
    for name, members in periods.items():
        print(f"{name}  {safe(', '.join(f'{topic} ({n})' for topic, n in members))}")
    if not periods:
        raise typer.Exit(3)


@journal_app.command()
def log(
    context: Ctx,
    limit: Annotated[int, Option(min=1, max=10_000, help="Maximum number of events.")] = 50,
    event: Annotated[str | None, Option(help="Only this event, such as soft_trim_applied.")] = None,
    json: Json = False,
) -> None:
    """Show recent changes to the journal and their reasons."""
    rows = session_of(context).memory().journal.events(limit, event)
    if json:
        print_json({"events": list(rows)})
        return
    for row in rows:
        details = " ".join(f"{name}={value}" for name, value in row.items() if name not in ("time", "event"))
        print(safe(f"{str(row.get('time', ''))[:19]}Z  {row.get('event', '')}  {details}"))


@journal_app.command("approve-dna")
def approve_dna(context: Ctx, yes: OwnerRights = False, json: Json = False) -> None:
    """Approve the repository's DNA.md as it is now. It then leads every context."""
    session_of(context).memory(yes=yes).journal.approve_dna()
    if json:
        print_json({"approved": True})
    else:
        print("DNA.md is approved as it is now. If it changes, approve it again.")


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
