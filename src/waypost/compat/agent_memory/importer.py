"""Import the notes of another memory. Each passes the gateway and carries the id of its import, so that it can be undone."""

from pathlib import Path

from waypost.compat.agent_memory import AGENT_MEMORIES
from waypost.compat.agent_memory.basic_memory import read_basic_memory
from waypost.compat.agent_memory.graph_file import read_server_memory
from waypost.compat.agent_memory.notes import MOST_NOTES, ForeignNote, ForeignNotes
from waypost.compat.agent_memory.records import read_claude_mem, read_mem0, read_memory_service
from waypost.compat.agent_memory.rule_files import read_claude_code, read_rules
from waypost.config import user_home
from waypost.errors import InvalidInput, WaypostError
from waypost.flows.move.imports import Imported, Note, register, unregister, write
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import MAX_SHORT, Draft
from waypost.model.memory import Caller
from waypost.text.secrets.masking import mask

_READERS = {
    "basic-memory": read_basic_memory,
    "mcp-memory-service": read_memory_service,
    "server-memory": read_server_memory,
    "mem0": read_mem0,
}
_USUAL = {
    "claude-code": ".claude",
    "claude-mem": ".claude-mem",
    "basic-memory": "basic-memory",
}  # below the user's home


def import_notes(
    space: OpenSpace, origin: str, path: Path | None, caller: Caller, *, project: str | None = None
) -> Imported:
    """Import from one of `AGENT_MEMORIES`. Without a path, from where that program usually keeps its memory.

    Stored memories are not overwritten, and what is stored already is not stored twice.
    """
    if origin not in AGENT_MEMORIES:
        raise InvalidInput(f"Unknown source {origin[:40]!r}.", f"Use {', '.join(AGENT_MEMORIES)}.")
    place = path if path is not None else _usual_place(space, origin)
    if not place.exists():
        raise InvalidInput(f"{place} does not exist.", f"Name it: waypost import --from {origin} PATH.")
    source = _read(space, origin, place, project)
    if len(source.notes) > MOST_NOTES:
        raise InvalidInput(f"{place} has more than {MOST_NOTES:,} notes.", "Import its files one by one.")
    statuses = {"added": 0, "merged": 0, "duplicate": 0, "refused": 0}
    report = [Note(0, None, f"skipped: {mask(what).text}") for what in source.skipped]
    ready: list[tuple[int, ForeignNote, Draft]] = []
    for number, note in enumerate(source.notes, 1):
        try:
            ready.append((number, note, _draft(note, origin)))
        except WaypostError as error:
            statuses["refused"] += 1
            report.append(_refusal(number, note, error.what))
    import_id, masked = space.new_id(), 0
    register(space, import_id, origin, place)
    receipts = write(space, [draft for _, _, draft in ready], caller, import_id)
    for (number, note, _), receipt in zip(ready, receipts, strict=True):
        statuses[receipt.status] += 1
        masked += len(receipt.masked)
        if receipt.status == "refused":
            report.append(_refusal(number, note, receipt.reason))
    if not statuses["added"] and not statuses["merged"]:
        unregister(space, import_id)
        return Imported(None, statuses, 0, 0, masked, tuple(report))
    return Imported(import_id, statuses, 0, 0, masked, tuple(report))


def _usual_place(space: OpenSpace, origin: str) -> Path:
    root = space.identity.root
    if origin == "rules" and root is not None:
        return root
    if origin in _USUAL:
        return user_home() / _USUAL[origin]
    raise InvalidInput("No path given.", f"Name it: waypost import --from {origin} PATH.")


def _read(space: OpenSpace, origin: str, path: Path, project: str | None) -> ForeignNotes:
    root = space.identity.root
    if origin == "rules":
        return read_rules(path)
    if origin == "claude-code":
        return read_claude_code(path, root)
    if origin == "claude-mem":  # it names a project by its folder
        return read_claude_mem(path, project or (root.name if root else space.identity.name))
    return _READERS[origin](path)


def _draft(note: ForeignNote, origin: str) -> Draft:
    fields = {
        "text": note.text,
        "kind": note.kind,
        "evidence": [note.origin[:MAX_SHORT]],
        "tags": {"imported_from": origin, **note.tags},
        "key": note.key or None,
        "valid_from": note.time or None,
    }
    return Draft.of({name: value for name, value in fields.items() if value is not None})


def _refusal(number: int, note: ForeignNote, reason: str | None) -> Note:
    return Note(number, mask(note.origin).text[:80], f"refused: {reason}")
