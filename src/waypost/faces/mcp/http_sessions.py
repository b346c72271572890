"""The sessions that MCP clients hold over HTTP: so many for each caller. The least recently used idle one gives way."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class _Session:
    caller: str
    in_flight: int = 0


class McpSessions:
    """Which sessions there are, whose, and which of them are idle."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._sessions: OrderedDict[str, _Session] = OrderedDict()  # the least recently used first

    def __len__(self) -> int:
        return len(self._sessions)

    def has_room(self, caller: str) -> bool:
        """Whether this caller may open another one, if need be in place of an idle one."""
        own = self._of(caller)
        return len(own) < self._each or any(not self._sessions[session].in_flight for session in own)

    def open(self, session: str, caller: str) -> str | None:
        """Note a new session. Returns the one that has to end for it, no longer noted."""
        self._sessions[session] = _Session(caller)
        own = self._of(caller)
        if len(own) <= self._each:
            return None
        oldest = next((one for one in own if one != session and not self._sessions[one].in_flight), None)
        if oldest is not None:
            self.close(oldest)
        return oldest

    def close(self, session: str) -> None:
        self._sessions.pop(session, None)

    @contextmanager
    def in_use(self, session: str, caller: str) -> Iterator[None]:
        """A request of the session is being answered in the block. A stranger's request keeps nobody's session."""
        held = self._sessions.get(session)
        if held is None or held.caller != caller:
            yield
            return
        held.in_flight += 1
        self._sessions.move_to_end(session)
        try:
            yield
        finally:
            held.in_flight -= 1

    def _of(self, caller: str) -> list[str]:
        return [session for session, held in self._sessions.items() if held.caller == caller]
