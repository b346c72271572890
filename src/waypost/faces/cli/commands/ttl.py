"""`waypost ttl`: when a memory expires."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Id, Json, app, session_of
from waypost.faces.cli.output.memories import print_json, print_pairs
from waypost.model.lifetime import parse_seconds, spelled_seconds

if TYPE_CHECKING:
    from waypost.flows.write.lifetime import LifetimeStatus

_ENDS = {"stale": "marked stale", "archive": "archived", "delete": "deleted"}


@app.command()
def ttl(
    context: Ctx,
    memory_id: Id,
    length: Annotated[str | None, typer.Argument(metavar="[SECONDS]", help="Seconds, or 30m, 12h, 3d, 2w.")] = None,
    ttl_class: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="CLASS", help="Use the TTL of architecture, api_contract, implementation or session."
        ),
    ] = None,
    refresh: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Restart the TTL when a matching file changes (repeatable)."),
    ] = None,
    on_expire: Annotated[str | None, typer.Option(help="What to do on expiry: stale, archive or delete.")] = None,
    none: Annotated[bool, typer.Option("--none", help="Remove the TTL.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Confirm with owner rights, without a terminal.")] = False,
    json: Json = False,
) -> None:
    """Show, set or remove when a memory expires. Setting it restores an archived memory."""
    from waypost.flows.write.lifetime import LifetimeStatus

    given = length is not None or ttl_class is not None or bool(refresh) or on_expire is not None
    if none and given:
        raise InvalidInput("--none removes the TTL.", "Remove the other options, or remove --none.")
    memory = session_of(context).memory(yes=yes)
    if given or none:
        seconds = None if length is None else parse_seconds(length)
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
        pairs["ttl"] = f"{spelled_seconds(state.ttl_seconds)}{usual}" if state.ttl_seconds else "-"
        pairs["expires"] = f"{state.expires_at:%Y-%m-%d %H:%M} UTC"
        pairs["then"] = _ENDS[state.on_expire or "stale"]
    if state.refresh:
        pairs["restarts when"] = f"{', '.join(state.refresh)} changes"
    if state.protected:
        pairs["protected"] = "does not expire while protected"
    if state.archived_at is not None:
        pairs["archived"] = f"{state.archived_at:%Y-%m-%d %H:%M} UTC"
    if state.is_stale:
        pairs["STALE"] = state.stale_reason or "for another reason"
    print_pairs(pairs)
