"""Commands for memories: write, search, correct, remove, restore."""

import os
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli import output
from waypost.faces.cli.framework import Archived, AsOf, Ctx, Id, Json, KnownAt, Yes, app, session_of
from waypost.faces.cli.output.memories import print_json, print_notices, print_rows
from waypost.faces.cli.output.progress import working
from waypost.faces.cli.session import confirm
from waypost.faces.cli.writes import labels, print_written, remember_one, tags
from waypost.model.causal import CAUSAL_KINDS
from waypost.text.durations import parse_duration
from waypost.text.plural import counted


@app.command()
def remember(
    context: Ctx,
    text: Annotated[str | None, Argument(metavar="[TEXT]", help="The text; - reads standard input.")] = None,
    kind: Annotated[
        str | None, Option(help="fact, decision, constraint, learning, fix, note, preference, conversation, …")
    ] = None,
    replaces: Annotated[str | None, Option(metavar="ID", help="The memory this one replaces.")] = None,
    ref: Annotated[
        list[str] | None, Option("--ref", metavar="PATH#L1-L9", help="Code it is about (repeatable).")
    ] = None,
    level: Annotated[int | None, Option(help="0 project, 1 domain, 2 module, 3 code.")] = None,
    domain: Annotated[str | None, Option(help="The part of the project it is about.")] = None,
    module: Annotated[str | None, Option(help="The module it is about.")] = None,
    valid_from: Annotated[str | None, Option(metavar="TIME", help="True since (default: now).")] = None,
    valid_until: Annotated[str | None, Option(metavar="TIME", help="True until.")] = None,
    parent: Annotated[str | None, Option(metavar="ID", help="Its parent fact.")] = None,
    ttl: Annotated[
        str | None, Option(metavar="DURATION", help="Expire after this: seconds, or 30m, 12h, 3d, 2w.")
    ] = None,
    ttl_class: Annotated[
        str | None, Option(metavar="NAME", help="architecture, api_contract, implementation or session.")
    ] = None,
    refresh: Annotated[
        list[str] | None, Option("--refresh", metavar="GLOB", help="Restart the TTL when a matching file changes.")
    ] = None,
    on_expire: Annotated[
        str | None, Option(metavar="ACTION", help="What to do on expiry: stale, archive or delete.")
    ] = None,
    tag: Annotated[list[str] | None, Option("--tag", metavar="NAME=VALUE", help="A tag (repeatable).")] = None,
    label: Annotated[
        list[str] | None,
        Option("--label", metavar="NAME=VALUE", help="category, scope, entity, artifact_type, artifact_ref, …"),
    ] = None,
    evidence: Annotated[list[str] | None, Option("--evidence", help="An ADR, a pull request, a commit.")] = None,
    session: Annotated[str | None, Option(help="The conversation it belongs to.")] = None,
    speaker: Annotated[str | None, Option(help="Who said it.")] = None,
    time: Annotated[str | None, Option(metavar="TIME", help="When it was said.")] = None,
    key: Annotated[str | None, Option(help="Your own key; each key is stored once.")] = None,
    batch: Annotated[
        Path | None,
        Option("--batch", metavar="FILE.jsonl", help="Store many, one JSON object per line; - reads standard input."),
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Store a memory."""
    options = {
        "kind": kind, "replaces": replaces, "refs": session_of(context).refs(ref), "level": level, "domain": domain, "module": module,
        "parent": parent, "ttl_class": ttl_class, "refresh": refresh, "on_expire": on_expire, "valid_from": valid_from, "valid_until": valid_until, "ttl": None if ttl is None else parse_duration(ttl), "tags": tags(tag), "evidence": evidence,
        "session": session, "speaker": speaker, "time": time, "key": key, **labels(label),
    }  # fmt: skip
    given = {name: value for name, value in options.items() if value is not None}
    if batch is not None:
        if text is not None or given:
            raise InvalidInput("--batch takes everything from its file.", "Remove the text and the other options.")
        from waypost.faces.cli.commands.file_input import remember_batch  # reads drafts

        remember_batch(session_of(context), batch, json=json)
    else:
        remember_one(session_of(context), text, given, yes=yes, json=json)


@app.command()
def ask(
    context: Ctx,
    question: Annotated[list[str], Argument(metavar="QUESTION", help="Also several words without quotes.")],
    k: Annotated[int, Option("-k", help="Maximum number of results.")] = 5,
    scope: Annotated[str, Option("--in", help="all, code, functions, database, architecture, journal, facts.")] = "all",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    fresh: Annotated[bool, Option("--fresh", help="Leave out stale memories.")] = False,
    min_confidence: Annotated[
        float, Option(min=0, max=1, help="Leave out memories with lower confidence, 0 to 1.")
    ] = 0.0,
    exclude_tag: Annotated[
        list[str] | None, Option("--exclude-tag", metavar="NAME[=VALUE]", help="Leave out memories with this tag.")
    ] = None,
    archived: Archived = False,
    explain: Annotated[bool, Option("--explain", help="Show how each score was computed.")] = False,
    json: Json = False,
) -> None:
    """Search memories and code in plain language."""
    memory = session_of(context).memory()
    answer = memory.recall(
        " ".join(question), k, scope=scope, as_of=as_of, known_at=known_at, fresh=fresh, min_confidence=min_confidence,
        exclude_tags=exclude_tag or (), archived=archived,
    )  # fmt: skip
    places = output.editor_links.editor_links_of(memory)
    if json:
        row = answer.to_json(explain=explain)
        print_json({**row, "hits": [output.code_links.hit_with_links(hit, places) for hit in row["hits"]]})
    else:
        output.code_links.print_answer(answer, places, explain=explain)
    if not answer.hits:
        if not json and memory.status()["tree"] is None and _has_files(memory.identity.root):
            print_notices(("This project is not indexed yet. To search its code, run `waypost init`.",))
        raise typer.Exit(NotFound.exit_code)


def _has_files(root: Path | None) -> bool:
    """Whether a project has anything that could be indexed, without looking into hidden folders."""
    if root is None:
        return False
    for _, folders, files in os.walk(root):
        if any(not name.startswith(".") for name in files):
            return True
        folders[:] = [name for name in folders if not name.startswith(".")]
    return False


@app.command("context")
def context_(
    context: Ctx,
    task: str,
    tokens: Annotated[
        int | None, Option(help="Token budget: 2000 (scope: 500; journal: half the model's window).")
    ] = None,
    preset: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="scope: code; route: facts by level and domain; inject: close matches only; journal: journal files.",
        ),
    ] = None,
    include_stale: Annotated[bool, Option("--include-stale", help="With route: include stale facts.")] = False,
    no_l0: Annotated[bool, Option("--no-l0", help="With route: leave out project-wide facts.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """Print the context an agent gets at the start of a task."""
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
def show(
    context: Ctx,
    memory_id: Id,
    diff: Annotated[bool, Option("--diff", help="How the code has changed since the memory was made.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """Show all fields of a memory and the code it points at."""
    memory = session_of(context).memory()
    linked = memory.show(memory_id, as_of=as_of, known_at=known_at)
    places = output.editor_links.editor_links_of(memory)
    has_code = bool(linked.links) and linked.project is None
    code = memory.code.code_behind(memory_id, as_of=as_of, known_at=known_at) if has_code else ()
    is_symbol = linked.version.kind == "symbol" and linked.project is None
    around = output.structure.around(memory, memory_id) if is_symbol else {}
    if json:
        print_json({**output.code_links.full_row(linked, places, code, diff=diff), **around})
    else:
        output.code_links.print_memory(linked, places, code, diff=diff)
        output.structure.print_around(around)
        if linked.version.kind in CAUSAL_KINDS and linked.project is None:
            from waypost.faces.cli.commands.decisions import print_causes

            print_causes(memory.facts.related(linked.id))
    print_notices(memory.admin.damage_notices())


@app.command("list")
def list_(
    context: Ctx,
    kind: Annotated[str | None, Option(help="Only this kind.")] = None,
    level: Annotated[int | None, Option(help="Only this level.")] = None,
    domain: Annotated[str | None, Option(help="Only this domain.")] = None,
    module: Annotated[str | None, Option(help="Only this module.")] = None,
    session: Annotated[str | None, Option(help="Only this conversation.")] = None,
    tag: Annotated[
        list[str] | None, Option("--tag", metavar="NAME=VALUE", help="Only with this tag (repeatable).")
    ] = None,
    limit: Annotated[int, Option(help="Maximum number of memories.")] = 50,
    archived: Archived = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """List recent memories, newest last."""
    memory = session_of(context).memory()
    rows = memory.list(
        kind=kind, level=level, domain=domain, module=module, session=session, tags=tags(tag), limit=limit,
        archived=archived, as_of=as_of, known_at=known_at,
    )  # fmt: skip
    notices = memory.admin.damage_notices()
    if json:
        print_json({"memories": rows} | ({"notices": notices} if notices else {}))
    elif rows or not notices:
        filters = (kind, domain, module, session, tag, as_of, known_at)
        print_rows(rows, filtered=level is not None or any(filters))
    if not json:
        print_notices(notices if rows or notices else tuple(memory.status()["notices"]))


@app.command()
def correct(
    context: Ctx,
    memory_id: Id,
    text: Annotated[
        str | None, Argument(metavar="[TEXT]", help="The new text (default: edit the old one in your editor).")
    ] = None,
    valid_from: Annotated[str | None, Option(metavar="TIME", help="True since.")] = None,
    valid_until: Annotated[str | None, Option(metavar="TIME", help="True until.")] = None,
    json: Json = False,
) -> None:
    """Fix a memory's text; the old version stays in history."""
    memory = session_of(context).memory()
    if text is None:
        from waypost.faces.cli.editor import edited

        text = edited(memory.show(memory_id).version.text, "text")
    receipt = memory.correct(memory_id, text, valid_from=valid_from, valid_until=valid_until)
    print_written(receipt, json=json)


@app.command()
def retract(
    context: Ctx,
    memory_id: Id,
    valid_until: Annotated[str | None, Option(metavar="TIME", help="It was true until then.")] = None,
    json: Json = False,
) -> None:
    """Retract a memory. A memory it replaced becomes valid again. History keeps both."""
    proposed = session_of(context).memory().retract(memory_id, valid_until=valid_until)
    if proposed is not None:
        print_written(proposed, json=json)
        return
    _done(json, "retracted", memory_id)


@app.command()
def restore(
    context: Ctx,
    memory_id: Id,
    version: Annotated[
        int | None, Option("--version", metavar="N", help="Restore this version; see `history`.")
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Undo a retract or reject, or restore an earlier version.

    Id, links, reasons, code references and author stay the same. Forgotten memories can't be restored.
    """
    session_of(context).memory(yes=yes).restore(memory_id, version=version)
    _done(json, "restored", memory_id)


@app.command()
def reject(
    context: Ctx,
    what: Annotated[str, Argument(metavar="ID", help="The memory; with --lift, the rejected text or topic.")],
    lift: Annotated[bool, Option("--lift", help="Allow a rejected value again.")] = False,
    kind: Annotated[str, Option(help="With --lift: the kind, if a journal entry was forgotten.")] = "fact",
    domain: Annotated[str, Option(help="With --lift: the domain, if an earlier version rejected it.")] = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Retract a memory and never store its value again."""
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
def forget(
    context: Ctx,
    memory_id: Id,
    keep_answers: Annotated[bool, Option("--keep-answers", help="Keep what the assistant answered to it.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Delete a memory and every trace of it, permanently. The assistant's answers to an entry go too."""
    memory = session_of(context).memory(yes=yes)
    going = memory.forget(memory_id, keep_answers=keep_answers, dry_run=True)  # refuse before asking
    too = f", with {counted(len(going.answers), 'answer')} to it," if going.answers else ""
    confirm(f"Forget {memory_id} and its history{too} permanently?", yes=yes)
    with working("Erasing", json=json):
        forgotten = memory.forget(memory_id, keep_answers=keep_answers)
    if json:
        from waypost.memory.rows import forgotten_row  # loads flows

        print_json(forgotten_row(forgotten))
        return
    answers = f", with {counted(len(forgotten.answers), 'answer')} to it" if forgotten.answers else ""
    print(f"Forgotten: {forgotten.memory_id} ({counted(forgotten.versions, 'version')}){answers}.")
    if not forgotten.complete:
        print(
            "Traces in the database's free space remain until no other process reads it."
            " In a shared database, the owner of the tables removes them: waypost doctor --fix."
        )
    print(f"Waypost cannot reach: {'; '.join(forgotten.beyond_reach)}.")


@app.command()
def protect(
    context: Ctx,
    memory_id: Id,
    off: Annotated[bool, Option("--off", help="Remove the protection.")] = False,
    json: Json = False,
) -> None:
    """Protect a memory from ageing, pruning and expiry."""
    session_of(context).memory().protect(memory_id, on=not off)
    _done(json, "unprotected" if off else "protected", memory_id)


@app.command()
def history(context: Ctx, memory_id: Id, as_of: AsOf = None, known_at: KnownAt = None, json: Json = False) -> None:
    """Show all versions of a memory."""
    from waypost.faces.cli.output.history import print_history

    memory = session_of(context).memory()
    print_history(memory.history(memory_id, as_of=as_of, known_at=known_at), json=json)
    print_notices(memory.admin.damage_notices())


def _done(json: bool, status: str, memory_id: str | None) -> None:
    if json:
        print_json({"id": memory_id, "status": status})
    else:
        print(f"{status.capitalize()}{': ' + memory_id if memory_id else '.'}")
