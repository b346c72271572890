"""Join tables and columns that relations of models imply."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from waypost.code.schema.draft import TableDraft
from waypost.code.schema.model import Column
from waypost.code.schema.names import camel


def join_tables(drafts: Sequence[TableDraft], table_names: Collection[str]) -> Iterator[TableDraft]:
    """Yield the missing join tables. Add columns that a relation implies in the other table."""
    yield from _prisma_joins([draft for draft in drafts if draft.evidence[0].kind == "Prisma schema"])
    names = {draft.name.lower(): draft for draft in drafts}
    done: set[str] = set()
    for draft in drafts:
        kind = draft.evidence[0].kind
        if kind == "JPA entity":
            _put_keys(draft, names)
        if kind not in ("JPA entity", "TypeORM entity"):
            continue
        for place, relation in enumerate(draft.relations):
            if relation.kind != "belongs_to_many" or not relation.via:
                continue
            join = relation.via
            if join == "+":  # TypeORM's own name
                join = f"{draft.name}_{relation.name}_{relation.target}".lower()
                draft.relations[place] = replace(relation, via=join)
            if join.lower() not in table_names and join.lower() not in names and join.lower() not in done:
                done.add(join.lower())
                yield _between(draft, relation.target, join, snaked=kind == "JPA entity")


def _between(draft: TableDraft, target: str, join: str, *, snaked: bool) -> TableDraft:
    between = TableDraft(join, evidence=list(draft.evidence[:1]))
    for table in (draft.name, target):
        name = f"{table}_id" if snaked else f"{table[:1].lower()}{camel(table)[1:]}Id"
        between.put(Column(name, nullable=False, references=(table, "")))
    between.primary_key = tuple(column.name for column in between.columns.values())
    return between


def _put_keys(draft: TableDraft, names: dict[str, TableDraft]) -> None:
    """`@OneToMany @JoinColumn(name = "owner_id")` is a column of the other table."""
    for relation in draft.relations:
        other = names.get(relation.target.lower())
        is_named = relation.kind == "has_many" and relation.via
        if is_named and other is not None and relation.via.lower() not in other.columns:
            other.put(Column(relation.via, references=(draft.name, "")))


def _prisma_joins(drafts: Sequence[TableDraft]) -> Iterator[TableDraft]:
    """Two models that list each other, without a key on either side, have a join table."""
    by_name = {draft.name: draft for draft in drafts}
    done: set[str] = set()
    for draft in drafts:
        for place, relation in enumerate(draft.relations):
            if relation.kind != "has_many":
                continue
            other = by_name.get(relation.target)
            if other is None:
                continue
            back = [r for r in other.relations if r.target == draft.name]
            same = [r for r in back if r.kind in ("has_many", "belongs_to_many")]
            shared = [r for r in same if r.via == relation.via or r.kind == "belongs_to_many"]
            if not shared or (any(r.kind == "belongs_to" for r in back) and not relation.via):
                continue
            first, second = sorted((draft.scope or draft.name, other.scope or other.name))
            join = shared[0].via if shared[0].kind == "belongs_to_many" else relation.via or f"_{first}To{second}"
            if shared[0].kind != "belongs_to_many" and other is draft and len(shared) < 2:
                continue
            draft.relations[place] = replace(relation, kind="belongs_to_many", via=join)
            if join not in done:
                done.add(join)
                between = TableDraft(join, evidence=[draft.evidence[0], other.evidence[0]])
                for name, target in (("A", first), ("B", second)):
                    table = draft.name if (draft.scope or draft.name) == target else other.name
                    between.put(Column(name, nullable=False, references=(table, "")))
                yield between
        draft.relations = [
            replace(r, via="") if r.kind == "has_many" and r.via[:1] == "_" else r for r in draft.relations
        ]
