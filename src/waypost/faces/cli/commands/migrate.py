"""The command that moves memories into a PostgreSQL database and back."""

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waypost.errors import ConfigError, InvalidInput, NotFound, WaypostError
from waypost.faces.cli.framework import Ctx, Json, Yes, app, session_of
from waypost.faces.cli.output.memories import print_json, print_notices, safe
from waypost.text.plural import counted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from waypost.config import Settings
    from waypost.faces.cli.output.progress import ProgressReport
    from waypost.faces.cli.session import CommandSession
    from waypost.memory.migration import SpaceMigration
    from waypost.memory.storage import StoredSpace
    from waypost.model.memory import Caller

_FILES, _VARIABLE = "sqlite", "env:"
_ADDRESSES = ("postgresql://", "postgres://")
_SECRET = re.compile(r"(://[^:/@?]*):[^@/?]*@|([?&]password=)[^&]*")
_STEPS = {
    "fresh": "would be copied",
    "replace": "would be copied, in place of what an earlier move left there",
    "resume": "would be finished: a part of it is there",
    "mark": "has arrived; only the old one has to be told",
    "done": "was moved already",
}


@dataclass(slots=True)
class _Outcome:
    """What became of all that was to be moved."""

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
        typer.Option(
            "--to",
            metavar="PLACE",
            help="postgresql://USER@HOST/NAME; env:NAME takes it from a variable; sqlite: files of this machine.",
        ),
    ] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="PLACE", help="Where they are now, if the settings say otherwise.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All memories that are there, not only this one.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be moved.")] = False,
    switch: Annotated[bool, typer.Option("--switch", help="Then set `store` in config.toml.")] = False,
    instead: Annotated[bool, typer.Option("--replace", help="Delete another copy that is in the way. Asks.")] = False,
    delete_old: Annotated[
        bool, typer.Option("--delete-old", help="Then delete what was left in the old place. Asks.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Move memories into a PostgreSQL database, or back into files of this machine.

    Everything goes along, and is checked before the old place is marked as moved. A move that was cut off goes on where it
    was when the command is repeated.
    """
    from waypost import config
    from waypost.faces.cli.output.progress import progress
    from waypost.faces.cli.session import caller, confirm
    from waypost.memory.migration import SpaceMigration

    settings = config.load()
    who = caller(settings.person, yes=yes)
    source, target = _ends(settings, from_, to)
    session = session_of(context)
    spaces = list(_chosen(session, settings, source, every=every))
    outcome = _Outcome()
    if delete_old and not dry_run:
        confirm("Delete what was moved from its old place, for good?", yes=yes)
    if instead and not dry_run:
        confirm("Delete what the new place holds of the same memories, for good?", yes=yes)
    with progress(json=json) as report:
        for space in spaces:
            try:
                moving = SpaceMigration(source, target, space)
                if dry_run:
                    outcome.rows.append(_looked_at(moving))
                else:
                    outcome.rows.append(_moved(moving, who, report, instead=instead, delete_old=delete_old))
            except WaypostError as error:
                if not every:
                    raise
                outcome.failed.append({"name": space.name, "error": error.what, "remedy": error.remedy})
    if switch and not dry_run and not outcome.failed:
        outcome.switched = str(switch_store(settings.home, target.store))
    if json:
        print_json(outcome.to_json())
    else:
        _tell(outcome, source, target, dry_run=dry_run)
    if outcome.failed:
        raise typer.Exit(1)


def _ends(settings: "Settings", from_: str | None, to: str | None) -> "tuple[Settings, Settings]":
    if to is None and from_ is None:
        raise InvalidInput("Where to?", "Name it: waypost migrate --to postgresql://USER@HOST/NAME, or --to sqlite.")
    source = settings if from_ is None else replace(settings, store=_address(from_))
    target = settings if to is None else replace(settings, store=_address(to))
    if source.store == target.store:
        raise InvalidInput(
            "The settings say already that memories are there.", "Say where they are now: --from sqlite."
        )
    return source, target


def _address(told: str) -> str:
    """What `store` is to be. Never repeated in a message: it may hold a password."""
    from waypost import config

    if told == _FILES:
        return ""
    if told.startswith(_VARIABLE):
        name = told.removeprefix(_VARIABLE)
        found = config.environment().get(name, "")
        if not found:
            raise ConfigError(
                f"The variable {name[:60]!r} is not set.", "Set it to postgresql://USER:PASSWORD@HOST/NAME."
            )
        told = found
    if not told.startswith(_ADDRESSES):
        raise InvalidInput(
            "That is no place for memories.", "Use postgresql://USER@HOST/NAME, env:NAME of a variable, or sqlite."
        )
    return config.checked_store(told, "That")


def _chosen(
    session: "CommandSession", settings: "Settings", source: "Settings", *, every: bool
) -> "Iterable[StoredSpace]":
    from waypost.faces.cli.arguments import MYSELF
    from waypost.memory.migration import find_stored_space, readable_spaces

    if every:
        found = list(readable_spaces(source))
        if not found:
            raise NotFound("There is no memory to be moved.", "Look at `waypost status`.")
        return found
    person = settings.person if session.person == MYSELF else session.person
    return [find_stored_space(source, session.directory, person)]


def _looked_at(moving: "SpaceMigration") -> dict[str, Any]:
    found = moving.look()
    said = {"status": "dry-run", "step": found.step, "rows": found.rows, "tables": dict(found.tables)}
    return {**_named(moving), **said, "size_bytes": found.size_bytes}


def _moved(
    moving: "SpaceMigration", who: "Caller", report: "ProgressReport", *, instead: bool, delete_old: bool
) -> dict[str, Any]:
    def tell(phase: str, done: int, total: int, note: str = "") -> None:
        report(f"{moving.space.name}: {phase}", done, total, note)

    moved = moving.run(who, tell, instead=instead)
    if delete_old:
        moving.remove_old()
    return {**_named(moving), **moved.to_json(), "old_deleted": delete_old}


def _named(moving: "SpaceMigration") -> dict[str, Any]:
    return {
        "name": moving.space.name,
        "space": moving.space.space_id,
        "new_space": moving.new_id,
        "from": moving.source,
        "to": moving.target,
    }


def _tell(outcome: _Outcome, source: "Settings", target: "Settings", *, dry_run: bool) -> None:
    for row in outcome.rows:
        print(safe(_line(row)))
        if row.get("passages_to_rebuild"):
            count = row["passages_to_rebuild"]
            passages = counted(count, "passage was", "passages were")
            told = f"{passages} indexed by an earlier version; `waypost rebuild` there makes them anew."
            print_notices((told,))
    for one in outcome.failed:
        print(safe(f"{one['name']}: not moved. {one['error']} {one['remedy']}"))
    if dry_run or not outcome.rows:
        return
    if outcome.switched:
        print(safe(f"{outcome.switched} says so now. Restart what runs: servers, agents, `waypost watch`."))
    else:
        print(safe(_next(target)))
    _warn(source, target)


def _line(row: dict[str, Any]) -> str:
    name = f"{row['name']} ({row['new_space']})"
    if row["status"] == "dry-run":
        return f"{name}: {counted(row['rows'], 'row')}, {row['size_bytes'] / 1e6:.1f} MB; {_STEPS[row['step']]}."
    gone = " The old one is deleted." if row["old_deleted"] else ""
    if row["status"] == "already":
        return f"{name}: was moved already.{gone}"
    rate = f" in {row['seconds']:.1f} s" if row["seconds"] >= 0.1 else ""
    answers = row["answers"]
    asked = ""
    if answers and answers["asked"]:
        same = "the same" if answers["same"] == 1 else f"the same by {answers['same']:.0%}"
        asked = f", and the answers to {answers['asked']} questions are {same}"
    resumed = " (the rest of a move that was cut off)" if row["resumed"] else ""
    return f"{name}: {counted(row['rows'], 'row')} moved{rate}{resumed}; every table is the same{asked}.{gone}"


def _next(target: "Settings") -> str:
    config = target.home / "config.toml"
    if not target.store:
        return f"Next: take the line `store = …` out of {config} (--switch does it), and restart what runs."
    shown = without_secret(target.store)
    hint = " with its password" if shown != target.store else ""
    return f'Next: write this into {config}{hint} (--switch does it), and restart what runs:\nstore = "{shown}"'


def _warn(source: "Settings", target: "Settings") -> None:
    from waypost import config
    from waypost.memory.migration import unmoved_names

    notices = list[str]()
    if config.environment().get("WAYPOST_STORE", "") not in ("", target.store):
        notices.append("WAYPOST_STORE is set to another place, and wins over config.toml.")
    left = unmoved_names(source)
    if left:
        told = ", ".join(left[:5]) + (", …" if len(left) > 5 else "")
        notices.append(f"Still in the old place: {told}. `waypost migrate --all` moves them too.")
    print_notices(tuple(notices))


def without_secret(address: str) -> str:
    """The address of a database with a word in place of its password."""
    return _SECRET.sub(
        lambda found: f"{found[1]}:PASSWORD@" if found[1] is not None else f"{found[2]}PASSWORD", address
    )


def switch_store(home: "Path", store: str) -> "Path":
    """Set `store` in config.toml, or take it out where it is empty; every other byte stays. The file is for its owner
    alone: it may hold a password."""
    from waypost.faces.setup.jsonc import Malformed
    from waypost.space.platform import make_private_directory, write_private_file

    path = home / "config.toml"
    try:
        text = path.read_bytes().decode() if path.exists() else ""
        changed = with_store(text, store)
    except (Malformed, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be changed: {error}.", "Change `store` in it by hand.") from error
    if changed != text:
        make_private_directory(home)
        write_private_file(path, changed.encode(), replace=True)
    return path


def with_store(text: str, store: str) -> str:
    from waypost.faces.setup.jsonc_edit import newline_of
    from waypost.faces.setup.toml_edit import read, statements, toml_value

    read(text)  # raises Malformed
    found = statements(text)
    known = next((one for one in found if one.key == ("store",) and not one.is_header), None)
    if known is not None:
        if not store:
            return text[: known.start] + text[known.end :]
        return text[: known.value_start] + toml_value(store) + text[known.value_end :]
    if not store:
        return text
    # Before the first table: behind it the name would be one of that table.
    header = next((one.start for one in found if one.is_header), len(text))
    above = [one.end for one in found if one.end <= header]
    at = above[-1] if above else 1 if text.startswith("\ufeff") else 0
    newline = newline_of(text)
    before = text[:at] + (newline if at > 1 and not text[:at].endswith("\n") else "")
    return f"{before}store = {toml_value(store)}{newline}{text[at:]}"
