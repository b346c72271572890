"""Server-sent events: what changes in a memory, and how its jobs get on."""

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
from waypost.faces.rest.rows import audit_row

if TYPE_CHECKING:
    from waypost.faces.rest.caller import Hands
    from waypost.store.protocol import AuditEntry

EVERY = 1.0  # seconds between two looks; each asks the database for one number
HEARTBEAT = 15  # looks without news after which a sign of life is sent
LONGEST = 600  # looks until a stream ends: whose token was revoked hears no more. Clients come back by themselves
MOST_AT_ONCE = 500  # changes told one by one; of more, that there are many
MOST, MOST_EACH = 64, 16  # streams that are open, of all and of one caller

Pause = Callable[[float], Awaitable[None]]
Holds = Callable[[str, str], bool]  # whether the token of this key is still good, and opens the space of this id


@dataclass(slots=True)
class Streams:
    """The streams that are open."""

    pause: Pause = asyncio.sleep
    holds: Holds = lambda *_: True
    _open: Counter[str] = field(default_factory=Counter)
    _waiting: dict[asyncio.Event, str] = field(default_factory=dict)  # of which space each waits for news

    @contextmanager
    def opened(self, key: str) -> Iterator[bool]:
        """Hold room for one stream during the block, which learns whether there is any. Nothing is awaited between the
        look and the taking: of many that come at once, no more get in."""
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
        """What is set during the block when there may be news of the space."""
        news = asyncio.Event()
        self._waiting[news] = space_id
        try:
            yield news
        finally:
            del self._waiting[news]

    def wake(self, space_id: str | None = None) -> None:
        """There may be news of this space, or of all. To be called in the event loop."""
        for news, followed in self._waiting.items():
            if space_id in (None, followed):
                news.set()

    async def rest(self, news: asyncio.Event) -> None:
        """Until the next look is due, or there may be news."""
        waits = [asyncio.ensure_future(self.pause(EVERY)), asyncio.ensure_future(news.wait())]
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()
        finally:
            for one in waits:
                one.cancel()

    def __len__(self) -> int:
        return self._open.total()


class EventStream(StreamingResponse):
    """The answer: it holds its room from before its first byte until the client has gone."""

    def __init__(self, hands: "Hands", since: int | None) -> None:
        super().__init__(told(hands, since), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self._hands = hands

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._hands.services.streams.opened(self._hands.identity.key) as granted:
            if granted:
                await super().__call__(scope, receive, send)
            else:
                retry = ((b"retry-after", b"30"),)
                full = Problem(503, "Too many streams are open.", "Close one that nobody reads.", retry)
                await answer_of(full)(scope, receive, send)


async def told(hands: "Hands", since: int | None) -> AsyncIterator[bytes]:
    """Events for one client: changes with a number above `since` (from now on, if None), and every job as it stands.

    `change`: an entry of the audit log, its number as the event's id. `job`: a job. `many`: so many changes that the
    client had better read anew. `problem`: the memory cannot be read now. It ends where the token is no longer good, or
    does not open the memory any more.
    """
    streams, jobs, space_id = hands.services.streams, hands.services.jobs, hands.space_id
    last = since if since is not None else await run_in_threadpool(_newest, hands)
    seen, quiet = 0, 0
    yield _event("hello", {"space": space_id, "last": last}, last)
    with streams.following(space_id) as news:
        for _ in range(LONGEST):
            news.clear()  # before the look: what comes after it is seen by the next one
            events: list[bytes] = []
            try:
                if not await run_in_threadpool(streams.holds, hands.identity.key, space_id):
                    return
                last, changes = await run_in_threadpool(_changes, hands, last)
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
            await streams.rest(news)


def _newest(hands: "Hands") -> int:
    found = hands.memory.admin.audit(None, 1)
    return found[0].number if found else 0


def _changes(hands: "Hands", last: int) -> tuple[int, list[bytes]]:
    newest = _newest(hands)
    if newest <= last:
        return last, []
    if newest - last > MOST_AT_ONCE:
        return newest, [_event("many", {"after": last, "last": newest}, newest)]
    found = [entry for entry in hands.memory.admin.audit(None, newest - last) if entry.number > last]
    return newest, [_change(entry) for entry in reversed(found)]


def _change(entry: "AuditEntry") -> bytes:
    return _event("change", audit_row(entry), entry.number)


def _event(name: str, data: Any, number: int | None = None) -> bytes:
    """JSON has no line breaks of its own, so one `data` line holds it."""
    told = json.dumps(data)
    return (f"id: {number}\n" if number is not None else "").encode() + f"event: {name}\ndata: {told}\n\n".encode()
