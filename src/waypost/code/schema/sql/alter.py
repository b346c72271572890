"""Read ALTER TABLE in any dialect."""

from collections.abc import Iterator

from waypost.code.schema.model import Column, SchemaChange, foreign_key
from waypost.code.schema.sql.columns import is_constraint, read_column, read_constraint
from waypost.code.schema.sql.tokens import Token, TokenReader
from waypost.model.reference import LineRange


def read_alter(reader: TokenReader, lines: LineRange) -> Iterator[SchemaChange]:
    reader.accept("IF", "EXISTS")
    reader.accept("ONLY")
    table = reader.name()
    reader.accept("*")
    _ = reader.accept("WITH", "CHECK") or reader.accept("WITH", "NOCHECK")
    verb = ""
    for item in TokenReader((Token("mark", "(", 0), *reader.tokens[reader.at :])).group():
        clause = TokenReader(item)
        # SQL Server and Oracle do not repeat the verb: ADD a int, b int
        if clause.peek().upper not in ("ADD", "DROP", "ALTER", "MODIFY", "CHANGE", "RENAME") and verb in (
            "ADD",
            "DROP",
        ):
            clause = TokenReader((Token("word", verb, item[0].line), *item))
        verb = clause.peek().upper
        yield from _alter_clause(clause, table, lines)


def _alter_clause(clause: TokenReader, table: str, lines: LineRange) -> Iterator[SchemaChange]:
    if clause.accept("ADD"):
        yield from _add(clause, table, lines)
    elif clause.accept("DROP"):
        yield from _drop_part(clause, table, lines)
    elif clause.accept("RENAME"):
        if clause.accept("TO") or clause.accept("AS"):
            yield SchemaChange("rename_table", table, lines, "", name=table, new_name=clause.name())
        elif not clause.accept_any("CONSTRAINT", "INDEX", "KEY"):
            clause.accept("COLUMN")
            old = clause.name()
            if clause.accept("TO"):
                yield SchemaChange("rename_column", table, lines, "", name=old, new_name=clause.name())
        else:
            old = clause.name()
            if clause.accept("TO"):
                yield SchemaChange("rename_index", table, lines, "", name=old, new_name=clause.name())
    elif clause.accept("CHANGE"):
        clause.accept("COLUMN")
        yield from _redefine(clause, table, lines, clause.name())
    elif clause.accept("MODIFY"):
        clause.accept("COLUMN")
        yield from _redefine(clause, table, lines)
    elif clause.accept("ALTER"):
        clause.accept("COLUMN")
        yield from _alter_column(clause, table, lines)


def _redefine(clause: TokenReader, table: str, lines: LineRange, old: str = "") -> Iterator[SchemaChange]:
    """CHANGE and MODIFY redefine a column: without NOT NULL it is nullable."""
    column = read_column(clause)
    if column and old and column.name != old:
        yield SchemaChange("rename_column", table, lines, "", name=old, new_name=column.name)
    if column:
        yield SchemaChange("alter_column", table, lines, "", columns=(column.or_nullable(),))


def _add(clause: TokenReader, table: str, lines: LineRange) -> Iterator[SchemaChange]:
    if is_constraint(clause):
        constraint = read_constraint(clause)
        if constraint.primary_key:
            yield SchemaChange("add_key", table, lines, "", primary_key=constraint.primary_key)
        if constraint.indexes:
            yield SchemaChange("add_index", table, lines, "", indexes=tuple(constraint.indexes))
        for names, target, targets in constraint.references:
            yield SchemaChange("add_reference", table, lines, "", columns=foreign_key(names, target, targets))
        return
    clause.accept("COLUMN")
    clause.accept("IF", "NOT", "EXISTS")
    items = clause.group() if clause.peek().upper == "(" else [list(clause.tokens[clause.at :])]
    columns = tuple(column for item in items if (column := read_column(TokenReader(item))))
    if columns:
        yield SchemaChange("add_column", table, lines, "", columns=columns)


def _drop_part(clause: TokenReader, table: str, lines: LineRange) -> Iterator[SchemaChange]:
    if clause.accept("PRIMARY", "KEY"):
        yield SchemaChange("drop_key", table, lines, "")
    elif clause.accept_any("CONSTRAINT", "INDEX", "KEY", "FOREIGN", "CHECK"):
        clause.accept("KEY")
        clause.accept("IF", "EXISTS")
        yield SchemaChange("drop_index", table, lines, "", name=clause.name())
    else:
        clause.accept("COLUMN")
        clause.accept("IF", "EXISTS")
        name = clause.name()
        if name:
            yield SchemaChange("drop_column", table, lines, "", name=name)


def _alter_column(clause: TokenReader, table: str, lines: LineRange) -> Iterator[SchemaChange]:
    name = clause.name()
    flags: tuple[str, ...] = ()
    if clause.accept("SET", "DATA", "TYPE") or clause.accept("TYPE"):
        column = read_column(TokenReader((Token("quoted", name, 0), *clause.tokens[clause.at :]))) or Column(name)
    elif clause.accept("SET", "NOT", "NULL"):
        column = Column(name, nullable=False)
    elif clause.accept("DROP", "NOT", "NULL"):
        column = Column(name, nullable=True)
    elif clause.accept("DROP", "DEFAULT"):
        column, flags = Column(name), ("drop_default",)
    elif clause.accept("SET", "DEFAULT"):
        rest = (Token("word", "DEFAULT", 0), *clause.tokens[clause.at :])
        column = read_column(TokenReader((Token("quoted", name, 0), *rest))) or Column(name)
    elif clause.peek().upper in ("SET", "DROP", "ADD", "RESTART"):
        return
    else:
        column = read_column(TokenReader((Token("quoted", name, 0), *clause.tokens[clause.at :]))) or Column(name)
    if name:
        yield SchemaChange("alter_column", table, lines, "", columns=(column,), flags=flags)
