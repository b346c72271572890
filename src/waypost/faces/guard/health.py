"""Liveness and readiness of a server. Both are public and reveal no path, name or stored text."""

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
_FRESH_SECONDS = 1.0  # a result is reused for so long
_PATIENCE_SECONDS = 2.0  # then a store that does not answer counts as unavailable
_SHORT_SECONDS = 0.25  # the same, if it was unavailable the last time
_JSON = b"application/json"

Check = Callable[[], None]


class Readiness:
    """Checks that the store can be read and the disk be written. One check at a time, in its own thread.

    `read` raises WaypostError or OSError on failure. `on_failure` gets the reason and the error.
    """

    def __init__(
        self,
        read: Check,
        folder: Path,
        *,
        on_failure: Callable[[str, BaseException], None] = lambda *_: None,
        clock: Monotonic = time.monotonic,
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self._read, self._folder, self._on_failure, self._clock, self._patience = (
            read,
            folder,
            on_failure,
            clock,
            patience,
        )
        self._running: asyncio.Future[str] | None = None
        self._began = 0.0
        self._reason = ""
        self._at: float | None = None
        self.ending = False  # stopping: load balancers should send no more requests

    async def reason(self) -> str:
        """Why it is not ready, or an empty string."""
        if self.ending:
            return "the server is stopping"
        if self._at is not None and self._clock() - self._at < _FRESH_SECONDS:
            return self._reason
        if self._running is None:
            self._running, self._began = self._start(), self._clock()
        patience = min(self._patience, _SHORT_SECONDS) if self._reason else self._patience
        left = self._began + patience - self._clock()
        try:
            async with asyncio.timeout(max(0.0, left)):
                return await asyncio.shield(self._running)
        except TimeoutError:  # the check continues; no second one is started, and nobody waits for it
            return self._reason or "the store does not answer"

    def _start(self) -> "asyncio.Future[str]":
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str] = loop.create_future()

        def work() -> None:
            reason = self._check()
            try:
                loop.call_soon_threadsafe(self._finish, future, reason)
            except RuntimeError:  # the server has ended
                return

        threading.Thread(target=work, name="ready", daemon=True).start()
        return future

    def _finish(self, future: "asyncio.Future[str]", reason: str) -> None:
        self._reason, self._at, self._running = reason, self._clock(), None
        if not future.done():
            future.set_result(reason)

    def _check(self) -> str:
        checks = (("the store cannot be read", self._read), ("the disk cannot be written", self._write))
        for reason, check in checks:
            try:
                check()
            except (WaypostError, OSError) as error:
                self._on_failure(reason, error)
                return f"{reason} ({type(error).__name__})"
        return ""

    def _write(self) -> None:
        handle, name = tempfile.mkstemp(prefix=".ready-", dir=self._folder)
        try:
            os.write(handle, b"\0" * 4096)  # a whole block, to notice a full disk
        finally:
            os.close(handle)
            os.unlink(name)


def health_app(readiness: Readiness, version: str) -> App:
    """`/healthz`: the process answers. `/readyz`: it can work; otherwise 503 with the reason."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in {"GET", "HEAD"}:
            allow = ((b"allow", b"GET, HEAD"),)
            await answer(Problem(405, "This address is read-only.", "Use GET.", allow), receive, send)
            return
        reason = await readiness.reason() if scope["path"] == READY else ""
        status = {"status": "not ready", "reason": reason} if reason else {"status": "ok", "version": version}
        body = json.dumps(status).encode()
        headers = [(b"content-type", _JSON), (b"content-length", str(len(body)).encode())]
        if reason:
            headers.append((b"retry-after", b"1"))
        await send({"type": "http.response.start", "status": 503 if reason else 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return application
