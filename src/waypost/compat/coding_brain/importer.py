"""Import from Coding Brain: a file of memories with their code references in tags.

Every memory passes the gateway. Added memories carry the id of their import, so that it can be undone.
"""

from collections.abc import Iterator
from pathlib import Path

from waypost.compat.coding_brain.drafts import read_items
from waypost.compat.coding_brain.tag_format import TaggedMemory
from waypost.flows.move.imports import Imported, Note, Undone, register, undo_import, unregister, write
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import Draft
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.model.time import Moment
from waypost.text.secrets.masking import mask

__all__ = ["CODE_TAGS", "Imported", "Undone", "import_tags", "undo_import"]

CODE_TAGS = "code-tags"
_MOST_NOTES = 20  # about one memory


def import_tags(space: OpenSpace, path: Path, caller: Caller) -> Imported:
    """Import a file of memories with code references in tags. Existing memories are not overwritten."""
    import_id = space.new_id()
    items = read_items(space, path, import_id)
    ready = [(item, item.draft) for item in items if item.draft is not None]
    register(space, import_id, CODE_TAGS, path)
    statuses = {"added": 0, "merged": 0, "duplicate": 0, "refused": len(items) - len(ready)}
    references = unplaced = masked = 0
    for (item, draft), receipt in zip(ready, write(space, [d for _, d in ready], caller, import_id), strict=True):
        statuses[receipt.status] += 1
        masked += len(receipt.masked)
        if receipt.status in ("added", "merged"):
            references += len(draft.refs)
            unplaced += len(item.lost)
            item.memory.notes += receipt.notices
        else:  # nothing was stored, so nothing was left out
            item.memory.notes = _why_not(space, draft, receipt)
    if not statuses["added"]:
        unregister(space, import_id)
    notes = tuple(note for item in items for note in _notes(item.memory))
    return Imported(import_id if statuses["added"] else None, statuses, references, unplaced, masked, notes)


def _why_not(space: OpenSpace, draft: Draft, receipt: Receipt) -> list[str]:
    if receipt.status == "refused":
        return [f"refused: {receipt.reason}"]
    with space.store.read() as reader:
        version = reader.memories.version(receipt.id or "", Moment(space.clock()))
    there = {ref.file_path for ref in version.refs} if version else set()
    missing = [str(ref) for ref in draft.refs if ref.file_path not in there]
    if version is None or not missing:
        return []
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    places = f"{', '.join(missing[:3])}{more}"
    return [f"{version.memory_id} already says this, but does not refer to {places}: `waypost relink` can change that"]


def _notes(memory: TaggedMemory) -> Iterator[Note]:
    """The memory's notes with secrets masked, since they quote the file."""
    key = memory.draft_fields.get("key") and mask(memory.draft_fields["key"]).text
    for what in memory.notes[:_MOST_NOTES]:
        yield Note(memory.number, key, mask(what).text)
    if len(memory.notes) > _MOST_NOTES:
        yield Note(memory.number, key, f"and {len(memory.notes) - _MOST_NOTES} more")
