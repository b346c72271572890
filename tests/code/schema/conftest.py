"""A tiny repository as a dictionary of path → text, and the tables it tells of."""

import textwrap
from collections.abc import Callable, Mapping

import pytest

from waypost.code.schema import SchemaChange, SchemaTable, build_schema, find_schema
from waypost.code.source import SourceFile

Tables = dict[str, SchemaTable]
Read = Callable[[Mapping[str, str]], Tables]


def changes_of(files: Mapping[str, str]) -> dict[str, tuple[SchemaChange, ...]]:
    return {path: find_schema(SourceFile(path, "", textwrap.dedent(text).lstrip("\n"))) for path, text in files.items()}


@pytest.fixture
def read() -> Read:
    """The tables of a repository, by name."""

    def tables(files: Mapping[str, str]) -> Tables:
        return {table.name: table for table in build_schema(changes_of(files))}

    return tables


@pytest.fixture
def find() -> Callable[[Mapping[str, str]], dict[str, tuple[SchemaChange, ...]]]:
    return changes_of
