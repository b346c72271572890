"""News of other processes on the same database: streams are woken, and words that were erased are kept nowhere."""

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
class News:
    """For `Listening`, in whose thread it is told."""

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
        except RuntimeError:  # the server has ended meanwhile
            return


@dataclass(slots=True)
class Ears:
    """Whether this process hears of the others now."""

    listening: "Listening | None" = None

    @property
    def hear(self) -> bool:
        return self.listening is not None and self.listening.wait(0)


@asynccontextmanager
async def hearing(spaces: Spaces, services: "Services", ears: Ears | None = None) -> AsyncIterator[None]:
    """In the block this process hears of the others. There are none where each memory has files of its own."""
    if not spaces.store:
        yield
        return
    from waypost.store.postgres.notifications import Listening

    listening = Listening(spaces.store, News(spaces, services, asyncio.get_running_loop()))
    listening.start()
    if ears is not None:
        ears.listening = listening
    try:
        yield
    finally:
        await asyncio.to_thread(listening.stop)
