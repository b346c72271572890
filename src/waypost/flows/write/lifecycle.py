"""The life of a memory after it was written: corrected, retracted, rejected, protected, and its history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.facts.ageing import aged, renewed
from waypost.facts.identity import MERGED, fingerprint
from waypost.facts.rejection import LEARNED, marks_left, marks_met, topic_marks
from waypost.facts.validity import holds_at
from waypost.flows.facts.proposals import propose_correction, propose_retraction
from waypost.flows.journal.files.write import is_filed, journal_writer, write_through
from waypost.flows.links.repin import accepted
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit, held_versions, nothing_new, refuse_derived, visible_version
from waypost.flows.write.authority import is_outranked, refuse_outranked
from waypost.flows.write.prepare import embed_items, finish, make_room, marks_standing, pending, prepare, put
from waypost.flows.write.reinstate import end
from waypost.model.draft import Draft, check_text
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import SAID_BY, Caller, MemoryRecord, State, Version
from waypost.model.receipt import Receipt
from waypost.model.time import Moment, format_time
from waypost.store.protocol import Edge, Reader, Writer
from waypost.text.secrets.masking import mask


def find(space: OpenSpace, memory_id: str, moment: Moment | None = None) -> MemoryRecord:
    """The memory as it is visible at a moment (now), whatever collection or tree it belongs to."""
    with space.store.read() as reader:
        version = visible_version(reader, check_id(memory_id), moment or Moment(space.clock()))
        states = aged(reader.memories.states([version.memory_id]), space.clock())
        return MemoryRecord(version, states.get(version.memory_id, State()))


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
    """It was said wrongly: the same memory, for the same time unless told, now says `text`.

    What an agent would correct of a person's words waits for review. `said_by`: who proposed what a person approves.
    """
    memory_id = check_id(memory_id)
    hidden = mask(check_text(text))
    masked = tuple(f"{finding.rule} (line {finding.line})" for finding in hidden.found)
    key = space.tombstone_key()
    old = find(space, memory_id).version
    refuse_derived(old)
    item = finish(
        Draft(hidden.text, kind=old.kind),
        replace(_corrected(space, old, hidden.text, caller, valid_from, valid_until), refs=accepted(space, old)),
        masked,
        key,
    )
    embedded = embed_items(space, [item])
    with journal_writer(space, filed=is_filed(old)) as writer:
        now = space.clock()  # others may have asked what we knew while we embedded
        current = visible_version(writer, memory_id, Moment(now))
        # Somebody was quicker: correct what is there now. Where it points they have just said; nothing is looked at here,
        # while others wait to write.
        if current.number != old.number:
            item = finish(
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
            return propose_correction(space, writer, caller, item, memory_id, _told_times(times))
        if said_by:
            details = {**item.version.details, SAID_BY: dict(said_by)}
            item = replace(item, version=replace(item.version, details=details))
        writer.memories.supersede(current.number, now)
        make_room(writer, held_versions(writer, memory_id), item.version.period, now, embedded)
        put(writer, item.version, item.passages, embedded)
        _renew(space, writer, memory_id, caller)
        writer.memories.set_state(memory_id, verified_at=None)  # what somebody verified were other words
        audit(space, writer, "correct", memory_id, caller, {"masked": len(masked)})
        write_through(space, writer, [memory_id])
        owed = pending(writer, item.passages, embedded)
    if owed:
        space.start_worker(space)
    return Receipt(memory_id, "added", current.key, masked=masked, replaces=memory_id, pending=owed)


def _renew(space: OpenSpace, writer: Writer, memory_id: str, caller: Caller) -> None:
    """What somebody says now has its whole time before it, if it has a lifetime. A person's words do not end for good
    because an agent, who may have chosen the end, said the first ones."""
    state = writer.memories.states([memory_id]).get(memory_id)
    if state is not None:
        milder = {"on_expire": "stale"} if caller.source == "person" and state.on_expire == "delete" else {}
        writer.memories.set_state(memory_id, **renewed(state, space.clock()), **milder)


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


def _told_times(times: Mapping[str, datetime | None]) -> dict[str, str]:
    return {name: format_time(at) for name, at in times.items() if at is not None}


def retract(space: OpenSpace, memory_id: str, caller: Caller, *, valid_until: datetime | None = None) -> Receipt | None:
    """It is not held true any more, or with `valid_until` only not after that. What it had replaced holds again.

    Returns None when it is done. What an agent would retract of a person's words waits for review, as the receipt says.
    """
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    with journal_writer(space) as writer:
        now = space.clock()
        version = visible_version(writer, memory_id, Moment(now))
        refuse_derived(version)
        held = held_versions(writer, memory_id)
        if valid_until is not None and all(valid_until <= version.valid_from for version in held):
            raise InvalidInput("valid_until is not after the memory's beginning.", "Leave it out to retract all of it.")
        if is_outranked(caller, held):
            given = _told_times({"valid_until": valid_until})
            return propose_retraction(space, writer, caller, version, given, key)
        back: list[str] = []
        if valid_until is None:
            back = end(space, writer, held, caller, key, now)
        elif not make_room(writer, held, (valid_until, None), now, nothing_new(space, writer)):
            raise InvalidInput("valid_until is not before the memory's end.", "`waypost correct` can prolong it.")
        audit(space, writer, "retract", memory_id, caller, {"bounded": valid_until is not None})
        write_through(space, writer, [memory_id, *back])
    return None


def reject(space: OpenSpace, memory_id: str, caller: Caller) -> None:
    """Retract it, and leave a tombstone: this value is not stored again. What it had replaced holds again. Its history
    stays."""
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
        held = held_versions(writer, memory_id)
        saying = {  # also for another time, by another memory
            same.number: same
            for value in held
            for same in (value, *writer.memories.with_fingerprint(value.fingerprint))
            if same.superseded_at is None
        }
        refuse_outranked(caller, saying.values(), "reject it")
        for value in held:
            for digest in value_marks(writer, value, key):
                writer.tombstones.add(digest, now, memory_id)
        back = end(space, writer, list(saying.values()), caller, key, now)
        audit(space, writer, "reject", memory_id, caller, {})
        write_through(space, writer, back)


def value_marks(reader: Reader, value: Version, key: bytes) -> set[bytes]:
    """The tombstones of a value, also in the domains from which it was moved to where it stands."""
    before = [
        v
        for v in reader.memories.versions(value.memory_id)
        if fingerprint(replace(v, domain=value.domain)) == value.fingerprint
    ]
    return {digest for version in before for digest in marks_left(key, version)}


def lift(space: OpenSpace, draft: Draft, caller: Caller) -> bool:
    """Allow a rejected value again, given in any form that is refused for it, or an extractor's topic. Only a person decides
    that; the answer says whether anything was rejected."""
    if not caller.decides:
        raise Refused("Only a person can lift a rejection.", "Run it at a terminal, or with --yes as the owner's word.")
    key = space.tombstone_key()
    version = prepare(space, draft, caller, key).version
    marks = [*marks_met(key, version), *topic_marks(key, LEARNED + draft.text)]
    with space.store.write() as writer:
        lifted = writer.tombstones.remove(marks) > 0
        if lifted:
            audit(space, writer, "lift", None, caller, {"kind": draft.kind})
    return lifted


def protect(space: OpenSpace, memory_id: str, caller: Caller, *, on: bool = True) -> None:
    """Keep it out of everything that ages, prunes or expires memories."""
    memory_id = check_id(memory_id)
    with journal_writer(space) as writer:
        refuse_derived(visible_version(writer, memory_id, Moment(space.clock())))
        refuse_outranked(caller, held_versions(writer, memory_id), "protect it" if on else "end its protection")
        writer.memories.set_state(memory_id, protected=on)
        audit(space, writer, "protect" if on else "unprotect", memory_id, caller, {})
        write_through(space, writer, [memory_id])


@dataclass(frozen=True, slots=True)
class History:
    """All that was ever recorded under one id, and what it replaced or was replaced by."""

    memory_id: str
    versions: tuple[Version, ...]
    edges: tuple[Edge, ...]
    related: tuple[Version, ...]  # versions of the memories that it replaced, or that replaced it


def history(space: OpenSpace, memory_id: str, moment: Moment | None = None) -> History:
    """All of it; or of a moment that was asked for: what was recorded by then, and about that time."""
    memory_id = check_id(memory_id)
    with space.store.read() as reader:
        versions = reader.memories.versions(memory_id)
        if not versions:
            raise NotFound(
                f"There is no memory {memory_id}, and there was none.", "`waypost list` shows what is there."
            )
        chain = _chain(reader, memory_id)
        edges = {edge for member in chain for edge in reader.edges.of_memory(member) if edge.kind == "supersedes"}
        related = [version for member in chain if member != memory_id for version in reader.memories.versions(member)]
    ordered = sorted(related, key=lambda version: version.number)
    if moment is not None:
        versions, ordered = _told_by(versions, moment), _told_by(ordered, moment)
        told = {version.memory_id for version in (*versions, *ordered)}
        edges = {edge for edge in edges if {edge.from_id, edge.to_id} <= told and edge.is_known_at(moment.known_at)}
        if not versions:
            raise NotFound(
                f"The memory {memory_id} said nothing of that time then.", f"See `waypost history {memory_id}`."
            )
    return History(memory_id, tuple(versions), tuple(sorted(edges, key=lambda e: (e.from_id, e.to_id))), tuple(ordered))


def _told_by(versions: Sequence[Version], moment: Moment) -> list[Version]:
    """These as far as they were recorded by a moment, and as they were then: held, if they were given up later."""
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
    """The memory and all that it superseded or was superseded by, as far as it goes."""
    found, queue = {memory_id: None}, [memory_id]
    while queue:
        for edge in reader.edges.of_memory(queue.pop()):
            if edge.kind == "supersedes":
                for other in (edge.from_id, edge.to_id):
                    if other not in found:
                        found[other] = None
                        queue.append(other)
    return list(found)
