"""On which day a journal entry was last part of an answer.

Answers must not wait for writers. Ids are appended to a small file, once a day each, and maintenance moves them to the
database.
"""

import contextlib
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from waypost.errors import InvalidInput
from waypost.flows.open_space import OpenSpace
from waypost.model.ids import check_id
from waypost.model.recall import Hit
from waypost.model.time import format_time, parse_time

_NAME = "accessed.log"
_noted: dict[tuple[Path, str], set[str]] = {}  # of this process: folder and day, and what was noted on it


def note_access(space: OpenSpace, hits: Iterable[Hit]) -> None:
    """Note that these entries were shown today. Failing to note it is not an error."""
    day = format_time(space.clock())[:10]
    noted_today = _noted.setdefault((space.folder, day), set())
    fresh = [hit.id for hit in hits if hit.collection == "journal" and hit.id not in noted_today]
    if not fresh:
        return
    noted_today.update(fresh)
    with contextlib.suppress(OSError):
        handle = os.open(space.folder / _NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, "".join(f"{day} {memory_id}\n" for memory_id in fresh).encode())
        finally:
            os.close(handle)


def take_accesses(space: OpenSpace) -> int:
    """Move the noted accesses to the database. Returns how many entries there were."""
    place, taken = space.folder / _NAME, space.folder / f"{_NAME}.taken"
    if not taken.exists():  # leftovers of a killed process come first
        try:
            os.replace(place, taken)
        except FileNotFoundError:
            return 0
    latest: dict[str, datetime] = {}
    for line in taken.read_text("utf-8", errors="replace").splitlines():
        day, _, memory_id = line.partition(" ")
        with contextlib.suppress(InvalidInput):
            at = parse_time(day, "day")
            latest[check_id(memory_id)] = max(at, latest.get(memory_id, at))
    with space.store.write() as writer:
        states = writer.memories.states(latest)
        for memory_id, at in latest.items():
            before = states[memory_id].accessed_at if memory_id in states else None
            if writer.memories.versions(memory_id) and (before is None or before < at):
                writer.memories.set_state(memory_id, accessed_at=at)
    taken.unlink()
    return len(latest)
