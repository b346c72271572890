"""Whether a server is alive, and whether it can do its work now. Both are open: they tell no path, no name, no words."""

import asyncio
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from waypost.errors import WaypostError
from waypost.faces.guard.asgi import App, Receive, Scope, Send
from waypost.faces.guard.limits import Monotonic
from waypost.faces.guard.problem import Problem, answer

HEALTH, READY = "/healthz", "/readyz"
_FRESH_SECONDS = 1.0  # a verdict is good for so long: asking often costs nothing
_PATIENCE_SECONDS = 2.0  # after which a store that does not answer counts as away
_SHORT_SECONDS = 0.25  # the same for one that could not be read the last time
_JSON = b"application/json"

Check = Callable[[], None]


class Readiness:
    """Looks whether the store can be read and the disk be written. One look at a time, in a thread of its own.

    `read` raises WaypostError or OSError where it cannot. `told` hears of each look that failed, with the error.
    """

    def __init__(
        self,
        read: Check,
        folder: Path,
        *,
        told: Callable[[str, BaseException], None] = lambda *_: None,
        clock: Monotonic = time.monotonic,
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self._read, self._folder, self._told, self._clock, self._patience = read, folder, told, clock, patience
        self._look: asyncio.Future[str] | None = None
        self._began = 0.0
        self._reason = ""
        self._at: float | None = None
        self.ending = False  # told to stop: whoever shares out requests sends no more

    async def reason(self) -> str:
        """Why it is not ready; empty if it is."""
        if self.ending:
            return "the server is stopping"
        if self._at is not None and self._clock() - self._at < _FRESH_SECONDS:
            return self._reason
        if self._look is None:
            self._look, self._began = self._started(), self._clock()
        patience = min(self._patience, _SHORT_SECONDS) if self._reason else self._patience
        left = self._began + patience - self._clock()
        try:
            async with asyncio.timeout(max(0.0, left)):
                return await asyncio.shield(self._look)
        except TimeoutError:  # the look goes on: no second one is begun beside it, and nobody else waits for it
            return self._reason or "the store does not answer"

    def _started(self) -> "asyncio.Future[str]":
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str] = loop.create_future()

        def work() -> None:
            reason = self._looked()
            try:
                loop.call_soon_threadsafe(self._settle, future, reason)
            except RuntimeError:  # the server has ended meanwhile
                return

        threading.Thread(target=work, name="ready", daemon=True).start()
        return future

    def _settle(self, future: "asyncio.Future[str]", reason: str) -> None:
        self._reason, self._at, self._look = reason, self._clock(), None
        if not future.done():
            future.set_result(reason)

    def _looked(self) -> str:
        checks = (("the store cannot be read", self._read), ("the disk cannot be written", self._write))
        for reason, check in checks:
            try:
                check()
            except (WaypostError, OSError) as error:
                self._told(reason, error)
                return f"{reason} ({type(error).__name__})"
        return ""

    def _write(self) -> None:
        handle, name = tempfile.mkstemp(prefix=".ready-", dir=self._folder)
        try:
            os.write(handle, b"\0" * 4096)  # a block: a full disk takes no more of them
        finally:
            os.close(handle)
            os.unlink(name)


def health_app(readiness: Readiness, version: str) -> App:
    """`/healthz`: the process answers. `/readyz`: it can do its work; 503 with the reason if not."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in {"GET", "HEAD"}:
            allow = ((b"allow", b"GET, HEAD"),)
            await answer(Problem(405, "This is only to look at.", "Use GET.", allow), receive, send)
            return
        reason = await readiness.reason() if scope["path"] == READY else ""
        told = {"status": "not ready", "reason": reason} if reason else {"status": "ok", "version": version}
        body = json.dumps(told).encode()
        headers = [(b"content-type", _JSON), (b"content-length", str(len(body)).encode())]
        if reason:
            headers.append((b"retry-after", b"1"))
        await send({"type": "http.response.start", "status": 503 if reason else 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return application
