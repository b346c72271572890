"""Changes by other processes on the same database: wakes streams, and drops text that was erased."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.memory.catalog import Spaces
from waypost.memory.team_database import start_listening

if TYPE_CHECKING:
    from waypost.faces.rest.caller import Services


@dataclass(frozen=True, slots=True)
class ChangeEvents:
    """Callbacks for changes, called in the listener's thread."""

    spaces: Spaces
    services: "Services"
    loop: asyncio.AbstractEventLoop

    def changed(self, space_id: str) -> None:
        self._wake(space_id)

    def erased(self, space_id: str) -> None:
        self._drop(space_id)

    def missed(self) -> None:
        self._drop(None)
        self._wake(None)

    def _drop(self, space_id: str | None) -> None:
        self.services.replies.forget_full_replies()
        self.spaces.forget(space_id)

    def _wake(self, space_id: str | None) -> None:
        try:
            self.loop.call_soon_threadsafe(self.services.streams.wake, space_id)
        except RuntimeError:  # the server has ended
            return


@dataclass(slots=True)
class ListeningState:
    wait: Callable[[float], bool] = lambda _: False

    @property
    def is_listening(self) -> bool:
        return self.wait(0)


@asynccontextmanager
async def listen_for_changes(
    spaces: Spaces, services: "Services", state: ListeningState | None = None
) -> AsyncIterator[None]:
    """Receive changes of other processes within the block. Does nothing for memories in files."""
    if not spaces.store:
        yield
        return
    listening = start_listening(spaces.store, ChangeEvents(spaces, services, asyncio.get_running_loop()))
    if state is not None:
        state.wait = listening.wait
    try:
        yield
    finally:
        await asyncio.to_thread(listening.stop)
