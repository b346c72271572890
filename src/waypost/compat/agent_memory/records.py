"""Records of claude-mem, mcp-memory-service and mem0, from their databases or their exports in JSON.

A private copy of a database is read, never the file itself.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from waypost.compat.agent_memory.notes import (
    LARGEST_JSON,
    ForeignNote,
    ForeignNotes,
    parse_json,
    read_text,
    tag_text,
    tags_of,
    time_text,
)
from waypost.errors import InvalidInput
from waypost.flows.move.user_file import open_plain_file
from waypost.store.sqlite.foreign import ForeignDatabase, TooLarge, copy_database
from waypost.text.plural import counted, join_items

Row: TypeAlias = Mapping[str, Any]
_SQLITE = b"SQLite format 3\0"
_CLAUDE_MEM_KINDS = {"decision": "decision", "bugfix": "fix"}
_SERVICE_KINDS = {"decision": "decision", "learning": "learning", "pattern": "learning", "error": "fix"}
_ENDED = ("deleted", "archived")
_MEM0_TEXTS = ("memory", "text", "data")


def read_claude_mem(path: Path, project: str) -> ForeignNotes:
    """Observations of a project, and what its summaries say was learned."""
    with _tables(path, "claude-mem.db", {"observations": "observations", "session_summaries": "summaries"}) as tables:
        result, others = ForeignNotes(), Counter[str]()
        for row in tables("observations"):
            if project not in (row.get("project"), row.get("merged_into_project")):
                others[tag_text(row.get("project")) or "-"] += 1
                continue
            text = _claude_mem_text(row, result.skipped)
            if text:
                kind = _CLAUDE_MEM_KINDS.get(str(row.get("type")), "learning")
                result.notes.append(_claude_mem_note(row, text, kind, "observation"))
        for row in tables("session_summaries"):
            learned = row.get("learned")
            is_here = project in (row.get("project"), row.get("merged_into_project"))
            if is_here and isinstance(learned, str) and learned.strip():
                result.notes.append(_claude_mem_note(row, learned.strip(), "learning", "summary"))
    if others:
        names = join_items(f"{name} ({count})" for name, count in others.most_common())
        result.skipped.append(f"{counted(others.total(), 'observation')} of other projects: {names}")
    result.skipped.append("prompts, and summaries apart from what was learned: they are conversations, not memories")
    return result


def _claude_mem_text(row: Row, skipped: list[str]) -> str:
    """Title, narrative and facts; in old databases, the text."""
    facts = "\n".join(f"- {fact}" for fact in _items(row.get("facts")))
    title, body = row.get("title"), row.get("narrative") or row.get("text")
    if isinstance(title, str) and isinstance(body, str) and body.startswith(title.strip()):
        title = None  # a memory saved by hand has the beginning of its text as title
    parts = [title, body, facts]
    text = "\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())
    if not text or any(isinstance(part, TooLarge) for part in parts):
        skipped.append(f"observation {row.get('id')}: {'a value is too large' if text else 'it has no text'}")
        return ""
    return text


def _claude_mem_note(row: Row, text: str, kind: str, what: str) -> ForeignNote:
    files = [*_items(row.get("files_modified")), *_items(row.get("files_read"))]
    return ForeignNote(
        text,
        f"claude-mem {what} {tag_text(row.get('id'))}",
        kind,
        time=time_text(row.get("created_at"), row.get("created_at_epoch")),
        tags=tags_of(
            type=row.get("type") or what, concepts=_items(row.get("concepts")), files=list(dict.fromkeys(files))
        ),
    )


def read_memory_service(path: Path) -> ForeignNotes:
    """The memories of mcp-memory-service that were neither deleted nor replaced."""
    result, ended = ForeignNotes(), 0
    with _tables(path, "sqlite_vec.db", {"memories": "memories"}) as tables:
        for row in tables("memories"):
            text, key = row.get("content"), tag_text(row.get("content_hash"))
            if row.get("deleted_at") or row.get("superseded_by"):
                ended += 1
            elif not isinstance(text, str) or not text.strip():
                result.skipped.append(f"memory {key[:12]}: {_no_text(text)}")
            else:
                sort = tag_text(row.get("memory_type"))
                result.notes.append(
                    ForeignNote(
                        text.strip(),
                        f"mcp-memory-service {key[:12]}".strip(),
                        _SERVICE_KINDS.get(sort, "fact"),
                        f"mcp-memory-service:{key}" if key else "",
                        time_text(row.get("created_at_iso"), row.get("created_at")),
                        tags_of(type=sort, tags=row.get("tags")),
                    )
                )
    if ended:
        result.skipped.append(f"{counted(ended, 'memory', 'memories')}: deleted or replaced there")
    return result


def read_mem0(path: Path) -> ForeignNotes:
    """The memories of a mem0 export: what `get_all` returns, or a list of them."""
    result = ForeignNotes()
    with _tables(path, "memories.json", {"memories": "results"}) as tables:
        for number, row in enumerate(tables("memories"), 1):
            text = next((row[name] for name in _MEM0_TEXTS if row.get(name)), None)
            if not isinstance(text, str) or not text.strip():
                result.skipped.append(f"memory {number}: {_no_text(text)}")
            elif row.get("state") in _ENDED or row.get("is_deleted"):
                result.skipped.append(f"memory {number}: deleted or archived there")
            else:
                key = tag_text(row.get("id"))
                names = ("user_id", "agent_id", "run_id", "app_id", "categories")
                result.notes.append(
                    ForeignNote(
                        text.strip(),
                        f"mem0 {key}".strip(),
                        key=f"mem0:{key}" if key else "",
                        time=time_text(row.get("updated_at"), row.get("created_at")),
                        tags=tags_of(**{name: row.get(name) for name in names}),
                    )
                )
    return result


def _no_text(value: Any) -> str:
    return "it is too large" if isinstance(value, TooLarge) else "it has no text"


def _items(value: Any) -> list[str]:
    """A list of texts, which databases hold as JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return [item.strip() for item in value if isinstance(item, str)] if isinstance(value, list) else []


