"""Links between what was brought over: causes out of Memory Bridge's own tables."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.compat.memory_bridge.values import id_of, line_of, number_of
from waypost.flows.move.imports import CAUSAL, Note
from waypost.store.protocol import Edge
from waypost.store.sqlite.foreign import ForeignDatabase, Value

if TYPE_CHECKING:
    from waypost.compat.memory_bridge.write import BridgeRows

HIERARCHY = "fact_hierarchy"
CAUSAL_NODES = "causal_nodes"
CAUSAL_EDGES = "causal_edges"
_FROM = ("from_id", "source_id", "from_node")
_TO = ("to_id", "target_id", "to_node")
_TYPE = ("edge_type", "type", "relationship", "label")
_STRENGTH = ("strength", "weight")
_MOST = 1_000_000  # links of one database


def causal_links(database: ForeignDatabase, taken: "BridgeRows") -> Iterator[Edge]:
    """The edges between nodes that were brought over. What an edge lacks is told."""
    table = database.table(CAUSAL_EDGES)
    if table is None:
        return
    lowered = {name.lower(): name for name in reversed(table.columns)}
    asked = [next((lowered[one] for one in names if one in lowered), None) for names in (_FROM, _TO, _TYPE, _STRENGTH)]
    if asked[0] is None or asked[1] is None:
        taken.note(Note(0, None, f"{CAUSAL_EDGES} has no columns {_FROM[0]} and {_TO[0]}: no edge was taken"))
        return
    names = [name for name in asked if name is not None]
    for number, values in enumerate(database.rows(table, names), 1):
        if number > _MOST:
            taken.note(Note(0, None, f"{CAUSAL_EDGES} has more than {_MOST:,} rows; the rest was left out"))
            return
        row = dict(zip(names, values, strict=True))
        edge = _edge(taken, number, [None if name is None else row[name] for name in asked])
        if edge is not None:
            yield edge


def _edge(taken: "BridgeRows", number: int, values: list[Value]) -> Edge | None:
    ends = [taken.memories.get(id_of(value)) for value in values[:2]]
    kind = line_of(values[2]).casefold().rpartition(".")[2].replace("-", "_").replace(" ", "_") or CAUSAL[0]
    strength = number_of(values[3])
    if kind not in CAUSAL:
        taken.note(Note(0, None, f"causal edge {number} left out: {kind[:40]!r} is none of {', '.join(CAUSAL)}"))
        return None
    if ends[0] is None or ends[1] is None:
        which = line_of(values[0 if ends[0] is None else 1])[:60]
        taken.note(Note(0, None, f"causal edge {number} left out: there is no node {which!r}"))
        return None
    return Edge(kind, ends[0].memory_id, ends[1].memory_id, 1.0 if strength is None else min(1.0, max(0.0, strength)))
