"""Remove traces of erased memories from the database, exports, media and snapshots.

The transaction that erases notes what to clean up: ids of memories and names of media. If another process blocks the
cleanup, a later opening continues. Names are removed from the note only after their cleanup: others may have added
more.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from waypost.errors import NotFound, StoreBusy, StoreError
from waypost.flows.backup import RESTORE_OWED
from waypost.flows.open_space import OpenSpace
from waypost.store.protocol import Reader, Writer

_SCRUB_OWED = "scrub_owed"  # in the table `meta`: memories of which the database may hold traces, as JSON
_FILES_OWED = "files_owed"  # the same for files on this machine, with media that only these memories used


@dataclass(frozen=True, slots=True)
class CleanupResult:
    complete: bool  # False: another process blocks; the rest stays noted
    exports: frozenset[str] = frozenset()  # names of changed exports
    media: tuple[str, ...] = ()


def note_erased(space: OpenSpace, writer: Writer, ids: Collection[str], media: Iterable[str] = ()) -> None:
    """Note, in the transaction that erases these memories, that their traces must be removed."""
    for key, names in ((_SCRUB_OWED, ids), (_files_key(space), [*ids, *media])):
        _note(writer, key, _noted(writer, key).union(names))


def has_pending_cleanup(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        return bool(_noted(reader, _SCRUB_OWED) or _noted(reader, _files_key(space)))


def finish_forgetting(space: OpenSpace) -> None:
    """Finish a cleanup or a restore that was stopped. Does not wait for other processes."""
    with space.store.read() as reader:
        restoring = reader.meta.get(RESTORE_OWED)
    if restoring:
        from waypost.flows.backup.restore import finish_restore  # only after a kill

        finish_restore(space)
    if has_pending_cleanup(space):
        clean_up(space, None, wait=False)


def clean_up(
    space: OpenSpace, traces: list[str] | None, texts: Collection[str] = (), *, wait: bool = True
) -> CleanupResult:
    """Remove what is noted. What cannot be removed now stays noted for the next opening or for `doctor`.

    `traces` are pieces of text to look for, or None if they are not known any more. Rows of exports with one of `texts`
    go too.
    """
    key = _files_key(space)
    with space.store.read() as reader:
        rows, files = _noted(reader, _SCRUB_OWED), _noted(reader, key)
    cleaned = _clean_files(space, files, texts, wait=wait)
    try:
        complete = space.store.scrub(traces or [], wait=wait, rewrite=traces is None)
    except StoreBusy:  # the rows are erased; only traces are left
        complete = False
    if not space.settings.store:
        from waypost.flows.backup.erase_from_snapshots import erase_noted  # only for erasing

        complete = erase_noted(space, wait=wait) and complete
    if complete or cleaned.complete:
        with space.store.write() as writer:
            if complete:
                _note(writer, _SCRUB_OWED, _noted(writer, _SCRUB_OWED) - rows)
            if cleaned.complete:
                _note(writer, key, _noted(writer, key) - files)
    return replace(cleaned, complete=complete and cleaned.complete)


def _clean_files(space: OpenSpace, names: set[str], texts: Collection[str], *, wait: bool) -> CleanupResult:
    if not names:
        return CleanupResult(True)
    from waypost.flows.erase.exports import clean_exports  # only for erasing
    from waypost.flows.journal_files.media import MEDIA, drop_media

    media = {name for name in names if name.startswith(f"{MEDIA}/")}
    try:
        changed = clean_exports(space, names - media, texts, wait=wait)
        return CleanupResult(True, frozenset(changed), tuple(drop_media(space, media, wait=wait)) if media else ())
    except (StoreError, NotFound, OSError):  # also if the journal is on another machine: every opening tries again
        return CleanupResult(False)


def _files_key(space: OpenSpace) -> str:
    machine = space.settings.shared_machine
    return f"{_FILES_OWED}:{machine}" if machine else _FILES_OWED


def _noted(reader: Reader, key: str) -> set[str]:
    names = json.loads(reader.meta.get(key) or "[]")
    return set(names) if isinstance(names, list) else {str(names)}  # older databases have a mere flag


def _note(writer: Writer, key: str, names: set[str]) -> None:
    writer.meta.set(key, json.dumps(sorted(names)) if names else "")
