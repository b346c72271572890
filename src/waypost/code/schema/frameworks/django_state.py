"""Django: tables out of models and out of the operations of migrations, which are models at heart."""

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
class Thing:
    """A model as the migrations have it so far, or as its class says. `table` is "" while it follows from the name."""

    label: str
    name: str
    path: str
    table: str = ""
    columns: dict[str, Column] = field(default_factory=dict)
    many: list[TableRelation] = field(default_factory=list)
    indexes: list[Index] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    parent: str = ""  # the model whose row it extends
    evidence: list[SchemaEvidence] = field(default_factory=list)
    comment: str = ""
    hidden: bool = False  # a proxy: it has no table of its own

    @property
    def stored(self) -> str:
        return self.table or f"{self.label}_{self.name.lower()}"

    def has(self, name: str) -> str | None:
        """The column of a field: a foreign key adds `_id` to its name."""
        return next((key for key in (name.lower(), f"{name.lower()}_id") if key in self.columns), None)


def django_tables(changes: Mapping[str, Sequence[SchemaChange]], models: Models) -> Iterator[TableDraft]:
    """The tables of all applications: of migrations first, then with the models laid over them."""
    moved = _migrated(changes, models)
    classes = list(_classes(models))
    drafts: dict[str, list[TableDraft]] = defaultdict(list)
    for draft in _drafts(moved, models):
        drafts[draft.name.lower()].append(draft)
    for draft in _drafts(classes, models):
        migrated = next((other for other in drafts[draft.name.lower()] if similar(other, draft)), None)
        if migrated is None:
            drafts[draft.name.lower()].append(draft)
        else:
            merge_model(migrated, draft)
    for same_name in drafts.values():
        yield from same_name


def _classes(models: Models) -> Iterator[Thing]:
    for entry in sorted(models.entries(), key=lambda entry: (entry.path, entry.change.lines)):
        change = entry.change
        if change.kind != MODEL or {"abstract", "proxy"} & set(change.flags) or not models.is_model(entry):
            continue
        thing = Thing(models.app_label(entry.path, change.scope), change.model, entry.path, table=change.table)
        _inherit(thing, entry, models)
        thing.comment = change.comment
        thing.evidence = [SchemaEvidence(entry.path, change.lines, MODEL)]
        yield thing


def _inherit(thing: Thing, entry: ModelClass, models: Models) -> None:
    """Fields of abstract bases are copied; a concrete base keeps its own, and is pointed at."""
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
        elif not thing.parent:
            thing.parent = f"@{models.app_label(base.path, base.change.scope)}.{base.change.model}"
    for member in reversed(family):
        for column in member.change.columns:
            thing.columns[column.name.lower()] = _localised(column, thing)
        for relation in member.change.relations:
            thing.many.append(replace(relation, target=_local(relation.target, thing), via=_local(relation.via, thing)))
        thing.indexes += member.change.indexes
        thing.primary_key = member.change.primary_key or thing.primary_key


def _local(reference: str, thing: Thing) -> str:
    """`self` and `Model` without an application mean this one."""
    if reference == "@self":
        return f"@{thing.label}.{thing.name}"
    return reference


def _localised(column: Column, thing: Thing) -> Column:
    return (
        replace(column, references=(_local(column.references[0], thing), column.references[1]))
        if column.references
        else column
    )


def _drafts(things: Sequence[Thing], models: Models) -> Iterator[TableDraft]:
    names = {f"{thing.label}.{thing.name}".lower(): thing for thing in things}

    def table(reference: str, path: str, label: str) -> str:
        if not reference.startswith("@"):
            return reference
        parts = reference[1:].split(".")
        own = names.get(f"{label}.{parts[0]}".lower()) if len(parts) == 1 else names.get(".".join(parts[-2:]).lower())
        if own is not None:
            return own.stored
        return models.table_named(reference, path, MODEL)

    for thing in things:
        if thing.hidden:
            continue
        draft = TableDraft(thing.stored, scope=thing.label, comment=thing.comment, evidence=thing.evidence)
        if thing.parent:
            parent = thing.parent.rsplit(".", 1)[-1].lstrip("@").lower()
            if not any(column.primary for column in thing.columns.values()):
                pointer = Column(f"{parent}_ptr_id", "integer", False, primary=True, references=(thing.parent, ""))
                draft.put(replace(pointer, references=(table(thing.parent, thing.path, thing.label), "")))
        elif not any(column.primary for column in thing.columns.values()) and not thing.primary_key:
            draft.put(_ID)
        for column in thing.columns.values():
            target = column.references
            draft.put(
                replace(column, references=(table(target[0], thing.path, thing.label), target[1])) if target else column
            )
        draft.primary_key = thing.primary_key or draft.primary_key
        draft.indexes = [_named_columns(index, thing) for index in thing.indexes]
        for relation in thing.many:
            target_table = table(relation.target, thing.path, thing.label)
            join = table(relation.via, thing.path, thing.label) if relation.via else f"{thing.stored}_{relation.name}"
            draft.relations.append(replace(relation, target=target_table, via=join))
            if not relation.via or not relation.via.startswith("@"):
                yield _between(draft, thing, relation, target_table, join)
        yield draft


