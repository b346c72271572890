"""What must be true of a space whenever it is opened, whatever happened before; described, not judged."""

import json
from pathlib import Path
from typing import Any

from waypost import Memory

# Each counts rows that no state of a sound space has.
IMPOSSIBLE = {
    "versions without passages": """
        SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.number = m.number)""",
    "passages without keywords": """
        SELECT count(*) FROM passages WHERE passage_id NOT IN (SELECT id FROM keywords_docsize)""",
    "keywords without a passage": """
        SELECT count(*) FROM keywords_docsize WHERE id NOT IN (SELECT passage_id FROM passages)""",
    "passages without a vector that is not owed": """
        SELECT count(*) FROM passages p WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = p.hash)
        AND NOT EXISTS (SELECT 1 FROM owed o WHERE o.hash = p.hash)""",
    "vectors and debts of nothing": """
        SELECT (SELECT count(*) FROM vectors WHERE hash NOT IN (SELECT hash FROM passages))
        + (SELECT count(*) FROM owed WHERE hash NOT IN (SELECT hash FROM passages))""",
    "vectors that are owed as well": """
        SELECT count(*) FROM owed o JOIN vectors v USING (engine_id, hash)""",
    "memories without an audit row": """
        SELECT count(*) FROM memories WHERE memory_id NOT IN (SELECT memory_id FROM audit WHERE action = 'remember')""",
    "audited memories that are not there": """
        SELECT count(*) FROM audit WHERE action = 'remember' AND memory_id NOT IN (SELECT memory_id FROM memories)
        AND memory_id NOT IN (SELECT memory_id FROM audit WHERE action = 'forget')""",
    "memories with two current versions": """
        SELECT count(*) FROM (SELECT 1 FROM memories WHERE superseded_at IS NULL GROUP BY memory_id HAVING count(*) > 1)""",
}


def inspect(memory: Memory) -> dict[str, Any]:
    """Everything a test wants to know of a space that a process has just opened without repairing anything."""
    with memory.space.store.read() as reader:
        rows = reader.database.connection.execute  # type: ignore[attr-defined]
        impossible = {name: rows(sql).fetchall()[0][0] for name, sql in IMPOSSIBLE.items()}
        audit = rows("SELECT action, memory_id FROM audit ORDER BY number").fetchall()
    current = {row["id"]: row["text"] for row in memory.list(limit=1_000_000)}
    newest = list(current.items())[-4:]
    forgot = any(action == "forget" for action, _ in audit)
    text = f"Written after the kill, number {len(audit)}"
    described = {
        "problems": list(memory.space.store.problems()),
        "impossible": {name: count for name, count in impossible.items() if count},
        "current": current,
        "audit": audit,
        "not found": [
            text for one, text in newest if one not in {hit.id for hit in memory.recall(text, k=5, unlikely=True)}
        ],
        "files": _files(memory.space.folder),
        "torn exports": [path.name for path in memory.space.folder.glob("exports/[!.]*") if not _whole(path, forgot)],
        "words": _mentions(memory.space.folder, b"xylophonist"),
    }
    receipt = memory.remember(text, domain=str(len(audit)))
    return described | {"writable": receipt.status, "written": receipt.id, "written text": text}


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _whole(path: Path, may_be_empty: bool) -> bool:
    """Whether an export ends where it should; forgetting the only memory in it leaves nothing."""
    content = path.read_text(encoding="utf-8")
    if not content:
        return may_be_empty and path.suffix == ".jsonl"
    try:
        documents = [content] if path.suffix == ".json" else content.splitlines()
        return all(json.loads(document) for document in documents) and content.endswith("\n")
    except json.JSONDecodeError:
        return False


def _mentions(folder: Path, word: bytes) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and word in path.read_bytes())
