"""Change memories that are stored: correct, retract, reject, protect; and their history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.facts.ageing import renewal_changes
from waypost.facts.identity import MERGED, fingerprint
from waypost.facts.rejection.marks import LEARNED, blocking_marks, rejection_marks, spoken_mark, topic_marks
from waypost.facts.validity import holds_at
from waypost.flows.journal_files.write import is_filed, journal_writer, write_through
from waypost.flows.links.pin import repin
from waypost.flows.links.repair import verify_repeated
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.authority import is_outranked, refuse_outranked
from waypost.flows.versions.current import audit, current_versions, find, nothing_new, refuse_derived, visible_version
from waypost.flows.versions.prepare import (
    embed_items,
    make_room,
    marks_standing,
    pending,
    prepare,
    prepare_version,
    put,
)
from waypost.flows.write.conflicts import end_conflicts
from waypost.flows.write.proposals import propose_correction, propose_retraction
from waypost.flows.write.reinstate import end_versions
from waypost.model.draft import Draft, check_text
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import SAID_BY, Caller, Version
from waypost.model.receipt import Receipt
from waypost.model.time import Moment, format_time
from waypost.store.protocol import Edge, Reader, Writer
from waypost.text.secrets.masking import mask


def correct(
    space: OpenSpace,
    memory_id: str,
    text: str,
    caller: Caller,
    *,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    said_by: Mapping[str, str] | None = None,
) -> Receipt:
    """Change the text of a memory; its id and, by default, its period stay.

    A correction of a person's memory by an agent needs review. `said_by` names who proposed what a person approves.
    The same text again confirms a stale memory.
    """
    receipt = _correct(space, memory_id, text, caller, valid_from, valid_until, said_by)
    repeated = receipt.status == "duplicate" and not receipt.review
    return verify_repeated(space, caller, receipt) if repeated else receipt


def _correct(
    space: OpenSpace,
    memory_id: str,
    text: str,
    caller: Caller,
    valid_from: datetime | None,
    valid_until: datetime | None,
    said_by: Mapping[str, str] | None,
) -> Receipt:
    memory_id = check_id(memory_id)
    hidden = mask(check_text(text))
    masked = tuple(f"{finding.rule} (line {finding.line})" for finding in hidden.findings)
    key = space.tombstone_key()
    old = find(space, memory_id).version
    refuse_derived(old)
    item = prepare_version(
        Draft(hidden.text, kind=old.kind),
        replace(_corrected(space, old, hidden.text, caller, valid_from, valid_until), refs=repin(space, old)),
        masked,
        key,
    )
    embedded = embed_items(space, [item])
    with journal_writer(space, filed=is_filed(old)) as writer:
        now = space.clock()  # other processes may have read while we embedded
        current = visible_version(writer, memory_id, Moment(now))
        # Another process was quicker: correct its version. Its references are new, and looking at code would block
        # other writers.
        if current.number != old.number:
            item = prepare_version(
                item.draft, _corrected(space, current, hidden.text, caller, valid_from, valid_until), masked, key
            )
        item = replace(item, version=replace(item.version, recorded_at=now))
        if marks_standing(writer, key, item.version):
            raise Refused(
                "This value was rejected or forgotten before.", "A person can lift that with `waypost reject --lift`."
            )
        if item.version.text == current.text and item.version.period == current.period:
            return Receipt(memory_id, "duplicate", current.key, reason="it already says this", masked=masked)
        if is_outranked(caller, [current]):
            times = {"valid_from": valid_from, "valid_until": valid_until}
            return propose_correction(space, writer, caller, item, memory_id, _formatted_times(times))
        if said_by:
            details = {**item.version.details, SAID_BY: dict(said_by)}
            item = replace(item, version=replace(item.version, details=details))
        writer.memories.supersede(current.number, now)
        end_conflicts(writer, [memory_id])
        make_room(writer, current_versions(writer, memory_id), item.version.period, now, embedded)
        put(writer, item.version, item.passages, embedded)
        _renew(space, writer, memory_id, caller)
        writer.memories.set_state(memory_id, verified_at=None)  # somebody verified another text
        audit(space, writer, "correct", memory_id, caller, {"masked": len(masked)})
        write_through(space, writer, [memory_id])
        pending_engines = pending(writer, item.passages, embedded)
    if pending_engines:
        space.start_worker(space)
    return Receipt(memory_id, "added", current.key, masked=masked, replaces=memory_id, pending=pending_engines)


def _renew(space: OpenSpace, writer: Writer, memory_id: str, caller: Caller) -> None:
    """Restart the lifetime. A person's text is not deleted at its end because an agent set that before."""
    state = writer.memories.states([memory_id]).get(memory_id)
    if state is not None:
        milder = {"on_expire": "stale"} if caller.source == "person" and state.on_expire == "delete" else {}
        writer.memories.set_state(memory_id, **renewal_changes(state, space.clock()), **milder)


