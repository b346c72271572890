"""The schema of a live database beside the one that the tree tells: one table each, secrets masked, no address kept."""

from collections.abc import Sequence
from dataclasses import replace

from waypost.code.schema import Column, SchemaTable
from waypost.code.schema.live import read_live
from waypost.text.secrets.masking import mask


def read_tables(url: str) -> list[SchemaTable]:
    """What the database says of itself, as it may be kept."""
    return [_plain(table) for table in read_live(url)]


def _plain(table: SchemaTable) -> SchemaTable:
    """Defaults and comments are other people's words; where the database is, is nobody's business but its owner's."""
    columns = tuple(
        replace(one, name=_hidden(one.name), default=_masked(one.default), comment=_hidden(one.comment))
        for one in table.columns
    )
    name, description = _hidden(table.name), _hidden(table.description)
    return replace(table, name=name, columns=columns, description=description, evidence=())


def _masked(text: str | None) -> str | None:
    return None if text is None else mask(text).text


def _hidden(text: str) -> str:
    return mask(text).text


def with_live(tables: Sequence[SchemaTable], live: Sequence[SchemaTable]) -> list[SchemaTable]:
    """The tables of the tree, their columns as the live database has them, and those that only it has."""
    found = {_key(table.name): table for table in live}
    joined = [_joined(table, found.pop(_key(table.name), None)) for table in tables]
    return [*joined, *found.values()]


def _key(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _joined(table: SchemaTable, live: SchemaTable | None) -> SchemaTable:
    if live is None or not live.columns:
        return table
    told: dict[str, Column] = {column.name.casefold(): column for column in table.columns}
    columns = tuple(
        replace(one, comment=one.comment or told[one.name.casefold()].comment) if one.name.casefold() in told else one
        for one in live.columns
    )
    return replace(table, columns=columns, primary_key=live.primary_key or table.primary_key)
