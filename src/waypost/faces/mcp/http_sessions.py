"""MCP sessions over HTTP, limited per caller. A new one replaces the caller's least recently used idle one."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class _Session:
    caller: str
    in_flight: int = 0


class McpSessions:
    """All sessions, their callers, and which of them are idle."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._sessions: OrderedDict[str, _Session] = OrderedDict()  # least recently used first

    def __len__(self) -> int:
        return len(self._sessions)

    def has_room(self, caller: str) -> bool:
        """Whether this caller can open another session, if need be in place of an idle one."""
        own = self._of(caller)
        return len(own) < self._each or any(not self._sessions[session].in_flight for session in own)

    def open(self, session: str, caller: str) -> str | None:
        """Register a new session. Returns the session it replaces, which is no longer registered."""
        self._sessions[session] = _Session(caller)
        own = self._of(caller)
        if len(own) <= self._each:
            return None
        oldest = next((other for other in own if other != session and not self._sessions[other].in_flight), None)
        if oldest is not None:
            self.close(oldest)
        return oldest

    def close(self, session: str) -> None:
        self._sessions.pop(session, None)

    @contextmanager
    def in_use(self, session: str, caller: str) -> Iterator[None]:
        """Mark the session as busy during the block. Requests of other callers do not count."""
        known_session = self._sessions.get(session)
        if known_session is None or known_session.caller != caller:
            yield
            return
        known_session.in_flight += 1
        self._sessions.move_to_end(session)
        try:
            yield
        finally:
            known_session.in_flight -= 1

    def _of(self, caller: str) -> list[str]:
        return [session for session, entry in self._sessions.items() if entry.caller == caller]