def _corrected(
    space: OpenSpace,
    old: Version,
    text: str,
    caller: Caller,
    valid_from: datetime | None,
    valid_until: datetime | None,
) -> Version:
    version = replace(
        old,
        text=text,
        recorded_at=space.clock(),
        source=caller.source,
        actor=caller.actor,
        valid_from=valid_from or old.valid_from,
        valid_until=valid_until or old.valid_until,
        details={name: value for name, value in old.details.items() if name not in (MERGED, SAID_BY)},
    )
    if version.valid_until and version.valid_until <= version.valid_from:
        raise InvalidInput(
            "valid_until is not after valid_from.", "A memory is true from an instant until a later one."
        )
    return version


def _formatted_times(times: Mapping[str, datetime | None]) -> dict[str, str]:
    return {name: format_time(at) for name, at in times.items() if at is not None}


def retract(space: OpenSpace, memory_id: str, caller: Caller, *, valid_until: datetime | None = None) -> Receipt | None:
    """End a memory, or with `valid_until` end it then. What it had replaced is valid again.

    Returns None when done, or a receipt with a proposal if an agent retracts a person's memory.
    """
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    with journal_writer(space) as writer:
        now = space.clock()
        version = visible_version(writer, memory_id, Moment(now))
        refuse_derived(version)
        current = current_versions(writer, memory_id)
        if valid_until is not None and all(valid_until <= version.valid_from for version in current):
            raise InvalidInput("valid_until is not after the memory's beginning.", "Leave it out to retract all of it.")
        if is_outranked(caller, current):
            given = _formatted_times({"valid_until": valid_until})
            return propose_retraction(space, writer, caller, version, given, key)
        back: list[str] = []
        if valid_until is None:
            back = end_versions(space, writer, current, caller, key, now)
        elif not make_room(writer, current, (valid_until, None), now, nothing_new(space, writer)):
            raise InvalidInput("valid_until is not before the memory's end.", "`waypost correct` can prolong it.")
        audit(space, writer, "retract", memory_id, caller, {"bounded": valid_until is not None})
        write_through(space, writer, [memory_id, *back])
    return None


def reject(space: OpenSpace, memory_id: str, caller: Caller) -> None:
    """Retract a memory and leave a tombstone: this value is not stored again.

    What it had replaced is valid again. Its history stays.
    """
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    with journal_writer(space) as writer:
        now = space.clock()
        version = visible_version(writer, memory_id, Moment(now))
        refuse_derived(version)
        if KINDS[version.kind].is_journal:
            raise InvalidInput(
                "What was said in a conversation cannot be rejected.",
                "`waypost retract` takes it out of recall, `waypost forget` removes it.",
            )
        current = current_versions(writer, memory_id)
        saying = {  # also other memories, for other times
            same.number: same
            for value in current
            for same in (value, *writer.memories.with_fingerprint(value.fingerprint))
            if same.superseded_at is None
        }
        refuse_outranked(caller, saying.values(), "reject it")
        for value in current:
            for digest in value_marks(writer, value, key):
                writer.tombstones.add(digest, now, memory_id)
        back = end_versions(space, writer, list(saying.values()), caller, key, now)
        audit(space, writer, "reject", memory_id, caller, {})
        write_through(space, writer, back)


def value_marks(reader: Reader, value: Version, key: bytes) -> set[bytes]:
    """The tombstones of a value, also for domains it was moved from."""
    before = [
        v
        for v in reader.memories.versions(value.memory_id)
        if fingerprint(replace(v, domain=value.domain)) == value.fingerprint
    ]
    return {digest for version in before for digest in rejection_marks(key, version)}


