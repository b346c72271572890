"""Merge several definitions of one table."""

import re
from functools import lru_cache
from itertools import takewhile
from operator import eq

from waypost.code.schema.draft import TableDraft, overlay
from waypost.code.schema.model import SchemaEvidence

_TESTS = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__|testing|testdata|fixtures?)/|(?:^|/)test_[^/]*$", re.I)
MAX_CONFLICTS = 20


def worth(evidence: SchemaEvidence) -> int:
    """Rank evidence: 0 for a model, 1 for a definition, 2 for a migration."""
    if "migration" in evidence.kind:
        return 2
    return 1 if evidence.kind in ("SQL", "SQL dump", "Rails schema", "Entity Framework snapshot") else 0


@lru_cache(maxsize=65_536)
def in_tests(path: str) -> bool:
    return _TESTS.search(path) is not None


def shared_folders(first: str, second: str) -> int:
    """How many parts two paths have in common at their beginning."""
    return sum(takewhile(bool, map(eq, first.split("/"), second.split("/"))))


def similar(first: TableDraft, second: TableDraft) -> bool:
    """Whether two drafts are one table: half of the smaller one's columns are in both. Tests have tables of their own."""
    if all(in_tests(e.path) for e in first.evidence) != all(in_tests(e.path) for e in second.evidence):
        return False
    if not first.columns or not second.columns:
        return True
    shared = first.columns.keys() & second.columns.keys()
    return 2 * len(shared) >= min(len(first.columns), len(second.columns))


def merge_stored(kept: TableDraft, other: TableDraft) -> None:
    """Add a second definition, such as one for another database system, and note the differences."""
    if kept.evidence and other.evidence and kept.columns and other.columns:
        for left, rest in ((kept, other), (other, kept)):
            for key, column in left.columns.items():
                if key not in rest.columns:
                    _add_conflict(kept, f"{column.name} is in {left.evidence[0].path} only.")
    for key, column in other.columns.items():
        if key in kept.columns:
            kept.columns[key] = overlay(column, kept.columns[key])
        else:
            kept.columns[key] = column
    kept.primary_key = kept.primary_key or other.primary_key
    for index in other.indexes:
        kept.add_index(index)
    _merge_rest(kept, other)


def merge_model(kept: TableDraft, model: TableDraft) -> None:
    """Merge a model into a stored table. The model wins, unless it does not list its columns."""
    if model.partial:
        if not kept.columns:
            kept.columns = dict(model.columns)
        else:
            for key, column in model.columns.items():
                if key in kept.columns:
                    kept.columns[key] = overlay(column, kept.columns[key])
    elif model.columns:
        _replace_columns(kept, model)
    kept.primary_key = model.primary_key if model.primary_key and not model.partial else kept.primary_key
    kept.primary_key = kept.primary_key or model.primary_key
    for index in model.indexes:
        kept.add_index(index)
    kept.scope = kept.scope or model.scope
    _merge_rest(kept, model)


def _replace_columns(kept: TableDraft, model: TableDraft) -> None:
    ours, theirs = kept.columns, model.columns
    where = model.evidence[0].path if model.evidence else "the model"
    for key, column in theirs.items():
        own = ours.get(key)
        if own is None:
            _add_conflict(kept, f"{column.name} is in the model ({where}) but not in the migrations.")
        elif column.name in model.primary_key:
            continue
        elif own.nullable is not None and column.nullable is not None and own.nullable != column.nullable:
            can = "can be null" if column.nullable else "cannot be null"
            _add_conflict(kept, f"{column.name} {can} in the model, other than in the migrations.")
    for key, column in ours.items():
        if key not in theirs:
            _add_conflict(kept, f"{column.name} is in the migrations but not in the model ({where}).")
    merged = {key: overlay(ours[key], column) if key in ours else column for key, column in theirs.items()}
    kept.columns = merged | {key: column for key, column in ours.items() if key not in merged}


def _merge_rest(kept: TableDraft, other: TableDraft) -> None:
    for relation in other.relations:
        if relation not in kept.relations:
            kept.relations.append(relation)
    kept.comment = kept.comment or other.comment
    for evidence in other.evidence:
        if evidence not in kept.evidence:
            kept.evidence.append(evidence)
    for conflict in other.conflicts:
        _add_conflict(kept, conflict)


def _add_conflict(draft: TableDraft, conflict: str) -> None:
    if conflict not in draft.conflicts and len(draft.conflicts) < MAX_CONFLICTS:
        draft.conflicts.append(conflict)
