"""Databases of other memories: claude-mem and mcp-memory-service. A private copy is read, never the file itself."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waypost.compat.agent_memory.notes import ForeignNote, ForeignNotes, time_text
from waypost.errors import InvalidInput
from waypost.store.sqlite.foreign import ForeignDatabase, Value, copy_database

_MEM_KINDS = {"decision": "decision", "bugfix": "fix"}
_SERVICE_KINDS = {"decision": "decision", "learning": "learning", "error": "fix", "pattern": "learning"}
_MOST_LISTED = 20


def read_claude_mem(path: Path, project: str) -> ForeignNotes:
    """Observations of this project, and what its summaries say was learned."""
    result = ForeignNotes()
    with _tables(path, "claude-mem.db") as rows:
        others = 0
        for row in rows("observations"):
            if row.get("project") != project:
                others += 1
                continue
            text = _observation(row)
            if text:
                kind = _MEM_KINDS.get(str(row.get("type")), "learning")
                result.notes.append(_mem_note(row, text, kind, "observation"))
            else:
                result.skipped.append(f"observation {row.get('id')}: it has no text")
        for row in rows("session_summaries"):
            learned = row.get("learned")
            if row.get("project") == project and isinstance(learned, str) and learned.strip():
                result.notes.append(_mem_note(row, learned.strip(), "learning", "summary"))
        prompts = sum(1 for _ in rows("user_prompts"))
    if others:
        result.skipped.append(f"{others} observations of other projects than {project!r}")
    if prompts:
        result.skipped.append(f"{prompts} prompts: they are conversations, not memories")
    return result


def _observation(row: dict[str, Value]) -> str:
    """Title, narrative and facts; in old databases, the text."""
    facts = [f"- {fact}" for fact in _list(row.get("facts"))]
    parts = [row.get("title"), row.get("narrative") or row.get("text"), "\n".join(facts)]
    return "\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())


def _mem_note(row: dict[str, Value], text: str, kind: str, what: str) -> ForeignNote:
    concepts = ", ".join(_list(row.get("concepts")))[:200]
    time = time_text(row.get("created_at")) or time_text(row.get("created_at_epoch"))
    tags = {"type": str(row.get("type") or what)} | ({"concepts": concepts} if concepts else {})
    return ForeignNote(
        text, f"claude-mem {what} {row.get('id')}", kind, f"claude-mem:{what}:{row.get('id')}", time, tags
    )


def read_memory_service(path: Path) -> ForeignNotes:
    """The memories of mcp-memory-service that were not deleted."""
    result = ForeignNotes()
    deleted = 0
    with _tables(path, "sqlite_vec.db") as rows:
        for row in rows("memories"):
            text, key = row.get("content"), str(row.get("content_hash") or "")
            if row.get("deleted_at"):
                deleted += 1
            elif not isinstance(text, str) or not text.strip():
                result.skipped.append(f"memory {key[:12]}: it has no text")
            else:
                sort = str(row.get("memory_type") or "")
                own = row.get("tags")
                names = ", ".join(_list(own)) or (own if isinstance(own, str) else "")
                tags = {name: value for name, value in (("type", sort), ("tags", names[:200])) if value}
                time = time_text(row.get("created_at_iso")) or time_text(row.get("created_at"))
                kind = _SERVICE_KINDS.get(sort, "fact")
                origin = f"mcp-memory-service {key[:12]}"
                result.notes.append(ForeignNote(text.strip(), origin, kind, f"mcp-memory-service:{key}", time, tags))
    if deleted:
        result.skipped.append(f"{deleted} deleted memories")
    return result


def _list(value: Value) -> list[str]:
    try:
        items = json.loads(value) if isinstance(value, str) and value.lstrip().startswith("[") else []
    except (ValueError, RecursionError):
        return []
    return [str(item)[:2000] for item in items][:_MOST_LISTED]


class _Rows:
    def __init__(self, database: ForeignDatabase) -> None:
        self._database = database

    def __call__(self, name: str) -> Iterator[dict[str, Value]]:
        table = self._database.table(name)
        if table is None:
            return
        self._database.check(table)
        for row in self._database.rows(table, table.columns):
            yield dict(zip((column.lower() for column in table.columns), row, strict=True))


@contextmanager
def _tables(path: Path, usual_name: str) -> Iterator[_Rows]:
    file = path / usual_name if path.is_dir() else path
    if not file.is_file():
        raise InvalidInput(f"{file} does not exist.", f"Name the database, usually {usual_name}.")
    with tempfile.TemporaryDirectory(prefix="waypost-import-") as folder:
        copy = Path(folder, "copy.db")
        copy_database(file, copy)
        with ForeignDatabase(copy, display_path=file) as database:
            yield _Rows(database)
