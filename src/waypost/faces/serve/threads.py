"""Work in a thread of its own, which keeps no process alive: for what may have to wait for somebody else's program."""

import asyncio
import threading
from collections.abc import Callable


def in_a_thread(work: Callable[[], None], name: str) -> "asyncio.Future[None]":
    """What is done when the work is. What the work raises is told by the future."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def settle(error: BaseException | None) -> None:
        if not done.done():
            done.set_result(None) if error is None else done.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            work()
        except BaseException as raised:  # noqa: BLE001  whoever waits gets it
            error = raised
        try:
            loop.call_soon_threadsafe(settle, error)
        except RuntimeError:  # the server has ended meanwhile
            return

    threading.Thread(target=run, name=name, daemon=True).start()
    return done
