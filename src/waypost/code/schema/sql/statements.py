"""Read SQL definitions, migrations and dumps of PostgreSQL, MySQL, SQLite and SQL Server."""

import re
from collections.abc import Iterator
from dataclasses import replace

from waypost.code.schema.model import Index, SchemaChange
from waypost.code.schema.sql.alter import read_alter
from waypost.code.schema.sql.columns import read_body, read_constraint
from waypost.code.schema.sql.tokens import SqlStatement, Token, TokenReader, statements
from waypost.code.source import SourceFile
from waypost.model.reference import LineRange

_HINT = re.compile(r"\b(?:CREATE|ALTER|DROP|RENAME|COMMENT\s+ON|sp_rename)\b", re.I)
_DOWN_FILE = re.compile(r"(?:^|[./_-])(?:down|undo|rollback|revert)\.sql$|(?:^|/)U\d[\w.]{0,100}?__[^/]*\.sql$", re.I)
_DOWN_MARK = re.compile(r"^--\s*(?:\+goose\s+Down|\+migrate\s+Down|migrate:down)\b", re.I | re.M)
_NUMBERED = re.compile(
    r"(?:^|/)(?:[VR]?\d[\w.]{0,100}__|\d{3,}[-_.]|\d+_|[VR]__)[^/]*$|(?:^|/)\d{8}[^/]*/(?:up|migration)\.sql$", re.I
)
_MIGRATION_FOLDER = re.compile(r"(?:^|/)(?:migrations?|migrate|changesets?|drizzle|sqlx)/", re.I)
_DUMP_MARK = re.compile(r"(?:PostgreSQL database dump|MySQL dump|MariaDB dump|phpMyAdmin SQL Dump|mysqldump)", re.I)
_TEMPORARY = frozenset({"TEMP", "TEMPORARY"})
_BEFORE_TABLE = _TEMPORARY | {"GLOBAL", "LOCAL", "UNLOGGED", "FOREIGN", "EXTERNAL"}
_BEFORE_TABLE |= {"UNIQUE", "CLUSTERED", "NONCLUSTERED", "FULLTEXT", "SPATIAL"}


def find_sql(source: SourceFile) -> tuple[SchemaChange, ...]:
    """The changes in a .sql file. Down migrations are skipped."""
    if not _HINT.search(source.text) or _DOWN_FILE.search(source.path):
        return ()
    text = source.text
    down = _DOWN_MARK.search(text)
    if down:
        text = text[: down.start()]
    role, kind = _role(source.path, text)
    return tuple(read_sql(text, role, kind))


def read_sql(text: str, role: str, kind: str) -> Iterator[SchemaChange]:
    """The changes of an SQL text, in order."""
    for statement in statements(text):
        if statement.tokens[0].upper == "DO":
            yield from _anonymous(statement, role, kind)
            continue
        for change in _read(statement):
            yield replace(change, role=role, kind=kind)


def read_embedded_sql(text: str, kind: str, lines: LineRange) -> Iterator[SchemaChange]:
    """The changes of an SQL text inside code of another language, which is at `lines`."""
    for change in read_sql(text, "migration", kind):
        start = min(lines.start + change.lines.start - 1, lines.end)
        yield replace(change, lines=LineRange(start, lines.end))


def _anonymous(statement: SqlStatement, role: str, kind: str) -> Iterator[SchemaChange]:
    """The changes in `DO $$ … $$`, regardless of its conditions."""
    for token in statement.tokens:
        if token.kind == "string" and not token.text.lstrip().upper().startswith("DO"):
            for change in read_sql(token.text.strip("$"), role, kind):
                lines = LineRange(change.lines.start + token.line - 1, change.lines.end + token.line - 1)
                yield replace(change, lines=lines)


def _role(path: str, text: str) -> tuple[str, str]:
    name = path.rsplit("/", 1)[-1].lower()
    if name == "structure.sql" or (_DUMP_MARK.search(text[:2000]) and not _MIGRATION_FOLDER.search(path)):
        return "dump", "SQL dump"
    if re.search(r"(?:^|/)\d{8}[^/]*/migration\.sql$", path):
        return "migration", "Prisma migration"
    if re.search(r"(?:^|/)database/schema/[^/]*\.(?:sql|dump)$", path):
        return "dump", "SQL dump"
    if _NUMBERED.search(path) or _MIGRATION_FOLDER.search(path):
        return "migration", "SQL migration"
    return "ddl", "SQL"


def _read(statement: SqlStatement) -> Iterator[SchemaChange]:
    """The changes of a statement, which may be several: SQL Server needs no semicolon."""
    tokens = statement.tokens
    starts = [place for place, token in enumerate(tokens) if place == 0 or _starts(tokens, place)]
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(tokens)
        lines = LineRange(tokens[start].line, max(tokens[end - 1].line, tokens[start].line))
        comment = statement.comment if start == 0 else ""
        yield from _read_one(TokenReader(tokens[start:end]), lines, comment)


