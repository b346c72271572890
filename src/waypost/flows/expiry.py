"""The end of a memory's time: it goes stale, into the archive, or for good. And what waits to be looked at by then."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.facts.ageing import RUN_OUT, has_run_out
from waypost.flows.erase import clean_exports, traces_of
from waypost.flows.lifecycle import audit, held_versions
from waypost.flows.open_space import OpenSpace
from waypost.flows.references import linked
from waypost.flows.scrub import SCRUB_OWED, scrub
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.linked import Linked
from waypost.model.memory import Caller, Version
from waypost.model.recall import View
from waypost.model.time import Moment, format_time
from waypost.store.fact_protocol import LifetimeRow
from waypost.store.protocol import Filter, Reader, Writer

_AT_ONCE = 200  # memories in one transaction: other writers wait for no more
_PAGE = 1_000


@dataclass(slots=True)
class Expired:
    """What became, or would become, of memories whose time has run out."""

    stale: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
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
            "exports_changed": list(self.exports_changed),
            "complete": self.complete,
            "dry_run": self.dry_run,
        }


def process_expired(space: OpenSpace, caller: Caller, *, dry_run: bool = False, wait: bool = True) -> Expired:
    """Do to every memory whose time has run out what was said for its end. What is protected stays as it is.

    Deleted means erased with all its versions, as by `forget`, but it may be said again: no tombstone is left. Without
    `wait`, the last traces are left for later where somebody reads right now. Doing it twice, or in two processes at
    once, does it once.
    """
    with space.store.read() as reader:
        due = _due(reader, space.clock())
        doomed = [row.memory_id for row in due if row.on_expire == "delete"]
        words = _words(reader, doomed)
    done = Expired(dry_run=dry_run)
    if dry_run:
        for row in due:
            _listed(done, row.on_expire).append(row.memory_id)
        return done
    # While the words are known: once they are erased, nobody could tell which lines of an export are meant.
    changed = clean_exports(space, doomed, words) if doomed else set()
    for start in range(0, len(due), _AT_ONCE):
        with space.store.write() as writer:
            _end(space, writer, due[start : start + _AT_ONCE], caller, done)
    if done.deleted:
        changed |= clean_exports(space, done.deleted, words)  # one may have been made meanwhile
        done.complete = scrub(space, traces_of(words), wait=wait)
    done.exports_changed = tuple(sorted(changed))
    return done


def _due(reader: Reader, now: datetime) -> list[LifetimeRow]:
    """Without what is stale already: nothing more happens to it until somebody looks at it."""
    return [row for row in reader.lifetimes(expired_by=now) if row.on_expire != "stale" or not row.is_stale]


def _words(reader: Reader, doomed: Sequence[str]) -> set[str]:
    """What only these memories have ever said. Another one that says the same has its own time."""
    found, theirs = set(), frozenset(doomed)
    for memory_id in doomed:
        for version in reader.versions(memory_id):
            if theirs.issuperset(known.memory_id for known in reader.find_fingerprint(version.fingerprint)):
                found.add(version.text)
    return found


def _end(space: OpenSpace, writer: Writer, rows: Sequence[LifetimeRow], caller: Caller, done: Expired) -> None:
    """Asked again here: another process may have renewed, protected or ended some since."""
    now, states = space.clock(), writer.states([row.memory_id for row in rows])
    for row in rows:
        memory_id, state = row.memory_id, states.get(row.memory_id)
        action = row.on_expire
        if state is None or not has_run_out(state, now) or state.archived_at is not None:
            continue
        if (state.on_expire or "stale") != action:
            continue  # the next run ends it, as is said by now
        told: dict[str, Any] = {"action": action}
        if action == "delete":
            numbers = [version.number for version in writer.versions(memory_id)]
            writer.erase(memory_id, numbers)
            writer.set_meta(SCRUB_OWED, "1")
            told["versions"] = len(numbers)
        elif action == "archive":
            writer.set_state(memory_id, archived_at=now)
        elif state.is_stale:
            continue
        else:
            writer.set_state(memory_id, is_stale=True, stale_reason=RUN_OUT)
        audit(space, writer, "expire", memory_id, caller, told)
        _listed(done, action).append(memory_id)


def _listed(done: Expired, action: str) -> list[str]:
    return {"stale": done.stale, "archive": done.archived, "delete": done.deleted}[action]


# -- for review -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outlived:
    """A memory whose time has run out, and that waits for somebody to say whether it is still true."""

    memory: Linked
    expired_at: datetime
    archived: bool

    @property
    def id(self) -> str:
        return self.memory.id

    def to_json(self) -> dict[str, Any]:
        state = self.memory.state
        return {
            **self.memory.to_json(),
            "expired_at": format_time(self.expired_at),
            "archived": self.archived,
            "ttl": state.ttl_seconds,
            "ttl_class": state.ttl_class,
            "refresh": list(state.refresh),
        }


def expired(space: OpenSpace, *, include_archived: bool = False) -> tuple[Outlived, ...]:
    """The memories whose time has run out and that are still there, longest ago first: those that went stale, and those
    in the archive if asked for. `verify` (or `renew`) gives one its time again, `retract` ends it, `set_ttl` gives it
    another lifetime."""
    moment = Moment(space.clock())
    actions = ("stale", "archive") if include_archived else ("stale",)
    with space.store.read() as reader:
        ids = [row.memory_id for row in reader.lifetimes(expired_by=moment.as_of) if row.on_expire in actions]
        versions = [version for one in ids if (version := _current(reader, one, moment)) is not None]
        if include_archived:
            versions += _put_away(reader, space, moment, {version.number for version in versions})
        memories = linked(space, reader, versions).values()
    found = [_outlived(one) for one in memories]
    return tuple(sorted(found, key=lambda one: (one.expired_at, one.id)))


def _current(reader: Reader, memory_id: str, moment: Moment) -> Version | None:
    held = held_versions(reader, memory_id)
    return reader.version(memory_id, moment) or (held[-1] if held else None)


def _put_away(reader: Reader, space: OpenSpace, moment: Moment, known: set[int]) -> Iterable[Version]:
    """What is in the archive: found among all that is there."""
    view = View(moment, KEPT_COLLECTIONS, space.identity.checkout_id, archived=True)
    after = 0
    while page := reader.listing(view, Filter(), after=after, limit=_PAGE):
        states = reader.states([version.memory_id for version in page])
        for version in page:
            state = states.get(version.memory_id)
            if state is not None and state.archived_at is not None and version.number not in known:
                yield version
        after = page[-1].number


def _outlived(memory: Linked) -> Outlived:
    state = memory.state
    archived = state.archived_at is not None or state.on_expire == "archive"
    ended = state.expires_at or state.archived_at or memory.version.recorded_at
    return Outlived(memory, ended, archived)
