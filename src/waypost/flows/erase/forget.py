"""Forget a memory: every version, everything derived from it, and every copy within reach."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from waypost.errors import NotFound
from waypost.facts.rejection.marks import rejection_marks, spoken_mark
from waypost.flows.backup.erase_from_snapshots import note_for_snapshots
from waypost.flows.erase.cleanup import clean_up, note_erased
from waypost.flows.erase.exports import clean_exports
from waypost.flows.facts.candidates import marks_of
from waypost.flows.journal.entry_import import erase_from_notes
from waypost.flows.journal_files.adopt import id_mark
from waypost.flows.journal_files.erase_from_files import copies_in_pages, erase_entries
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.reconcile import record_in, sync_in
from waypost.flows.journal_files.write import is_filed, journal_writer, write_through
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.authority import refuse_outranked
from waypost.flows.versions.current import refuse_derived
from waypost.flows.write.erase_rows import (
    ErasureTargets,
    TargetRows,
    erase_rows,
    erased_marks,
    rows_to_erase,
    traces_of,
)
from waypost.flows.write.reinstate import end_versions
from waypost.journal.roles import role_of
from waypost.model.ids import check_id
from waypost.model.memory import HEADING, AuditEntry, Caller, Version
from waypost.model.recall import View
from waypost.model.time import Moment
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
    complete: bool  # False: another process reads, or owns the tables; the last traces go later or by `doctor --fix`
    files_changed: tuple[str, ...] = ()  # of the journal
    answers: tuple[str, ...] = ()  # ids of answers that were forgotten with the entry
    beyond_reach: tuple[str, ...] = BEYOND_REACH


def forget(
    space: OpenSpace, memory_id: str, caller: Caller, *, keep_answers: bool = False, dry_run: bool = False
) -> Forgotten:
    """Erase a memory for good. If the process is stopped, the next opening removes the rest.

    What assistants and tools answered to a person's entry goes too, unless `keep_answers`. `dry_run` only checks what
    there is to forget. Raises NotFound.
    """
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    filed: set[str] = set()
    with space.store.read() as reader:
        # Exports first: once the texts are erased, their lines could not be found any more.
        answers = [] if keep_answers else answers_to(space, reader, reader.memories.versions(memory_id))
        versions, rows = _rows_of(reader, memory_id, answers)
        if dry_run:
            _need_something(memory_id, versions, rows)
            return Forgotten(memory_id, len(versions), (), complete=False, answers=tuple(answers))
        copies = rows.versions
        refuse_outranked(caller, copies, "forget it")
        changed = clean_exports(space, {memory_id, *answers}, {version.text for version in copies})
    with journal_writer(space) as writer:
        sync_in(space, writer)  # recent edits by hand are forgotten too
        answers = [] if keep_answers else answers_to(space, writer, writer.memories.versions(memory_id))
        versions, rows = _rows_of(writer, memory_id, answers)
        _need_something(memory_id, versions, rows)
        now, own = space.clock(), rows.versions
        refuse_outranked(caller, own, "forget it")
        if any(is_filed(version) for version in own):
            others = copies_in_pages(space, writer, [version.text for version in own])
            _, rows = _rows_of(writer, memory_id, [*answers, *others])
        copies = rows.versions
        for row in rows.same:
            for mark in marks_of(row, key):
                writer.tombstones.add(mark, now, memory_id)
        if not versions:
            details: dict[str, object] = {"candidate": True, "owners_word": caller.owners_word}
            writer.audit.add(AuditEntry(now, "forget", memory_id, caller.source, caller.actor, details))
        for digest in _tombstones(key, versions, [version for version in own if version.memory_id in answers]):
            writer.tombstones.add(digest, now, memory_id)
        if any(is_filed(version) for version in own):
            filed = erase_entries(
                space, writer, {version.memory_id for version in own}, [version.text for version in own]
            )
            erase_from_notes(writer, [version.text for version in own])
        reinstated = end_versions(
            space, writer, [version for version in copies if version.superseded_at is None], caller, key, now
        )
        write_through(
            space,
            writer,
            [other for other in reinstated if other not in {version.memory_id for version in copies}],
        )
        for other, count in erase_rows(writer, rows).items():
            details = {"versions": count, "owners_word": caller.owners_word}
            writer.audit.add(AuditEntry(now, "forget", other, caller.source, caller.actor, details))
        pages = [path for path in filed if path.endswith(".md") and space.journal.exists(path)]
        record_in(space, writer, pages)  # what is left of pages with copies becomes memories of its own
        note_for_snapshots(space, writer, rows, {version.fingerprint for version in versions})
        media = [name for version in copies if (name := version.details.get(HEADING, {}).get("media"))]
        note_erased(space, writer, [memory_id, *(version.memory_id for version in copies)], media)
    # Exports again: one may have been made meanwhile.
    done = clean_up(space, traces_of(rows.texts), {version.text for version in copies})
    if filed:
        note(space, "forgotten", id=memory_id, files=sorted(filed))
    exports, files = sorted(changed | done.exports), sorted({*filed, *done.media})
    return Forgotten(memory_id, len(versions), tuple(exports), done.complete, tuple(files), tuple(answers))


def _tombstones(key: bytes, versions: list[Version], answers: list[Version]) -> Iterator[bytes]:
    for version in versions:
        spoken = spoken_mark(key, version)
        yield from (*erased_marks(key, version), *([spoken] if spoken else ()))
    for answer in answers:  # not by text alone: assistants say the same to other questions
        yield from (*rejection_marks(key, answer), id_mark(key, answer.memory_id))


def _rows_of(reader: Reader, memory_id: str, others: Collection[str] = ()) -> tuple[list[Version], TargetRows]:
    versions = reader.memories.versions(memory_id)
    fingerprints = {version.fingerprint for version in versions}
    return versions, rows_to_erase(reader, ErasureTargets({memory_id, *others}, fingerprints))


def _need_something(memory_id: str, versions: list[Version], rows: TargetRows) -> None:
    if not versions and not rows.same:
        raise NotFound(f"There is no memory {memory_id} here.", "`waypost list` shows what is there.")
    if versions:
        refuse_derived(versions[-1])


_SPAN = timedelta(hours=12)  # an assistant's answer and its tools' output come well before that


def answers_to(space: OpenSpace, reader: Reader, versions: Sequence[Version]) -> list[str]:
    """Ids of what assistants and tools said after an entry of a person, until a person speaks again.

    Protected answers are left out: somebody wants to keep them. `versions` are those of the entry.
    """
    if not versions or not _is_of_person(versions[-1]) or versions[-1].kind != "conversation":
        return []
    said = versions[-1].valid_from
    view = View(Moment(space.clock()), ("journal",), space.identity.checkout_id, archived=True)
    after = _after(versions[-1], reader.journal.entries_between(said, said + _SPAN, view))
    answers = list[str]()
    for version in after:
        if _is_of_person(version):
            break
        answers.append(version.memory_id)
    states = reader.memories.states(answers)
    return [memory_id for memory_id in answers if not (memory_id in states and states[memory_id].protected)]


def _after(question: Version, entries: Iterable[Version]) -> list[Version]:
    """The entries of the same conversation after this one, in order. One second may have several."""
    start = (question.valid_from, question.position, question.memory_id)
    same = [version for version in entries if (version.session, version.kind) == (question.session, question.kind)]
    ordered = sorted((version.valid_from, version.position, version.memory_id, version.number) for version in same)
    by_number = {version.number: version for version in same}
    return [by_number[number] for *place, number in ordered if tuple(place) > start]


def _is_of_person(version: Version) -> bool:
    return role_of(version.speaker, version.kind) == "person"
