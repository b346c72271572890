"""An editor saves a file while Waypost writes to it: what it dropped without having seen it, and what it deleted."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from waypost.store.journal import PlacedEntry
from waypost.store.protocol import Reader, Writer

STALE_BUFFER = timedelta(minutes=10)  # between the last entry that an editor's save dropped and that save
_UNSEEN = timedelta(milliseconds=150)  # nobody reads and deletes so soon
_FOUGHT_SECONDS = 60  # for which a file counts as fought over after entries had to be put back
_FOUGHT = "journal_fought:"


def note_fight(writer: Writer, journal: str, path: str, mtime: int) -> None:
    """Somebody saves this file while we write to it."""
    writer.meta.set(f"{_FOUGHT}{journal}:{path}", str(mtime))


def is_fought_over(reader: Reader, journal: str, path: str, mtime: int) -> bool:
    last = reader.meta.get(f"{_FOUGHT}{journal}:{path}")
    return bool(last) and mtime - int(last or 0) < _FOUGHT_SECONDS * 10**9


def time_of(mtime: int) -> datetime:
    """The time of a file, in nanoseconds, as we have times."""
    return datetime.fromtimestamp(mtime // 10**9, tz=UTC) + timedelta(microseconds=mtime % 10**9 // 1000)


def was_overwritten(
    lost: Sequence[PlacedEntry],
    before: Sequence[PlacedEntry],
    there: Mapping[str, bytes],
    saved: datetime,
    *,
    fought: bool,
    writing: bool,
) -> bool:
    """Whether an editor saved what it had loaded before these were written; `there` are the digests of what the file holds.

    They are then the last that Waypost wrote there, and the save has changed something else too; or somebody is about to
    write and it came so soon after the last of them that nobody can have seen it. A file that is fought over needs no such
    sign.
    """
    if saved - max(place.since for place in lost) > STALE_BUFFER:
        return False
    if fought:
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
    """In which entries came into a file."""
    return place.since, place.place
