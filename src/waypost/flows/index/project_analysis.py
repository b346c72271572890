"""Analyze the whole project: who uses what, the database schema, the architecture.

The input are digests of all files, so a changed file costs only its own digest. Every change notes that the analysis is
pending; `init` or the worker runs it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.code.architecture import Architecture, ArchitectureEvidence, derive_architecture, documents_of
from waypost.code.files.languages import is_test_path
from waypost.code.outline import Outline
from waypost.code.relations import CodeRelation, SymbolPlace, centrality, relate
from waypost.code.schema import SchemaChange, SchemaTable, build_schema
from waypost.code.scip_uses import FileUses
from waypost.flows.index.code_memories import TreeTimes, put_derived
from waypost.flows.index.file_digest import SCIP_FACTS, Derived, derived_document
from waypost.flows.index.live_schema import with_live
from waypost.flows.open_space import (
    OpenSpace,
    architecture_key,
    conclusions_key,
    live_schema_key,
    tree_of,
    unresolved_key,
)
from waypost.model.reference import CodeReference
from waypost.store.protocol import DerivedRow, Edge, Reader

RELATIONS = ("imports", "calls", "mentions", "inherits", "overrides", "member")
_MOST_PLACES = 8  # references of one table or pattern
_FILES = ("symbol", "file")


def analyze_project(space: OpenSpace, *, live: Sequence[SchemaTable] | None = None) -> bool:
    """Run the pending analysis. Returns False if none was pending."""
    if not space.identity.has_tree:
        return False
    key, checkout = conclusions_key(space), space.identity.checkout_id
    with space.store.read() as reader:
        pending = reader.meta.get(key)
        if not pending and live is None:
            return False
        tree = _read_tree(reader, checkout)
        rows = [row for kind in _FILES for row in reader.code.derived_of_kind(checkout, kind)]
        known_live = json.loads(reader.meta.get(live_schema_key(space)) or "[]")
        changed = {path: row.changed_at for path, row in reader.code.files(checkout).items()}
    live_tables = list(live) if live is not None else [SchemaTable.from_json(row) for row in known_live]
    tables = with_live(build_schema(tree.changes), live_tables)
    relations = relate(tree.outlines, tree.manifests, indexed=tree.indexed)
    imports = {(edge.source.path, edge.target.path) for edge in relations.edges if edge.kind == "imports"}
    architecture = derive_architecture(tree.evidence, list(tree.outlines), sorted(imports))
    ids = _ids(rows)
    edges = [edge for relation in relations.edges if (edge := _edge(relation, ids)) is not None]
    weights = centrality(relations)
    times = TreeTimes(tree_of(space), space.clock())
    with space.store.write() as writer:
        engines = [engine.name for engine in space.engines.active(writer)]
        for kind, wanted in (("table", _tables(tables, changed)), ("architecture", _documents(architecture, changed))):
            old = writer.code.derived_of_kind(checkout, kind)
            put_derived(space, writer, old, [(derived, None) for derived in wanted], engines, urgency=0.9)
        writer.edges.replace(list(ids.values()), RELATIONS, edges)
        writer.meta.set(unresolved_key(space), json.dumps(relations.unresolved, ensure_ascii=False))
        writer.code.set_referrers(checkout, _referrers(relations.edges))
        writer.vectors.set_urgency(
            checkout, {path: times.urgency(path, weights.get(path, 0.0)) for path in tree.outlines}
        )
        writer.meta.set(architecture_key(space), json.dumps(architecture.to_json(), ensure_ascii=False))
        if live is not None:
            writer.meta.set(live_schema_key(space), json.dumps([table.to_json() for table in live], ensure_ascii=False))
        if writer.meta.get(key) == pending:  # else something has changed meanwhile, and it stays pending
            writer.meta.set(key, "")
    return True


@dataclass(slots=True)
class _Tree:
    outlines: dict[str, Outline] = field(default_factory=dict)
    manifests: dict[str, str] = field(default_factory=dict)
    changes: dict[str, list[SchemaChange]] = field(default_factory=dict)
    evidence: dict[str, list[ArchitectureEvidence]] = field(default_factory=dict)
    indexed: dict[str, FileUses] = field(default_factory=dict)


def _read_tree(reader: Reader, checkout: str) -> _Tree:
    tree = _Tree()
    for path, facts in reader.code.digests(checkout):
        tree.outlines[path] = Outline.from_json(facts["outline"])
        if SCIP_FACTS in facts:
            tree.indexed[path] = FileUses.from_json(facts[SCIP_FACTS])
        if "manifest" in facts:
            tree.manifests[path] = facts["manifest"]
        if "schema" in facts:
            tree.changes[path] = [SchemaChange.from_json(row) for row in facts["schema"]]
        if "evidence" in facts:
            tree.evidence[path] = [ArchitectureEvidence.from_json(row) for row in facts["evidence"]]
    return tree


def _ids(rows: Iterable[DerivedRow]) -> dict[SymbolPlace, str]:
    """Memory ids by place. Of several with one name on one line, the first counts."""
    ids: dict[SymbolPlace, str] = {}
    for row in rows:
        is_file = row.kind == "file" and row.name == row.path
        ids.setdefault(SymbolPlace(row.path) if is_file else SymbolPlace(row.path, row.name, row.line), row.memory_id)
    return ids


def _edge(relation: CodeRelation, ids: Mapping[SymbolPlace, str]) -> Edge | None:
    start, end = ids.get(relation.source), ids.get(relation.target)
    if start is None or end is None or start == end:
        return None
    return Edge(relation.kind, start, end, relation.strength, lines=relation.lines)


def _referrers(relations: Iterable[CodeRelation]) -> dict[str, int]:
    users: dict[str, set[str]] = {}
    for relation in relations:
        source, target = relation.source.path, relation.target.path
        if source != target and not is_test_path(source):
            users.setdefault(target, set()).add(source)
    return {path: len(sources) for path, sources in users.items()}


def _latest(refs: Iterable[CodeReference], changed: Mapping[str, datetime]) -> datetime | None:
    """When the last of these files changed, or None if none of them is indexed."""
    return max((changed[ref.file_path] for ref in refs if ref.file_path in changed), default=None)


def _tables(tables: Iterable[SchemaTable], changed: Mapping[str, datetime]) -> list[Derived]:
    made = []
    for table in tables:
        refs = tuple(CodeReference(place.path, place.lines) for place in table.evidence[:_MOST_PLACES])
        details = {
            "columns": [column.name for column in table.columns],
            "primary_key": list(table.primary_key),
            "relations": [relation.target for relation in table.relations],
            "table": table.to_json(),
        }
        text, when = table.text, _latest(refs, changed)
        made.append(derived_document("table", "table", table.name, text, text[:600], details, refs, when))
    return made


def _documents(architecture: Architecture, changed: Mapping[str, datetime]) -> list[Derived]:
    made = []
    for document in documents_of(architecture):
        refs = tuple(CodeReference(place.path, place.lines) for place in document.places[:_MOST_PLACES])
        embedded, when = f"{document.title}. {document.text[:600]}", _latest(refs, changed)
        made.append(
            derived_document("architecture", document.type, document.name, document.text, embedded, {}, refs, when)
        )
    return made


def architecture_of(space: OpenSpace) -> dict[str, Any] | None:
    with space.store.read() as reader:
        kept = reader.meta.get(architecture_key(space))
    stored: dict[str, Any] | None = json.loads(kept) if kept else None
    return stored


def endpoint_count(space: OpenSpace, reader: Reader) -> int:
    kept = reader.meta.get(architecture_key(space))
    return len(json.loads(kept).get("endpoints", ())) if kept else 0
