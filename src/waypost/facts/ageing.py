"""What time does to a memory that nobody touches, and what gives it its time again."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from waypost.model.lifetime import ON_EXPIRE, Lifetime
from waypost.model.memory import State

RUN_OUT = "its time has run out"


def aged(states: Mapping[str, State], now: datetime) -> dict[str, State]:
    """The states as they are by now: what has outlived its time counts as stale, unless it is protected."""
    return {memory_id: _aged(state, now) for memory_id, state in states.items()}


def _aged(state: State, now: datetime) -> State:
    expired = has_run_out(state, now) and not state.is_stale
    return replace(state, is_stale=True, stale_reason=RUN_OUT) if expired else state


def has_run_out(state: State, now: datetime) -> bool:
    """Whether it has outlived its time. What is protected never does."""
    return state.expires_at is not None and state.expires_at <= now and not state.protected


def is_lively(state: State, now: datetime) -> bool:
    """Whether a change of a file still gives it its time again: what is archived or deleted at its end is gone then, whether
    or not anybody has put it away since."""
    return state.archived_at is None and (not has_run_out(state, now) or (state.on_expire or "stale") == "stale")


def renewed(state: State, now: datetime) -> dict[str, Any]:
    """The changes of state that give a memory its whole time again. What is stale for another reason stays so. Where
    nobody has said how long its time is, it has no end any more once it was reached."""
    changes: dict[str, Any] = {}
    if state.archived_at is not None:
        changes["archived_at"] = None
    if state.ttl_seconds is not None:
        changes["expires_at"] = now + timedelta(seconds=state.ttl_seconds)
    elif state.expires_at is not None and state.expires_at <= now:
        changes |= {"expires_at": None, "on_expire": None}
    return changes | _fresh(state)


def said_again(
    state: State, lifetime: Lifetime | None, ttl_class: str | None, now: datetime, *, renews: bool = True
) -> dict[str, Any]:
    """The changes of state when somebody says again what is known, with this lifetime or for good.

    It has its whole time again, if that `renews` it: what comes out of a file may be old. Nobody's words are put away or deleted because they were first said for a shorter time: the
    milder end counts, of equal ones the later. What has no end does not get one.
    """
    whole = renewed(state, now) if renews else {}
    if state.expires_at is None:
        return whole
    end = ON_EXPIRE.index(state.on_expire or "stale")
    if lifetime is None:
        return limited(state, None, None, now) if end else whole
    theirs = ON_EXPIRE.index(lifetime.on_expire)
    if theirs < end or (theirs == end and lifetime.seconds > (state.ttl_seconds or 0)):
        return limited(state, lifetime, ttl_class, now)
    return whole


def limited(state: State, lifetime: Lifetime | None, ttl_class: str | None, now: datetime) -> dict[str, Any]:
    """The changes of state that give a memory this lifetime from now on, or take the one away that it has."""
    return {
        "expires_at": None if lifetime is None else now + timedelta(seconds=lifetime.seconds),
        "on_expire": None if lifetime is None else lifetime.on_expire,
        "ttl_seconds": None if lifetime is None else lifetime.seconds,
        "ttl_class": ttl_class,
        "refresh": () if lifetime is None else lifetime.refresh,
        "archived_at": None,
        **_fresh(state),
    }


def _fresh(state: State) -> dict[str, Any]:
    ran_out = state.is_stale and state.stale_reason == RUN_OUT
    return {"is_stale": False, "stale_reason": None} if ran_out else {}
