"""What time does to a memory that nobody touches."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from waypost.model.memory import State


def aged(states: Mapping[str, State], now: datetime) -> dict[str, State]:
    """The states as they are by now: what has outlived its time counts as stale, unless it is protected."""
    return {memory_id: _aged(state, now) for memory_id, state in states.items()}


def _aged(state: State, now: datetime) -> State:
    expired = state.expires_at is not None and state.expires_at <= now and not state.protected
    return (
        replace(state, is_stale=True, stale_reason="its time has run out") if expired and not state.is_stale else state
    )
