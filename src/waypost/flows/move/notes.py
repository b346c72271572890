"""What a move leaves in both databases, in the table `meta`: how far it is, that it arrived, that it went away.

    in the target  migration:unfinished  while it is not whole and checked; with how far each table is
    in the target  migration:arrived     afterwards
    in the source  migration:moved       at the very end

A move has an id, which stands in all of them: a copy that was left behind is known again by it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from waypost.errors import Refused
from waypost.store.protocol import Reader, Writer
from waypost.store.tables import NOTES, TABLES

MOVED, UNFINISHED, ARRIVED = f"{NOTES}moved", f"{NOTES}unfinished", f"{NOTES}arrived"
_EVER = ("memories", "audit", "candidates", "tombstones", "journal_files")  # rows in one of these: it was used

Sums = Mapping[str, tuple[int, str]]  # of each table: rows and checksum


@dataclass(slots=True)
class Copied:
    """How far a table is."""

    after: tuple[Any, ...] | None = None  # the key in the source of the last row that was copied
    rows: int = 0
    done: bool = False


@dataclass(slots=True)
class Unfinished:
    """A move that is under way."""

    id: str
    at: str
    source: str  # how the source is called, to know it again
    space: str  # its id there
    tables: dict[str, Copied] = field(default_factory=dict)
    sums: dict[str, tuple[int, str]] = field(default_factory=dict)  # of the source, when what is here was copied
    strays: int = 0  # passages that were indexed under other rules than today's

    def to_json(self) -> str:
        tables = {
            name: {"after": _plain(one.after), "rows": one.rows, "done": one.done} for name, one in self.tables.items()
        }
        rest = {"sums": self.sums, "strays": self.strays, "tables": tables}
        return json.dumps({"id": self.id, "at": self.at, "from": self.source, "space": self.space, **rest})

    @classmethod
    def from_json(cls, told: str) -> "Unfinished":
        value = json.loads(told)
        tables = {name: Copied(_key(one["after"]), one["rows"], one["done"]) for name, one in value["tables"].items()}
        sums = {name: (rows, checksum) for name, (rows, checksum) in value["sums"].items()}
        return cls(value["id"], value["at"], value["from"], value["space"], tables, sums, value["strays"])


@dataclass(frozen=True, slots=True)
class Notes:
    """What a database says about moves of a memory."""

    moved: Mapping[str, Any] | None
    arrived: Mapping[str, Any] | None
    unfinished: Unfinished | None
    was_used: bool  # whether anything was ever kept in it


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
    """Whether the one was moved to the other."""
    return bool(source.moved and target.arrived and source.moved["id"] == target.arrived["id"])


def plan(source: Notes, target: Notes | None, name: str, to: str, space: str) -> str:
    """What is left to do, where `name` is the source and `to` the target. Raises Refused where the target is taken.

    fresh: all of it, into an empty place. replace: the same, in place of a copy that an earlier move left behind, or of
    a memory in which nothing was ever kept. resume: the rest of it. mark: it has arrived, which the source does not know
    yet. done: nothing.
    """
    if target is not None and is_done(source, target):
        return DONE
    if source.moved:
        raise Refused(
            f"This memory was moved from {name} to {source.moved['to']} on {source.moved['at'][:10]}.",
            "Move it from there, if it is to go elsewhere.",
        )
    if source.unfinished:
        raise Refused(
            f"The memory in {name} has not arrived whole itself.",
            f"Repeat the move from {source.unfinished.source} first.",
        )
    if target is None:
        return FRESH
    if target.unfinished:
        if (target.unfinished.source, target.unfinished.space) == (name, space):
            return RESUME
        raise _taken(to, f"an unfinished move from {target.unfinished.source}", "Finish it there")
    if target.arrived and (target.arrived["from"], target.arrived["space"]) == (name, space) and not target.moved:
        return MARK
    left = target.moved and source.arrived and target.moved["id"] == source.arrived["id"]
    if left or not target.was_used:
        return REPLACE
    if target.moved:
        raise _taken(to, f"a copy that was left when it was moved to {target.moved['to']}", "Remove that copy first")
    raise _taken(to, "another memory of the same project", "Export one and import it into the other")


def _taken(to: str, what: str, remedy: str) -> Refused:
    return Refused(
        f"{to} already holds {what}; nothing was changed.", f"{remedy}, or delete what is there with --replace."
    )


def note_arrival(writer: Writer, state: Unfinished, sums: Sums, now: str) -> None:
    told = {"id": state.id, "at": now, "from": state.source, "space": state.space, "sums": dict(sums)}
    writer.tables().drop(TABLES["meta"], [(UNFINISHED,)])
    writer.meta.set(ARRIVED, json.dumps(told))


def note_departure(writer: Writer, move_id: str, to: str, remedy: str, now: str) -> None:
    writer.meta.set(MOVED, json.dumps({"id": move_id, "at": now, "to": to, "remedy": remedy}))


def _plain(key: Sequence[Any] | None) -> list[Any] | None:
    return None if key is None else [{"hex": one.hex()} if isinstance(one, bytes) else one for one in key]


def _key(told: Sequence[Any] | None) -> tuple[Any, ...] | None:
    if told is None:
        return None
    return tuple(bytes.fromhex(one["hex"]) if isinstance(one, dict) else one for one in told)
