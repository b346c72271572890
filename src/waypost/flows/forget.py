"""Forgetting: the memory, every version, everything made from it, and every copy that is within reach."""

from dataclasses import dataclass, replace

from waypost.errors import NotFound
from waypost.facts.rejection import marks_left
from waypost.facts.sameness import tombstone
from waypost.flows.authority import refuse_outranked
from waypost.flows.backup_erase import owe_erasure
from waypost.flows.candidates import marks_of
from waypost.flows.erase import clean_exports, traces_of
from waypost.flows.held import refuse_derived
from waypost.flows.journal_erase import erase_entries
from waypost.flows.journal_marks import id_mark
from waypost.flows.journal_sync import sync_in
from waypost.flows.journal_write import is_filed, journal_writer, write_through
from waypost.flows.open_space import OpenSpace
from waypost.flows.prepare import HEADING
from waypost.flows.proposals import proposals_about
from waypost.flows.reinstate import end
from waypost.flows.scrub import owe_scrub, scrub
from waypost.model.ids import check_id
from waypost.model.memory import Caller, Version
from waypost.store.fact_protocol import CandidateRow
from waypost.store.protocol import AuditEntry, Reader

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


def forget(space: OpenSpace, memory_id: str, caller: Caller) -> Forgotten:
    """Erase it for good. Should this process be killed on the way, what is left is removed with the next opening."""
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    filed: set[str] = set()
    with space.store.read() as reader:
        # While the words are known: once they are erased, nobody could tell which lines of an export are meant.
        copies = _all_saying(reader, reader.versions(memory_id))
        refuse_outranked(caller, copies, "forget it")
        changed = clean_exports(space, {memory_id}, {version.text for version in copies})
    with journal_writer(space) as writer:
        sync_in(space, writer)  # what a hand wrote last is forgotten too
        versions = writer.versions(memory_id)
        waiting = _waiting(writer, memory_id, versions)
        if not versions and not waiting:
            raise NotFound(f"There is no memory {memory_id} here.", "`waypost list` shows what is there.")
        if versions:
            refuse_derived(versions[-1])
        now = space.clock()
        for row in waiting:
            for mark in marks_of(row, key):
                writer.add_tombstone(mark, now, row.candidate_id)
        about = [*proposals_about(writer, memory_id), *proposals_about(writer, memory_id, declined=True)]
        writer.drop_candidates(row.candidate_id for row in (*waiting, *about))
        if not versions:
            details: dict[str, object] = {"candidate": True, "owners_word": caller.owners_word}
            writer.add_audit(AuditEntry(now, "forget", memory_id, caller.source, caller.actor, details))
        for version in versions:
            for digest in erased_marks(key, version):
                writer.add_tombstone(digest, now, memory_id)
        copies = _all_saying(writer, versions)
        refuse_outranked(caller, copies, "forget it")
        if any(is_filed(version) for version in copies):
            filed = erase_entries(
                space, writer, {version.memory_id for version in copies}, [version.text for version in copies]
            )
        back = end(space, writer, [one for one in copies if one.superseded_at is None], caller, key, now)
        write_through(space, writer, [one for one in back if one not in {version.memory_id for version in copies}])
        for other in dict.fromkeys(version.memory_id for version in copies):
            numbers = [version.number for version in copies if version.memory_id == other]
            writer.erase(other, numbers)
            details = {"versions": len(numbers), "owners_word": caller.owners_word}
            writer.add_audit(AuditEntry(now, "forget", other, caller.source, caller.actor, details))
        owe_erasure(space, writer, [memory_id], versions)
        media = [name for version in copies if (name := version.details.get(HEADING, {}).get("media"))]
        owe_scrub(space, writer, [memory_id, *(version.memory_id for version in copies)], media)
    texts = [version.text for version in copies]
    texts += [str(row.draft.get("text", "")) for row in (*waiting, *about)]
    # Exports once more: one may have been made meanwhile.
    done = scrub(space, traces_of(texts), {version.text for version in copies})
    exports, files = sorted(changed | done.exports), sorted({*filed, *done.media})
    return Forgotten(memory_id, len(versions), tuple(exports), done.complete, tuple(files))


def erased_marks(key: bytes, version: Version) -> list[bytes]:
    """The tombstones that forgetting it leaves. An entry of the journal is known again by its id, and whether or not its time is told."""
    if not is_filed(version):
        return marks_left(key, version)
    timeless = replace(version, time=None)
    return [*marks_left(key, version), tombstone(key, timeless), id_mark(key, version.memory_id)]


def _all_saying(reader: Reader, versions: list[Version]) -> list[Version]:
    """These versions, and those of other memories that say the same: their history is a copy too."""
    found = {version.number: version for version in versions}
    for value in {version.fingerprint for version in versions}:
        found |= {known.number: known for known in reader.find_fingerprint(value)}
    return list(found.values())


def _waiting(reader: Reader, memory_id: str, versions: list[Version]) -> list[CandidateRow]:
    """Candidates that say the same, or the one with this id."""
    values = [version.fingerprint for version in versions]
    found = [*reader.candidates_like(values, []), *reader.candidates_like(values, [], declined=True)]
    own = [reader.candidate(memory_id), reader.candidate(memory_id, declined=True)]
    return [*found, *(one for one in own if one is not None and one not in found)]
