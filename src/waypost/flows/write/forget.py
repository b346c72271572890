"""Forgetting: the memory, every version, everything made from it, and every copy that is within reach."""

from dataclasses import dataclass, replace

from waypost.errors import NotFound
from waypost.facts.identity import tombstone
from waypost.facts.rejection import marks_left
from waypost.flows.backup.erase import owe_erasure
from waypost.flows.facts.candidates import marks_of
from waypost.flows.journal.files.erase import erase_entries
from waypost.flows.journal.files.erasure_marks import id_mark
from waypost.flows.journal.files.sync import sync_in
from waypost.flows.journal.files.write import is_filed, journal_writer, write_through
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import refuse_derived
from waypost.flows.write.authority import refuse_outranked
from waypost.flows.write.erase import clean_exports, traces_of
from waypost.flows.write.erasure import Doomed, DoomedRows, doomed_rows, erase_rows
from waypost.flows.write.prepare import HEADING
from waypost.flows.write.reinstate import end
from waypost.flows.write.scrub import owe_scrub, scrub
from waypost.model.audit import AuditEntry
from waypost.model.ids import check_id
from waypost.model.memory import Caller, Version
from waypost.store.protocol import Reader

BEYOND_REACH = (
    "the history of git repositories",
    "copies that were made outside of Waypost's own directory",
    "backups of this disk",
    "of a database server: its log of changes, standbys and backups",
)


@dataclass(frozen=True, slots=True)
class Forgotten:
    memory_id: str
    versions: int
    exports_changed: tuple[str, ...]
    complete: bool  # False: somebody reads, or another owns the tables; the last traces go later, or by `doctor --fix`
    files_changed: tuple[str, ...] = ()  # of the journal
    beyond_reach: tuple[str, ...] = BEYOND_REACH


def forget(space: OpenSpace, memory_id: str, caller: Caller, *, dry_run: bool = False) -> Forgotten:
    """Erase it for good. Should this process be killed on the way, what is left is removed with the next opening.
    `dry_run`: only look whether there is anything to forget; raises NotFound."""
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    filed: set[str] = set()
    with space.store.read() as reader:
        # While the words are known: once they are erased, nobody could tell which lines of an export are meant.
        versions, rows = _found(reader, memory_id)
        if dry_run:
            _refuse_nothing(memory_id, versions, rows)
            return Forgotten(memory_id, len(versions), (), complete=False)
        copies = rows.versions
        refuse_outranked(caller, copies, "forget it")
        changed = clean_exports(space, {memory_id}, {version.text for version in copies})
    with journal_writer(space) as writer:
        sync_in(space, writer)  # what a hand wrote last is forgotten too
        versions, rows = _found(writer, memory_id)
        _refuse_nothing(memory_id, versions, rows)
        now, copies = space.clock(), rows.versions
        refuse_outranked(caller, copies, "forget it")
        for row in rows.same:
            for mark in marks_of(row, key):
                writer.add_tombstone(mark, now, memory_id)
        if not versions:
            details: dict[str, object] = {"candidate": True, "owners_word": caller.owners_word}
            writer.add_audit(AuditEntry(now, "forget", memory_id, caller.source, caller.actor, details))
        for version in versions:
            for digest in erased_marks(key, version):
                writer.add_tombstone(digest, now, memory_id)
        if any(is_filed(version) for version in copies):
            filed = erase_entries(
                space, writer, {version.memory_id for version in copies}, [version.text for version in copies]
            )
        back = end(space, writer, [one for one in copies if one.superseded_at is None], caller, key, now)
        write_through(space, writer, [one for one in back if one not in {version.memory_id for version in copies}])
        for other, count in erase_rows(writer, rows).items():
            details = {"versions": count, "owners_word": caller.owners_word}
            writer.add_audit(AuditEntry(now, "forget", other, caller.source, caller.actor, details))
        owe_erasure(space, writer, rows, {version.fingerprint for version in versions})
        media = [name for version in copies if (name := version.details.get(HEADING, {}).get("media"))]
        owe_scrub(space, writer, [memory_id, *(version.memory_id for version in copies)], media)
    # Exports once more: one may have been made meanwhile.
    done = scrub(space, traces_of(rows.texts), {version.text for version in copies})
    exports, files = sorted(changed | done.exports), sorted({*filed, *done.media})
    return Forgotten(memory_id, len(versions), tuple(exports), done.complete, tuple(files))


def _found(reader: Reader, memory_id: str) -> tuple[list[Version], DoomedRows]:
    versions = reader.versions(memory_id)
    return versions, doomed_rows(reader, Doomed({memory_id}, {version.fingerprint for version in versions}))


def _refuse_nothing(memory_id: str, versions: list[Version], rows: DoomedRows) -> None:
    if not versions and not rows.same:
        raise NotFound(f"There is no memory {memory_id} here.", "`waypost list` shows what is there.")
    if versions:
        refuse_derived(versions[-1])


def erased_marks(key: bytes, version: Version) -> list[bytes]:
    """The tombstones that forgetting it leaves. An entry of the journal is known again by its id, and whether or not its time is told."""
    if not is_filed(version):
        return marks_left(key, version)
    timeless = replace(version, time=None)
    return [*marks_left(key, version), tombstone(key, timeless), id_mark(key, version.memory_id)]
