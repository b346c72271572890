"""Schema changes found in files, and the tables they result in."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from itertools import zip_longest
from typing import Any

from waypost.model.reference import LineRange

# Roles: migration, ddl, model (what the program uses), dump (the whole database at one time), live.
#
# Actions:
# - create_table, drop_table, rename_table, comment.
# - add_column, drop_column, rename_column.
# - alter_column: replaces the values it gives; others stay.
# - add_index, drop_index, rename_index.
# - add_key, drop_key: the primary key.
# - add_reference: a foreign key over existing columns.
# - model: a class for a table.
# - app: a Django application. Its folder is `scope`, its label `name`.
# - revision: a migration without a change, for its position in the order.


@dataclass(frozen=True, slots=True)
class Column:
    """`references` is table and column; an empty column means the primary key. `@X` is a class named X."""

    name: str
    type: str = ""
    nullable: bool | None = None  # None if unspecified
    default: str | None = None
    primary: bool = False
    unique: bool = False
    references: tuple[str, str] | None = None
    comment: str = ""

    def or_nullable(self) -> "Column":
        """Nullable unless specified otherwise."""
        return replace(self, nullable=True) if self.nullable is None else self


@dataclass(frozen=True, slots=True)
class Index:
    columns: tuple[str, ...]
    unique: bool = False
    name: str = ""


def foreign_key(names: Sequence[str], table: str, targets: Sequence[str]) -> tuple[Column, ...]:
    """Columns that refer to those of another table. A missing target is its primary key."""
    return tuple(
        Column(name, references=(table, target))
        for name, target in zip_longest(names, targets[: len(names)], fillvalue="")
    )


@dataclass(frozen=True, slots=True)
class TableRelation:
    kind: str  # has_many, has_one, belongs_to, belongs_to_many, morph_to, morph_many, morph_one, morph_to_many
    target: str  # a table; `@X` is a class named X; "" for any table (morph_to)
    via: str = ""  # the column or the table in between
    name: str = ""  # its name in the code


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One change in one file. `table` is "" if only the class is known; the name then follows from `model`."""

    action: str  # see above
    table: str
    lines: LineRange
    kind: str  # "Laravel migration", "Django model" …
    role: str = "migration"  # see above
    columns: tuple[Column, ...] = ()
    indexes: tuple[Index, ...] = ()
    relations: tuple[TableRelation, ...] = ()
    primary_key: tuple[str, ...] = ()
    name: str = ""  # of the changed, dropped or renamed column or index
    new_name: str = ""
    model: str = ""
    bases: tuple[str, ...] = ()  # `@X` each
    flags: tuple[str, ...] = ()  # abstract, proxy, partial …: see the detectors
    scope: str = ""  # application, namespace or module of the model
    comment: str = ""
    revision: str = ""  # name of the migration
    after: tuple[str, ...] = ()  # revisions that come before it

    def to_json(self) -> dict[str, Any]:
        """Without keys at their default."""
        row: dict[str, Any] = _json_of(self)
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "SchemaChange":
        """Read what `to_json` wrote."""
        return cls(**_values(row) | {"lines": LineRange(*row["lines"])})


@dataclass(frozen=True, slots=True)
class SchemaEvidence:
    path: str
    lines: LineRange
    kind: str


@dataclass(frozen=True, slots=True)
class SchemaTable:
    name: str
    columns: tuple[Column, ...] = ()
    primary_key: tuple[str, ...] = ()
    indexes: tuple[Index, ...] = ()
    relations: tuple[TableRelation, ...] = ()
    evidence: tuple[SchemaEvidence, ...] = ()
    description: str = ""
    conflicts: tuple[str, ...] = ()  # sentences about sources that disagree

    @property
    def text(self) -> str:
        """The table as sentences."""
        head = f"{self.name} table"
        if self.description:
            head += f": {_sentence(self.description)}"
        parts = [head]
        if self.columns:
            stored = ", ".join(self._described(column) for column in self.columns)
            parts = [f"{head} Stores {stored}."] if self.description else [f"{head} stores {stored}."]
        elif not self.description:
            parts = [f"{head}."]
        related = _related(self.relations)
        if related:
            parts.append(f"{related[0].upper()}{related[1:]}.")
        return " ".join(parts)

    def _described(self, column: Column) -> str:
        marks = []
        if column.primary or self.primary_key == (column.name,):
            marks.append("PK")
        elif column.name in self.primary_key:
            marks.append("part of PK")
        if column.unique and not marks:
            marks.append("unique")
        if column.references:
            table, field = column.references
            marks.append(f"references {table}.{field}" if field else f"references {table}")
        return f"{column.name} ({', '.join(marks)})" if marks else column.name

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, **_json_of(self)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "SchemaTable":
        """Read what `to_json` wrote."""
        evidence = tuple(SchemaEvidence(e["path"], LineRange(*e["lines"]), e["kind"]) for e in row.get("evidence", ()))
        values = _values(row) | {"evidence": evidence}
        return cls(**{field.name: values[field.name] for field in fields(cls) if field.name in values})


_WORDS = {
    "has_many": "has many",
    "has_one": "has one",
    "belongs_to": "belongs to",
    "belongs_to_many": "belongs to many",
    "morph_many": "has many (polymorphic)",
    "morph_one": "has one (polymorphic)",
    "morph_to_many": "belongs to many (polymorphic)",
    "morph_to": "belongs to any kind of",
}


def _related(relations: Sequence[TableRelation]) -> str:
    """`has many articles, comments, belongs to roles`: each kind once, in the order above."""
    parts = []
    for kind, words in _WORDS.items():
        targets = dict.fromkeys(r.target or r.name for r in relations if r.kind == kind)
        if targets:
            parts.append(f"{words} {', '.join(targets)}")
    return ", ".join(parts)


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?")) else f"{line}."


def _json_of(value: Any) -> Any:
    """A dataclass as JSON, without the fields that are at their default."""
    if isinstance(value, LineRange):
        return [value.start, value.end]
    if isinstance(value, tuple):
        return [_json_of(part) for part in value]
    if hasattr(value, "__dataclass_fields__"):
        row = {}
        for field in fields(value):
            content = getattr(value, field.name)
            if field.default is MISSING or content != field.default:
                row[field.name] = _json_of(content)
        return row
    return value


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a change or table as `_json_of` wrote them."""
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    values["columns"] = tuple(_column(entry) for entry in row.get("columns", ()))
    values["indexes"] = tuple(_index(entry) for entry in row.get("indexes", ()))
    values["relations"] = tuple(TableRelation(**entry) for entry in row.get("relations", ()))
    return values


def _column(row: Mapping[str, Any]) -> Column:
    values = dict(row)
    if values.get("references"):
        values["references"] = tuple(values["references"])
    return Column(**values)


def _index(row: Mapping[str, Any]) -> Index:
    return Index(tuple(row["columns"]), row.get("unique", False), row.get("name", ""))
