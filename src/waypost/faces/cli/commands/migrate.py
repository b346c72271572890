"""`waypost migrate`: move memories into a PostgreSQL database and back."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from waypost import config
from waypost.config import without_secret
from waypost.errors import ConfigError, InvalidInput, NotFound, WaypostError
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.config_file import change_config
from waypost.faces.cli.framework import Ctx, Json, Yes, app, session_of
from waypost.faces.cli.output.memories import print_json, print_notices, safe
from waypost.faces.cli.output.progress import progress
from waypost.faces.cli.session import caller, confirm
from waypost.text.plural import counted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from waypost.config import Settings
    from waypost.faces.cli.output.progress import ProgressReport
    from waypost.faces.cli.session import CommandSession
    from waypost.memory.migration import SpaceMigration
    from waypost.model.memory import Caller, StoredSpace

_FILES, _VARIABLE = "sqlite", "env:"
_ADDRESSES = ("postgresql://", "postgres://")
_STEPS = {
    "fresh": "would be copied",
    "replace": "would be copied, replacing what an earlier move left there",
    "resume": "would be finished; part of it is already there",
    "mark": "is copied; only the old copy must be marked as moved",
    "done": "was already moved",
}


@dataclass(slots=True)
class _Outcome:
    rows: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    switched: str = ""  # the file that was changed

    def to_json(self) -> dict[str, Any]:
        return {"memories": self.rows, "failed": self.failed, "switched": self.switched or None}


@app.command()
def migrate(
    context: Ctx,
    to: Annotated[
        str | None,
        Option(
            "--to",
            metavar="PLACE",
            help="postgresql://USER@HOST/NAME; env:NAME reads a variable; sqlite: files on this machine.",
        ),
    ] = None,
    from_: Annotated[
        str | None, Option("--from", metavar="PLACE", help="Where they are now (default: as configured).")
    ] = None,
    every: Annotated[bool, Option("--all", help="Move all memories, not only this one.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be moved.")] = False,
    switch: Annotated[bool, Option("--switch", help="Then set `store` in config.toml.")] = False,
    instead: Annotated[bool, Option("--replace", help="Delete a copy that already exists there. Asks.")] = False,
    delete_old: Annotated[bool, Option("--delete-old", help="Then delete the old copy. Asks.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Move memories into a PostgreSQL database, or back into files on this machine.

    Everything is moved and verified before the old copy is marked as moved. Repeat the command to continue an
    interrupted move.
    """
    from waypost.memory.migration import SpaceMigration

    settings = config.load()
    who = caller(settings.person, yes=yes)
    source, target = _ends(settings, from_, to)
    session = session_of(context)
    spaces = list(_selected_spaces(session, settings, source, every=every))
    outcome = _Outcome()
    if delete_old and not dry_run:
        confirm("Delete the old copies permanently?", yes=yes)
    if instead and not dry_run:
        confirm("Delete existing copies at the new place permanently?", yes=yes)
    with progress(json=json) as report:
        for space in spaces:
            try:
                moving = SpaceMigration(source, target, space)
                if dry_run:
                    outcome.rows.append(_plan_row(moving))
                else:
                    outcome.rows.append(_move(moving, who, report, instead=instead, delete_old=delete_old))
            except WaypostError as error:
                if not every:
                    raise
                outcome.failed.append({"name": space.name, "error": error.what, "remedy": error.remedy})
    if switch and not dry_run and not outcome.failed:
        outcome.switched = str(switch_store(settings.home, target.store))
    print_json(outcome.to_json()) if json else _print_outcome(outcome, source, target, dry_run=dry_run)
    if outcome.failed:
        raise typer.Exit(1)


def _ends(settings: "Settings", from_: str | None, to: str | None) -> "tuple[Settings, Settings]":
    if to is None and from_ is None:
        raise InvalidInput("No target given.", "Use --to postgresql://USER@HOST/NAME, or --to sqlite.")
    source = settings if from_ is None else replace(settings, store=_address(from_))
    target = settings if to is None else replace(settings, store=_address(to))
    if source.store == target.store:
        raise InvalidInput("The settings already name that place.", "Say where the memories are now: --from sqlite.")
    return source, target


def _address(address: str) -> str:
    """The value for `store`. Never print it: it can contain a password."""
    if address == _FILES:
        return ""
    if address.startswith(_VARIABLE):
        name = address.removeprefix(_VARIABLE)
        value = config.environment().get(name, "")
        if not value:
            raise ConfigError(
                f"The variable {name[:60]!r} is not set.", "Set it to postgresql://USER:PASSWORD@HOST/NAME."
            )
        address = value
    if not address.startswith(_ADDRESSES):
        raise InvalidInput(
            "That is not a place for memories.", "Use postgresql://USER@HOST/NAME, env:NAME of a variable, or sqlite."
        )
    return config.checked_store(address, "That")


