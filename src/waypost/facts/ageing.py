"""What time does to a memory that nobody touches, and what gives it its time again."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from waypost.model.memory import State

RUN_OUT = "its time has run out"


def aged(states: Mapping[str, State], now: datetime) -> dict[str, State]:
    """The states as they are by now: what has outlived its time counts as stale, unless it is protected."""
    return {memory_id: _aged(state, now) for memory_id, state in states.items()}


def _aged(state: State, now: datetime) -> State:
    expired = state.expires_at is not None and state.expires_at <= now and not state.protected
    return replace(state, is_stale=True, stale_reason=RUN_OUT) if expired and not state.is_stale else state


def renewed(state: State, now: datetime) -> dict[str, Any]:
    """The changes of state that give a memory its whole time again. What is stale for another reason stays so."""
    changes: dict[str, Any] = {}
    if state.ttl_seconds is not None:
        changes |= {"expires_at": now + timedelta(seconds=state.ttl_seconds), "archived_at": None}
    if state.is_stale and state.stale_reason == RUN_OUT:
        changes |= {"is_stale": False, "stale_reason": None}
    return changes