def _starts(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether CREATE, ALTER or DROP TABLE begins another statement here."""
    if tokens[place].upper not in ("CREATE", "ALTER", "DROP") or place + 2 >= len(tokens):
        return False
    return tokens[place + 1].upper == "TABLE" and tokens[place + 2].kind in ("word", "quoted")


def _read_one(reader: TokenReader, lines: LineRange, comment: str) -> Iterator[SchemaChange]:
    verb = reader.next().upper
    if verb == "CREATE":
        yield from _create(reader, lines, comment)
    elif verb == "ALTER" and reader.accept("TABLE"):
        yield from read_alter(reader, lines)
    elif verb == "ALTER" and reader.accept("INDEX"):
        reader.accept("IF", "EXISTS")
        old = reader.bare_name()
        if reader.accept("RENAME", "TO"):
            yield SchemaChange("rename_index", "", lines, "", name=old, new_name=reader.bare_name())
    elif verb == "DROP":
        yield from _drop(reader, lines)
    elif verb == "COMMENT" and reader.accept("ON"):
        yield from _comment_on(reader, lines)
    elif verb == "RENAME" and reader.accept("TABLE"):
        while not reader.done:
            old = reader.name()
            if reader.accept("TO"):
                yield SchemaChange("rename_table", old, lines, "", name=old, new_name=reader.name())
            reader.next()
    elif verb in ("EXEC", "EXECUTE"):
        yield from _sp_rename(reader, lines)


def _create(reader: TokenReader, lines: LineRange, comment: str) -> Iterator[SchemaChange]:
    _ = reader.accept("OR", "REPLACE") or reader.accept("OR", "ALTER")
    words = []
    while reader.peek().upper in _BEFORE_TABLE:
        words.append(reader.next().upper)
    if reader.accept("TABLE") and not _TEMPORARY & set(words):
        yield from _create_table(reader, lines, comment)
    elif reader.accept("INDEX"):
        yield from _create_index(reader, lines, "UNIQUE" in words)


def _create_table(reader: TokenReader, lines: LineRange, comment: str) -> Iterator[SchemaChange]:
    reader.accept("IF", "NOT", "EXISTS")
    table = reader.name()
    if reader.accept("PARTITION", "OF"):
        return
    if not table or table.startswith("#") or reader.peek().upper not in ("(", "AS", "LIKE"):
        return
    if reader.accept("LIKE"):
        yield SchemaChange("create_table", table, lines, "", name=reader.name(), flags=("like",))
        return
    body = read_body(reader.group())
    like = ""
    while not reader.done:
        if reader.accept("COMMENT"):
            reader.accept("=")
            comment = reader.next().text
        elif reader.accept("INHERITS"):
            like = "".join(token.text for token in (reader.group() or [[]])[0])
        else:
            reader.next()
    yield SchemaChange(
        "create_table", table, lines, "", columns=tuple(body.columns), indexes=tuple(body.indexes),
        primary_key=body.primary_key, comment=comment, name=like, flags=("like",) if like else (),
    )  # fmt: skip


def _create_index(reader: TokenReader, lines: LineRange, unique: bool) -> Iterator[SchemaChange]:
    reader.accept("CONCURRENTLY")
    reader.accept("IF", "NOT", "EXISTS")
    name = "" if reader.peek().upper == "ON" else reader.bare_name()
    while not reader.done and not reader.accept("ON"):
        reader.next()
    reader.accept("ONLY")
    table = reader.name()
    if reader.accept("USING"):
        reader.next()
    index = read_constraint(TokenReader((Token("word", "INDEX", 0), *reader.tokens[reader.at :]))).indexes
    partial = any(token.upper == "WHERE" for token in reader.tokens)
    if table and index:
        # A unique index over some rows does not make the columns unique.
        complete = Index(index[0].columns, unique and not partial, name)
        yield SchemaChange("add_index", table, lines, "", indexes=(complete,))


def _drop(reader: TokenReader, lines: LineRange) -> Iterator[SchemaChange]:
    what = reader.accept_any("TABLE", "INDEX")
    if not what:
        return
    reader.accept("CONCURRENTLY")
    reader.accept("IF", "EXISTS")
    while not reader.done:
        name = reader.name() if what == "TABLE" else reader.bare_name()
        if name and what == "TABLE":
            yield SchemaChange("drop_table", name, lines, "")
        elif name:
            table = reader.name() if reader.accept("ON") else ""
            yield SchemaChange("drop_index", table, lines, "", name=name)
        if not reader.accept(","):
            return


def _comment_on(reader: TokenReader, lines: LineRange) -> Iterator[SchemaChange]:
    what = reader.accept_any("TABLE", "COLUMN")
    parts = []
    while reader.peek().kind in ("word", "quoted") and reader.peek().upper != "IS":
        parts.append(reader.next().text)
        reader.accept(".")
    if not what or not parts or not reader.accept("IS") or reader.peek().kind != "string":
        return
    column = parts.pop() if what == "COLUMN" and len(parts) > 1 else ""
    table = TokenReader(
        [Token("quoted", part, 0) if n % 2 == 0 else Token("mark", ".", 0) for n, part in enumerate(_dotted(parts))]
    ).name()
    yield SchemaChange("comment", table, lines, "", name=column, comment=reader.next().text[:500])


def _dotted(parts: list[str]) -> list[str]:
    return [piece for part in parts for piece in (part, ".")][:-1]


def _sp_rename(reader: TokenReader, lines: LineRange) -> Iterator[SchemaChange]:
    while not reader.done and reader.peek().text.lower() != "sp_rename":
        reader.next()
    reader.next()
    texts = [token.text for token in reader.tokens[reader.at :] if token.kind == "string"]
    if len(texts) < 2:
        return
    old = [part.strip("[]") for part in texts[0].split(".")]
    if len(texts) > 2 and texts[2].upper() == "COLUMN" and len(old) > 1:
        yield SchemaChange("rename_column", old[-2], lines, "", name=old[-1], new_name=texts[1])
    elif len(texts) == 2:
        yield SchemaChange("rename_table", old[-1], lines, "", name=old[-1], new_name=texts[1])
