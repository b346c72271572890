"""Group changes by database, and sort migrations."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from waypost.code.schema.model import SchemaChange

# A folder of migrations. The folder above it names the database.
_ROOTS = re.compile(r"(?:^|/)(?:(?:\w*_)?migrate|migrations|schema|versions|Migrations)/(?=[^/]*$)")
_RAILS_DUMP = re.compile(r"(?:^|/)(?:\w+_)?(?:schema\.rb|structure\.sql)$")
# Frameworks that keep their dump next to the folder of migrations.
_BESIDE = ("Rails migration", "Rails schema", "Laravel migration", "SQL dump")


def database_of(path: str, change: SchemaChange) -> str:
    """A name for the sequence of a change. A file of plain definitions is its own sequence."""
    folder, _, name = path.rpartition("/")
    if change.kind in _BESIDE:
        root = _ROOTS.search(path)
        if root:
            return path[: root.start()]
        if _RAILS_DUMP.search(path):
            return folder
    if change.role != "migration":
        return path
    return folder.rpartition("/")[0] if name in ("up.sql", "migration.sql") else folder


def version_key(path: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts `V2__b` before `V10__a`, and time stamps by time, across folders."""
    folder, _, name = path.rpartition("/")
    if name in ("up.sql", "migration.sql"):
        name = folder.rpartition("/")[2]
    parts = [part for part in re.split(r"(\d+)", name) if part]
    repeated = (3, 0, "") if name.startswith("R__") else (0, 0, "")  # Flyway runs these last
    return (repeated, *((0, int(part[:30]), "") if part.isdecimal() else (1, 0, part) for part in parts), (2, 0, path))


def in_order(steps: Mapping[str, Sequence[SchemaChange]]) -> list[str]:
    """The paths of a sequence in order: by declared dependencies, else by name."""
    ordered = sorted(steps, key=version_key)
    path_of = {change.revision: path for path in ordered for change in steps[path] if change.revision}
    if not path_of:
        return ordered
    before: dict[str, set[str]] = {path: set() for path in ordered}
    for path in ordered:
        for change in steps[path]:
            before[path] |= {path_of[name] for name in change.after if name in path_of and path_of[name] != path}
    return sort_by(before)


def sort_by(before: Mapping[str, Iterable[str]]) -> list[str]:
    """A topological order that keeps the given one where possible. A cycle keeps the given order."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name, earlier in before.items():
        sorter.add(name, *earlier)
    try:
        return list(sorter.static_order())
    except CycleError:
        return list(before)


def by_database(changes: Mapping[str, Sequence[SchemaChange]]) -> dict[str, dict[str, list[SchemaChange]]]:
    """The changes of tables (not of models), by database and path."""
    by_name: dict[str, dict[str, list[SchemaChange]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(changes):
        for change in changes[path]:
            if change.role != "model" and change.action != "app":
                by_name[database_of(path, change)][path].append(change)
    return by_name
