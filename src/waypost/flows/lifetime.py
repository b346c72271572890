"""How long memories live: set by hand, given anew when a file changes, and what becomes of them at the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.code.history import Changes, changed_since, dirty, head, recent_changes
from waypost.code.triggers import ChangedFiles, check_triggers
from waypost.errors import InvalidInput, Refused
from waypost.facts.ageing import aged, is_lively, limited, renewed
from waypost.flows.lifecycle import audit, refuse_derived, visible_version
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.model.draft import MAX_TTL, check_whole
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.lifetime import Lifetime, check_class, check_on_expire, lifetime_of
from waypost.model.memory import Caller, State, Version
from waypost.model.time import Moment, format_time
from waypost.store.fact_protocol import LifetimeRow
from waypost.store.protocol import Reader


@dataclass(frozen=True, slots=True)
class Limited:
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


def lifetime(space: OpenSpace, memory_id: str) -> Limited:
    """How long a memory lives."""
    memory_id = check_id(memory_id)
    with space.store.read() as reader:
        visible_version(reader, memory_id, Moment(space.clock()))
        return _limited(space, reader, memory_id)


def _limited(space: OpenSpace, reader: Reader, memory_id: str) -> Limited:
    return Limited(memory_id, aged(reader.states([memory_id]), space.clock()).get(memory_id, State()))


def set_ttl(
    space: OpenSpace,
    memory_id: str,
    caller: Caller,
    *,
    seconds: int | None = None,
    refresh: Sequence[str] = (),
    on_expire: str | None = None,
    ttl_class: str | None = None,
) -> Limited:
    """Give a memory a lifetime, from now on; without seconds and class, take the one away that it has.

    What is not said comes from the class; without one, it only goes stale at the end. One that was archived is back.
    """
    memory_id = check_id(memory_id)
    chosen = _chosen(seconds, refresh, on_expire, ttl_class)
    with space.store.write() as writer:
        now = space.clock()
        version = visible_version(writer, memory_id, Moment(now))
        _check_kind(version)
        if chosen is not None and chosen.on_expire == "delete" and version.source == "person" and not caller.decides:
            raise Refused(
                "Only a person can have deleted what a person said.", "Run it at a terminal, or use archive instead."
            )
        state = writer.states([memory_id]).get(memory_id, State())
        writer.set_state(memory_id, **limited(state, chosen, ttl_class, now))
        told = {} if chosen is None else {"seconds": chosen.seconds, "on_expire": chosen.on_expire}
        audit(space, writer, "ttl", memory_id, caller, told | {"class": ttl_class} if ttl_class else told)
        return _limited(space, writer, memory_id)


def _chosen(
    seconds: int | None, refresh: Sequence[str], on_expire: str | None, ttl_class: str | None
) -> Lifetime | None:
    if seconds is not None:
        check_whole(seconds, "ttl", 1, MAX_TTL)
    if ttl_class is not None:
        check_class(ttl_class)
    if on_expire is not None:
        check_on_expire(on_expire)
    globs = check_triggers(refresh)
    chosen = lifetime_of(seconds, ttl_class, globs, on_expire)
    if chosen is None and (globs or on_expire is not None):
        raise InvalidInput("refresh and on_expire need a lifetime.", "Give it in seconds, or name a class.")
    return chosen


def _check_kind(version: Version) -> None:
    refuse_derived(version)
    if KINDS[version.kind].is_journal:
        raise InvalidInput(
            f"A {version.kind.replace('_', ' ')} belongs to the journal, whose entries age by importance.",
            "Facts, learnings and fixes have lifetimes.",
        )


def renew(space: OpenSpace, memory_ids: Sequence[str], caller: Caller) -> tuple[Limited, ...]:
    """Somebody says that these are still true: each has its whole time again, and is back from the archive."""
    chosen = list(dict.fromkeys(check_id(memory_id) for memory_id in memory_ids))
    with space.store.write() as writer:
        now = space.clock()
        states = writer.states(chosen)
        for memory_id in chosen:
            visible_version(writer, memory_id, Moment(now))
            state = states.get(memory_id, State())
            if state.expires_at is None and state.archived_at is None:
                raise InvalidInput(
                    f"The memory {memory_id} has no lifetime.", f"`waypost ttl {memory_id} 7d` gives it one."
                )
            writer.set_state(memory_id, **renewed(state, now), verified_at=now)
            audit(space, writer, "renew", memory_id, caller, {})
        return tuple(_limited(space, writer, memory_id) for memory_id in chosen)


# -- files change ---------------------------------------------------------------------------------------------


def refresh_for(space: OpenSpace, paths: Iterable[str]) -> int:
    """These files of the tree were made, edited or deleted: memories that wait for that have their whole time again.
    Returns how many. What was archived or deleted at its end does not come back by it."""
    changed = list(paths)
    if not changed:
        return 0
    with space.store.read() as reader:
        rows = _refreshable(reader, space.clock())
    files = ChangedFiles(changed if rows else ())
    meant = [row.memory_id for row in rows if files.any_meant(row.refresh)]
    if not meant:
        return 0
    with space.store.write() as writer:
        now = space.clock()
        states = writer.states(meant)
        alive = [one for one in meant if one in states and states[one].refresh and is_lively(states[one], now)]
        for memory_id in alive:
            writer.set_state(memory_id, **renewed(states[memory_id], now))
    return len(alive)


def _refreshable(reader: Reader, now: datetime) -> list[LifetimeRow]:
    return [row for row in reader.lifetimes() if row.refresh and (row.expires_at > now or row.on_expire == "stale")]


def refresh_after_git(space: OpenSpace) -> int:
    """The same for a tree that nobody indexes: git tells what was committed or checked out since the last time."""
    root, key = tree_of(space), f"refreshed_commit:{space.identity.checkout_id}"
    with space.store.read() as reader:
        waiting, since = bool(_refreshable(reader, space.clock())), reader.meta(key)
    commit = head(root).commit if waiting else ""
    if not commit or commit == since:
        return 0
    found = _names(changed_since(root, since)) if since else set(recent_changes(root, commits=1))
    done = refresh_for(space, sorted(found - _names(dirty(root))))  # what is in no commit may lie there for long
    with space.store.write() as writer:
        writer.set_meta(key, commit)
    return done


def _names(changes: Changes) -> set[str]:
    return {*changes.changed, *changes.deleted, *changes.renamed, *changes.renamed.values()}
