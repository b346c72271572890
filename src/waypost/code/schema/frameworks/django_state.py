"""Build Django tables from models and from migration operations."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from waypost.code.schema.draft import MAX_EVIDENCE, TableDraft
from waypost.code.schema.frameworks.django import MIGRATION, MODEL
from waypost.code.schema.frameworks.models import MAX_ANCESTORS, ModelClass, Models
from waypost.code.schema.merge import merge_model, similar
from waypost.code.schema.model import Column, Index, SchemaChange, SchemaEvidence, TableRelation
from waypost.code.schema.order import sort_by

_ID = Column("id", "integer", nullable=False, primary=True)


@dataclass(slots=True)
class ModelState:
    """A model as its class defines it, or after some migrations. `table` is "" if it follows from the name."""

    label: str
    name: str
    path: str
    table: str = ""
    columns: dict[str, Column] = field(default_factory=dict)
    many: list[TableRelation] = field(default_factory=list)
    indexes: list[Index] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    parent: str = ""  # the concrete model it extends
    evidence: list[SchemaEvidence] = field(default_factory=list)
    comment: str = ""
    hidden: bool = False  # a proxy without a table

    @property
    def stored(self) -> str:
        return self.table or f"{self.label}_{self.name.lower()}"

    def has(self, name: str) -> str | None:
        """The column key of a field. A foreign key adds `_id` to its name."""
        return next((key for key in (name.lower(), f"{name.lower()}_id") if key in self.columns), None)


def django_tables(changes: Mapping[str, Sequence[SchemaChange]], models: Models) -> Iterator[TableDraft]:
    """The tables of all applications, from migrations first, then merged with the models."""
    migrated_states = _migrated(changes, models)
    classes = list(_classes(models))
    drafts: dict[str, list[TableDraft]] = defaultdict(list)
    for draft in _drafts(migrated_states, models):
        drafts[draft.name.lower()].append(draft)
    for draft in _drafts(classes, models):
        migrated = next((other for other in drafts[draft.name.lower()] if similar(other, draft)), None)
        if migrated is None:
            drafts[draft.name.lower()].append(draft)
        else:
            merge_model(migrated, draft)
    for same_name in drafts.values():
        yield from same_name


def _classes(models: Models) -> Iterator[ModelState]:
    for entry in sorted(models.entries(), key=lambda entry: (entry.path, entry.change.lines)):
        change = entry.change
        if change.kind != MODEL or {"abstract", "proxy"} & set(change.flags) or not models.is_model(entry):
            continue
        state = ModelState(models.app_label(entry.path, change.scope), change.model, entry.path, table=change.table)
        _inherit(state, entry, models)
        state.comment = change.comment
        state.evidence = [SchemaEvidence(entry.path, change.lines, MODEL)]
        yield state


def _inherit(state: ModelState, entry: ModelClass, models: Models) -> None:
    """Copy the fields of abstract bases. Point at a concrete base, which keeps its fields."""
    family, todo = [entry], models.bases(entry)
    while todo and len(family) < MAX_ANCESTORS:
        base = todo.pop(0)
        flags = base.change.flags
        if base in family:
            continue
        if "abstract" in flags or not models.is_model(base):
            family.append(base)
            todo = models.bases(base) + todo
        elif "proxy" in flags:
            todo = models.bases(base) + todo
        elif not state.parent:
            state.parent = f"@{models.app_label(base.path, base.change.scope)}.{base.change.model}"
    for member in reversed(family):
        for column in member.change.columns:
            state.columns[column.name.lower()] = _localised(column, state)
        state.many += _local_relations(member.change.relations, state)
        state.indexes += member.change.indexes
        state.primary_key = member.change.primary_key or state.primary_key


def _local(reference: str, state: ModelState) -> str:
    """Replace `self` by this model."""
    return f"@{state.label}.{state.name}" if reference == "@self" else reference


def _localised(column: Column, state: ModelState) -> Column:
    target = column.references
    return replace(column, references=(_local(target[0], state), target[1])) if target else column


def _local_relations(relations: Sequence[TableRelation], state: ModelState) -> list[TableRelation]:
    return [replace(r, target=_local(r.target, state), via=_local(r.via, state)) for r in relations]


def _drafts(states: Sequence[ModelState], models: Models) -> Iterator[TableDraft]:
    names = {f"{state.label}.{state.name}".lower(): state for state in states}

    def table(reference: str, path: str, label: str) -> str:
        if not reference.startswith("@"):
            return reference
        parts = reference[1:].split(".")
        own = names.get(f"{label}.{parts[0]}".lower()) if len(parts) == 1 else names.get(".".join(parts[-2:]).lower())
        if own is not None:
            return own.stored
        return models.table_named(reference, path, MODEL)

    for state in states:
        if state.hidden:
            continue
        draft = TableDraft(state.stored, scope=state.label, comment=state.comment, evidence=state.evidence)
        if state.parent:
            parent = state.parent.rsplit(".", 1)[-1].lstrip("@").lower()
            if not any(column.primary for column in state.columns.values()):
                pointer = Column(f"{parent}_ptr_id", "integer", False, primary=True, references=(state.parent, ""))
                draft.put(replace(pointer, references=(table(state.parent, state.path, state.label), "")))
        elif not any(column.primary for column in state.columns.values()) and not state.primary_key:
            draft.put(_ID)
        for column in state.columns.values():
            target = column.references
            draft.put(
                replace(column, references=(table(target[0], state.path, state.label), target[1])) if target else column
            )
        draft.primary_key = state.primary_key or draft.primary_key
        draft.indexes = [_named_columns(index, state) for index in state.indexes]
        for relation in state.many:
            target_table = table(relation.target, state.path, state.label)
            join = table(relation.via, state.path, state.label) if relation.via else f"{state.stored}_{relation.name}"
            draft.relations.append(replace(relation, target=target_table, via=join))
            if not relation.via or not relation.via.startswith("@"):
                yield _between(draft, state, relation, target_table, join)
        yield draft


def _named_columns(index: Index, state: ModelState) -> Index:
    return replace(
        index, columns=tuple((state.columns[key].name if (key := state.has(n)) else n) for n in index.columns)
    )


def _between(draft: TableDraft, state: ModelState, relation: TableRelation, target: str, join: str) -> TableDraft:
    """The join table of a many-to-many field."""
    left = state.name.lower()
    right = relation.target.rsplit(".", 1)[-1].lstrip("@").lower()
    if relation.target == "@settings.AUTH_USER_MODEL":
        right = target.rsplit("_", 1)[-1]
    if left == right:
        left, right = f"from_{left}", f"to_{right}"
    between = TableDraft(join, scope=state.label, evidence=list(draft.evidence[:1]))
    between.put(_ID)
    between.put(Column(f"{left}_id", "integer", nullable=False, references=(draft.name, "")))
    between.put(Column(f"{right}_id", "integer", nullable=False, references=(target, "")))
    between.add_index(Index((f"{left}_id", f"{right}_id"), unique=True))
    return between


def _migrated(changes: Mapping[str, Sequence[SchemaChange]], models: Models) -> list[ModelState]:
    """Run the operations of all migrations, in the order of their dependencies."""
    steps: dict[str, Sequence[SchemaChange]] = {}
    name_of: dict[str, str] = {}
    for path in sorted(changes):
        own = [change for change in changes[path] if change.kind == MIGRATION and change.role == "model"]
        if own:
            steps[path] = own
            name_of[f"{models.app_label(path)}.{own[0].revision}"] = path
    before = {
        path: [name_of[name] for change in own for name in change.after if name in name_of]
        for path, own in steps.items()
    }
    states: dict[tuple[str, str], ModelState] = {}
    for path in sort_by(before):
        for change in steps.get(path, ()):
            _operate(states, change, path, models.app_label(path))
    return list(states.values())


def _operate(states: dict[tuple[str, str], ModelState], change: SchemaChange, path: str, label: str) -> None:
    key = (label, change.model.lower())
    if change.action == "create_table":
        parents = [base for base in change.bases if base.startswith("@")]
        state = ModelState(label, change.model, path, table=change.table, hidden="proxy" in change.flags)
        state.columns = {column.name.lower(): _localised(column, state) for column in change.columns}
        state.many = _local_relations(change.relations, state)
        state.indexes, state.primary_key = list(change.indexes), change.primary_key
        state.comment = change.comment
        pointer = any(column.name.endswith("_ptr_id") and column.primary for column in change.columns)
        state.parent = parents[0] if parents and not pointer else ""
        state.evidence = [SchemaEvidence(path, change.lines, MIGRATION)]
        states[key] = state
        return
    existing = states.get(key)
    if existing is None:
        return
    if change.action == "drop_table":
        del states[key]
        return
    if len(existing.evidence) < MAX_EVIDENCE:
        existing.evidence.append(SchemaEvidence(path, change.lines, MIGRATION))
    if change.action == "rename_table":
        _rename_model(states, key, change)
    else:
        _operate_on(existing, change)


def _rename_model(states: dict[tuple[str, str], ModelState], key: tuple[str, str], change: SchemaChange) -> None:
    state = states.pop(key)
    if "table" in change.flags:  # AlterModelTable
        state.table = change.new_name
        states[key] = state
        return
    old, new = f"@{state.label}.{state.name}".lower(), f"@{state.label}.{change.new_name}"
    state.name = change.new_name
    states[(key[0], change.new_name.lower())] = state

    def renamed(reference: str, label: str) -> str:
        full = reference if "." in reference else f"@{label}.{reference[1:]}"
        return new if full.lower() == old else reference

    for other in states.values():
        for place, column in other.columns.items():
            if column.references:
                target = renamed(column.references[0], other.label)
                other.columns[place] = replace(column, references=(target, column.references[1]))
        other.many = [
            replace(r, target=renamed(r.target, other.label), via=renamed(r.via, other.label) if r.via else "")
            for r in other.many
        ]
        if other.parent:
            other.parent = renamed(other.parent, other.label)


def _operate_on(state: ModelState, change: SchemaChange) -> None:
    match change.action:
        case "add_column" | "alter_column":
            name = change.name.lower()
            state.many = [r for r in state.many if r.name.lower() != name]
            place = state.has(name)
            if place and change.action == "alter_column":
                del state.columns[place]
            for column in change.columns:
                state.columns[column.name.lower()] = _localised(column, state)
            state.many += _local_relations(change.relations, state)
        case "drop_column":
            place = state.has(change.name)
            if place:
                del state.columns[place]
            state.many = [r for r in state.many if r.name.lower() != change.name.lower()]
            state.indexes = [i for i in state.indexes if change.name not in i.columns]
        case "rename_column":
            _rename_field(state, change.name, change.new_name)
        case "add_index":
            if "replace" in change.flags:
                state.indexes = [index for index in state.indexes if index.name or not index.unique]
            state.indexes += change.indexes
        case "drop_index":
            state.indexes = [index for index in state.indexes if index.name != change.name]


def _rename_field(state: ModelState, old: str, new: str) -> None:
    place = state.has(old)
    if place:
        name = state.columns[place].name
        name = name.replace(old, new, 1) if name.lower().startswith(old.lower()) else name
        renamed = {place: (name.lower(), replace(state.columns[place], name=name))}
        state.columns = dict(renamed.get(key, (key, column)) for key, column in state.columns.items())
    state.many = [replace(r, name=new) if r.name == old else r for r in state.many]
    state.indexes = [
        replace(index, columns=tuple(new if name == old else name for name in index.columns)) for index in state.indexes
    ]
