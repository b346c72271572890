"""Commands for facts: learn them from changes, review them, move them between levels, set when they expire."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli import output
from waypost.faces.cli.framework import AsOf, Ctx, Id, Json, KnownAt, Yes, app, session_of
from waypost.faces.cli.output.memories import print_json, print_pairs
from waypost.faces.cli.output.progress import progress
from waypost.model.code_link import plain_reason
from waypost.model.lifetime import format_seconds
from waypost.model.time import format_minute
from waypost.text.durations import parse_duration

if TYPE_CHECKING:
    from waypost.flows.write.lifetime import LifetimeStatus
    from waypost.memory import Memory

_STATUS = {"added": "approved", "duplicate": "known"}
_NONE = "none"  # removes a parent, a domain or a module


@app.command()
def learn(
    context: Ctx,
    staged: Annotated[bool, Option("--staged", help="From staged changes.")] = False,
    diff: Annotated[
        str | None, Option("--diff", metavar="REV", help="From changes since this revision, or commits A..B.")
    ] = None,
    file: Annotated[Path | None, Option("--file", metavar="PATH", help="From one file.")] = None,
    yes: Annotated[bool, Option("--yes", "-y", help="Approve uncertain facts too.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be learned.")] = False,
    json: Json = False,
) -> None:
    """Propose facts from uncommitted changes, commits or one file. Uncertain ones need `waypost review`."""
    session = session_of(context)
    with progress(json=json) as report:
        learned = session.memory(yes=yes).facts.learn(
            staged=staged, diff=diff, file=file and session.path(file), yes=yes, dry_run=dry_run, report=report
        )
    print_json(learned.to_json()) if json else output.facts.print_learned(learned)


@app.command()
def review(
    context: Ctx,
    action: Annotated[str | None, Argument(metavar="[approve|reject|edit|restore]")] = None,
    ids: Annotated[
        list[str] | None, Argument(metavar="[ID]...", help="Ids of proposed facts; for edit, an ID and the TEXT.")
    ] = None,
    every: Annotated[bool, Option("--all", help="All proposed facts.")] = False,
    text: Annotated[str | None, Option("--text", help="With edit: the new text.")] = None,
    keep: Annotated[bool, Option("--keep", help="With edit: change the text without approving.")] = False,
    archived: Annotated[bool, Option("--archived", help="Also show archived facts.")] = False,
    rejected: Annotated[bool, Option("--rejected", help="Show recently rejected facts instead.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Approve or reject proposed facts; renew expired ones.

    Without an action, list what needs review. Approved facts are stored under your name. Rejected ones are not proposed
    again. `edit` changes the text and approves it. `restore` undoes a rejection.
    """
    from waypost.faces.cli.output import facts as output

    memory = session_of(context).memory(yes=yes)
    if rejected and action is None:
        output.print_declined(memory.facts.rejected(), json=json)
        return
    if action is None:
        pending = memory.facts.review(include_archived=archived)
        print_json(pending.to_json()) if json else output.print_review(pending)
        return
    chosen = [row.candidate_id for row, _ in memory.facts.review().candidates] if every else list(ids or ())
    if every and not chosen:
        raise NotFound("No facts to review.", "`waypost learn` proposes facts from changes.")
    output.print_decided(_apply(memory, action, chosen, text, keep), json=json)


def _apply(memory: "Memory", action: str, chosen: list[str], text: str | None, keep: bool) -> list[dict[str, object]]:
    """Apply the action and return one JSON row per proposed fact."""
    if action not in ("approve", "reject", "edit", "restore"):
        raise InvalidInput(f"Unknown action {action[:40]!r}.", "Use approve, reject, edit or restore; or none to list.")
    if action == "edit" and text is None and len(chosen) == 2:
        chosen, text = chosen[:1], chosen[1]
    if not chosen:
        raise InvalidInput("No facts chosen.", "Give their ids, or --all; `waypost review` shows them.")
    if action == "edit" and (text is None or len(chosen) != 1):
        raise InvalidInput("edit takes one id and the new text.", "waypost review edit ID TEXT")
    if action == "restore":
        return [{"id": candidate_id, "status": "restored"} for candidate_id in memory.facts.reconsider(chosen)]
    if action == "reject":
        return [{"id": candidate_id, "status": "rejected"} for candidate_id in memory.facts.reject(chosen)]
    if keep and text is not None:
        return [{"id": chosen[0], "status": "edited", "text": memory.facts.edit(chosen[0], text)}]
    return [
        {"candidate": candidate_id, **receipt.to_json(), "status": _STATUS.get(receipt.status, receipt.status)}
        for candidate_id, receipt in memory.facts.approve(chosen, text=text)
    ]


