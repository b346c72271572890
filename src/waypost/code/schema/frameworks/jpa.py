"""Read JPA and Hibernate entities. Default names follow Spring: `birthDate` is birth_date."""

import re
from collections.abc import Iterator, Mapping

from waypost.code.schema.languages.java import read_java
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation
from waypost.code.schema.names import ORM_RELATIONS, snake
from waypost.code.schema.values import Assign, CallExpression, Class, SourceUnit, Value, name_of, text_of, texts_of
from waypost.code.source import SourceFile

KIND = "JPA entity"
_TYPES = {
    "String": "varchar", "Integer": "integer", "int": "integer", "Long": "bigint", "long": "bigint",
    "Boolean": "boolean", "boolean": "boolean", "LocalDate": "date", "LocalDateTime": "timestamp",
    "Instant": "timestamp", "ZonedDateTime": "timestamp", "OffsetDateTime": "timestamp", "Date": "timestamp",
    "BigDecimal": "decimal", "Double": "double", "double": "double", "Float": "float", "float": "float",
    "UUID": "uuid", "byte[]": "blob", "Byte[]": "blob", "Short": "smallint", "LocalTime": "time",
}  # fmt: skip
_PRIMITIVE = frozenset(("int", "long", "boolean", "double", "float", "short", "byte", "char"))


def find_jpa(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_java(source.text)
    for class_ in unit.classes():
        marks = {mark.name: mark for mark in class_.decorators}
        if marks.keys() & {"Entity", "MappedSuperclass", "Embeddable"}:
            change = _entity(class_, marks, unit)
            yield change
            for item in class_.fields():
                yield from _join_table(item, change, unit)


def _entity(class_: Class, marks: Mapping[str, CallExpression], unit: SourceUnit) -> SchemaChange:
    columns: list[Column] = []
    relations: list[TableRelation] = []
    for item in class_.fields():
        _member(item, columns, relations, unit)
    columns = list({column.name: column for column in reversed(columns)}.values())[::-1]
    table = marks.get("Table")
    name = table.text("name") if table else ""
    schema = table.text("schema") if table else ""
    entity = "Entity" in marks
    flags: tuple[str, ...] = ("root",) if entity else ("abstract",)
    if entity and "DiscriminatorValue" in marks and not name:
        flags = ("root", "one_table")
    plain = name or (snake(class_.name) if entity and "one_table" not in flags else "")
    bases = tuple(unit.reference(name_of(base)) for base in class_.bases)
    return SchemaChange(
        "model", f"{schema}.{plain}" if schema and schema != "public" else plain, class_.lines, KIND, "model",
        tuple(columns), _indexes(table), tuple(relations), tuple(c.name for c in columns if c.primary),
        model=class_.name, bases=bases, flags=flags, scope=unit.namespace, comment=class_.doc,
    )  # fmt: skip


def _join_table(item: Assign, owner: SchemaChange, unit: SourceUnit) -> Iterator[SchemaChange]:
    """The table of a `@JoinTable` that names its columns."""
    mark = next((mark for mark in item.decorators if mark.name == "JoinTable"), None)
    table = mark.text("name") if mark else ""
    inner = re.findall(r"\w+", name_of(item.annotation))
    columns = []
    for option, model in (("joinColumns", owner.model), ("inverseJoinColumns", inner[-1] if inner else "")):
        options = mark.named.get(option) if mark else None
        first = options[0] if isinstance(options, list) and options else options
        if isinstance(first, CallExpression) and first.text("name"):
            target = unit.reference(model)
            columns.append(Column(text_of(first.named["name"]), nullable=False, references=(target, "")))
    if table and len(columns) == 2:
        key = tuple(column.name for column in columns)
        yield SchemaChange(
            "model", table, item.lines, KIND, "model", tuple(columns), primary_key=key, model=f"{owner.model}.{item.name}",
            flags=("root",), scope=unit.namespace,
        )  # fmt: skip


def _indexes(table: CallExpression | None) -> tuple[Index, ...]:
    indexes = []
    for option in ("uniqueConstraints", "indexes"):
        options = table.named.get(option) if table else None
        for mark in options if isinstance(options, list) else [options]:
            if isinstance(mark, CallExpression):
                names = texts_of(mark.named.get("columnNames")) or tuple(
                    part.strip().split(" ")[0] for part in mark.text("columnList").split(",") if part.strip()
                )
                if names:
                    unique = mark.name == "UniqueConstraint" or mark.named.get("unique") is True
                    indexes.append(Index(names, unique, mark.text("name")))
    return tuple(indexes)


def _member(item: Assign, columns: list[Column], relations: list[TableRelation], unit: SourceUnit) -> None:
    marks = {mark.name: mark for mark in item.decorators}
    kind = name_of(item.annotation)
    if marks.keys() & {"Transient", "ElementCollection", "Formula", "Embedded", "EmbeddedId"}:
        return
    relation = next((mark for name, mark in marks.items() if name in ORM_RELATIONS), None)
    if relation is not None:
        _relate(item, relation, columns, relations, unit)
        return
    options: Mapping[str, Value] = marks["Column"].named if "Column" in marks else {}
    primary = "Id" in marks
    column_type = text_of(options.get("columnDefinition")) or _TYPES.get(kind, snake(kind.split("<")[0]))
    size = options.get("length")
    if "Lob" in marks and column_type == "varchar":
        column_type = "text"
    nullable = not (primary or kind in _PRIMITIVE or marks.keys() & {"NotNull", "NotBlank", "NotEmpty"})
    if isinstance(options.get("nullable"), bool):
        nullable = options["nullable"] is True
    if isinstance(size, int) and column_type == "varchar":
        column_type = f"varchar({size})"
    name = text_of(options.get("name")).strip('`"') or snake(item.name)
    columns.append(Column(name, column_type, nullable, None, primary, options.get("unique") is True))


def _relate(
    item: Assign, mark: CallExpression, columns: list[Column], relations: list[TableRelation], unit: SourceUnit
) -> None:
    marks = {mark.name: mark for mark in item.decorators}
    inner = re.findall(r"\w+", name_of(item.annotation))
    if not inner:
        return
    name = inner[-1]
    target = "@" + unit.imports.get(name, f"{unit.namespace}.{name}" if unit.namespace else name)
    join = marks.get("JoinColumn")
    column = join.text("name") if join else ""
    mapped = mark.named.get("mappedBy") is not None
    if mark.name == "ManyToOne" or (mark.name == "OneToOne" and not mapped and "MapsId" not in marks):
        options = join.named if join else {}
        field = text_of(options.get("referencedColumnName"))
        key = Column(
            column or f"{snake(item.name)}_id", "", mark.named.get("optional") is not False and options.get("nullable") is not False,
            None, "Id" in marks, mark.name == "OneToOne", (target, field),
        )  # fmt: skip
        columns.append(key)
        relations.append(TableRelation("belongs_to", target, key.name, item.name))
    elif mark.name == "ManyToMany":
        table = marks.get("JoinTable")
        via = table.text("name") if table else ""
        relations.append(TableRelation("belongs_to_many", target, via, item.name))
    else:
        relations.append(TableRelation(ORM_RELATIONS[mark.name], target, column, item.name))
