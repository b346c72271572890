"""Coming from Memory Bridge: facts, their tree and their reasons, out of a database of its version 1 or 2.

backup (a private copy without its secrets, from which all is read) → survey → facts, parents first → causal nodes → links → verify. Every
memory passes the gateway. Whoever was interrupted runs it again: what is here is known by its key, and nothing is doubled.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.compat.memory_bridge.columns import Columns
from waypost.compat.memory_bridge.facts import MOST_TAGS, BridgeFact, BridgeFactReader
from waypost.compat.memory_bridge.links import CAUSAL_EDGES, CAUSAL_NODES, HIERARCHY, causal_links
from waypost.compat.memory_bridge.survey import MOST_ROWS, survey
from waypost.compat.memory_bridge.verify import Verified, verify
from waypost.compat.memory_bridge.write import BridgeRows, Sorter, take
from waypost.errors import InvalidInput
from waypost.flows.move.imports import (
    SEE_ALSO,
    Imported,
    Note,
    add_links,
    backups,
    batches,
    drop_backups,
    finish,
    register,
    unfinished,
    unregister,
)
from waypost.flows.open_space import OpenSpace
from waypost.model.memory import Caller
from waypost.space.platform import is_alive, make_private_directory, sync_directory, write_failure
from waypost.store.protocol import Edge
from waypost.store.sqlite.foreign import ForeignDatabase, ForeignTable, copy_database
from waypost.store.sqlite.foreign_rewrite import rewrite_database
from waypost.text.secrets.masking import mask

MEMORY_BRIDGE = "memory-bridge"
_FACTS = ("facts", "hierarchical_facts")  # the design's name, and the one that its authors use
_NEEDED = frozenset((*_FACTS, HIERARCHY, CAUSAL_NODES, CAUSAL_EDGES))
_KEY = "memory-bridge:"
_NODE_KEY = "memory-bridge:node:"
_BATCH = 512  # rows
_BATCH_SIZE = 8_000_000  # characters
_MOST_NOTES = 500


@dataclass(frozen=True, slots=True)
class Bridged(Imported):
    """What became of every row, and whether all of it is here."""

    rows: int  # facts and causal nodes of the source
    past: int  # of those added: true once, and not any more
    sorted: dict[str, int]  # how many were given a level here, by level
    parents: int  # memories that stand under another
    links: int  # causal and other links that are here now
    backup: str | None  # where the copy of the source lies
    verified: Verified

    def to_json(self) -> dict[str, Any]:
        return {
            **Imported.to_json(self),
            "rows": self.rows,
            "past": self.past,
            "sorted": self.sorted,
            "parents": self.parents,
            "links": self.links,
            "backup": self.backup,
            "verified": self.verified.to_json(),
        }


def import_bridge(space: OpenSpace, path: Path, caller: Caller) -> Bridged:
    """Bring over what a database of Memory Bridge holds. The database itself is only read, and stays as it is."""
    going_on = unfinished(space, MEMORY_BRIDGE, path)
    import_id = going_on or space.new_id()
    backup, hidden = _back_up(space, path, import_id)
    try:
        database = ForeignDatabase(backup, display_path=path)
    except BaseException:
        drop_backups(space, import_id)
        raise
    with database:
        try:
            facts = _facts(database, path)
            tables = [facts, *filter(None, map(database.table, (HIERARCHY, CAUSAL_NODES, CAUSAL_EDGES)))]
            for table in tables:
                database.check(table)
                if database.count(table) > MOST_ROWS:
                    raise InvalidInput(f"{path} has more than {MOST_ROWS:,} rows in {table.name}.", "Split it.")
            columns = _columns(database, facts)
        except BaseException:
            drop_backups(space, import_id)
            raise
        if going_on is None:
            register(space, import_id, MEMORY_BRIDGE, path)
        masked = sum(hidden[table.name] for table in tables)
        return _bring(space, database, facts, columns, caller, import_id, backup, masked)


def _bring(
    space: OpenSpace,
    database: ForeignDatabase,
    facts: ForeignTable,
    columns: Columns,
    caller: Caller,
    import_id: str,
    backup: Path,
    masked: int,
) -> Bridged:
    taken = BridgeRows(masked=masked)
    known = survey(database, facts, columns, database.table(HIERARCHY))
    if not known.levels_said:
        taken.note(
            Note(0, None, "every fact has level 0, which a new column holds: levels are told by the words instead")
        )
    if columns.left_out:
        taken.note(Note(0, None, f"columns not taken: {', '.join(map(str, columns.left_out[:20]))}"[:400]))
    sorter = Sorter.of(space, known)
    reader = BridgeFactReader(columns, known, space.clock(), _KEY)
    for chosen in _in_order(database, facts, reader):
        _take_all(space, chosen, sorter, caller, import_id, taken)
    by_fact = dict(taken.memories)
    rows_of_nodes = _take_nodes(space, database, sorter, caller, import_id, taken)
    links = [
        Edge(SEE_ALSO, by_fact[one].memory_id, by_fact[other].memory_id)
        for one, other in known.others
        if one in by_fact and other in by_fact
    ]
    links += causal_links(database, taken)
    links = [one for one in dict.fromkeys(links) if one.from_id != one.to_id]
    for batch in batches(links, _BATCH):
        add_links(space, batch, caller, import_id, taken.own)
    verified = verify(space, taken, links, known.rows + rows_of_nodes)
    if taken.statuses["added"]:
        finish(space, import_id)
    else:
        unregister(space, import_id)
        drop_backups(space, import_id)
    return Bridged(
        import_id if taken.statuses["added"] else None,
        taken.statuses,
        taken.references,
        taken.unplaced,
        taken.masked,
        tuple(Note(one.memory, one.key and mask(one.key).text, mask(one.what).text) for one in taken.told(_MOST_NOTES)),
        known.rows + rows_of_nodes,
        taken.past,
        dict(sorted(taken.sorted.items())),
        taken.parents,
        len(links),
        str(backup) if taken.statuses["added"] else None,
        verified,
    )


def _in_order(
    database: ForeignDatabase, table: ForeignTable, reader: BridgeFactReader
) -> Iterator[Iterator[BridgeFact]]:
    """All rows, parents before their children; of each generation what is past first: it must not pass for a part of
    what is true now."""
    done = bytearray(reader.survey.rows)

    def read(generation: int, only_past: bool) -> Iterator[BridgeFact]:
        for number, row in enumerate(database.rows(table, reader.columns.asked), 1):
            if reader.survey.depths[number - 1] == generation and not done[number - 1]:
                fact = reader.read(number, row)
                if fact.is_past or not only_past:
                    done[number - 1] = 1
                    yield fact

    for generation in range(reader.survey.generations()):
        if reader.can_be_past:
            yield read(generation, only_past=True)
        yield read(generation, only_past=False)


def _take_all(
    space: OpenSpace, facts: Iterator[BridgeFact], sorter: Sorter, caller: Caller, import_id: str, taken: BridgeRows
) -> None:
    batch: list[BridgeFact] = []
    size = 0
    for fact in facts:
        batch.append(fact)
        size += len(fact.given.get("text", ""))
        if len(batch) >= _BATCH or size >= _BATCH_SIZE:
            take(space, batch, sorter, caller, import_id, taken)
            batch, size = [], 0
    if batch:
        take(space, batch, sorter, caller, import_id, taken)


def _take_nodes(
    space: OpenSpace, database: ForeignDatabase, sorter: Sorter, caller: Caller, import_id: str, taken: BridgeRows
) -> int:
    """Decisions, reasons, consequences and constraints. Returns how many rows there were."""
    table = database.table(CAUSAL_NODES)
    if table is None:
        return 0
    columns = _columns(database, table)
    known = survey(database, table, columns, None)
    reader = BridgeFactReader(columns, known, space.clock(), _NODE_KEY, "node ")
    taken.memories = {}  # ids of nodes are their own
    for chosen in _in_order(database, table, reader):
        _take_all(space, chosen, sorter, caller, import_id, taken)
    return known.rows


def _facts(database: ForeignDatabase, path: Path) -> ForeignTable:
    found = [table for table in map(database.table, _FACTS) if table is not None and table.columns]
    if not found:
        raise InvalidInput(
            f"{path} has no table `facts`.", "Name the database of Memory Bridge, often memory_bridge.db."
        )
    return max(found, key=database.count)


def _columns(database: ForeignDatabase, table: ForeignTable) -> Columns:
    return Columns.of(table.name, table.columns, database.rows(table, table.columns), MOST_TAGS)


def _back_up(space: OpenSpace, path: Path, import_id: str) -> tuple[Path, Counter[str]]:
    """Keep a copy of the source whose secrets are masked. Returns where it is, and in how many rows of each table a secret
    was masked."""
    folder = backups(space)
    make_private_directory(folder)
    for left in folder.glob(".*.tmp"):  # by a process that was killed; it may hold secrets
        if not is_alive(int(left.name.split(".")[2])):
            left.unlink(missing_ok=True)
    target = folder / f"{import_id}.db"
    whole, masked = (folder / f".{import_id}.{os.getpid()}.{part}.tmp" for part in ("whole", "masked"))
    try:
        copy_database(path, whole)
        with ForeignDatabase(whole, display_path=path) as database:
            hidden = rewrite_database(database, masked, lambda text: mask(text).text, _NEEDED)
        os.replace(masked, target)
        sync_directory(folder)
    except OSError as error:
        raise write_failure(error, target) from error
    finally:
        whole.unlink(missing_ok=True)
        masked.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
    return target, hidden
