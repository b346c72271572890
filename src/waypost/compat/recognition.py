"""Which program wrote a file, by its name and how it begins. Reads at most its first 256 KB."""

import re
from pathlib import Path

from waypost.compat.agent_memory.rule_files import is_rule_file

CHAT = "chat"  # conversations, which the journal imports
_BEGINNING = 1 << 18  # bytes: the table definitions of a database, the keys of a first object
_SQLITE = b"SQLite format 3\0"
_KEY = re.compile(rb'"(\w{1,40})"\s*:')
# The first row whose keys are all there decides. An export of Waypost matches none.
_JSON_KEYS: tuple[tuple[str, frozenset[bytes]], ...] = (
    (CHAT, frozenset({b"mapping"})),
    (CHAT, frozenset({b"chat_messages"})),
    ("server-memory", frozenset({b"entityType"})),
    ("server-memory", frozenset({b"relationType"})),
    ("code-tags", frozenset({b"memory", b"code_ref_count"})),
    ("claude-mem", frozenset({b"observations", b"memory_session_id"})),
    ("mcp-memory-service", frozenset({b"content_hash"})),
    ("mem0", frozenset({b"memory", b"user_id"})),
    ("mem0", frozenset({b"memory", b"hash"})),
    (CHAT, frozenset({b"role", b"content"})),
)
_TABLES = (("claude-mem", b"session_summaries"), ("mcp-memory-service", b"content_hash"))
_FILES_IN = (
    ("claude-mem", "claude-mem.db"),
    ("mcp-memory-service", "sqlite_vec.db"),
    ("server-memory", "memory.jsonl"),
)
_BRIDGE = "memory_bridge"


def origin_of(path: Path) -> str:
    """The name for `waypost import --from`, or `CHAT`; empty if the file is Waypost's own or nobody's known."""
    if path.is_dir():
        return _origin_of_folder(path)
    if is_rule_file(path):
        return "rules"
    try:
        with path.open("rb") as file:
            start = file.read(_BEGINNING)
    except OSError:
        return ""
    if start.startswith(_SQLITE):
        by_table = next((name for name, table in _TABLES if table in start), "")
        return by_table or ("memory-bridge" if path.stem == _BRIDGE else "")
    if path.suffix == ".md":
        return "basic-memory" if _is_note(start) else ""
    keys: frozenset[bytes] = frozenset()
    if start.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"["):
        keys = frozenset(_KEY.findall(start))
    return next((name for name, needed in _JSON_KEYS if needed <= keys), "")


def _origin_of_folder(folder: Path) -> str:
    if folder.name == ".locai":
        return "locai"
    if folder.name == "memory" and folder.parent.parent.name == "projects":
        return "claude-code"
    for name, file in _FILES_IN:
        if (folder / file).is_file():
            return name
    if is_rule_file(folder) or any(is_rule_file(file) for file in folder.iterdir()):
        return "rules"
    notes = list(folder.glob("*.md"))[:5] or list(folder.glob("*/*.md"))[:5]
    return "basic-memory" if any(origin_of(note) == "basic-memory" for note in notes) else ""


def _is_note(start: bytes) -> bool:
    front = re.match(rb"---\r?\n(.*?)\r?\n---", start, re.DOTALL)
    return front is not None and b"permalink:" in front[1]
