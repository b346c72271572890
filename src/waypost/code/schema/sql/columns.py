"""Read the body of CREATE TABLE: columns, keys and indexes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from waypost.code.schema.model import Column, Index
from waypost.code.schema.sql.tokens import Token, TokenReader

# Words that end the type of a column.
_AFTER_TYPE = frozenset((
    "NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "CONSTRAINT", "COLLATE", "GENERATED",
    "AUTO_INCREMENT", "AUTOINCREMENT", "IDENTITY", "COMMENT", "ON", "ENCODE", "AS", "CHARSET", "KEY", "INVISIBLE",
    "VISIBLE", "STORAGE", "COMPRESSION", "STORED", "VIRTUAL", "FIRST", "AFTER", "ROWGUIDCOL", "SPARSE", "USING",
    "DISTKEY", "SORTKEY", "PERSISTED", "CODEC", "TTL", "ALIAS", ";",
))  # fmt: skip
_CONSTRAINTS = frozenset((
    "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "CONSTRAINT", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "LIKE",
    "PERIOD",
))  # fmt: skip


@dataclass(slots=True)
class TableBody:
    """The parts of a table definition."""

    columns: list[Column] = field(default_factory=list)
    indexes: list[Index] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()

    def refer(self, names: Sequence[str], table: str, targets: Sequence[str]) -> None:
        """Add a foreign key on columns of this table."""
        for place, name in enumerate(names):
            target = (table, targets[place] if place < len(targets) else "")
            for at, column in enumerate(self.columns):
                if column.name.lower() == name.lower():
                    self.columns[at] = replace(column, references=target)


def read_body(items: Sequence[Sequence[Token]]) -> TableBody:
    body = TableBody()
    keys: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = []
    for item in items:
        reader = TokenReader(item)
        if is_constraint(reader):
            constraint = read_constraint(reader)
            body.primary_key = constraint.primary_key or body.primary_key
            body.indexes += constraint.indexes
            keys += constraint.references
        else:
            column = read_column(reader)
            if column is not None:
                body.columns.append(column)
    for names, table, targets in keys:
        body.refer(names, table, targets)
    if not body.primary_key:
        body.primary_key = tuple(column.name for column in body.columns if column.primary)
    return body


def is_constraint(reader: TokenReader) -> bool:
    """Whether a table constraint comes next, not a column of that name: `key text` is a column, `key (a)` is not."""
    word = reader.peek().upper
    if word not in _CONSTRAINTS:
        return False
    if word in ("KEY", "INDEX", "PERIOD", "LIKE", "CHECK", "EXCLUDE"):
        if reader.peek(1).upper == "(" or (word in ("LIKE", "PERIOD") and not reader.peek(1).upper):
            return True
        if word == "LIKE":
            return reader.peek(2).kind == "end" or reader.peek(2).upper in ("INCLUDING", "EXCLUDING", ".")
        named = reader.peek(2).upper == "(" and reader.peek(3).kind != "number"
        return named or reader.peek(2).upper == "USING" or reader.peek(1).upper == "USING"
    return True


@dataclass(slots=True)
class Constraint:
    primary_key: tuple[str, ...] = ()
    indexes: list[Index] = field(default_factory=list)
    references: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = field(default_factory=list)


def read_constraint(reader: TokenReader) -> Constraint:
    constraint = Constraint()
    name = reader.name() if reader.accept("CONSTRAINT") and reader.peek().upper not in _CONSTRAINTS else ""
    if reader.accept("PRIMARY", "KEY"):
        reader.accept_any("CLUSTERED", "NONCLUSTERED")
        _skip_to_group(reader)
        constraint.primary_key = _names(reader.group())
    elif reader.accept("FOREIGN", "KEY"):
        _skip_to_group(reader)
        columns = _names(reader.group())
        if reader.accept("REFERENCES"):
            constraint.references.append((columns, reader.name(), _names(reader.group())))
    else:
        unique = reader.accept("UNIQUE")
        plain = reader.accept_any("FULLTEXT", "SPATIAL"), reader.accept_any("KEY", "INDEX", "CLUSTERED", "NONCLUSTERED")
        if unique or any(plain):
            if reader.peek().kind in ("word", "quoted") and reader.peek().upper not in ("USING", "NULLS"):
                name = reader.name()
            _skip_to_group(reader)
            columns = _names(reader.group())
            if columns:
                constraint.indexes.append(Index(columns, unique, name))
    return constraint


def _skip_to_group(reader: TokenReader) -> None:
    while not reader.done and reader.peek().upper != "(":
        reader.next()


def _names(items: Sequence[Sequence[Token]]) -> tuple[str, ...]:
    """The columns of a key: `name`, `name(10)`, `name DESC`; expressions as written."""
    names = []
    for item in items:
        if item[0].kind in ("word", "quoted") and (len(item) < 2 or item[1].upper != "(" or item[2].kind == "number"):
            names.append(item[0].text)
        else:
            names.append(spell(item))
    return tuple(names)


def spell(tokens: Sequence[Token]) -> str:
    """Join tokens to text, with spaces only between words."""
    text = ""
    for token in tokens:
        piece = f"'{token.text}'" if token.kind == "string" else token.text
        if text and (text[-1].isalnum() or text[-1] in "_')") and (piece[0:1].isalnum() or piece[0:1] in "_'"):
            text += " "
        text += piece
    return text


def read_column(reader: TokenReader) -> Column | None:
    if reader.peek().kind not in ("word", "quoted", "string"):
        return None
    column = Column(reader.next().text)
    column = replace(column, type=_read_type(reader))
    while not reader.done:
        column = _read_modifier(reader, column)
    return column


def _read_type(reader: TokenReader) -> str:
    words: list[Token] = []
    depth = 0
    while not reader.done:
        token = reader.peek()
        if depth == 0 and token.kind == "word" and token.upper in _AFTER_TYPE:
            break
        after = reader.peek(1).upper
        if depth == 0 and (
            (token.upper == "CHARACTER" and after == "SET")
            or (token.upper == "WITH" and after not in ("TIME", "LOCAL"))
        ):
            break
        depth += {"(": 1, ")": -1}.get(token.upper, 0)
        words.append(reader.next())
    return spell(words)[:200]


def _read_modifier(reader: TokenReader, column: Column) -> Column:  # noqa: PLR0911 - one case per clause of SQL
    if reader.accept("NOT", "NULL"):
        return replace(column, nullable=False)
    if reader.accept("NULL"):
        return replace(column, nullable=True)
    if reader.accept("PRIMARY", "KEY"):
        return replace(column, primary=True, nullable=False)
    if reader.accept("GENERATED"):
        reader.accept("BY", "DEFAULT")  # not a default value
        return column
    if reader.accept("UNIQUE"):
        reader.accept("KEY")
        return replace(column, unique=True)
    if reader.accept("DEFAULT"):
        return replace(column, default=_read_default(reader))
    if reader.accept("REFERENCES"):
        table = reader.name()
        names = _names(reader.group())
        return replace(column, references=(table, names[0] if names else ""))
    if reader.accept("COMMENT"):
        return replace(column, comment=reader.next().text)
    if reader.accept_any("CHECK", "AS", "IDENTITY"):
        reader.group()
        return column
    reader.next()
    if reader.peek().upper == "(":
        reader.group()
    return column


def _read_default(reader: TokenReader) -> str:
    words: list[Token] = []
    depth = 0
    while not reader.done:
        token = reader.peek()
        if depth == 0 and words and token.kind == "word" and token.upper in _AFTER_TYPE:
            break
        depth += {"(": 1, ")": -1}.get(token.upper, 0)
        words.append(reader.next())
    return spell(words)[:200]
