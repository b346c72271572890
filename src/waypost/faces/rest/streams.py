"""Server-sent events: changes of a memory and progress of its jobs."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from waypost.errors import WaypostError
from waypost.faces.guard.problem import Problem
from waypost.faces.rest.problems import answer_of

if TYPE_CHECKING:
    from waypost.faces.rest.caller import SpaceAccess

EVERY = 1.0  # seconds between two polls; each reads one number from the database
HEARTBEAT = 15  # polls without events before a heartbeat
LONGEST = 600  # polls until a stream ends; clients reconnect on their own
MOST_AT_ONCE = 500  # changes sent one by one; more are sent as `many`
MOST, MOST_EACH = 64, 16  # open streams, in total and per caller

Pause = Callable[[float], Awaitable[None]]
Holds = Callable[[str, str], bool]  # whether the token with this key is valid and opens this space


@dataclass(slots=True)
class Streams:
    pause: Pause = asyncio.sleep
    holds: Holds = lambda *_: True
    _open: Counter[str] = field(default_factory=Counter)
    _waiting: dict[asyncio.Event, str] = field(default_factory=dict)  # the space each stream follows

    @contextmanager
    def reserve(self, key: str) -> Iterator[bool]:
        """Reserve one stream during the block; yields whether there was room. Nothing is awaited between check and
        reservation, so concurrent requests cannot exceed the limit."""
        granted = self._open.total() < MOST and self._open[key] < MOST_EACH
        self._open[key] += granted
        try:
            yield granted
        finally:
            self._open[key] -= granted
            if not self._open[key]:
                del self._open[key]

    @contextmanager
    def following(self, space_id: str) -> Iterator[asyncio.Event]:
        """An event that is set during the block when the space may have changed."""
        changed = asyncio.Event()
        self._waiting[changed] = space_id
        try:
            yield changed
        finally:
            del self._waiting[changed]

    def wake(self, space_id: str | None = None) -> None:
        """This space, or any if None, may have changed. Call it in the event loop."""
        for changed, followed in self._waiting.items():
            if space_id in (None, followed):
                changed.set()

    async def rest(self, changed: asyncio.Event) -> None:
        """Wait until the next poll is due or something may have changed."""
        waits = [asyncio.ensure_future(self.pause(EVERY)), asyncio.ensure_future(changed.wait())]
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in waits:
                task.cancel()

    def __len__(self) -> int:
        return self._open.total()


class EventStream(StreamingResponse):
    """The response. Reserves a stream from before its first byte until the client has gone."""

    def __init__(self, access: "SpaceAccess", since: int | None) -> None:
        super().__init__(_events(access, since), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._access.services.streams.reserve(self._access.identity.key) as granted:
            if granted:
                await super().__call__(scope, receive, send)
            else:
                retry = ((b"retry-after", b"30"),)
                full = Problem(503, "Too many open streams.", "Close one.", retry)
                await answer_of(full)(scope, receive, send)


async def _events(access: "SpaceAccess", since: int | None) -> AsyncIterator[bytes]:
    """Events for one client: changes with a number above `since` (if None, from now on), and the state of every job.

    `change`: an audit entry, its number as the event's id. `job`: a job. `many`: too many changes to list; the client
    should read again. `problem`: the memory cannot be read now. Ends when the token is no longer valid or no longer
    opens the memory.
    """
    streams, jobs, space_id = access.services.streams, access.services.jobs, access.space_id
    last = since if since is not None else await run_in_threadpool(_newest, access)
    seen, quiet = 0, 0
    yield _event("hello", {"space": space_id, "last": last}, last)
    with streams.following(space_id) as changed:
        for _ in range(LONGEST):
            changed.clear()  # before reading, so that later changes trigger the next poll
            events: list[bytes] = []
            try:
                if not await run_in_threadpool(streams.holds, access.identity.key, space_id):
                    return
                last, changes = await run_in_threadpool(_changes, access, last)
                events += changes
            except WaypostError as error:
                events.append(_event("problem", {"detail": error.what, "remedy": error.remedy}))
            seen, new = jobs.changed(space_id, seen)
            events += [_event("job", job.to_json()) for job in new]
            quiet = 0 if events else quiet + 1
            if quiet >= HEARTBEAT:
                quiet, events = 0, [b": heartbeat\n\n"]
            for event in events:
                yield event
            await streams.rest(changed)


def _newest(access: "SpaceAccess") -> int:
    latest = access.memory.admin.audit(None, 1)
    return latest[0].number if latest else 0


def _changes(access: "SpaceAccess", last: int) -> tuple[int, list[bytes]]:
    newest = _newest(access)
    if newest <= last:
        return last, []
    if newest - last > MOST_AT_ONCE:
        return newest, [_event("many", {"after": last, "last": newest}, newest)]
    entries = [entry for entry in access.memory.admin.audit(None, newest - last) if entry.number > last]
    return newest, [_event("change", entry.to_json(), entry.number) for entry in reversed(entries)]


def _event(name: str, data: Any, number: int | None = None) -> bytes:
    """One event. JSON contains no line breaks, so one `data` line is enough."""
    payload = json.dumps(data)
    return (f"id: {number}\n" if number is not None else "").encode() + f"event: {name}\ndata: {payload}\n\n".encode()