def _named_columns(index: Index, thing: Thing) -> Index:
    return replace(
        index, columns=tuple((thing.columns[key].name if (key := thing.has(n)) else n) for n in index.columns)
    )


def _between(draft: TableDraft, thing: Thing, relation: TableRelation, target: str, join: str) -> TableDraft:
    """The table that Django makes for a many-to-many field."""
    left = thing.name.lower()
    right = relation.target.rsplit(".", 1)[-1].lstrip("@").lower()
    if relation.target == "@settings.AUTH_USER_MODEL":
        right = target.rsplit("_", 1)[-1]
    if left == right:
        left, right = f"from_{left}", f"to_{right}"
    between = TableDraft(join, scope=thing.label, evidence=list(draft.evidence[:1]))
    between.put(_ID)
    between.put(Column(f"{left}_id", "integer", nullable=False, references=(draft.name, "")))
    between.put(Column(f"{right}_id", "integer", nullable=False, references=(target, "")))
    between.add_index(Index((f"{left}_id", f"{right}_id"), unique=True))
    return between


def _migrated(changes: Mapping[str, Sequence[SchemaChange]], models: Models) -> list[Thing]:
    """Run the operations of all migrations, each after those it depends on."""
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
    things: dict[tuple[str, str], Thing] = {}
    for path in sort_by(before):
        for change in steps.get(path, ()):
            _operate(things, change, path, models.app_label(path))
    return list(things.values())


def _operate(things: dict[tuple[str, str], Thing], change: SchemaChange, path: str, label: str) -> None:
    key = (label, change.model.lower())
    if change.action == "create_table":
        parents = [base for base in change.bases if base.startswith("@")]
        thing = Thing(label, change.model, path, table=change.table, hidden="proxy" in change.flags)
        thing.columns = {column.name.lower(): _localised(column, thing) for column in change.columns}
        thing.many = [replace(r, target=_local(r.target, thing), via=_local(r.via, thing)) for r in change.relations]
        thing.indexes, thing.primary_key = list(change.indexes), change.primary_key
        thing.comment = change.comment
        pointer = any(column.name.endswith("_ptr_id") and column.primary for column in change.columns)
        thing.parent = parents[0] if parents and not pointer else ""
        thing.evidence = [SchemaEvidence(path, change.lines, MIGRATION)]
        things[key] = thing
        return
    existing = things.get(key)
    if existing is None:
        return
    if change.action == "drop_table":
        del things[key]
        return
    if len(existing.evidence) < MAX_EVIDENCE:
        existing.evidence.append(SchemaEvidence(path, change.lines, MIGRATION))
    if change.action == "rename_table":
        _rename_model(things, key, change)
    else:
        _operate_on(existing, change)


def _rename_model(things: dict[tuple[str, str], Thing], key: tuple[str, str], change: SchemaChange) -> None:
    thing = things.pop(key)
    if "table" in change.flags:  # AlterModelTable
        thing.table = change.new_name
        things[key] = thing
        return
    old, new = f"@{thing.label}.{thing.name}".lower(), f"@{thing.label}.{change.new_name}"
    thing.name = change.new_name
    things[(key[0], change.new_name.lower())] = thing

    def renamed(reference: str, label: str) -> str:
        full = reference if "." in reference else f"@{label}.{reference[1:]}"
        return new if full.lower() == old else reference

    for other in things.values():
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


def _operate_on(thing: Thing, change: SchemaChange) -> None:
    match change.action:
        case "add_column" | "alter_column":
            name = change.name.lower()
            thing.many = [r for r in thing.many if r.name.lower() != name]
            place = thing.has(name)
            if place and change.action == "alter_column":
                del thing.columns[place]
            for column in change.columns:
                thing.columns[column.name.lower()] = _localised(column, thing)
            thing.many += [
                replace(r, target=_local(r.target, thing), via=_local(r.via, thing)) for r in change.relations
            ]
        case "drop_column":
            place = thing.has(change.name)
            if place:
                del thing.columns[place]
            thing.many = [r for r in thing.many if r.name.lower() != change.name.lower()]
            thing.indexes = [i for i in thing.indexes if change.name not in i.columns]
        case "rename_column":
            _rename_field(thing, change.name, change.new_name)
        case "add_index":
            if "replace" in change.flags:
                thing.indexes = [index for index in thing.indexes if index.name or not index.unique]
            thing.indexes += change.indexes
        case "drop_index":
            thing.indexes = [index for index in thing.indexes if index.name != change.name]


def _rename_field(thing: Thing, old: str, new: str) -> None:
    place = thing.has(old)
    if place:
        fields = {}
        for key, column in thing.columns.items():
            if key == place:
                name = column.name.replace(old, new, 1) if column.name.lower().startswith(old.lower()) else column.name
                fields[name.lower()] = replace(column, name=name)
            else:
                fields[key] = column
        thing.columns = fields
    thing.many = [replace(r, name=new) if r.name == old else r for r in thing.many]
    thing.indexes = [
        replace(index, columns=tuple(new if name == old else name for name in index.columns)) for index in thing.indexes
    ]
