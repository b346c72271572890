"""The command on how long a memory lives."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Id, Json, app, session_of
from waypost.faces.cli.output.memories import print_json, print_pairs

if TYPE_CHECKING:
    from waypost.flows.write.lifetime import Lasting

_ENDS = {"stale": "it goes stale", "archive": "it is archived", "delete": "it is deleted"}


@app.command()
def ttl(
    context: Ctx,
    memory_id: Id,
    length: Annotated[
        str | None, typer.Argument(metavar="[SECONDS]", help="How long it lives: seconds, or 30m, 12h, 3d, 2w.")
    ] = None,
    ttl_class: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="CLASS", help="As usual for architecture, api_contract, implementation, session."
        ),
    ] = None,
    refresh: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="A change of such a file starts its time anew; repeat it for more."),
    ] = None,
    on_expire: Annotated[str | None, typer.Option(help="What happens at the end: stale, archive or delete.")] = None,
    none: Annotated[bool, typer.Option("--none", help="It has no end any more.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="As the owner's word, where nobody is at a terminal.")
    ] = False,
    json: Json = False,
) -> None:
    """How long a memory lives: show it, set it from now on, or take it away. An archived memory comes back by it."""
    from waypost.flows.write.lifetime import Lasting
    from waypost.model.lifetime import parse_seconds

    given = length is not None or ttl_class is not None or bool(refresh) or on_expire is not None
    if none and given:
        raise InvalidInput("--none takes the lifetime away.", "Leave the rest out, or leave --none out.")
    memory = session_of(context).memory(yes=yes)
    if given or none:
        seconds = None if length is None else parse_seconds(length)
        found = memory.facts.set_ttl(
            memory_id, seconds, refresh=refresh or (), on_expire=on_expire, ttl_class=ttl_class
        )
    else:
        shown = memory.show(memory_id)
        found = Lasting(shown.id, shown.state)
    if json:
        print_json(found.to_json())
    else:
        _print(found)


def _print(found: "Lasting") -> None:
    from waypost.model.lifetime import format_seconds

    state = found.state
    pairs = {"memory": found.memory_id}
    if state.expires_at is None:
        pairs["lives"] = "without end"
    else:
        usual = f" ({state.ttl_class})" if state.ttl_class else ""
        pairs["lives for"] = f"{format_seconds(state.ttl_seconds)}{usual}" if state.ttl_seconds else "a time"
        pairs["until"] = f"{state.expires_at:%Y-%m-%d %H:%M} UTC"
        pairs["then"] = _ENDS[state.on_expire or "stale"]
    if state.refresh:
        pairs["anew when"] = f"{', '.join(state.refresh)} changes"
    if state.protected:
        pairs["protected"] = "its time does not run out meanwhile"
    if state.archived_at is not None:
        pairs["archived"] = f"{state.archived_at:%Y-%m-%d %H:%M} UTC"
    if state.is_stale:
        pairs["STALE"] = state.stale_reason or "for another reason"
    print_pairs(pairs)
