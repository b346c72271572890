"""Work in its own daemon thread, for calls that may block on another program."""

import asyncio
import threading
from collections.abc import Callable


def run_in_thread(work: Callable[[], None], name: str) -> "asyncio.Future[None]":
    """A future that is done when the work is, with its exception if it raised one."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def resolve(error: BaseException | None) -> None:
        if not done.done():
            done.set_result(None) if error is None else done.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            work()
        except BaseException as raised:  # noqa: BLE001  the waiting caller gets it
            error = raised
        try:
            loop.call_soon_threadsafe(resolve, error)
        except RuntimeError:  # the server has ended
            return

    threading.Thread(target=run, name=name, daemon=True).start()
    return done
