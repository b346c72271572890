"""Read the schema of a live database: only its catalogue, in a read-only session.

The address may contain a password. It goes only to the driver, never into messages, results or traces.
"""

import importlib
import re
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from waypost.code.schema.draft import TableDraft
from waypost.code.schema.frameworks.models import Models
from waypost.code.schema.model import Column, Index, SchemaEvidence, SchemaTable
from waypost.code.schema.names import text_table
from waypost.code.schema.relations import finish
from waypost.code.schema.sql.tokens import DEFAULT_SCHEMAS
from waypost.errors import InvalidInput, NotFound, WaypostError
from waypost.model.reference import LineRange
from waypost.store.open_databases import refuse_open_database

CONNECT_SECONDS = 10
QUERY_SECONDS = 15  # a catalogue of thousands of tables takes one or two
Rows = Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Rows of a database catalogue. The schema is empty if the database has no schemas."""

    tables: Rows  # schema, table, comment
    columns: Rows  # schema, table, column, type, nullable, default, comment; in order
    keys: Rows  # schema, table, column; in the order of the key
    indexes: Rows  # schema, table, index, column, unique; in the order of the index
    references: Rows  # schema, table, column, target schema, target table, target column


def read_live(url: str) -> tuple[SchemaTable, ...]:
    """The tables of `sqlite:///path`, `postgresql://user:password@host/database` or `mysql://…`, by name."""
    parts = _parts(url)
    kind = parts.scheme.partition("+")[0]
    if kind not in _READERS:
        raise InvalidInput(
            f"Waypost cannot read databases of kind {kind[:30] or '(none)'!r}.",
            "Give sqlite:///path/to/file, postgresql://user@host/name or mysql://user@host/name.",
        )
    read, name = _READERS[kind]
    return assemble(read(parts, url), safe_address(url), name)


_PLAIN = re.compile(
    r"[a-z][a-z0-9+]{1,30}://(?:[^@/?#\s]*@)?(?P<place>(?:[\w.-]{0,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?(?:/[^@?#\s]*)?)"
    r"(?:[?#][^@]*)?",
    re.IGNORECASE,
)


def safe_address(url: str) -> str:
    """The address without user, password and options. For an unusual address, only its kind."""
    kind = url.partition(":")[0].partition("+")[0]
    plain = _PLAIN.fullmatch(url)
    if plain is None:
        return f"{kind}://…" if kind.isalpha() else "the database"
    return f"{kind}://{plain['place']}"


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError for a port that is not a number
    except ValueError:
        raise InvalidInput(
            "The address of the database cannot be read.",
            "Write it as postgresql://user:password@host:5432/name; percent-encode special characters in the password.",
        ) from None
    if "\0" in unquote(url):
        raise InvalidInput("The address of the database contains a NUL character.", "Remove it.")
    return parts


def _read_error(parts: SplitResult, url: str, error: BaseException) -> WaypostError:
    """The message of the driver, without any part of a secret."""
    message = (str(error).strip().splitlines() or [type(error).__name__])[0]
    options = [value for option in parts.query.split("&") for value in option.split("=", 1)[1:]]
    secrets = [url, parts.netloc.rpartition("@")[0], parts.password or "", *options]
    for secret in sorted(
        {form for part in secrets for form in (part, unquote(part)) if len(form) > 1}, key=len, reverse=True
    ):
        message = message.replace(secret, "***")
    return WaypostError(
        f"The database {safe_address(url)} cannot be read: {message[:300]}",
        "Check that it runs, that the address is right and that the user may connect.",
    )


def _driver(name: str, package: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise WaypostError(
            f"Reading this database needs the Python package {package}.",
            f"Install it next to Waypost: pip install {package}",
        ) from None


def _ask(kind: str, ask: Callable[[str], list[tuple[Any, ...]]]) -> Catalogue:
    return Catalogue(**{name: ask(query) for name, query in text_table("live_queries", kind).items()})


def _read_postgresql(parts: SplitResult, url: str) -> Catalogue:
    driver = _driver("psycopg", "psycopg[binary]")
    address = "postgresql" + url[len(parts.scheme) :]
    options = (
        f"-c default_transaction_read_only=on -c statement_timeout={QUERY_SECONDS * 1000} -c lock_timeout=3000"
        " -c search_path=pg_catalog"
    )
    try:
        with closing(
            driver.connect(address, connect_timeout=CONNECT_SECONDS, options=options, application_name="waypost")
        ) as connection:
            return _ask("postgresql", lambda query: list(connection.execute(query).fetchall()))
    except driver.Error as error:
        raise _read_error(parts, url, error) from None


def _read_mysql(parts: SplitResult, url: str) -> Catalogue:
    driver = _driver("pymysql", "pymysql")
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise InvalidInput("The address names no database.", "Write it as mysql://user:password@host/name.")
    try:
        with closing(
            driver.connect(
                host=parts.hostname or "localhost",
                port=parts.port or 3306,
                user=unquote(parts.username or ""),
                password=unquote(parts.password or ""),
                database=name,
                connect_timeout=CONNECT_SECONDS,
                read_timeout=QUERY_SECONDS,
                write_timeout=QUERY_SECONDS,
                charset="utf8mb4",
                local_infile=False,  # a hostile server could request files of this machine
            )
        ) as connection:
            cursor = connection.cursor()
            cursor.execute("SET SESSION TRANSACTION READ ONLY")

            def ask(query: str) -> list[tuple[Any, ...]]:
                cursor.execute(query)
                return list(cursor.fetchall())

            return _ask("mysql", ask)
    except driver.MySQLError as error:
        raise _read_error(parts, url, error) from None


def _read_sqlite(parts: SplitResult, url: str) -> Catalogue:
    import apsw

    text = unquote(parts.path)
    if parts.netloc or not text.strip("/"):
        raise InvalidInput("The address names no file.", "Write sqlite:///relative.db or sqlite:////absolute/path.db.")
    path = Path(text[1:])  # sqlite:////srv/a.db is /srv/a.db
    if not path.is_file():
        raise NotFound(
            f"There is no database file {path}.", "Check the path; sqlite:///a.db is relative to where you are."
        )
    refuse_open_database(path)
    try:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        with closing(apsw.Connection(_sqlite_address(path), flags=flags)) as connection:
            connection.set_busy_timeout(3000)
            connection.pragma("trusted_schema", False)
            connection.pragma("query_only", True)
            return _ask("sqlite", lambda query: list(connection.execute(query)))
    except (apsw.Error, OSError) as error:
        raise _read_error(parts, url, error) from None


def _sqlite_address(path: Path) -> str:
    """A read-only address. A WAL database without its log is opened as immutable: SQLite would create a log."""
    with path.open("rb") as file:
        header = file.read(20)
    resting = header[18:20] == b"\x02\x02" and not path.with_name(path.name + "-wal").exists()
    return f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if resting else ''}"


def assemble(catalogue: Catalogue, place: str, kind: str) -> tuple[SchemaTable, ...]:
    """The tables, by name. `place` is the address shown as evidence."""
    drafts: dict[tuple[str, str], TableDraft] = {}
    for schema, table, comment in catalogue.tables:
        evidence = [SchemaEvidence(place, LineRange(1, 1), kind)]
        drafts[schema, table] = TableDraft(_name(schema, table), comment=comment or "", evidence=evidence)
    for schema, table, name, kind_of_column, nullable, default, comment in catalogue.columns:
        draft = drafts.get((schema, table))
        if draft is not None:
            value = None if default is None else str(default)[:200]
            draft.put(Column(name, kind_of_column or "", bool(nullable), value, comment=comment or ""))
    for schema, table, name in catalogue.keys:
        draft = drafts.get((schema, table))
        if draft is not None:
            draft.primary_key = (*draft.primary_key, name)
    _add_indexes(catalogue.indexes, drafts)
    for schema, table, name, target_schema, target, field in catalogue.references:
        draft = drafts.get((schema, table))
        column = draft.columns.get(name.lower()) if draft else None
        if draft is not None and column is not None:
            where = (_name(target_schema, target), field or "")
            draft.columns[name.lower()] = replace(column, references=where)
    return finish(list(drafts.values()), Models({}))


def _add_indexes(rows: Rows, drafts: dict[tuple[str, str], TableDraft]) -> None:
    indexes: dict[tuple[str, str, str], Index] = {}
    for schema, table, name, column, unique in rows:
        so_far = indexes.get((schema, table, name), Index((), bool(unique), name))
        indexes[schema, table, name] = replace(so_far, columns=(*so_far.columns, column or "(expression)"))
    for (schema, table, _), index in indexes.items():
        if (schema, table) in drafts:
            drafts[schema, table].add_index(index)


def _name(schema: str, table: str) -> str:
    return f"{schema}.{table}" if schema and schema.lower() not in DEFAULT_SCHEMAS else table


_READERS: dict[str, tuple[Callable[[SplitResult, str], Catalogue], str]] = {
    "sqlite": (_read_sqlite, "live SQLite"),
    "postgresql": (_read_postgresql, "live PostgreSQL"),
    "postgres": (_read_postgresql, "live PostgreSQL"),
    "mysql": (_read_mysql, "live MySQL"),
    "mariadb": (_read_mysql, "live MariaDB"),
}