def _selected_spaces(
    session: "CommandSession", settings: "Settings", source: "Settings", *, every: bool
) -> "Iterable[StoredSpace]":
    from waypost.memory.migration import find_stored_space, readable_spaces

    if every:
        spaces = list(readable_spaces(source))
        if not spaces:
            raise NotFound("No memories to move.", "See `waypost status`.")
        return spaces
    person = settings.person if session.person == MYSELF else session.person
    return [find_stored_space(source, session.directory, person)]


def _plan_row(moving: "SpaceMigration") -> dict[str, Any]:
    plan = moving.look()
    step = {"status": "dry-run", "step": plan.step, "rows": plan.rows, "tables": dict(plan.tables)}
    return {**_place_row(moving), **step, "size_bytes": plan.size_bytes}


def _move(
    moving: "SpaceMigration", who: "Caller", report: "ProgressReport", *, instead: bool, delete_old: bool
) -> dict[str, Any]:
    def report_phase(phase: str, done: int, total: int, note: str = "") -> None:
        report(f"{moving.space.name}: {phase}", done, total, note)

    moved = moving.run(who, report_phase, instead=instead)
    if delete_old:
        moving.remove_old()
    return {**_place_row(moving), **moved.to_json(), "old_deleted": delete_old}


def _place_row(moving: "SpaceMigration") -> dict[str, Any]:
    return {
        "name": moving.space.name,
        "space": moving.space.space_id,
        "new_space": moving.new_id,
        "from": moving.source,
        "to": moving.target,
    }


def _print_outcome(outcome: _Outcome, source: "Settings", target: "Settings", *, dry_run: bool) -> None:
    for row in outcome.rows:
        print(safe(_line(row)))
        if row.get("passages_to_rebuild"):
            count = row["passages_to_rebuild"]
            passages = counted(count, "passage was", "passages were")
            notice = f"{passages} indexed by an earlier version; run `waypost rebuild` there."
            print_notices((notice,))
    for failure in outcome.failed:
        print(safe(f"{failure['name']}: not moved. {failure['error']} {failure['remedy']}"))
    if dry_run or not outcome.rows:
        return
    if outcome.switched:
        print(safe(f"Changed {outcome.switched}. Restart servers, agents and `waypost watch`."))
    else:
        print(safe(_next(target)))
    _warn(source, target)


def _line(row: dict[str, Any]) -> str:
    name = f"{row['name']} ({row['new_space']})"
    if row["status"] == "dry-run":
        return f"{name}: {counted(row['rows'], 'row')}, {row['size_bytes'] / 1e6:.1f} MB; {_STEPS[row['step']]}."
    gone = " The old copy is deleted." if row["old_deleted"] else ""
    if row["status"] == "already":
        return f"{name}: was already moved.{gone}"
    rate = f" in {row['seconds']:.1f} s" if row["seconds"] >= 0.1 else ""
    answers = row["answers"]
    comparison = ""
    if answers and answers["asked"]:
        same = "the same" if answers["same"] == 1 else f"the same by {answers['same']:.0%}"
        comparison = f", and the answers to {answers['asked']} questions are {same}"
    resumed = " (continued after an interruption)" if row["resumed"] else ""
    return f"{name}: {counted(row['rows'], 'row')} moved{rate}{resumed}; all tables match{comparison}.{gone}"


def _next(target: "Settings") -> str:
    config = target.home / "config.toml"
    if not target.store:
        return f"Next: remove the line `store = …` from {config} (or use --switch), and restart running processes."
    address = without_secret(target.store)
    hint = " with its password" if address != target.store else ""
    return (
        f'Next: write this into {config}{hint} (or use --switch), and restart running processes:\nstore = "{address}"'
    )


def _warn(source: "Settings", target: "Settings") -> None:
    from waypost.memory.migration import unmoved_names

    notices = list[str]()
    if config.environment().get("WAYPOST_STORE", "") not in ("", target.store):
        notices.append("WAYPOST_STORE names another place and overrides config.toml.")
    left = unmoved_names(source)
    if left:
        names = ", ".join(left[:5]) + (", …" if len(left) > 5 else "")
        notices.append(f"Still in the old place: {names}. Move them too: `waypost migrate --all`.")
    print_notices(tuple(notices))


def switch_store(home: "Path", store: str) -> "Path":
    """Set or remove `store` in config.toml; all other bytes stay."""
    return change_config(home, lambda text: with_store(text, store))


def with_store(text: str, store: str) -> str:
    from waypost.faces.setup.toml_edit import drop_value, put_value

    return put_value(text, ("store",), store) if store else drop_value(text, ("store",))
