"""Handle expired memories: mark them stale, archive or delete them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from waypost.facts.ageing import RUN_OUT, has_expired
from waypost.flows.backup.erase_from_snapshots import note_for_snapshots
from waypost.flows.erase.cleanup import clean_up, note_erased
from waypost.flows.erase.clock_check import SeenClock, check_clock, is_noted, note_clock
from waypost.flows.erase.exports import clean_exports
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import audit
from waypost.flows.write.erase_rows import ErasureTargets, erase_rows, rows_to_erase, traces_of
from waypost.model.memory import Caller
from waypost.store.facts import LifetimeRow
from waypost.store.protocol import Reader, Writer

_AT_ONCE = 200  # memories in one transaction: other writers wait for no more


@dataclass(slots=True)
class Expired:
    """What happened, or would happen, to expired memories."""

    stale: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    protected: list[str] = field(default_factory=list)  # expired, but kept
    postponed: list[str] = field(default_factory=list)  # deleted once the clock can be trusted (`clock_check.py`)
    exports_changed: tuple[str, ...] = ()
    complete: bool = True  # False: another process is reading; the next opening removes the last traces
    dry_run: bool = False

    @property
    def count(self) -> int:
        return len(self.stale) + len(self.archived) + len(self.deleted)

    def to_json(self) -> dict[str, Any]:
        return {"count": self.count, **asdict(self), "exports_changed": list(self.exports_changed)}


def process_expired(space: OpenSpace, caller: Caller, *, dry_run: bool = False, wait: bool = True) -> Expired:
    """Do with every expired memory what its lifetime says. Protected memories stay as they are.

    Deleting erases all versions, as `forget` does, but leaves no tombstone: the text may be stored again. Nothing is
    deleted while the clock may be wrong. Without `wait`, the last traces are left for later if another process is
    reading. Running it twice, or in two processes at once, does it once.
    """
    with space.store.read() as reader:
        now = space.clock()
        over = reader.facts.lifetimes(expired_by=now, protected=True)
        due, postponed, clock = _split_by_clock(reader, _due(over), now)
        to_delete = [row.memory_id for row in due if row.on_expire == "delete"]
        texts = set() if dry_run else _own_texts(reader, to_delete)
    done = Expired(protected=[row.memory_id for row in over if row.protected], postponed=postponed, dry_run=dry_run)
    if dry_run:
        for row in due:
            _list_for(done, row.on_expire).append(row.memory_id)
        return done
    note_clock(space, clock)
    # Exports first: once the texts are erased, their lines could not be found any more.
    changed = clean_exports(space, to_delete, texts) if to_delete else set()
    erased = set(texts)
    for start in range(0, len(due), _AT_ONCE):
        with space.store.write() as writer:
            erased |= _end(space, writer, due[start : start + _AT_ONCE], caller, done)
    if done.deleted:
        scrubbed = clean_up(
            space, traces_of(erased), texts, wait=wait
        )  # exports again: one may have been made meanwhile
        changed |= scrubbed.exports
        done.complete = scrubbed.complete
    done.exports_changed = tuple(sorted(changed))
    return done


def is_any_due(space: OpenSpace) -> bool:
    """Whether `process_expired` would do anything now."""
    with space.store.read() as reader:
        now = space.clock()
        due, postponed, clock = _split_by_clock(reader, _due(reader.facts.lifetimes(expired_by=now)), now)
        return bool(due) or (bool(postponed) and not is_noted(reader, clock))


def _split_by_clock(
    reader: Reader, due: list[LifetimeRow], now: datetime
) -> tuple[list[LifetimeRow], list[str], SeenClock]:
    """What can be done by this clock, and the ids whose deletion is postponed."""
    to_delete = [row.memory_id for row in due if row.on_expire == "delete"]
    recorded = [entry.at for memory_id in to_delete for entry in reader.audit.entries(memory_id, 1)]
    clock = check_clock(reader, now, min(recorded, default=None))
    if not clock.is_doubtful:
        return due, [], clock
    return [row for row in due if row.on_expire != "delete"], to_delete, clock


def _due(over: Sequence[LifetimeRow]) -> list[LifetimeRow]:
    return [row for row in over if not row.protected and not (row.on_expire == "stale" and row.is_stale)]


def _own_texts(reader: Reader, to_delete: Sequence[str]) -> set[str]:
    """Texts that only these memories ever had. Another memory with the same text has its own lifetime."""
    texts, theirs = set(), frozenset(to_delete)
    for memory_id in to_delete:
        for version in reader.memories.versions(memory_id):
            if theirs.issuperset(stored.memory_id for stored in reader.memories.with_fingerprint(version.fingerprint)):
                texts.add(version.text)
    return texts


def _end(space: OpenSpace, writer: Writer, rows: Sequence[LifetimeRow], caller: Caller, done: Expired) -> set[str]:
    """End these memories. Their states are read again: another process may have changed them.

    Returns the texts of candidates that were erased with them.
    """
    texts = set[str]()
    now, states = space.clock(), writer.memories.states([row.memory_id for row in rows])
    for row in rows:
        memory_id, state = row.memory_id, states.get(row.memory_id)
        action = row.on_expire
        if state is None or not has_expired(state, now) or state.archived_at is not None:
            continue
        if (state.on_expire or "stale") != action:
            continue  # its settings changed: the next run ends it
        details: dict[str, Any] = {"action": action}
        if action == "delete":
            gone = rows_to_erase(writer, ErasureTargets({memory_id}))
            details["versions"] = erase_rows(writer, gone).get(memory_id, 0)
            texts.update(gone.candidate_texts)
            note_for_snapshots(space, writer, gone)
            note_erased(space, writer, [memory_id])
        elif action == "archive":
            writer.memories.set_state(memory_id, archived_at=now)
        elif state.is_stale:
            continue
        else:
            writer.memories.set_state(memory_id, is_stale=True, stale_reason=RUN_OUT)
        audit(space, writer, "expire", memory_id, caller, details)
        _list_for(done, action).append(memory_id)
    return texts


def _list_for(done: Expired, action: str) -> list[str]:
    return {"stale": done.stale, "archive": done.archived, "delete": done.deleted}[action]
