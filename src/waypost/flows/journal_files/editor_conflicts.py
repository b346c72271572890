"""Detect when an editor's save drops entries it has not seen, as opposed to a deletion."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from waypost.store.journal import PlacedEntry
from waypost.store.protocol import Reader, Writer

STALE_BUFFER = timedelta(minutes=10)  # between an editor's save and the last entry that it dropped
_UNSEEN = timedelta(milliseconds=150)  # nobody reads and deletes that fast
_CONFLICT_SECONDS = 60  # for which a file counts as in_conflict over after entries had to be put back
_CONFLICT = "journal_fought:"


def note_conflict(writer: Writer, journal: str, path: str, mtime: int) -> None:
    """An editor saves this file while Waypost writes to it."""
    writer.meta.set(f"{_CONFLICT}{journal}:{path}", str(mtime))


def has_conflict(reader: Reader, journal: str, path: str, mtime: int) -> bool:
    last = reader.meta.get(f"{_CONFLICT}{journal}:{path}")
    return bool(last) and mtime - int(last or 0) < _CONFLICT_SECONDS * 10**9


def time_of(mtime: int) -> datetime:
    """The modification time, in nanoseconds, as a datetime."""
    return datetime.fromtimestamp(mtime // 10**9, tz=UTC) + timedelta(microseconds=mtime % 10**9 // 1000)


def was_overwritten(
    lost: Sequence[PlacedEntry],
    before: Sequence[PlacedEntry],
    there: Mapping[str, bytes],
    saved: datetime,
    *,
    in_conflict: bool,
    writing: bool,
) -> bool:
    """Whether an editor saved an older state, from before these entries were written.

    `there` are digests of the file's entries. The lost entries must be the last that Waypost wrote, and the save must
    have changed something else too. While Waypost writes, a save right after the last entry counts as well. A file in
    conflict needs no such sign.
    """
    if saved - max(place.since for place in lost) > STALE_BUFFER:
        return False
    if in_conflict:
        return True
    stayed = [place for place in before if place.memory_id in there]
    first = min(map(_order, lost))
    if any(_order(place) > first and not place.by_hand for place in stayed):
        return False
    other_work = not there.keys() <= {place.memory_id for place in before} or any(
        there[place.memory_id] != place.digest for place in stayed
    )
    return other_work or (writing and saved - max(place.since for place in lost) < _UNSEEN)


def _order(place: PlacedEntry) -> tuple[datetime, int]:
    return place.since, place.place