class _Tables:
    """Rows by table name, from a database or from lists in JSON."""

    def __init__(self, database: ForeignDatabase | None, lists: Mapping[str, list[Any]]) -> None:
        self._database = database
        self._lists = lists

    def __call__(self, name: str) -> Iterator[Row]:
        if self._database is None:
            yield from (row if isinstance(row, dict) else {} for row in self._lists.get(name, ()))
        elif table := self._database.table(name):
            self._database.check(table)
            columns = [column.lower() for column in table.columns]
            for row in self._database.rows(table, table.columns):
                yield dict(zip(columns, row, strict=True))


@contextmanager
def _tables(path: Path, usual_name: str, names: Mapping[str, str]) -> Iterator[_Tables]:
    """`names` are the tables that the caller reads, with the names of their lists in JSON. The first one must be there."""
    file = path / usual_name if path.is_dir() else path
    with open_plain_file(file, LARGEST_JSON * 100) as given:
        is_database = given.read(len(_SQLITE)) == _SQLITE
    wrong = InvalidInput(f"{file} has no {next(iter(names))} in the expected form.", f"Name {usual_name} or an export.")
    if not is_database:
        lists = _lists(parse_json(read_text(file, LARGEST_JSON), file), names)
        if next(iter(names)) not in lists:
            raise wrong
        yield _Tables(None, lists)
        return
    with tempfile.TemporaryDirectory(prefix="waypost-import-") as folder:
        copy = Path(folder, "copy.db")
        copy_database(file, copy)
        with ForeignDatabase(copy, display_path=file) as database:
            if database.table(next(iter(names))) is None:
                raise wrong
            yield _Tables(database, {})


def _lists(data: Any, names: Mapping[str, str]) -> dict[str, list[Any]]:
    if isinstance(data, list):
        return {next(iter(names)): data}
    if not isinstance(data, dict):
        return {}
    given = {table: data.get(name, data.get(table)) for table, name in names.items()}
    return {table: rows for table, rows in given.items() if isinstance(rows, list)}
