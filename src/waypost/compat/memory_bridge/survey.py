"""A first look at all rows of a foreign table, at little of each: who is whose parent, and what is said at all.

Parents are written before their children. Rows whose parents lead in a circle, or down too deep, are cut loose.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise

from waypost.compat.memory_bridge.columns import Columns
from waypost.compat.memory_bridge.refs import written_refs
from waypost.compat.memory_bridge.values import id_of, level_of, line_of, time_of
from waypost.model.draft import MAX_SHORT
from waypost.space.place import LONGEST_PATH
from waypost.store.sqlite.foreign import ForeignDatabase, ForeignTable, Value

DEEPEST = 16  # generations; levels are four, and every generation costs a look at all rows
MOST_ROWS = 2_000_000  # what is known of each row is kept while all are read
_MOST_LINKS = 1_000_000
_MOST_DOMAINS = 500
_MOST_PATHS = 100_000
_MOST_OF_A_PROJECT = 20  # facts of level 0, as Memory Bridge means them
_CONTAINS = ("contains", "parent", "child", "parent_of", "has_child", "")
_NO_TIME = datetime(1900, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class BridgeSurvey:
    """What is known of a table before its rows are taken."""

    rows: int = 0
    ids: dict[str, list[int]] = field(default_factory=dict)  # id in the source → places of its rows, from 1
    parents: dict[str, str] = field(default_factory=dict)  # child → parent, by ids of the source
    others: list[tuple[str, str]] = field(default_factory=list)  # further parents and relations of a fact
    starts: dict[int, datetime] = field(default_factory=dict)  # since when a row is true, by its place
    domains: dict[str, None] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)  # that references name
    levels_said: bool = False  # False: all are 0, which is what a new column holds
    depths: bytearray = field(default_factory=bytearray)  # generation of each row
    ranks: dict[int, int] = field(default_factory=dict)  # of rows that are not the first of their id
    followers: dict[int, int] = field(default_factory=dict)  # row → the next later one of the same id
    cut: set[str] = field(default_factory=set)  # whose parent would lead in a circle

    def generations(self) -> int:
        return max(self.depths, default=0) + 1

    def key_suffix(self, number: int) -> str:
        """Tells rows of one id apart: empty for the first."""
        return f"#{self.ranks[number]}" if number in self.ranks else ""

    def next_start(self, number: int) -> datetime | None:
        """When a later row of the same id begins: then this one ended."""
        return self.starts.get(self.followers.get(number, 0))

    def is_replaced(self, number: int) -> bool:
        """Whether a later row has the same id."""
        return number in self.followers

    def start_of(self, source_id: str) -> datetime | None:
        places = self.ids.get(source_id, [])
        return self.starts.get(places[-1]) if places else None


def survey(
    database: ForeignDatabase, table: ForeignTable, columns: Columns, links: ForeignTable | None
) -> BridgeSurvey:
    done = BridgeSurvey()
    wanted = [
        role for role in ("id", "parent", "since", "created", "level", "domain", "code_ref") if role in columns.roles
    ]
    names = [columns.asked[columns.roles[role]] for role in wanted]
    said, above_zero = 0, False
    for number, values in enumerate(database.rows(table, names) if names else _empty(database, table), 1):
        row = dict(zip(wanted, values, strict=True))
        done.rows = number
        _note(done, number, row)
        level = level_of(row.get("level"))
        said += level is not None
        above_zero |= bool(level)
    done.levels_said = above_zero or said < done.rows or done.rows <= _MOST_OF_A_PROJECT
    if links is not None:
        _take_links(done, database, links)
    _order_repeated(done)
    done.depths = bytearray(done.rows)
    _set_depths(done)
    return done


def _empty(database: ForeignDatabase, table: ForeignTable) -> Iterable[tuple[Value, ...]]:
    return (() for _ in range(database.count(table)))


def _note(done: BridgeSurvey, number: int, row: Mapping[str, Value]) -> None:
    source_id = id_of(row.get("id"))
    if source_id:
        done.ids.setdefault(source_id, []).append(number)
        parent = id_of(row.get("parent"))
        if parent and parent != source_id:
            done.parents.setdefault(source_id, parent)
    start = time_of(row.get("since")) or time_of(row.get("created"))
    if start is not None:
        done.starts[number] = start
    domain = line_of(row.get("domain"))
    if domain and len(domain) <= MAX_SHORT and len(done.domains) < _MOST_DOMAINS:
        done.domains[domain] = None
    if len(done.paths) < _MOST_PATHS:
        found = (ref.file_path for ref in written_refs(row.get("code_ref")).found)
        done.paths.update(path for path in found if len(path) <= LONGEST_PATH)


def _order_repeated(done: BridgeSurvey) -> None:
    for places in done.ids.values():
        if len(places) > 1:
            done.ranks |= {place: rank for rank, place in enumerate(places[1:], 2)}
            order = sorted(places, key=lambda place: (done.starts.get(place, _NO_TIME), place))
            done.followers |= dict(pairwise(order))


def _take_links(done: BridgeSurvey, database: ForeignDatabase, links: ForeignTable) -> None:
    lowered = {name.lower(): name for name in links.columns}
    names = [lowered[name] for name in ("parent_id", "child_id", "relationship") if name in lowered]
    if names[:2] != [lowered.get("parent_id"), lowered.get("child_id")]:
        return
    for row in database.rows(links, names):
        parent, child = id_of(row[0]), id_of(row[1])
        if parent == child or parent not in done.ids or child not in done.ids:
            continue
        relation = line_of(row[2]).casefold() if len(row) > 2 else ""
        if relation in _CONTAINS and done.parents.get(child, parent) not in done.ids:
            done.parents[child] = parent  # the column names one that does not exist
        elif relation in _CONTAINS and child not in done.parents:
            done.parents[child] = parent
        elif done.parents.get(child) != parent and len(done.others) < _MOST_LINKS:
            done.others.append((parent, child))


def _set_depths(done: BridgeSurvey) -> None:
    known: dict[str, int] = {}
    for source_id in done.parents:
        _descend(done, source_id, known)
    for source_id, depth in known.items():
        for place in done.ids.get(source_id, ()):
            done.depths[place - 1] = min(depth, DEEPEST)


def _descend(done: BridgeSurvey, source_id: str, known: dict[str, int]) -> None:
    """Walk up to the first ancestor whose depth is known, then down again."""
    path: list[str] = []
    on_path: set[str] = set()
    one = source_id
    while one not in known:
        path.append(one)
        on_path.add(one)
        parent = done.parents.get(one)
        if parent is None or parent not in done.ids:
            break
        if parent in on_path:  # a circle: it is cut here
            done.cut.add(one)
            break
        one = parent
    for one in reversed(path):
        parent = done.parents.get(one, "")
        known[one] = known[parent] + 1 if parent in known and one not in done.cut else 0


def parent_of(done: BridgeSurvey, source_id: str) -> str:
    """The parent to be written, by its id in the source; empty when there is none."""
    parent = done.parents.get(source_id, "")
    return "" if source_id in done.cut or parent not in done.ids else parent


def stray(done: BridgeSurvey, source_id: str) -> str:
    """The parent that a row names and cannot have."""
    parent = done.parents.get(source_id, "")
    return parent if parent and not parent_of(done, source_id) else ""
