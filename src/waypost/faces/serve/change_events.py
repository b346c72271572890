"""Changes by other processes on the same database: wakes streams, and drops text that was erased."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.memory.catalog import Spaces

if TYPE_CHECKING:
    from waypost.faces.rest.services import Services
    from waypost.store.postgres.notifications import Listening


@dataclass(frozen=True, slots=True)
class ChangeEvents:
    """Callbacks for `Listening`, called in its thread."""

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
    """Whether this process receives changes now."""

    listening: "Listening | None" = None

    @property
    def is_listening(self) -> bool:
        return self.listening is not None and self.listening.wait(0)


@asynccontextmanager
async def listen_for_changes(
    spaces: Spaces, services: "Services", state: ListeningState | None = None
) -> AsyncIterator[None]:
    """Receive changes of other processes within the block. Does nothing for memories in files."""
    if not spaces.store:
        yield
        return
    from waypost.store.postgres.notifications import Listening

    listening = Listening(spaces.store, ChangeEvents(spaces, services, asyncio.get_running_loop()))
    listening.start()
    if state is not None:
        state.listening = listening
    try:
        yield
    finally:
        await asyncio.to_thread(listening.stop)