def lift(space: OpenSpace, draft: Draft, caller: Caller) -> bool:
    """Allow a rejected value again, in any form that is refused for it, or an extractor's topic.

    Only a person may. Returns False if nothing was rejected.
    """
    if not caller.decides:
        raise Refused(
            "Only a person can lift a rejection.", "Run it at a terminal, or with --yes to act with owner rights."
        )
    key = space.tombstone_key()
    version = prepare(space, draft, caller, key).version
    spoken = spoken_mark(key, version)
    marks = [*blocking_marks(key, version), *topic_marks(key, LEARNED + draft.text), *([spoken] if spoken else ())]
    with space.store.write() as writer:
        lifted = writer.tombstones.remove(marks) > 0
        if lifted:
            audit(space, writer, "lift", None, caller, {"kind": draft.kind})
    return lifted


def protect(space: OpenSpace, memory_id: str, caller: Caller, *, on: bool = True) -> None:
    """Exempt a memory from ageing, pruning and expiry."""
    memory_id = check_id(memory_id)
    with journal_writer(space) as writer:
        refuse_derived(visible_version(writer, memory_id, Moment(space.clock())))
        refuse_outranked(caller, current_versions(writer, memory_id), "protect it" if on else "end its protection")
        writer.memories.set_state(memory_id, protected=on)
        audit(space, writer, "protect" if on else "unprotect", memory_id, caller, {})
        write_through(space, writer, [memory_id])
        in_journal = any(is_filed(version) for version in current_versions(writer, memory_id))
    if in_journal:
        from waypost.flows.journal_files.log import note  # only for journal entries

        note(space, "protected", id=memory_id, on=on)


@dataclass(frozen=True, slots=True)
class History:
    """Every version recorded under one id, and what it replaced or was replaced by."""

    memory_id: str
    versions: tuple[Version, ...]
    edges: tuple[Edge, ...]
    related: tuple[Version, ...]  # versions of the memories that it replaced, or that replaced it


def history(space: OpenSpace, memory_id: str, moment: Moment | None = None) -> History:
    """The history of a memory. With a moment: what was recorded by then, about that time."""
    memory_id = check_id(memory_id)
    with space.store.read() as reader:
        versions = reader.memories.versions(memory_id)
        if not versions:
            raise NotFound(
                f"There is no memory {memory_id}, and there never was.", "`waypost list` shows what is there."
            )
        chain = _chain(reader, memory_id)
        edges = {edge for member in chain for edge in reader.edges.of_memory(member) if edge.kind == "supersedes"}
        related = [version for member in chain if member != memory_id for version in reader.memories.versions(member)]
    ordered = sorted(related, key=lambda version: version.number)
    if moment is not None:
        versions, ordered = _known_at(versions, moment), _known_at(ordered, moment)
        ids = {version.memory_id for version in (*versions, *ordered)}
        edges = {edge for edge in edges if {edge.from_id, edge.to_id} <= ids and edge.is_known_at(moment.known_at)}
        if not versions:
            raise NotFound(
                f"The memory {memory_id} stated nothing about that time then.", f"See `waypost history {memory_id}`."
            )
    return History(memory_id, tuple(versions), tuple(sorted(edges, key=lambda e: (e.from_id, e.to_id))), tuple(ordered))


def _known_at(versions: Sequence[Version], moment: Moment) -> list[Version]:
    """The versions recorded by a moment, as they were then: current if they were superseded later."""
    known_at = moment.known_at
    return [
        replace(version, superseded_at=None)
        if known_at is not None and version.superseded_at is not None and version.superseded_at > known_at
        else version
        for version in versions
        if known_at is None or version.recorded_at <= known_at
        if not moment.explicit or holds_at(version.period, moment.as_of)
    ]


def _chain(reader: Reader, memory_id: str) -> list[str]:
    """The memory and everything that it superseded or was superseded by, transitively."""
    chain, queue = {memory_id: None}, [memory_id]
    while queue:
        for edge in reader.edges.of_memory(queue.pop()):
            if edge.kind == "supersedes":
                for other in (edge.from_id, edge.to_id):
                    if other not in chain:
                        chain[other] = None
                        queue.append(other)
    return list(chain)
