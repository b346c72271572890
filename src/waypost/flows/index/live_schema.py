"""The schema of a live database, merged with the schema found in the code. Secrets are masked, no address is kept."""

from collections.abc import Sequence
from dataclasses import replace

from waypost.code.schema import Column, SchemaTable
from waypost.code.schema.live import read_live
from waypost.text.secrets.masking import mask


def read_tables(url: str) -> list[SchemaTable]:
    """The tables of a database, with secrets masked."""
    return [_masked_table(table) for table in read_live(url)]


def _masked_table(table: SchemaTable) -> SchemaTable:
    """Mask defaults and comments, and drop where the database is."""
    columns = tuple(
        replace(
            column,
            name=_mask_text(column.name),
            default=None if column.default is None else mask(column.default).text,
            comment=_mask_text(column.comment),
        )
        for column in table.columns
    )
    name, description = _mask_text(table.name), _mask_text(table.description)
    return replace(table, name=name, columns=columns, description=description, evidence=())


def _mask_text(text: str) -> str:
    return mask(text).text


def with_live(tables: Sequence[SchemaTable], live: Sequence[SchemaTable]) -> list[SchemaTable]:
    """The tables found in the code, with the columns of the live database, and tables that only it has."""
    live_by_key = {_key(table.name): table for table in live}
    joined = [_joined(table, live_by_key.pop(_key(table.name), None)) for table in tables]
    return [*joined, *live_by_key.values()]


def _key(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _joined(table: SchemaTable, live: SchemaTable | None) -> SchemaTable:
    if live is None or not live.columns:
        return table
    from_tree: dict[str, Column] = {column.name.casefold(): column for column in table.columns}
    columns = tuple(
        replace(column, comment=column.comment or from_tree[column.name.casefold()].comment)
        if column.name.casefold() in from_tree
        else column
        for column in live.columns
    )
    return replace(table, columns=columns, primary_key=live.primary_key or table.primary_key)
