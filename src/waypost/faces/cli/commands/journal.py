"""Commands on the journal: what was said and noted, in Markdown files."""

from pathlib import Path
from typing import Annotated

import typer

from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json, safe

journal_app = typer.Typer(
    help="Conversations and notes: Markdown files by the day, condensed as they age.", no_args_is_help=True
)
app.add_typer(journal_app, name="journal")

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
OwnersWord = Annotated[
    bool, typer.Option("--yes", "-y", help="As the owner's word, where nobody is at a terminal.")
]  # fmt: skip


@journal_app.command()
def add(
    context: Ctx,
    text: Annotated[str, typer.Argument(help="What was said or is to be noted; - reads it from standard input.")],
    kind: Annotated[
        str | None, typer.Option(help="note, conversation, workflow_result or preference; by --session unless told.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="The conversation that it is a turn of.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    time: Annotated[
        str | None, typer.Option(help='When it was said: 2026-01-30, "2026-01-30 18:00", yesterday; now unless told.')
    ] = None,
    media: Annotated[
        Path | None, typer.Option(help="A picture, recording or file that belongs to it; a copy is kept.")
    ] = None,
    json: Json = False,
) -> None:
    """Write an entry to the file of its day."""
    from waypost.faces.cli.commands.file_input import print_written, text_given

    journal = session_of(context).memory().journal
    receipt = journal.add(text_given(text), kind=kind, session=session, speaker=speaker, time=time, media=media)
    print_written(receipt, json=json)


@journal_app.command()
def show(
    context: Ctx,
    what: Annotated[
        str, typer.Argument(help="2026-01-30, 2026-W05, 2026-01, 2026, yesterday, an id or a file; today unless told.")
    ] = "",
    json: Json = False,
) -> None:
    """Print a page of the journal as it stands in its file."""
    shown = session_of(context).memory().journal.show(what)
    if json:
        print_json(shown.to_json())
    else:
        print(safe(shown.text.replace("\r\n", "\n")), end="")


@journal_app.command()
def timeline(
    context: Ctx,
    when: Annotated[str, typer.Argument(help="A date, week, month or year, or a time in words.")] = "",
    json: Json = False,
) -> None:
    """What was said at a time, with the original words, from whatever stage holds them; without a time, an overview."""
    from waypost.faces.cli.output.journal import print_timeline

    found = session_of(context).memory().journal.timeline(when)
    if json:
        print_json(found.to_json())
    else:
        print_timeline(found)
    if not found.entries and not found.overview:
        raise typer.Exit(3)


@journal_app.command()
def search(
    context: Ctx,
    text: Annotated[str, typer.Argument(help="Words to look for.")],
    limit: Annotated[int, typer.Option("-k", "--limit", min=1, max=1000, help="At most so many lines.")] = 20,
    json: Json = False,
) -> None:
    """Lines that hold these words, through all files, the packed archive too. `ask --in journal` finds by meaning."""
    from waypost.faces.cli.output.journal import print_lines

    lines = session_of(context).memory().journal.search(text, limit)
    if json:
        print_json({"query": text, "lines": [line.to_json() for line in lines]})
    else:
        print_lines(lines)
    if not lines:
        raise typer.Exit(3)


@journal_app.command()
def stats(context: Ctx, json: Json = False) -> None:
    """How much there is, about what, worth what, and how its upkeep stands."""
    from waypost.faces.cli.output.journal import print_stats

    found = session_of(context).memory().journal.stats()
    if json:
        print_json(found)
    else:
        print_stats(found)


@journal_app.command()
@journal_app.command("cleanup", hidden=True)
def condense(
    context: Ctx,
    force: Annotated[bool, typer.Option("--force", help="Do not wait for four in the morning.")] = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Do what is due: trim yesterday, make weekly, monthly and yearly summaries, pack the archive. Nothing is lost."""
    from waypost.faces.cli.output.journal import print_condensed

    done = session_of(context).memory().journal.condense(force=force, dry_run=dry_run)
    if json:
        print_json(done.to_json())
    else:
        print_condensed(done)


@journal_app.command()
def restore(
    context: Ctx,
    what: Annotated[
        str, typer.Argument(help="2026-01-30, 2026-W05, 2026-01, 2026, an entry's id, `index` or `index 20260130`.")
    ],
    release: Annotated[bool, typer.Option("--release", help="Let condensing go on with it instead.")] = False,
    json: Json = False,
) -> None:
    """Undo condensing from the originals. What is back stays as it is until it is released."""
    journal = session_of(context).memory().journal
    done = journal.release(what) if release else journal.restore(what)
    if json:
        print_json(done.to_json())
        return
    print(f"{'Released' if release else 'Restored'}: {', '.join(done.files) or 'nothing'}.")
    if done.removed:
        print(f"Gone, since it is made again when due: {', '.join(done.removed)}.")


@journal_app.command()
def protect(
    context: Ctx,
    what: Annotated[str, typer.Argument(help="An entry's id, or words by which it is meant.")],
    off: Annotated[bool, typer.Option("--off", help="It is not protected any more.")] = False,
    json: Json = False,
) -> None:
    """Keep an entry word for word for ever."""
    memory = session_of(context).memory()
    memory_id = memory.journal.protect(what, on=not off)
    if json:
        print_json({"id": memory_id, "protected": not off})
        return
    said = " ".join(memory.show(memory_id).version.text.split())
    print(f"{'No longer protected' if off else 'Protected'} {memory_id}: {safe(said[:100])}")


@journal_app.command("import")
def import_(
    context: Ctx,
    path: Annotated[Path, typer.Argument(help="JSON lines of role, content and time; or an assistant's export.")],
    dry_run: DryRun = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back what the import of this file added.")] = False,
    json: Json = False,
) -> None:
    """Bring over conversations. Running it again adds nothing twice."""
    from waypost.faces.cli.commands.journal_import import bring_chat, take_back

    session = session_of(context)
    if undo:
        take_back(session, path, "chat", json=json)
    else:
        bring_chat(session, session.path(path), dry_run=dry_run, json=json)


@journal_app.command()
def curate(
    context: Ctx,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="The id of an entry.")],
    heading: Annotated[str | None, typer.Option(help="Under this heading; at the end unless told.")] = None,
    json: Json = False,
) -> None:
    """Put an entry into the part of MEMORY.md that is yours."""
    done = session_of(context).memory().journal.curate(memory_id, heading)
    if json:
        print_json(done.to_json())
    else:
        print(f"{'Added to' if done.added else 'Stands already in'} {done.path}.")


@journal_app.command()
def prune(
    context: Ctx,
    after_days: Annotated[int | None, typer.Option(min=0, help="Older than that; 0: of any age.")] = None,
    unused_days: Annotated[int | None, typer.Option(min=0, help="Not read for so long; 0: read or not.")] = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Put conversations into the archive that are old and that nobody read lately. They stay searchable."""
    from waypost.text.plural import counted

    done = session_of(context).memory().journal.prune(after_days=after_days, unused_days=unused_days, dry_run=dry_run)
    if json:
        print_json(done.to_json())
    else:
        verb = "would go" if dry_run else "went"
        stay = counted(done.kept, "old one stays", "old ones stay")
        print(f"{counted(len(done.entries), 'entry', 'entries')} {verb} to the archive; {stay}.")


@journal_app.command()
def similar(
    context: Ctx,
    what: Annotated[str, typer.Argument(metavar="SESSION", help="A conversation, or the id of one of its entries.")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="At most so many.")] = 5,
    json: Json = False,
) -> None:
    """Conversations that resemble this one."""
    from waypost.faces.cli.output.journal import print_similar

    found = session_of(context).memory().journal.similar(what, k)
    if json:
        print_json({"conversations": [one.to_json() for one in found]})
    else:
        print_similar(found)
    if not found:
        raise typer.Exit(3)


@journal_app.command()
def topics(
    context: Ctx,
    by: Annotated[str, typer.Option(help="week, month or year.")] = "month",
    most: Annotated[int, typer.Option(min=1, max=100, help="At most so many of each.")] = 5,
    json: Json = False,
) -> None:
    """What was spoken about most, over time."""
    found = session_of(context).memory().journal.topics(by, most)
    if json:
        rows = {name: [{"topic": topic, "entries": n} for topic, n in members] for name, members in found.items()}
        print_json({"by": by, "topics": rows})
        return
    for name, members in found.items():
        print(f"{name}  {safe(', '.join(f'{topic} ({n})' for topic, n in members))}")
    if not found:
        raise typer.Exit(3)


@journal_app.command()
def log(
    context: Ctx,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The latest so many.")] = 50,
    event: Annotated[str | None, typer.Option(help="Only these, such as soft_trim_applied.")] = None,
    json: Json = False,
) -> None:
    """What was done to the journal lately, and why."""
    rows = session_of(context).memory().journal.events(limit, event)
    if json:
        print_json({"events": list(rows)})
        return
    for row in rows:
        told = " ".join(f"{name}={value}" for name, value in row.items() if name not in ("time", "event"))
        print(safe(f"{str(row.get('time', ''))[:19]}  {row.get('event', '')}  {told}"))


@journal_app.command("approve-dna")
def approve_dna(context: Ctx, yes: OwnersWord = False, json: Json = False) -> None:
    """Take the DNA.md that came with this repository, as it is now, for your own words: it then leads every context."""
    session_of(context).memory(yes=yes).journal.approve_dna()
    if json:
        print_json({"approved": True})
    else:
        print("DNA.md is approved as it is now; a changed one has to be approved again.")
