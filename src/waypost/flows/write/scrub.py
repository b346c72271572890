"""Removing the traces of what was erased, now or, where somebody is in the way, with a later opening.

What is still to be cleaned is noted in the transaction that erases it, by the ids of the memories and the names of their
media. Whoever has cleaned takes out of the note what was in it before: what others erased meanwhile stays noted.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from waypost.errors import NotFound, StoreBusy, StoreError
from waypost.flows.open_space import OpenSpace
from waypost.store.protocol import Reader, Writer

_SCRUB_OWED = "scrub_owed"  # in the table `meta`: of which memories there may be traces in the database, as JSON
_FILES_OWED = "files_owed"  # the same in files of this machine, with the media that only they named
RESTORE_OWED = "restore_owed"  # the snapshot whose journal files are still to be put back


@dataclass(frozen=True, slots=True)
class Scrubbed:
    complete: bool  # False: somebody is in the way; what is left stays noted
    exports: frozenset[str] = frozenset()  # the names of those that changed
    media: tuple[str, ...] = ()


def owe_scrub(space: OpenSpace, writer: Writer, ids: Collection[str], media: Iterable[str] = ()) -> None:
    """Note, in the transaction that erases these memories, that their traces are to be removed."""
    for key, names in ((_SCRUB_OWED, ids), (_files_key(space), [*ids, *media])):
        _note(writer, key, _noted(writer, key).union(names))


def owes_scrub(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        return bool(_noted(reader, _SCRUB_OWED) or _noted(reader, _files_key(space)))


def finish_forgetting(space: OpenSpace) -> None:
    """Remove the traces that a killed process or a reader in the way left behind; waits for nobody. A restore that was
    killed is finished too."""
    with space.store.read() as reader:
        restoring = reader.meta.get(RESTORE_OWED)
    if restoring:
        from waypost.flows.backup.restore import finish_restore  # only after a kill

        finish_restore(space)
    if owes_scrub(space):
        scrub(space, None, wait=False)


def scrub(space: OpenSpace, traces: list[str] | None, words: Collection[str] = (), *, wait: bool = True) -> Scrubbed:
    """Remove what is noted from exports, media, the database and snapshots; what cannot be removed now stays noted, for the
    next opening or `doctor`. `traces` are the texts to look for, None where they are not known any more. `words`: in exports,
    rows that say one of these go too."""
    key = _files_key(space)
    with space.store.read() as reader:
        rows, files = _noted(reader, _SCRUB_OWED), _noted(reader, key)
    cleaned = _clean_files(space, files, words, wait=wait)
    try:
        complete = space.store.scrub(traces or [], wait=wait, rewrite=traces is None)
    except StoreBusy:  # what was erased is gone already; only its traces are not
        complete = False
    if not space.settings.store:
        from waypost.flows.backup.erase import erase_owed  # only who erases needs it

        complete = erase_owed(space, wait=wait) and complete
    if complete or cleaned.complete:
        with space.store.write() as writer:
            if complete:
                _note(writer, _SCRUB_OWED, _noted(writer, _SCRUB_OWED) - rows)
            if cleaned.complete:
                _note(writer, key, _noted(writer, key) - files)
    return replace(cleaned, complete=complete and cleaned.complete)


def _clean_files(space: OpenSpace, names: set[str], words: Collection[str], *, wait: bool) -> Scrubbed:
    if not names:
        return Scrubbed(True)
    from waypost.flows.journal.files.media import MEDIA, drop_media
    from waypost.flows.write.erase import clean_exports  # only who erases needs these

    media = {name for name in names if name.startswith(f"{MEDIA}/")}
    try:
        changed = clean_exports(space, names - media, words, wait=wait)
        return Scrubbed(True, frozenset(changed), tuple(drop_media(space, media, wait=wait)) if media else ())
    except (StoreError, NotFound, OSError):  # also where the journal is on another machine: every opening tries again
        return Scrubbed(False)


def _files_key(space: OpenSpace) -> str:
    machine = space.settings.shared_machine
    return f"{_FILES_OWED}:{machine}" if machine else _FILES_OWED


def _noted(reader: Reader, key: str) -> set[str]:
    found = json.loads(reader.meta.get(key) or "[]")
    return set(found) if isinstance(found, list) else {str(found)}  # once it was a mere mark


def _note(writer: Writer, key: str, names: set[str]) -> None:
    writer.meta.set(key, json.dumps(sorted(names)) if names else "")