@app.command()
def promote(
    context: Ctx,
    memory_id: Id,
    level: Annotated[int | None, Argument(help="0 project, 1 domain, 2 module, 3 code.")] = None,
    parent: Annotated[str | None, Option(metavar="ID", help="Its parent fact, or none.")] = None,
    domain: Annotated[str | None, Option(help="The part of the project it is about, or none.")] = None,
    module: Annotated[str | None, Option(help="The module it is about, or none.")] = None,
    json: Json = False,
) -> None:
    """Change a fact's level, parent, domain or module."""
    from waypost.faces.cli.writes import print_written

    places = {"parent": parent, "domain": domain, "module": module}
    given = {name: "" if value == _NONE else value for name, value in places.items()}
    print_written(session_of(context).memory().facts.promote(memory_id, level, **given), json=json)


@app.command()
def subtree(
    context: Ctx,
    memory_id: Id,
    depth: Annotated[int, Option(min=0, max=100, help="Number of levels to show.")] = 100,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """Show a fact and all facts below it."""
    rows = session_of(context).memory().facts.subtree(memory_id, depth=depth, as_of=as_of, known_at=known_at)
    print_json({"memories": rows}) if json else output.facts.print_subtree(rows)


_ENDS = {"stale": "marked stale", "archive": "archived", "delete": "deleted"}


@app.command()
def ttl(
    context: Ctx,
    memory_id: Id,
    length: Annotated[str | None, Argument(metavar="[SECONDS]", help="Seconds, or 30m, 12h, 3d, 2w.")] = None,
    ttl_class: Annotated[
        str | None,
        Option(
            "--class", metavar="CLASS", help="Use the TTL of architecture, api_contract, implementation or session."
        ),
    ] = None,
    refresh: Annotated[
        list[str] | None, Option(metavar="GLOB", help="Restart the TTL when a matching file changes (repeatable).")
    ] = None,
    on_expire: Annotated[str | None, Option(help="What to do on expiry: stale, archive or delete.")] = None,
    none: Annotated[bool, Option("--none", help="Remove the TTL.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Confirm with owner rights, without a terminal.")] = False,
    json: Json = False,
) -> None:
    """Show, set or remove when a memory expires. Setting it restores an archived memory."""
    from waypost.flows.write.lifetime import LifetimeStatus

    given = length is not None or ttl_class is not None or bool(refresh) or on_expire is not None
    if none and given:
        raise InvalidInput("--none removes the TTL.", "Remove the other options, or remove --none.")
    memory = session_of(context).memory(yes=yes)
    if given or none:
        seconds = None if length is None else parse_duration(length)
        lifetime = memory.facts.set_ttl(
            memory_id, seconds, refresh=refresh or (), on_expire=on_expire, ttl_class=ttl_class
        )
    else:
        memory_now = memory.show(memory_id)
        lifetime = LifetimeStatus(memory_now.id, memory_now.state)
    print_json(lifetime.to_json()) if json else _print(lifetime)


def _print(lifetime: "LifetimeStatus") -> None:
    state = lifetime.state
    pairs = {"memory": lifetime.memory_id}
    if state.expires_at is None:
        pairs["expires"] = "never"
    else:
        usual = f" ({state.ttl_class})" if state.ttl_class else ""
        pairs["ttl"] = f"{format_seconds(state.ttl_seconds)}{usual}" if state.ttl_seconds else "-"
        pairs["expires"] = format_minute(state.expires_at)
        pairs["then"] = _ENDS[state.on_expire or "stale"]
    if state.refresh:
        pairs["restarts when"] = f"{', '.join(state.refresh)} changes"
    if state.protected:
        pairs["protected"] = "does not expire while protected"
    if state.archived_at is not None:
        pairs["archived"] = format_minute(state.archived_at)
    if state.is_stale:
        pairs["STALE"] = plain_reason(state.stale_reason, "for another reason")
    print_pairs(pairs)
