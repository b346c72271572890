"""How long memories live, as somebody says; and those whose time has run out, for somebody to look at."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from waypost.code.files.changed_patterns import check_triggers
from waypost.errors import InvalidInput
from waypost.facts.ageing import aged, limited, renewed
from waypost.flows.links.staleness import linked
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit, held_versions, refuse_derived, visible_version
from waypost.flows.write.authority import refuse_outranked
from waypost.model.code_link import LinkedMemory
from waypost.model.draft import MAX_TTL, check_whole
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.lifetime import Lifetime, check_on_expire, lifetime_of
from waypost.model.memory import Caller, State, Version
from waypost.model.time import Moment, format_time
from waypost.store.protocol import Reader


@dataclass(frozen=True, slots=True)
class Lasting:
    """A memory and how long it lives."""

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


def _lasting(space: OpenSpace, reader: Reader, memory_id: str) -> Lasting:
    return Lasting(memory_id, aged(reader.memories.states([memory_id]), space.clock()).get(memory_id, State()))


def set_ttl(
    space: OpenSpace,
    memory_id: str,
    caller: Caller,
    *,
    seconds: int | None = None,
    refresh: Sequence[str] = (),
    on_expire: str | None = None,
    ttl_class: str | None = None,
) -> Lasting:
    """Give a memory a lifetime that begins now; with nothing said, take the one away that it has.

    What is not said comes from the class, else without seconds from the lifetime that it has; one by seconds alone only
    goes stale at its end. What was archived is back.
    """
    memory_id = check_id(memory_id)
    chosen = _chosen(seconds, refresh, on_expire, ttl_class)
    with space.store.write() as writer:
        now = space.clock()
        version = visible_version(writer, memory_id, Moment(now))
        _check_kind(version)
        state = writer.memories.states([memory_id]).get(memory_id, State())
        if chosen is None and (refresh or on_expire is not None):
            chosen, ttl_class = _kept(state, check_triggers(refresh), on_expire), state.ttl_class
        refuse_outranked(caller, held_versions(writer, memory_id), "set how long it lives")
        writer.memories.set_state(memory_id, **limited(state, chosen, ttl_class, now))
        told = {} if chosen is None else {"seconds": chosen.seconds, "on_expire": chosen.on_expire, "class": ttl_class}
        audit(space, writer, "ttl", memory_id, caller, told)
        return _lasting(space, writer, memory_id)


def _chosen(
    seconds: int | None, refresh: Sequence[str], on_expire: str | None, ttl_class: str | None
) -> Lifetime | None:
    if seconds is not None:
        check_whole(seconds, "ttl", 1, MAX_TTL)
    if on_expire is not None:
        check_on_expire(on_expire)
    return lifetime_of(seconds, ttl_class, check_triggers(refresh), on_expire)


def _kept(state: State, refresh: tuple[str, ...], on_expire: str | None) -> Lifetime:
    """As long as before; only these are other."""
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


def renew(space: OpenSpace, memory_ids: Sequence[str], caller: Caller) -> tuple[Lasting, ...]:
    """Somebody says that these are still true: each has its whole time again, and is back from the archive."""
    chosen = list(dict.fromkeys(check_id(memory_id) for memory_id in memory_ids))
    with space.store.write() as writer:
        now = space.clock()
        states = writer.memories.states(chosen)
        for memory_id in chosen:
            visible_version(writer, memory_id, Moment(now))
            state = states.get(memory_id, State())
            if state.expires_at is None and state.archived_at is None:
                raise InvalidInput(
                    f"The memory {memory_id} has no lifetime.", f"`waypost ttl {memory_id} 7d` gives it one."
                )
            writer.memories.set_state(memory_id, **renewed(state, now), verified_at=now)
            audit(space, writer, "renew", memory_id, caller, {})
        return tuple(_lasting(space, writer, memory_id) for memory_id in chosen)


def expired(space: OpenSpace, *, include_archived: bool = False) -> tuple[LinkedMemory, ...]:
    """The memories whose time has run out and that are still there, longest ago first: those that went stale, and those
    in the archive if asked for. `verify` gives one its time again, `retract` ends it, `set_ttl` gives it another."""
    moment = Moment(space.clock())
    actions = ("stale", "archive") if include_archived else ("stale",)
    with space.store.read() as reader:
        rows = reader.facts.lifetimes(expired_by=moment.as_of, archived=include_archived)
        ids = [row.memory_id for row in rows if row.on_expire in actions]
        versions = [version for one in ids if (version := _current(reader, one, moment)) is not None]
        memories = [_since_its_end(one) for one in linked(space, reader, versions).values()]
    return tuple(sorted(memories, key=lambda one: (one.stale_since is None, one.stale_since, one.version.number)))


def _current(reader: Reader, memory_id: str, moment: Moment) -> Version | None:
    held = held_versions(reader, memory_id)
    return reader.memories.version(memory_id, moment) or (held[-1] if held else None)


def _since_its_end(memory: LinkedMemory) -> LinkedMemory:
    ended = [one for one in (memory.stale_since, memory.state.expires_at, memory.state.archived_at) if one is not None]
    return replace(memory, stale_since=min(ended, default=None))
