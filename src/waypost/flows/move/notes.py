"""Notes about a move in the table `meta` of both databases.

    in the target  migration:unfinished  until it is complete and checked; with the progress of each table
    in the target  migration:arrived     afterwards
    in the source  migration:moved       at the end

All of them contain the move's id, by which an old copy is recognised.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from waypost.errors import Refused
from waypost.store.protocol import Reader, Writer
from waypost.store.tables import NOTES, TABLES

MOVED, UNFINISHED, ARRIVED = f"{NOTES}moved", f"{NOTES}unfinished", f"{NOTES}arrived"
_EVER = (
    "memories",
    "audit",
    "candidates",
    "tombstones",
    "journal_files",
)  # a database with rows in one of these was used

Sums = Mapping[str, tuple[int, str]]  # rows and checksum of each table


@dataclass(slots=True)
class Copied:
    after: tuple[Any, ...] | None = None  # the source's key of the last copied row
    rows: int = 0
    done: bool = False


@dataclass(slots=True)
class Unfinished:
    id: str
    at: str
    source: str  # the name of the source, to recognise it
    space: str  # its id in the source
    tables: dict[str, Copied] = field(default_factory=dict)
    sums: dict[str, tuple[int, str]] = field(default_factory=dict)  # of the source, at the time of copying
    strays: int = 0  # passages indexed by older rules

    def to_json(self) -> str:
        tables = {
            name: {"after": _json_key(copied.after), "rows": copied.rows, "done": copied.done}
            for name, copied in self.tables.items()
        }
        rest = {"sums": self.sums, "strays": self.strays, "tables": tables}
        return json.dumps({"id": self.id, "at": self.at, "from": self.source, "space": self.space, **rest})

    @classmethod
    def from_json(cls, text: str) -> "Unfinished":
        value = json.loads(text)
        tables = {name: Copied(_key(row["after"]), row["rows"], row["done"]) for name, row in value["tables"].items()}
        sums = {name: (rows, checksum) for name, (rows, checksum) in value["sums"].items()}
        return cls(value["id"], value["at"], value["from"], value["space"], tables, sums, value["strays"])


@dataclass(frozen=True, slots=True)
class Notes:
    moved: Mapping[str, Any] | None
    arrived: Mapping[str, Any] | None
    unfinished: Unfinished | None
    was_used: bool  # anything was ever stored in it


def notes_of(reader: Reader) -> Notes:
    moved, arrived, unfinished = (reader.meta.get(key) for key in (MOVED, ARRIVED, UNFINISHED))
    return Notes(
        json.loads(moved) if moved else None,
        json.loads(arrived) if arrived else None,
        Unfinished.from_json(unfinished) if unfinished else None,
        any(reader.tables().count(TABLES[name]) for name in _EVER),
    )


FRESH, REPLACE, RESUME, MARK, DONE = "fresh", "replace", "resume", "mark", "done"


def is_done(source: Notes, target: Notes) -> bool:
    """Whether the source was moved to this target."""
    return bool(source.moved and target.arrived and source.moved["id"] == target.arrived["id"])


def plan(source: Notes, target: Notes | None, name: str, to: str, space: str) -> str:
    """What is left to do to move `name` to `to`. Raises Refused if the target is in use.

    fresh: all of it, into an empty place. replace: all of it, over an old copy or an unused memory. resume: the rest.
    mark: it has arrived, and only the source must be marked. done: nothing.
    """
    if target is not None and is_done(source, target):
        return DONE
    if source.moved:
        raise Refused(
            f"This memory was moved from {name} to {source.moved['to']} on {source.moved['at'][:10]}.",
            "Move it from there.",
        )
    if source.unfinished:
        raise Refused(
            f"The memory in {name} is an unfinished copy itself.",
            f"Repeat the move from {source.unfinished.source} first.",
        )
    if target is None:
        return FRESH
    if target.unfinished:
        if (target.unfinished.source, target.unfinished.space) == (name, space):
            return RESUME
        raise _target_used(to, f"an unfinished move from {target.unfinished.source}", "Finish it there")
    if target.arrived and (target.arrived["from"], target.arrived["space"]) == (name, space) and not target.moved:
        return MARK
    left = target.moved and source.arrived and target.moved["id"] == source.arrived["id"]
    if left or not target.was_used:
        return REPLACE
    if target.moved:
        raise _target_used(
            to, f"a copy that was left when it was moved to {target.moved['to']}", "Remove that copy first"
        )
    raise _target_used(to, "another memory of the same project", "Export one and import it into the other")


def _target_used(to: str, what: str, remedy: str) -> Refused:
    return Refused(
        f"{to} already holds {what}; nothing was changed.", f"{remedy}, or delete what is there with --replace."
    )


def note_arrival(writer: Writer, state: Unfinished, sums: Sums, now: str) -> None:
    note = {"id": state.id, "at": now, "from": state.source, "space": state.space, "sums": dict(sums)}
    writer.tables().drop(TABLES["meta"], [(UNFINISHED,)])
    writer.meta.set(ARRIVED, json.dumps(note))


def note_departure(writer: Writer, move_id: str, to: str, remedy: str, now: str) -> None:
    writer.meta.set(MOVED, json.dumps({"id": move_id, "at": now, "to": to, "remedy": remedy}))


def _json_key(key: Sequence[Any] | None) -> list[Any] | None:
    return None if key is None else [{"hex": value.hex()} if isinstance(value, bytes) else value for value in key]


def _key(values: Sequence[Any] | None) -> tuple[Any, ...] | None:
    if values is None:
        return None
    return tuple(bytes.fromhex(value["hex"]) if isinstance(value, dict) else value for value in values)
