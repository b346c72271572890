"""Expiry: when a memory's lifetime ends, and which state changes renew or set it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from waypost.model.lifetime import ON_EXPIRE, Lifetime
from waypost.model.memory import State

RUN_OUT = "its time has run out"


def with_expiry(states: Mapping[str, State], now: datetime) -> dict[str, State]:
    """The states as of now: expired ones count as stale, unless they are protected."""
    return {memory_id: _state_with_expiry(state, now) for memory_id, state in states.items()}


def _state_with_expiry(state: State, now: datetime) -> State:
    expired = has_expired(state, now) and not state.is_stale
    return replace(state, is_stale=True, stale_reason=RUN_OUT) if expired else state


def has_expired(state: State, now: datetime) -> bool:
    """Whether its lifetime is over. Protected memories never expire."""
    return state.expires_at is not None and state.expires_at <= now and not state.protected


def is_refreshable(state: State, now: datetime) -> bool:
    """Whether a file change can still renew it. Memories to be archived or deleted at expiry are then gone for good."""
    return state.archived_at is None and (not has_expired(state, now) or (state.on_expire or "stale") == "stale")


def renewal_changes(state: State, now: datetime) -> dict[str, Any]:
    """The state changes that restart a memory's lifetime. It stays stale for any other reason.

    If only an end date was set and it is past, the end is removed.
    """
    changes: dict[str, Any] = {}
    if state.archived_at is not None:
        changes["archived_at"] = None
    if state.ttl_seconds is not None:
        changes["expires_at"] = now + timedelta(seconds=state.ttl_seconds)
    elif state.expires_at is not None and state.expires_at <= now:
        changes |= {"expires_at": None, "on_expire": None}
    return changes | _unexpire_changes(state)


def restatement_changes(
    state: State, lifetime: Lifetime | None, ttl_class: str | None, now: datetime, *, renews: bool = True
) -> dict[str, Any]:
    """The state changes when somebody states a known memory again, with this lifetime or for good.

    Its lifetime restarts if this `renews` it, as text from a file may be old. A statement is not archived or deleted
    because it was first made for a shorter time: the milder end counts, and of equal ones the later. A memory without
    an end does not get one.
    """
    renewal = renewal_changes(state, now) if renews else {}
    if state.expires_at is None:
        return renewal
    end = ON_EXPIRE.index(state.on_expire or "stale")
    if lifetime is None:
        return lifetime_changes(state, None, None, now) if end else renewal
    new_end = ON_EXPIRE.index(lifetime.on_expire)
    if new_end < end or (new_end == end and lifetime.seconds > (state.ttl_seconds or 0)):
        return lifetime_changes(state, lifetime, ttl_class, now)
    return renewal


def lifetime_changes(state: State, lifetime: Lifetime | None, ttl_class: str | None, now: datetime) -> dict[str, Any]:
    """The state changes that set this lifetime from now on, or remove the current one."""
    return {
        "expires_at": None if lifetime is None else now + timedelta(seconds=lifetime.seconds),
        "on_expire": None if lifetime is None else lifetime.on_expire,
        "ttl_seconds": None if lifetime is None else lifetime.seconds,
        "ttl_class": ttl_class,
        "refresh": () if lifetime is None else lifetime.refresh,
        "archived_at": None,
        **_unexpire_changes(state),
    }


def _unexpire_changes(state: State) -> dict[str, Any]:
    had_expired = state.is_stale and state.stale_reason == RUN_OUT
    return {"is_stale": False, "stale_reason": None} if had_expired else {}
