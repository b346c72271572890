"""Read Django migrations: operations on models."""

from collections.abc import Iterator

from waypost.code.schema.frameworks.django import MIGRATION, read_field, read_index, read_indexes
from waypost.code.schema.languages.python import read_python
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation
from waypost.code.schema.sql.statements import read_embedded_sql
from waypost.code.schema.values import CallExpression, Class, SourceUnit, Value, name_of, text_of, texts_of
from waypost.code.source import SourceFile


def find_django_migration(source: SourceFile) -> tuple[SchemaChange, ...]:
    unit = read_python(source.text)
    for class_ in unit.classes():
        if any(name_of(base).rsplit(".", 1)[-1] == "Migration" for base in class_.bases):
            return tuple(_migration(class_, unit, source.path))
    return ()


def _migration(class_: Class, unit: SourceUnit, path: str) -> Iterator[SchemaChange]:
    revision = path.rsplit("/", 1)[-1].removesuffix(".py")
    settings = class_.assigned()
    after = tuple(_dependencies(settings.get("dependencies")))
    yield SchemaChange("revision", "", class_.lines, MIGRATION, "model", revision=revision, after=after)
    operations = settings.get("operations")
    # for `operations = [*a, *b]` and sums of lists, read the lists in the file
    for call in operations if isinstance(operations, list) else class_.calls():
        if isinstance(call, CallExpression):
            yield from _operation(call, unit, revision)


def _dependencies(value: Value) -> Iterator[str]:
    for pair in value if isinstance(value, list) else ():
        names = texts_of(pair)
        if len(names) == 2:
            yield ".".join(names)


def _operation(call: CallExpression, unit: SourceUnit, revision: str) -> Iterator[SchemaChange]:
    model = call.text_at(0, "model_name") or call.text("name")
    if call.name == "SeparateDatabaseAndState":
        state = call.named.get("state_operations") or (call.args[1] if len(call.args) > 1 else None)
        listed = state if isinstance(state, list) else call.arg(0, "database_operations")
        for inner in listed if isinstance(listed, list) else ():
            if isinstance(inner, CallExpression):
                yield from _operation(inner, unit, revision)
        return
    if call.name == "RunSQL":
        sql = call.arg(0, "sql")
        for text in (sql,) if isinstance(sql, str) else texts_of(sql):
            yield from read_embedded_sql(text, MIGRATION, call.lines)
        return
    operation = _state_change(call, unit, model)
    if operation is not None:
        yield operation


def _state_change(call: CallExpression, unit: SourceUnit, model: str) -> SchemaChange | None:  # noqa: PLR0911 - one case per operation
    columns: list[Column] = []
    many: list[TableRelation] = []

    def change(
        action: str, name: str = "", new_name: str = "", flags: tuple[str, ...] = (), **more: tuple[Index, ...]
    ) -> SchemaChange:
        return SchemaChange(
            action, "", call.lines, MIGRATION, "model", tuple(columns), more.get("indexes", ()), tuple(many),
            name=name, new_name=new_name, model=model, flags=flags,
        )  # fmt: skip

    match call.name:
        case "CreateModel":
            return _create(call, unit, call.text_at(0, "name"))
        case "DeleteModel":
            model = call.text_at(0, "name")
            return change("drop_table")
        case "RenameModel":
            model = call.text_at(0, "old_name")
            return change("rename_table", new_name=call.text_at(1, "new_name"))
        case "AlterModelTable":
            model = call.text_at(0, "name")
            return change("rename_table", new_name=call.text_at(1, "table"), flags=("table",))
        case "AddField" | "AlterField":
            model, name = call.text_at(0, "model_name"), call.text_at(1, "name")
            field = call.arg(2, "field")
            if isinstance(field, CallExpression):
                read_field(name, field, unit, columns, many)
            return change("add_column" if call.name == "AddField" else "alter_column", name)
        case "RemoveField":
            return change("drop_column", call.text_at(1, "name"))
        case "RenameField":
            return change("rename_column", call.text_at(1, "old_name"), call.text_at(2, "new_name"))
        case "AlterUniqueTogether" | "AlterIndexTogether":
            model = call.text_at(0, "name")
            option = "unique_together" if call.name == "AlterUniqueTogether" else "index_together"
            return change("add_index", flags=("replace",), indexes=read_indexes({option: call.arg(1, option)}))
        case "AddIndex" | "AddConstraint":
            listed = call.arg(1, "index") or call.named.get("constraint")
            index = read_index(listed) if isinstance(listed, CallExpression) else None
            return change("add_index", indexes=(index,)) if index else None
        case "RemoveIndex" | "RemoveConstraint":
            return change("drop_index", call.text_at(1, "name"))
    return None


def _create(call: CallExpression, unit: SourceUnit, model: str) -> SchemaChange:
    columns: list[Column] = []
    many: list[TableRelation] = []
    listed = call.arg(1, "fields")
    for pair in listed if isinstance(listed, list) else ():
        match pair:
            case [str(name), CallExpression() as field]:
                read_field(name, field, unit, columns, many)
    options = call.arg(2, "options")
    settings = options if isinstance(options, dict) else {}
    bases = call.arg(3, "bases")
    return SchemaChange(
        "create_table", text_of(settings.get("db_table")), call.lines, MIGRATION, "model", tuple(columns), read_indexes(settings),
        tuple(many), model=model, bases=tuple("@" + base for base in texts_of(bases)),
        flags=("proxy",) if settings.get("proxy") is True else (), comment=text_of(settings.get("db_table_comment")),
    )  # fmt: skip
