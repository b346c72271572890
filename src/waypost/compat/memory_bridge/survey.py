"""A first pass over a table, reading only a few columns: parents, times, domains and paths.

Parents are written before their children. Cycles of parents are cut, and the number of generations is limited.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise

from waypost.compat.memory_bridge.columns import Columns
from waypost.compat.memory_bridge.refs import parse_refs
from waypost.compat.memory_bridge.values import id_of, level_of, line_of, time_of
from waypost.model.draft import MAX_SHORT
from waypost.space.place import LONGEST_PATH
from waypost.store.sqlite.foreign import ForeignDatabase, ForeignTable, Value

DEEPEST = 16  # generations; there are four levels, and every generation takes a pass over all rows
MOST_ROWS = 2_000_000  # the survey of all rows is in memory
_MOST_LINKS = 1_000_000
_MOST_DOMAINS = 500
_MOST_PATHS = 100_000
_MOST_OF_A_PROJECT = 20  # a project can have this many facts of level 0
_CONTAINS = ("contains", "parent", "child", "parent_of", "has_child", "")
_NO_TIME = datetime(1900, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class BridgeSurvey:
    rows: int = 0
    ids: dict[str, list[int]] = field(default_factory=dict)  # id in the source → numbers of its rows, from 1
    parents: dict[str, str] = field(default_factory=dict)  # child → parent, by ids in the source
    others: list[tuple[str, str]] = field(default_factory=list)  # further parents and relations
    starts: dict[int, datetime] = field(default_factory=dict)  # row → since when it is true
    domains: dict[str, None] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)  # in references
    has_levels: bool = False  # False: all are 0, the default of a new column
    depths: bytearray = field(default_factory=bytearray)  # generation of each row
    ranks: dict[int, int] = field(default_factory=dict)  # rows after the first with the same id → their rank
    followers: dict[int, int] = field(default_factory=dict)  # row → the next later one of the same id
    cut: set[str] = field(default_factory=set)  # ids whose parent would close a cycle

    def generations(self) -> int:
        return max(self.depths, default=0) + 1

    def key_suffix(self, number: int) -> str:
        """A suffix that distinguishes rows with the same id; empty for the first."""
        return f"#{self.ranks[number]}" if number in self.ranks else ""

    def next_start(self, number: int) -> datetime | None:
        """When the next row with the same id begins, which ends this one."""
        return self.starts.get(self.followers.get(number, 0))

    def is_replaced(self, number: int) -> bool:
        return number in self.followers

    def start_of(self, source_id: str) -> datetime | None:
        numbers = self.ids.get(source_id, [])
        return self.starts.get(numbers[-1]) if numbers else None


def survey(
    database: ForeignDatabase, table: ForeignTable, columns: Columns, links: ForeignTable | None
) -> BridgeSurvey:
    result = BridgeSurvey()
    roles = [
        role for role in ("id", "parent", "since", "created", "level", "domain", "code_ref") if role in columns.roles
    ]
    names = [columns.names[columns.roles[role]] for role in roles]
    level_count, above_zero = 0, False
    for number, values in enumerate(database.rows(table, names) if names else _empty(database, table), 1):
        row = dict(zip(roles, values, strict=True))
        result.rows = number
        _add_row(result, number, row)
        level = level_of(row.get("level"))
        level_count += level is not None
        above_zero |= bool(level)
    result.has_levels = above_zero or level_count < result.rows or result.rows <= _MOST_OF_A_PROJECT
    if links is not None:
        _add_links(result, database, links)
    _order_repeated(result)
    result.depths = bytearray(result.rows)
    _set_depths(result)
    return result


def _empty(database: ForeignDatabase, table: ForeignTable) -> Iterable[tuple[Value, ...]]:
    return (() for _ in range(database.count(table)))


def _add_row(result: BridgeSurvey, number: int, row: Mapping[str, Value]) -> None:
    source_id = id_of(row.get("id"))
    if source_id:
        result.ids.setdefault(source_id, []).append(number)
        parent = id_of(row.get("parent"))
        if parent and parent != source_id:
            result.parents.setdefault(source_id, parent)
    start = time_of(row.get("since")) or time_of(row.get("created"))
    if start is not None:
        result.starts[number] = start
    domain = line_of(row.get("domain"))
    if domain and len(domain) <= MAX_SHORT and len(result.domains) < _MOST_DOMAINS:
        result.domains[domain] = None
    if len(result.paths) < _MOST_PATHS:
        paths = (ref.file_path for ref in parse_refs(row.get("code_ref")).valid)
        result.paths.update(path for path in paths if len(path) <= LONGEST_PATH)


def _order_repeated(result: BridgeSurvey) -> None:
    for places in result.ids.values():
        if len(places) > 1:
            result.ranks |= {place: rank for rank, place in enumerate(places[1:], 2)}
            order = sorted(places, key=lambda place: (result.starts.get(place, _NO_TIME), place))
            result.followers |= dict(pairwise(order))


def _add_links(result: BridgeSurvey, database: ForeignDatabase, links: ForeignTable) -> None:
    lowered = {name.lower(): name for name in links.columns}
    names = [lowered[name] for name in ("parent_id", "child_id", "relationship") if name in lowered]
    if names[:2] != [lowered.get("parent_id"), lowered.get("child_id")]:
        return
    for row in database.rows(links, names):
        parent, child = id_of(row[0]), id_of(row[1])
        if parent == child or parent not in result.ids or child not in result.ids:
            continue
        relation = line_of(row[2]).casefold() if len(row) > 2 else ""
        if relation in _CONTAINS and result.parents.get(child, parent) not in result.ids:
            result.parents[child] = parent  # the column has a parent that does not exist
        elif relation in _CONTAINS and child not in result.parents:
            result.parents[child] = parent
        elif result.parents.get(child) != parent and len(result.others) < _MOST_LINKS:
            result.others.append((parent, child))


def _set_depths(result: BridgeSurvey) -> None:
    depths: dict[str, int] = {}
    for source_id in result.parents:
        _descend(result, source_id, depths)
    for source_id, depth in depths.items():
        for place in result.ids.get(source_id, ()):
            result.depths[place - 1] = min(depth, DEEPEST)


def _descend(result: BridgeSurvey, source_id: str, depths: dict[str, int]) -> None:
    """Compute depths: go up to the first ancestor whose depth is known, then down again."""
    path: list[str] = []
    on_path: set[str] = set()
    current = source_id
    while current not in depths:
        path.append(current)
        on_path.add(current)
        parent = result.parents.get(current)
        if parent is None or parent not in result.ids:
            break
        if parent in on_path:  # a cycle, which is cut here
            result.cut.add(current)
            break
        current = parent
    for current in reversed(path):
        parent = result.parents.get(current, "")
        depths[current] = depths[parent] + 1 if parent in depths and current not in result.cut else 0


def parent_of(result: BridgeSurvey, source_id: str) -> str:
    """The id of a row's parent in the source, or an empty string if it has no usable one."""
    parent = result.parents.get(source_id, "")
    return "" if source_id in result.cut or parent not in result.ids else parent


def unusable_parent(result: BridgeSurvey, source_id: str) -> str:
    """The id of a parent that does not exist or would close a cycle, or an empty string."""
    parent = result.parents.get(source_id, "")
    return parent if parent and not parent_of(result, source_id) else ""
