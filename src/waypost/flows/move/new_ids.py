"""Ids that change when a memory moves between a local and a shared database.

In a shared store, the machine's name is part of every id that comes from a path: of checkouts, of projects without a
remote, and of the journal in the space's folder. Ids of other machines stay.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from waypost.errors import InvalidInput
from waypost.space.identity import identify, machine_journal, path_id, tree_here, tree_name
from waypost.store.tables import TABLES, MovedTable, Row

# Keys of a journal in `meta`: plain for the journal in the space's folder, else with its id.
OF_A_JOURNAL = frozenset(
    (
        "journal_promoted",
        "journal_index_lines",
        "journal_condensed",
        "journal_changed_days",
        "journal_tallies",
        "journal_cleanup",
        "journal_person",
    )
)
_OURS, _APPROVED, _FOUGHT = "journal_ours", "dna_approved:", "journal_fought:"
_BY_PATH = ("git-root", "directory")

Rename = Callable[[Row], Row]


@dataclass(frozen=True, slots=True)
class IdChange:
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class NewIds:
    space: IdChange
    journal: IdChange  # of the journal in the space's folder
    checkouts: Mapping[str, str] = field(default_factory=dict)
    trees: Mapping[str, str] = field(default_factory=dict)  # name of a checkout's folder, by its new id
    others: Mapping[str, str] = field(default_factory=dict)  # memories shared with


def new_ids(
    space: IdChange, checkouts: Mapping[str, str], machine: IdChange, others: Mapping[str, str] | None = None
) -> NewIds:
    """The new ids for these checkouts of the source (id and folder). `machine` is part of ids; empty for a local store."""
    ids, trees = dict[str, str](), dict[str, str]()
    for checkout, name in checkouts.items():
        root = tree_here(name, machine.before)
        if root is not None and path_id(root, machine.before) == checkout:
            ids[checkout] = path_id(root, machine.after)
            trees[ids[checkout]] = tree_name(root, machine.after)
    journal = IdChange(machine_journal(machine.before), machine_journal(machine.after))
    return NewIds(space, journal, ids, trees, dict(others or {}))


def new_space_id(space_id: str, source: str, trees: Iterable[str], machine: IdChange) -> str | None:
    """The new id of a memory. None if its id comes from a path that is not on this machine."""
    if source not in _BY_PATH or machine.before == machine.after:
        return space_id
    for name in trees:
        root = tree_here(name, machine.before)
        if root is None:
            continue
        if path_id(root, machine.before) == space_id:
            return path_id(root, machine.after)
        try:  # a worktree: the id is that of the repository
            if identify(root, machine=machine.before).space_id == space_id:
                return identify(root, machine=machine.after).space_id
        except InvalidInput:
            continue
    return None


def renamed(ids: NewIds, table: MovedTable, rows: list[Row]) -> list[Row]:
    rename = _rename_for(ids, table)
    return rows if rename is None else [rename(row) for row in rows]


def _rename_for(ids: NewIds, table: MovedTable) -> Rename | None:
    special: dict[str, Rename] = {
        "checkouts": lambda row: _checkout(ids, row),
        "meta": lambda row: (_meta_key(ids, row[0]), *row[1:]),
        "shares": _column_rename(TABLES["shares"], "other", lambda other: ids.others.get(other, other)),
    }
    if ids.space.before != ids.space.after:
        special["code_refs"] = _column_rename(TABLES["code_refs"], "more", lambda text: _with_new_repo(ids, text))
        special["candidates"] = _column_rename(TABLES["candidates"], "draft", lambda text: _with_new_repo(ids, text))
    if table.name in special:
        return special[table.name]
    if table.checkout:
        return _column_rename(table, table.checkout, lambda checkout: ids.checkouts.get(checkout, checkout))
    return _column_rename(table, table.journal, lambda journal: _journal(ids, journal)) if table.journal else None


def _column_rename(table: MovedTable, column: str, change: Callable[[Any], Any]) -> Rename:
    (at,) = table.at(column)
    return lambda row: row if row[at] is None else (*row[:at], change(row[at]), *row[at + 1 :])


def _checkout(ids: NewIds, row: Row) -> Row:
    new = ids.checkouts.get(row[0])
    return row if new is None else (new, ids.trees[new], *row[2:])


def _journal(ids: NewIds, journal: str) -> str:
    return ids.journal.after if journal == ids.journal.before else ids.checkouts.get(journal, journal)


def _meta_key(ids: NewIds, key: str) -> str:
    for beginning in (_APPROVED, _FOUGHT, _OURS):
        if key.startswith(beginning):
            journal, colon, path = key.removeprefix(beginning).partition(":")
            return f"{beginning}{_journal(ids, journal)}{colon}{path}"
    name, colon, last = key.rpartition(":")
    if key in OF_A_JOURNAL or name in OF_A_JOURNAL:
        name, journal = (name, last) if colon else (key, "")
        journal = _journal(ids, journal)
        return f"{name}:{journal}" if journal else name
    return f"{name}:{ids.checkouts[last]}" if last in ids.checkouts else key


def _with_new_repo(ids: NewIds, text: str) -> str:
    """References, in JSON, may contain the project's id."""
    return text.replace(f'"{ids.space.before}"', f'"{ids.space.after}"')
