"""The end of a memory's time: it goes stale, into the archive, or for good."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.facts.ageing import RUN_OUT, has_run_out
from waypost.flows.admin.clock import SeenClock, is_noted, look, note
from waypost.flows.backup.erase import owe_erasure
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit
from waypost.flows.write.erase import clean_exports, traces_of
from waypost.flows.write.erasure import Doomed, doomed_rows, erase_rows
from waypost.flows.write.scrub import owe_scrub, scrub
from waypost.model.memory import Caller
from waypost.store.facts import LifetimeRow
from waypost.store.protocol import Reader, Writer

_AT_ONCE = 200  # memories in one transaction: other writers wait for no more


@dataclass(slots=True)
class Expired:
    """What became, or would become, of memories whose time has run out."""

    stale: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    protected: list[str] = field(default_factory=list)  # their time is over too, and nothing happens to them
    postponed: list[str] = field(default_factory=list)  # to be deleted once the clock can be believed (`clock.py`)
    exports_changed: tuple[str, ...] = ()
    complete: bool = True  # False: somebody is reading right now; the last traces go with the next opening
    dry_run: bool = False

    @property
    def count(self) -> int:
        return len(self.stale) + len(self.archived) + len(self.deleted)

    def to_json(self) -> dict[str, Any]:
        return {
            "count": self.count,
            "stale": self.stale,
            "archived": self.archived,
            "deleted": self.deleted,
            "protected": self.protected,
            "postponed": self.postponed,
            "exports_changed": list(self.exports_changed),
            "complete": self.complete,
            "dry_run": self.dry_run,
        }


def process_expired(space: OpenSpace, caller: Caller, *, dry_run: bool = False, wait: bool = True) -> Expired:
    """Do to every memory whose time has run out what was said for its end. What is protected stays as it is.

    Deleted means erased with all its versions, as by `forget`, but it may be said again: no tombstone is left. Nothing is
    while the clock may be wrong. Without
    `wait`, the last traces are left for later where somebody reads right now. Doing it twice, or in two processes at
    once, does it once.
    """
    with space.store.read() as reader:
        now = space.clock()
        over = reader.facts.lifetimes(expired_by=now, protected=True)
        due, postponed, clock = _believed(reader, _due(over), now)
        doomed = [row.memory_id for row in due if row.on_expire == "delete"]
        words = set() if dry_run else _words(reader, doomed)
    done = Expired(protected=[row.memory_id for row in over if row.protected], postponed=postponed, dry_run=dry_run)
    if dry_run:
        for row in due:
            _listed(done, row.on_expire).append(row.memory_id)
        return done
    note(space, clock)
    # While the words are known: once they are erased, nobody could tell which lines of an export are meant.
    changed = clean_exports(space, doomed, words) if doomed else set()
    erased = set(words)
    for start in range(0, len(due), _AT_ONCE):
        with space.store.write() as writer:
            erased |= _end(space, writer, due[start : start + _AT_ONCE], caller, done)
    if done.deleted:
        scrubbed = scrub(space, traces_of(erased), words, wait=wait)  # exports too: one may have been made meanwhile
        changed |= scrubbed.exports
        done.complete = scrubbed.complete
    done.exports_changed = tuple(sorted(changed))
    return done


def is_any_due(space: OpenSpace) -> bool:
    """Whether `process_expired` would do anything now."""
    with space.store.read() as reader:
        now = space.clock()
        due, postponed, clock = _believed(reader, _due(reader.facts.lifetimes(expired_by=now)), now)
        return bool(due) or (bool(postponed) and not is_noted(reader, clock))


def _believed(reader: Reader, due: list[LifetimeRow], now: datetime) -> tuple[list[LifetimeRow], list[str], SeenClock]:
    """What can be done by this clock, and the ids of what is not deleted yet."""
    doomed = [row.memory_id for row in due if row.on_expire == "delete"]
    known = [entry.at for memory_id in doomed for entry in reader.audit.entries(memory_id, 1)]
    clock = look(reader, now, min(known, default=None))
    if not clock.is_doubtful:
        return due, [], clock
    return [row for row in due if row.on_expire != "delete"], doomed, clock


def _due(over: Sequence[LifetimeRow]) -> list[LifetimeRow]:
    return [row for row in over if not row.protected and not (row.on_expire == "stale" and row.is_stale)]


def _words(reader: Reader, doomed: Sequence[str]) -> set[str]:
    """What only these memories have ever said. Another one that says the same has its own time."""
    found, theirs = set(), frozenset(doomed)
    for memory_id in doomed:
        for version in reader.memories.versions(memory_id):
            if theirs.issuperset(known.memory_id for known in reader.memories.with_fingerprint(version.fingerprint)):
                found.add(version.text)
    return found


def _end(space: OpenSpace, writer: Writer, rows: Sequence[LifetimeRow], caller: Caller, done: Expired) -> set[str]:
    """Asked again here: another process may have renewed, protected or ended some since. Returns the texts of the
    candidates that went with them."""
    texts = set[str]()
    now, states = space.clock(), writer.memories.states([row.memory_id for row in rows])
    for row in rows:
        memory_id, state = row.memory_id, states.get(row.memory_id)
        action = row.on_expire
        if state is None or not has_run_out(state, now) or state.archived_at is not None:
            continue
        if (state.on_expire or "stale") != action:
            continue  # the next run ends it, as is said by now
        told: dict[str, Any] = {"action": action}
        if action == "delete":
            gone = doomed_rows(writer, Doomed({memory_id}))
            told["versions"] = erase_rows(writer, gone).get(memory_id, 0)
            texts.update(gone.candidate_texts)
            owe_erasure(space, writer, gone)
            owe_scrub(space, writer, [memory_id])
        elif action == "archive":
            writer.memories.set_state(memory_id, archived_at=now)
        elif state.is_stale:
            continue
        else:
            writer.memories.set_state(memory_id, is_stale=True, stale_reason=RUN_OUT)
        audit(space, writer, "expire", memory_id, caller, told)
        _listed(done, action).append(memory_id)
    return texts


def _listed(done: Expired, action: str) -> list[str]:
    return {"stale": done.stale, "archive": done.archived, "delete": done.deleted}[action]
