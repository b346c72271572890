"""Import from Memory Bridge: facts, their hierarchy and causal links, from a database of version 1 or 2.

First the database is copied with its secrets masked, and everything is read from that copy. Then come a survey, facts
with parents first, causal nodes, links and a verification. Every memory passes the gateway. An interrupted import can
be run again: existing memories are recognised by key.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from waypost.compat.memory_bridge.columns import Columns
from waypost.compat.memory_bridge.facts import MOST_TAGS, BridgeFact, BridgeFactReader
from waypost.compat.memory_bridge.survey import MOST_ROWS, survey
from waypost.compat.memory_bridge.values import id_of, line_of, number_of
from waypost.compat.memory_bridge.verify import BridgeVerification, verify
from waypost.compat.memory_bridge.write import BridgeTally, DraftBuilder, write_batch
from waypost.errors import InvalidInput
from waypost.flows.move.imports import (
    CAUSAL,
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
from waypost.store.protocol import Edge
from waypost.store.sqlite.foreign import ForeignDatabase, ForeignTable, Value, copy_database
from waypost.store.sqlite.foreign_rewrite import rewrite_database
from waypost.system.platform import is_alive, make_private_directory, sync_directory, write_failure
from waypost.text.secrets.masking import mask

MEMORY_BRIDGE = "memory-bridge"
HIERARCHY = "fact_hierarchy"
CAUSAL_NODES = "causal_nodes"
CAUSAL_EDGES = "causal_edges"
_FROM = ("from_id", "source_id", "from_node")
_TO = ("to_id", "target_id", "to_node")
_TYPE = ("edge_type", "type", "relationship", "label")
_STRENGTH = ("strength", "weight")
_MOST_EDGES = 1_000_000  # of one database
_FACTS = ("facts", "hierarchical_facts")  # names in the design and in the code of Memory Bridge
_NEEDED = frozenset((*_FACTS, HIERARCHY, CAUSAL_NODES, CAUSAL_EDGES))
_KEY = "memory-bridge:"
_NODE_KEY = "memory-bridge:node:"
_BATCH = 512  # rows
_BATCH_SIZE = 8_000_000  # characters
_MOST_NOTES = 500


@dataclass(frozen=True, slots=True)
class BridgeReport(Imported):
    """The result of an import, with its verification."""

    rows: int  # facts and causal nodes of the source
    past: int  # added memories that are no longer true
    sorted: dict[str, int]  # how many memories Waypost gave a level, by level
    parents: int  # memories with a parent
    links: int  # causal and other links
    backup: str | None  # the path of the copy of the source
    verified: BridgeVerification


def import_bridge(space: OpenSpace, path: Path, caller: Caller) -> BridgeReport:
    """Import a Memory Bridge database, which is only read."""
    unfinished_id = unfinished(space, MEMORY_BRIDGE, path)
    import_id = unfinished_id or space.new_id()
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
        if unfinished_id is None:
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
) -> BridgeReport:
    tally = BridgeTally(masked=masked)
    rows_survey = survey(database, facts, columns, database.table(HIERARCHY))
    if not rows_survey.has_levels:
        tally.note(Note(0, None, "every fact has level 0, the default: levels are inferred from the text instead"))
    if columns.left_out:
        tally.note(Note(0, None, f"ignored columns: {', '.join(map(str, columns.left_out[:20]))}"[:400]))
    builder = DraftBuilder.of(space, rows_survey)
    reader = BridgeFactReader(columns, rows_survey, space.clock(), _KEY)
    for rows in _in_order(database, facts, reader):
        _write_all(space, rows, builder, caller, import_id, tally)
    by_fact = dict(tally.memories)
    rows_of_nodes = _write_nodes(space, database, builder, caller, import_id, tally)
    links = [
        Edge(SEE_ALSO, by_fact[parent].memory_id, by_fact[other].memory_id)
        for parent, other in rows_survey.others
        if parent in by_fact and other in by_fact
    ]
    links += _causal_links(database, tally)
    links = [edge for edge in dict.fromkeys(links) if edge.from_id != edge.to_id]
    for batch in batches(links, _BATCH):
        add_links(space, batch, caller, import_id, tally.own)
    verified = verify(space, tally, links, rows_survey.rows + rows_of_nodes)
    if tally.statuses["added"]:
        finish(space, import_id)
    else:
        unregister(space, import_id)
        drop_backups(space, import_id)
    return BridgeReport(
        import_id if tally.statuses["added"] else None,
        tally.statuses,
        tally.references,
        tally.unplaced,
        tally.masked,
        tuple(
            Note(note.memory, note.key and mask(note.key).text, mask(note.what).text)
            for note in tally.first_notes(_MOST_NOTES)
        ),
        rows_survey.rows + rows_of_nodes,
        tally.past,
        dict(sorted(tally.sorted.items())),
        tally.parents,
        len(links),
        str(backup) if tally.statuses["added"] else None,
        verified,
    )


def _in_order(
    database: ForeignDatabase, table: ForeignTable, reader: BridgeFactReader
) -> Iterator[Iterator[BridgeFact]]:
    """All rows, parents before children. Within a generation, past facts come first.

    Otherwise a past fact could be merged into a current one.
    """
    done = bytearray(reader.survey.rows)

    def read(generation: int, only_past: bool) -> Iterator[BridgeFact]:
        for number, row in enumerate(database.rows(table, reader.columns.names), 1):
            if reader.survey.depths[number - 1] == generation and not done[number - 1]:
                fact = reader.read(number, row)
                if fact.is_past or not only_past:
                    done[number - 1] = 1
                    yield fact

    for generation in range(reader.survey.generations()):
        if reader.can_be_past:
            yield read(generation, only_past=True)
        yield read(generation, only_past=False)


def _write_all(
    space: OpenSpace,
    facts: Iterator[BridgeFact],
    builder: DraftBuilder,
    caller: Caller,
    import_id: str,
    tally: BridgeTally,
) -> None:
    batch: list[BridgeFact] = []
    size = 0
    for fact in facts:
        batch.append(fact)
        size += len(fact.draft_fields.get("text", ""))
        if len(batch) >= _BATCH or size >= _BATCH_SIZE:
            write_batch(space, batch, builder, caller, import_id, tally)
            batch, size = [], 0
    if batch:
        write_batch(space, batch, builder, caller, import_id, tally)


def _write_nodes(
    space: OpenSpace,
    database: ForeignDatabase,
    builder: DraftBuilder,
    caller: Caller,
    import_id: str,
    tally: BridgeTally,
) -> int:
    """Write decisions, reasons, consequences and constraints. Returns the number of rows."""
    table = database.table(CAUSAL_NODES)
    if table is None:
        return 0
    columns = _columns(database, table)
    rows_survey = survey(database, table, columns, None)
    reader = BridgeFactReader(columns, rows_survey, space.clock(), _NODE_KEY, "node ")
    tally.memories = {}  # nodes have ids of their own
    for rows in _in_order(database, table, reader):
        _write_all(space, rows, builder, caller, import_id, tally)
    return rows_survey.rows


def _causal_links(database: ForeignDatabase, tally: BridgeTally) -> Iterator[Edge]:
    """The edges between imported nodes. Unusable edges are noted."""
    table = database.table(CAUSAL_EDGES)
    if table is None:
        return
    lowered = {name.lower(): name for name in reversed(table.columns)}
    selected = [
        next((lowered[candidate] for candidate in names if candidate in lowered), None)
        for names in (_FROM, _TO, _TYPE, _STRENGTH)
    ]
    if selected[0] is None or selected[1] is None:
        tally.note(Note(0, None, f"{CAUSAL_EDGES} has no columns {_FROM[0]} and {_TO[0]}: all edges are ignored"))
        return
    names = [name for name in selected if name is not None]
    for number, values in enumerate(database.rows(table, names), 1):
        if number > _MOST_EDGES:
            tally.note(Note(0, None, f"{CAUSAL_EDGES} has more than {_MOST_EDGES:,} rows; the rest is left out"))
            return
        row = dict(zip(names, values, strict=True))
        edge = _edge(tally, number, [None if name is None else row[name] for name in selected])
        if edge is not None:
            yield edge


def _edge(tally: BridgeTally, number: int, values: list[Value]) -> Edge | None:
    ends = [tally.memories.get(id_of(value)) for value in values[:2]]
    kind = line_of(values[2]).casefold().rpartition(".")[2].replace("-", "_").replace(" ", "_") or CAUSAL[0]
    strength = number_of(values[3])
    if kind not in CAUSAL:
        tally.note(Note(0, None, f"causal edge {number} left out: {kind[:40]!r} is not one of {', '.join(CAUSAL)}"))
        return None
    if ends[0] is None or ends[1] is None:
        which = line_of(values[0 if ends[0] is None else 1])[:60]
        tally.note(Note(0, None, f"causal edge {number} left out: there is no node {which!r}"))
        return None
    return Edge(kind, ends[0].memory_id, ends[1].memory_id, 1.0 if strength is None else min(1.0, max(0.0, strength)))


def _facts(database: ForeignDatabase, path: Path) -> ForeignTable:
    tables = [table for table in map(database.table, _FACTS) if table is not None and table.columns]
    if not tables:
        raise InvalidInput(
            f"{path} has no table `facts`.", "Name the database of Memory Bridge, often memory_bridge.db."
        )
    return max(tables, key=database.count)


def _columns(database: ForeignDatabase, table: ForeignTable) -> Columns:
    return Columns.of(table.name, table.columns, database.rows(table, table.columns), MOST_TAGS)


def _back_up(space: OpenSpace, path: Path, import_id: str) -> tuple[Path, Counter[str]]:
    """Copy the source with its secrets masked. Returns the copy, and the number of masked rows of each table."""
    folder = backups(space)
    make_private_directory(folder)
    for left in folder.glob(".*.tmp"):  # of a killed process; it may contain secrets
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
