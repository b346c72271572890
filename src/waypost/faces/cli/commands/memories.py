"""Commands on memories: write, ask, and the life of one. A body over ten lines hides a flow."""

from pathlib import Path
from typing import Annotated

import typer

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.framework import Archived, AsOf, Ctx, Id, Json, KnownAt, Yes, app, session_of
from waypost.faces.cli.output.memories import print_json
from waypost.faces.cli.session import confirm
from waypost.text.plural import counted


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
    parent: Annotated[str | None, typer.Option(metavar="ID", help="The fact that it stands under.")] = None,
    ttl: Annotated[int | None, typer.Option(metavar="SECONDS", help="After which it counts as stale.")] = None,
    ttl_class: Annotated[
        str | None, typer.Option(metavar="NAME", help="architecture, api_contract, implementation or session.")
    ] = None,
    refresh: Annotated[
        list[str] | None,
        typer.Option("--refresh", metavar="GLOB", help="A change of such a file starts its time anew."),
    ] = None,
    on_expire: Annotated[
        str | None, typer.Option(metavar="ACTION", help="stale, archive or delete when its time has run out.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE")] = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="NAME=VALUE", help="category, scope, entity, artifact_type, artifact_ref, …"),
    ] = None,
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
    from waypost.faces.cli.commands import file_input

    options = {
        "kind": kind, "replaces": replaces, "refs": session_of(context).refs(ref), "level": level, "domain": domain, "module": module,
        "parent": parent, "ttl_class": ttl_class, "refresh": refresh, "on_expire": on_expire, "valid_from": valid_from, "valid_until": valid_until, "ttl": ttl, "tags": file_input.tags(tag), "evidence": evidence,
        "session": session, "speaker": speaker, "time": time, "key": key, **file_input.labels(label),
    }  # fmt: skip
    given = {name: value for name, value in options.items() if value is not None}
    if batch is not None:
        if text is not None or given:
            raise InvalidInput("--batch takes everything from its file.", "Leave the text and the other options out.")
        file_input.remember_batch(session_of(context), batch, json=json)
    else:
        file_input.remember_one(session_of(context), text, given, yes=yes, json=json)


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
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out what is less certain than this, 0 to 1.")
    ] = 0.0,
    exclude_tag: Annotated[
        list[str] | None, typer.Option("--exclude-tag", metavar="NAME[=VALUE]", help="Leave out what has this tag.")
    ] = None,
    archived: Archived = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say how each score came about.")] = False,
    json: Json = False,
) -> None:
    """Ask everything that is remembered."""
    from waypost.faces.cli.output.answers import print_answer
    from waypost.faces.cli.output.code_links import hit_with_links
    from waypost.faces.cli.output.editor_links import places_of

    memory = session_of(context).memory()
    answer = memory.recall(
        question, k, scope=scope, as_of=as_of, known_at=known_at, fresh=fresh, min_confidence=min_confidence,
        exclude_tags=exclude_tag or (), archived=archived,
    )  # fmt: skip
    places = places_of(memory)
    if json:
        row = answer.to_json(explain=explain)
        print_json({**row, "hits": [hit_with_links(hit, places) for hit in row["hits"]]})
    else:
        print_answer(answer, places, explain=explain)
    if not answer.hits:
        raise typer.Exit(NotFound.exit_code)


