"""Read Mongoose schemas. A collection counts as a table."""

from collections.abc import Iterator, Mapping

from waypost.code.schema.languages.ecmascript import read_script
from waypost.code.schema.model import Column, SchemaChange
from waypost.code.schema.names import plural
from waypost.code.schema.values import CallExpression, Name, Value, name_of, spelled_default, text_of
from waypost.code.source import SourceFile

KIND = "Mongoose schema"


def find_mongoose(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_script(source.text, source.path)
    texts = unit.constants()
    schemas: dict[str, CallExpression] = {}
    for item in unit.fields():
        if isinstance(item.value, CallExpression) and item.value.name == "Schema":
            schemas[item.name] = item.value
    for call in unit.calls():
        if call.name != "model":
            continue
        name, given = call.text_at(0, texts=texts), call.arg(1)
        schema = (
            given if isinstance(given, CallExpression) else schemas.get(given.text) if isinstance(given, Name) else None
        )
        if name and schema is not None and schema.name == "Schema":
            yield _collection(name, schema, call.text_at(2, texts=texts))


def _collection(name: str, schema: CallExpression, collection: str) -> SchemaChange:
    listed, options = schema.arg(0), schema.arg(1)
    settings: Mapping[str, Value] = options if isinstance(options, dict) else {}
    columns = [Column("_id", "objectid", nullable=False, primary=True)]
    if isinstance(listed, dict):
        columns += [_path(field, value) for field, value in listed.items()]
    if settings.get("timestamps") is True:
        columns += [Column("createdAt", "date"), Column("updatedAt", "date")]
    table = collection or text_of(settings.get("collection")) or plural(name.lower())
    return SchemaChange(
        "model", table, schema.lines, KIND, "model", tuple(columns), model=name, flags=("root",), primary_key=("_id",)
    )


def _path(name: str, value: Value) -> Column:
    many = isinstance(value, list)
    inner = value[0] if isinstance(value, list) and value else value
    settings: Mapping[str, Value] = inner if isinstance(inner, dict) and "type" in inner else {"type": inner}
    kind = settings.get("type")
    if isinstance(kind, list):
        many, kind = True, kind[0] if kind else None
    type_name = (
        "object" if isinstance(kind, dict) else name_of(kind).rsplit(".", 1)[-1].lower() or text_of(kind).lower()
    )
    target = settings.get("ref")
    reference = text_of(target) or name_of(target)
    default = settings.get("default")
    return Column(
        name, type_name + ("[]" if many else ""), settings.get("required") in (None, False),
        spelled_default(default), False, bool(settings.get("unique")),
        (f"@{reference}", "_id") if reference else None,
    )  # fmt: skip
