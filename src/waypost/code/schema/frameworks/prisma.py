"""Read Prisma schemas: models, enums and relations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation
from waypost.code.source import SourceFile
from waypost.model.reference import LineRange

KIND = "Prisma schema"
_BLOCK = re.compile(r"^\s*(model|enum|view|type)\s+(\w+)\s*\{")
_FIELD = re.compile(r"^(\w+)\s+(\w+)(\([^)]*\))?(\[\])?(\?)?\s*(.*)$")
_LIST = re.compile(r"\[([^\[\]]*)\]")
_TEXT = re.compile(r'"([^"]*)"')
_TYPES = {"String": "text", "Int": "integer", "Float": "double", "DateTime": "timestamp", "Bytes": "blob"}
_TYPES |= {name: name.lower() for name in ("BigInt", "Decimal", "Boolean", "Json", "Unsupported")}
MAX_LINE = 2000  # longer than any field written by hand


@dataclass(slots=True)
class _Model:
    name: str
    start: int
    lines: list[str] = field(default_factory=list)
    doc: str = ""
    end: int = 0


def find_prisma(source: SourceFile) -> Iterator[SchemaChange]:
    models, enums = _blocks(source.text)
    names = {model.name for model in models}
    for model in models:
        yield _change(model, names, enums)


def _blocks(text: str) -> tuple[list[_Model], set[str]]:
    models: list[_Model] = []
    enums: set[str] = set()
    current: _Model | None = None
    kind = ""
    doc: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()[:MAX_LINE]
        if current is not None:
            if line.startswith("}"):
                current.end = number
                if kind == "model":  # a view is not a table
                    models.append(current)
                current = None
            else:
                current.lines.append(line)
            continue
        opening = _BLOCK.match(line)
        if opening:
            kind = opening[1]
            current = _Model(opening[2], number, doc=" ".join(doc), end=number)
            if kind == "enum":
                enums.add(opening[2])
            doc = []
            if line.endswith("}"):
                current = None
        elif line.startswith("///"):
            doc.append(line.lstrip("/ "))
        else:
            doc = []
    return models, enums


def _change(model: _Model, names: set[str], enums: set[str]) -> SchemaChange:
    columns: dict[str, Column] = {}
    relations: list[TableRelation] = []
    keys: dict[str, tuple[str, list[str]]] = {}
    table, key, indexes = model.name, tuple[str, ...](), list[Index]()
    doc = ""
    for line in model.lines:
        if line.startswith("///"):
            doc = line.lstrip("/ ")
            continue
        if line.startswith("@@"):
            table, key = _block_attribute(line, table, key, indexes)
        elif line and not line.startswith("//"):
            _field(line, doc, names, enums, columns, relations, keys)
        doc = ""
    _refer(columns, keys)
    stored = {name: column.name for name, column in columns.items()}
    return SchemaChange(
        "model", table, LineRange(model.start, model.end), KIND, "model", tuple(columns.values()),
        tuple(Index(_stored(index.columns, stored), index.unique, index.name) for index in indexes), tuple(relations),
        _stored(key, stored) or tuple(c.name for c in columns.values() if c.primary), model=model.name,
        flags=("root",), scope=model.name, comment=model.doc,
    )  # fmt: skip


def _stored(names: tuple[str, ...], stored: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(stored.get(name, name) for name in names)


def _block_attribute(line: str, table: str, key: tuple[str, ...], indexes: list[Index]) -> tuple[str, tuple[str, ...]]:
    listed = _LIST.search(line)
    names = tuple(re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\([^)]{0,200}\)", "", listed[1]))) if listed else ()
    if line.startswith("@@map("):
        name = _TEXT.search(line)
        table = name[1] if name else table
    elif line.startswith("@@schema("):
        name = _TEXT.search(line)
        table = f"{name[1]}.{table}" if name and name[1] != "public" else table
    elif line.startswith("@@id("):
        key = names
    elif line.startswith(("@@unique(", "@@index(")) and names:
        indexes.append(Index(names, line.startswith("@@unique")))
    return table, key


def _field(
    line: str,
    doc: str,
    names: set[str],
    enums: set[str],
    columns: dict[str, Column],
    relations: list[TableRelation],
    keys: dict[str, tuple[str, list[str]]],
) -> None:
    parts = _FIELD.match(line)
    if parts is None:
        return
    name, kind, _, many, optional, rest = parts.groups()
    rest, _, note = rest.partition("//")
    if kind in names or "@relation" in rest:
        _relation(name, kind, bool(many), rest, relations, keys)
        return
    mapped = re.search(r'@map\(\s*(?:name:\s*)?"([^"]*)"', rest)
    native = re.search(r"@db\.(\w+)(\([^()]*\))?", rest)
    default = re.search(r"@default\((.*)", rest)
    column_type = _TYPES.get(kind, "" if kind in enums else "@") or f"enum {kind}"
    if native:
        column_type = (native[1] + (native[2] or "")).lower()
    if column_type == "@":  # a model or an enum of another file: decided when all models are known
        column_type = f"@{kind}"
        relations.append(TableRelation("has_many" if many else "has_one", f"@{kind}", "", name))
    primary = re.search(r"@id\b", rest) is not None
    columns[name] = Column(
        mapped[1] if mapped else name,
        column_type + ("[]" if many else ""),
        nullable=None if many else bool(optional),  # a list may be empty
        default=_balanced(default[1]) if default else None,
        primary=primary,
        unique=re.search(r"@unique\b", rest) is not None,
        comment=(doc or note.lstrip("/ ").strip())[:200],
    )


def _balanced(text: str) -> str:
    """The text before the closing parenthesis."""
    depth = 1
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return text[:place].strip('"')
    return text


def _relation(
    name: str, kind: str, many: bool, rest: str, relations: list[TableRelation], keys: dict[str, tuple[str, list[str]]]
) -> None:
    ours = re.search(r"fields:\s*+\[([^\[\]]*)\]", rest)
    theirs = re.search(r"references:\s*+\[([^\[\]]*)\]", rest)
    if ours and theirs:
        targets = [part.strip() for part in theirs[1].split(",")]
        columns = [part.strip() for part in ours[1].split(",")]
        for place, column in enumerate(columns):
            keys[column] = (kind, targets[place : place + 1])
        relations.append(TableRelation("belongs_to", f"@{kind}", columns[0], name))
    else:
        # A named relation may be many-to-many, which is stored in a table of that name.
        relation_name = re.search(r'@relation\(\s*(?:name:\s*)?"([^"]*)"', rest)
        via = f"_{relation_name[1]}" if relation_name and many else ""
        relations.append(TableRelation("has_many" if many else "has_one", f"@{kind}", via, name))


def _refer(columns: dict[str, Column], keys: Mapping[str, tuple[str, list[str]]]) -> None:
    for name, (kind, targets) in keys.items():
        if name in columns:
            columns[name] = replace(columns[name], references=(f"@{kind}", targets[0] if targets else ""))