@app.command("context")
def context_(
    context: Ctx,
    task: str,
    tokens: Annotated[
        int | None, typer.Option(help="The most it may take: 2000; 500 for scope, half the window for journal.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="scope: code; route: facts by level and domain; inject: only what is near; journal: its files.",
        ),
    ] = None,
    include_stale: Annotated[bool, typer.Option("--include-stale", help="With route: stale facts too.")] = False,
    no_l0: Annotated[bool, typer.Option("--no-l0", help="With route: not what is true of the whole project.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """The briefing an agent gets at the start of a task."""
    briefing = (
        session_of(context)
        .memory()
        .brief(
            task,
            tokens,
            preset=preset,
            include_stale=include_stale,
            include_l0=not no_l0,
            as_of=as_of,
            known_at=known_at,
        )
    )
    if json:
        print_json(briefing.to_json())
    else:
        from waypost.faces.cli.output.memories import print_notices, safe

        print(safe(briefing.text))
        print_notices((briefing.explanation,))


@app.command()
def show(context: Ctx, memory_id: Id, as_of: AsOf = None, known_at: KnownAt = None, json: Json = False) -> None:
    """Everything about one memory, with the code it points at."""
    from waypost.faces.cli.output.code_links import print_shown, shown_row
    from waypost.faces.cli.output.editor_links import places_of
    from waypost.faces.cli.output.memories import print_notices

    memory = session_of(context).memory()
    found = memory.show(memory_id, as_of=as_of, known_at=known_at)
    if json:
        print_json(shown_row(found, places_of(memory)))
    else:
        print_shown(found, places_of(memory))
    print_notices(memory.admin.damage_notices())


@app.command("list")
def list_(
    context: Ctx,
    kind: Annotated[str | None, typer.Option(help="Only this kind.")] = None,
    level: Annotated[int | None, typer.Option(help="Only this level.")] = None,
    domain: Annotated[str | None, typer.Option(help="Only this domain.")] = None,
    module: Annotated[str | None, typer.Option(help="Only this module.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this conversation.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="NAME=VALUE")] = None,
    limit: Annotated[int, typer.Option(help="How many at the most, the latest.")] = 50,
    archived: Archived = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """What is remembered, the latest last."""
    from waypost.faces.cli.commands import file_input
    from waypost.faces.cli.output.memories import print_notices, print_rows

    memory = session_of(context).memory()
    rows = memory.list(
        kind=kind, level=level, domain=domain, module=module, session=session, tags=file_input.tags(tag), limit=limit,
        archived=archived, as_of=as_of, known_at=known_at,
    )  # fmt: skip
    notices = memory.admin.damage_notices()
    if json:
        print_json({"memories": rows} | ({"notices": notices} if notices else {}))
    elif rows or not notices:
        print_rows(rows)
    if not json:
        print_notices(notices if rows or notices else tuple(memory.status()["notices"]))


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
    from waypost.faces.cli.commands import file_input

    receipt = session_of(context).memory().correct(memory_id, text, valid_from=valid_from, valid_until=valid_until)
    file_input.print_written(receipt, json=json)


@app.command()
def retract(
    context: Ctx,
    memory_id: Id,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="It was true until then.")] = None,
    json: Json = False,
) -> None:
    """Retract a memory; what it had replaced holds again. History keeps it."""
    from waypost.faces.cli.commands import file_input

    proposed = session_of(context).memory().retract(memory_id, valid_until=valid_until)
    if proposed is not None:
        file_input.print_written(proposed, json=json)
        return
    _done(json, "retracted", memory_id)


@app.command()
def restore(
    context: Ctx,
    memory_id: Id,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Bring back this version, as `history` numbers them.")
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Undo a retract or reject; or bring back an earlier version.

    It is the same memory: id, links, reasons, code references and author. What was forgotten can't come back.
    """
    session_of(context).memory(yes=yes).restore(memory_id, version=version)
    _done(json, "restored", memory_id)


@app.command()
def reject(
    context: Ctx,
    what: Annotated[str, typer.Argument(metavar="ID", help="The memory; with --lift, the rejected text or topic.")],
    lift: Annotated[bool, typer.Option("--lift", help="Allow a rejected value again.")] = False,
    kind: Annotated[str, typer.Option(help="With --lift: the kind, if a journal entry was forgotten.")] = "fact",
    domain: Annotated[str, typer.Option(help="With --lift: its domain, if an earlier version rejected it.")] = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Take it back and never store this value again."""
    memory = session_of(context).memory(yes=yes)
    if lift:
        if not memory.facts.lift_rejection(what, kind=kind, domain=domain or None):
            raise NotFound("No such value was rejected.", "Give the text or the topic as the refusal shows it.")
        _done(json, "lifted", None)
        return
    confirm(f"Reject {what}? It will not be stored again.", yes=yes)
    memory.reject(what)
    _done(json, "rejected", what)


@app.command()
def forget(context: Ctx, memory_id: Id, yes: Yes = False, json: Json = False) -> None:
    """Remove it and every trace of it, for good."""
    memory = session_of(context).memory(yes=yes)
    memory.forget(memory_id, dry_run=True)  # before anybody is asked
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
    print(f"Forgotten: {gone.memory_id} ({counted(gone.versions, 'version')}).")
    if not gone.complete:
        print(
            "Its last traces in free space are still there: they go when no other process reads, or by whoever owns the"
            " tables of a shared database (waypost doctor --fix)."
        )
    print(f"Out of Waypost's reach: {'; '.join(gone.beyond_reach)}.")


@app.command()
def protect(
    context: Ctx,
    memory_id: Id,
    off: Annotated[bool, typer.Option("--off", help="Take the protection away.")] = False,
    json: Json = False,
) -> None:
    """Keep it from ageing, pruning and expiry."""
    session_of(context).memory().protect(memory_id, on=not off)
    _done(json, "unprotected" if off else "protected", memory_id)


@app.command()
def history(context: Ctx, memory_id: Id, as_of: AsOf = None, known_at: KnownAt = None, json: Json = False) -> None:
    """All that was ever recorded under an id."""
    from waypost.faces.cli.commands import file_input
    from waypost.faces.cli.output.memories import print_notices

    memory = session_of(context).memory()
    file_input.print_history(memory.history(memory_id, as_of=as_of, known_at=known_at), json=json)
    print_notices(memory.admin.damage_notices())


def _done(json: bool, status: str, memory_id: str | None) -> None:
    if json:
        print_json({"id": memory_id, "status": status})
    else:
        print(f"{status.capitalize()}{': ' + memory_id if memory_id else '.'}")
