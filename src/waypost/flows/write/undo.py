"""Restore a memory that was retracted or rejected, or an earlier version of one.

It keeps its id, links, reasons and history. The version is written again as it was. Forgotten memories cannot be
restored.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from waypost.errors import InvalidInput, NotFound, PersonOnly, Refused
from waypost.facts.ageing import has_expired
from waypost.facts.validity import Period, overlap, subtract
from waypost.flows.journal_files.write import journal_writer, write_through
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.authority import refuse_outranked
from waypost.flows.versions.current import audit, current_versions, nothing_new, refuse_derived, visible_version
from waypost.flows.versions.prepare import make_room
from waypost.flows.write.lifecycle import value_marks
from waypost.flows.write.reinstate import (
    periods_replaced,
    replaced_ids,
    replacer_ids,
    store_again,
    with_same_value,
)
from waypost.model.ids import check_id
from waypost.model.memory import Caller, State, Version
from waypost.model.receipt import Receipt
from waypost.model.time import Moment
from waypost.store.protocol import Reader, Writer

_ENDINGS = ("retract", "reject")
_MOST_ENTRIES = 100


def restore(space: OpenSpace, memory_id: str, caller: Caller, *, number: int | None = None) -> Receipt:
    """Undo what ended a memory. With `number`, make that version the current one.

    Only a person can restore what a person ended or what was rejected.
    """
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    with journal_writer(space) as writer:
        now = space.clock()
        versions = writer.memories.versions(memory_id)
        if not versions:
            raise NotFound(f"There is no memory {memory_id} here.", "What was forgotten cannot be restored.")
        refuse_derived(versions[-1])
        if number is None:
            changed = _restore_ended(space, writer, versions, caller, key, now)
        else:
            changed = _restore_earlier(space, writer, versions, number, caller, key, now)
        audit(space, writer, "restore", memory_id, caller, {"version": number is not None})
        write_through(space, writer, changed)
    return Receipt(memory_id, "added", versions[-1].key)


# -- what was retracted or rejected


def _restore_ended(
    space: OpenSpace, writer: Writer, versions: Sequence[Version], caller: Caller, key: bytes, now: datetime
) -> list[str]:
    memory_id = versions[-1].memory_id
    last = _ended_last(versions)
    if not last:
        raise InvalidInput(f"The memory {memory_id} still holds.", "`waypost history` shows its versions.")
    _check_ending(writer, memory_id, caller)
    state = writer.memories.states([memory_id]).get(memory_id, State())
    if has_expired(state, now) and state.on_expire == "delete":
        raise InvalidInput(f"The memory {memory_id} has expired.", "Remember its text once more.")
    together = [*last, *_ended_with(writer, last)]
    marks = [mark for version in last for mark in value_marks(writer, version, key)]
    if writer.tombstones.matching(marks) and not caller.decides:
        raise PersonOnly(
            f"The memory {memory_id} was rejected: only a person can restore it.",
            "Run it at a terminal, or with --yes to act with owner rights.",
        )
    writer.tombstones.remove(marks)
    changed = []
    for other_id in dict.fromkeys(version.memory_id for version in together):
        own = [version for version in together if version.memory_id == other_id]
        changed += _put_all(space, writer, own, caller, now, required=other_id == memory_id)
    return changed


def _ended_last(versions: Sequence[Version]) -> list[Version]:
    """The versions that were current when the memory ended; empty while one is current."""
    if any(version.superseded_at is None for version in versions):
        return []
    at = max(version.superseded_at for version in versions if version.superseded_at)
    last: list[Version] = []
    for version in sorted(versions, key=lambda version: -version.number):
        if version.superseded_at == at and not any(overlap(version.period, ended.period) for ended in last):
            last.append(version)
    return last[::-1]


def _ended_with(reader: Reader, last: Sequence[Version]) -> list[Version]:
    """Versions of other memories with the same value, ended by the same rejection."""
    return [
        same
        for version in last
        for same in reader.memories.with_fingerprint(version.fingerprint)
        if same.memory_id != version.memory_id
        and same.superseded_at == version.superseded_at
        and not current_versions(reader, same.memory_id)
        and not periods_replaced(reader, same.memory_id)
    ]


def _check_ending(reader: Reader, memory_id: str, caller: Caller) -> None:
    for entry in reader.audit.entries(memory_id, _MOST_ENTRIES):
        if entry.action in _ENDINGS:
            if entry.source == "person" and not caller.decides:
                raise PersonOnly(
                    f"A person ended {memory_id}: only a person can restore it.",
                    "Ask them to do it at a terminal or in the dashboard.",
                )
            return


# -- an earlier version


def _restore_earlier(
    space: OpenSpace,
    writer: Writer,
    versions: Sequence[Version],
    number: int,
    caller: Caller,
    key: bytes,
    now: datetime,
) -> list[str]:
    memory_id = versions[-1].memory_id
    chosen = next((version for version in versions if version.number == number), None)
    if chosen is None:
        raise NotFound(f"The memory {memory_id} has no version {number}.", f"See `waypost history {memory_id}`.")
    if chosen.superseded_at is None:
        raise InvalidInput(f"Version {number} of {memory_id} holds now.", f"See `waypost history {memory_id}`.")
    current = visible_version(writer, memory_id, Moment(now))
    refuse_outranked(caller, current_versions(writer, memory_id), "restore an earlier version of it")
    marks = list(value_marks(writer, chosen, key))
    if writer.tombstones.matching(marks):
        raise Refused("This value was rejected or forgotten before.", "Lift that first: `waypost reject --lift`.")
    writer.memories.supersede(current.number, now)
    writer.memories.set_state(memory_id, verified_at=None)  # somebody verified another text
    return _put_all(space, writer, [chosen], caller, now, required=True)


def _put_all(
    space: OpenSpace, writer: Writer, last: Sequence[Version], caller: Caller, now: datetime, *, required: bool
) -> list[str]:
    """Write these versions of one memory again, for the time in which nothing has replaced it.

    What it had replaced ends again.
    """
    memory_id = last[0].memory_id
    taken = periods_replaced(writer, memory_id)
    new = [
        replace(version, valid_from=start, valid_until=end)
        for version in last
        for start, end in subtract([version.period], taken)
    ]
    if not new and required:
        by = next(replacer for replacer in replacer_ids(writer, memory_id) if current_versions(writer, replacer))
        raise InvalidInput(
            f"The memory {memory_id} was replaced by {by}.", f"Retract or reject {by}: then {memory_id} holds again."
        )
    for version in new:
        for same in with_same_value(writer, version):
            if overlap(version.period, same.period):
                if required:
                    what = f"The memory {same.memory_id} says exactly this."
                    raise InvalidInput(what, f"Retract {same.memory_id} first.")
                return []
    periods = [version.period for version in new]
    ended_again = _end_replaced(space, writer, memory_id, periods, caller, now)
    for version in new:
        make_room(writer, current_versions(writer, memory_id), version.period, now, nothing_new(space, writer))
        store_again(space, writer, version, now)
    return [memory_id, *ended_again]


def _end_replaced(
    space: OpenSpace, writer: Writer, memory_id: str, periods: Sequence[Period], caller: Caller, now: datetime
) -> list[str]:
    gone = []
    for other in replaced_ids(writer, memory_id):
        overlapping = [
            version
            for version in current_versions(writer, other)
            if any(overlap(version.period, period) for period in periods)
        ]
        refuse_outranked(caller, overlapping, "replace it")
        cut = [
            make_room(writer, current_versions(writer, other), period, now, nothing_new(space, writer))
            for period in periods
        ]
        gone += [other] if any(cut) else []
    return gone
