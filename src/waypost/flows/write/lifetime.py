"""Lifetimes of memories: set, renew, and list what has expired."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from waypost.code.files.changed_patterns import check_triggers
from waypost.errors import InvalidInput
from waypost.facts.ageing import lifetime_changes, with_expiry
from waypost.flows.links.staleness import linked
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.authority import refuse_outranked
from waypost.flows.versions.current import audit, current_version, current_versions, refuse_derived, visible_version
from waypost.model.code_link import LinkedMemory
from waypost.model.draft import MAX_TTL, check_whole
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.lifetime import Lifetime, check_on_expire, lifetime_of
from waypost.model.memory import Caller, State, Version
from waypost.model.time import Moment, format_time
from waypost.store.protocol import Reader


@dataclass(frozen=True, slots=True)
class LifetimeStatus:
    memory_id: str
    state: State  # as it is by now

    def to_json(self) -> dict[str, Any]:
        state = self.state
        return {
            "id": self.memory_id,
            "ttl": state.ttl_seconds,
            "ttl_class": state.ttl_class,
            "expires_at": format_time(state.expires_at) if state.expires_at else None,
            "on_expire": state.on_expire if state.expires_at else None,
            "refresh": list(state.refresh),
            "archived_at": format_time(state.archived_at) if state.archived_at else None,
            "protected": state.protected,
            "is_stale": state.is_stale,
            "stale_reason": state.stale_reason,
        }


def _status_of(space: OpenSpace, reader: Reader, memory_id: str) -> LifetimeStatus:
    return LifetimeStatus(
        memory_id, with_expiry(reader.memories.states([memory_id]), space.clock()).get(memory_id, State())
    )


def set_ttl(
    space: OpenSpace,
    memory_id: str,
    caller: Caller,
    *,
    seconds: int | None = None,
    refresh: Sequence[str] = (),
    on_expire: str | None = None,
    ttl_class: str | None = None,
) -> LifetimeStatus:
    """Give a memory a lifetime that starts now. Without arguments, remove its lifetime.

    Missing values come from the class, or without seconds from the current lifetime. By default an expired memory
    becomes stale. An archived memory is restored.
    """
    memory_id = check_id(memory_id)
    chosen = _requested_lifetime(seconds, refresh, on_expire, ttl_class)
    with space.store.write() as writer:
        now = space.clock()
        version = visible_version(writer, memory_id, Moment(now))
        _check_kind(version)
        state = writer.memories.states([memory_id]).get(memory_id, State())
        if chosen is None and (refresh or on_expire is not None):
            chosen, ttl_class = _changed_lifetime(state, check_triggers(refresh), on_expire), state.ttl_class
        refuse_outranked(caller, current_versions(writer, memory_id), "set its lifetime")
        writer.memories.set_state(memory_id, **lifetime_changes(state, chosen, ttl_class, now))
        details = (
            {} if chosen is None else {"seconds": chosen.seconds, "on_expire": chosen.on_expire, "class": ttl_class}
        )
        audit(space, writer, "ttl", memory_id, caller, details)
        return _status_of(space, writer, memory_id)


def _requested_lifetime(
    seconds: int | None, refresh: Sequence[str], on_expire: str | None, ttl_class: str | None
) -> Lifetime | None:
    if seconds is not None:
        check_whole(seconds, "ttl", 1, MAX_TTL)
    if on_expire is not None:
        check_on_expire(on_expire)
    return lifetime_of(seconds, ttl_class, check_triggers(refresh), on_expire)


def _changed_lifetime(state: State, refresh: tuple[str, ...], on_expire: str | None) -> Lifetime:
    if state.ttl_seconds is None:
        raise InvalidInput("refresh and on_expire need a lifetime.", "Give it in seconds, or name a class.")
    return Lifetime(state.ttl_seconds, on_expire or state.on_expire or "stale", refresh or state.refresh)


def _check_kind(version: Version) -> None:
    refuse_derived(version)
    if KINDS[version.kind].is_journal:
        raise InvalidInput(
            f"A {version.kind.replace('_', ' ')} belongs to the journal, whose entries age by importance.",
            "Facts, learnings and fixes have lifetimes.",
        )


def expired_memories(space: OpenSpace, *, include_archived: bool = False) -> tuple[LinkedMemory, ...]:
    """Expired memories that are still stored, longest ago first.

    `include_archived` adds archived ones. `verify` renews one, `retract` ends it, `set_ttl` gives it another lifetime.
    """
    moment = Moment(space.clock())
    actions = ("stale", "archive") if include_archived else ("stale",)
    with space.store.read() as reader:
        rows = reader.facts.lifetimes(expired_by=moment.as_of, archived=include_archived)
        ids = [row.memory_id for row in rows if row.on_expire in actions]
        versions = [version for memory_id in ids if (version := current_version(reader, memory_id, moment)) is not None]
        memories = [_stale_since_end(memory) for memory in linked(space, reader, versions).values()]
    return tuple(
        sorted(memories, key=lambda memory: (memory.stale_since is None, memory.stale_since, memory.version.number))
    )


def _stale_since_end(memory: LinkedMemory) -> LinkedMemory:
    ended = [at for at in (memory.stale_since, memory.state.expires_at, memory.state.archived_at) if at is not None]
    return replace(memory, stale_since=min(ended, default=None))
