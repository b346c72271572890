"""What a memory needs from time to time, done by the server of a team: vectors that are owed, lifetimes that have run out,
upkeep that is due.

A server may nothing by itself. It works for somebody who came lately and may write to the memory, and who still may; of
several servers one looks after a memory at a time.
"""

import asyncio
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from waypost.errors import WaypostError
from waypost.faces.guard.access_log import Log
from waypost.faces.guard.limits import Monotonic, Processes
from waypost.faces.guard.team_tokens import TeamIdentity
from waypost.faces.serve.metrics import ServerMetrics
from waypost.faces.serve.team import Team
from waypost.memory.catalog import Spaces
from waypost.model.memory import Caller
from waypost.space.crash import note_crash

PAUSE_SECONDS = 20.0  # between two rounds
EVERY_SECONDS = 300.0  # that a memory is looked after, while somebody comes
_MOST = 1000  # tokens that came lately
_STOP_SECONDS = 2.0
_NICE = 10
_WORKER = Caller("extractor", "worker")


@dataclass(slots=True)
class ServerMaintenance:
    """Rounds in a thread of its own, at a low priority. A round also counts the servers that there are."""

    spaces: Spaces
    team: Team
    log: Log
    figures: ServerMetrics
    processes: Processes
    clock: Monotonic = time.monotonic
    _came: OrderedDict[str, None] = field(default_factory=OrderedDict)  # keys of tokens, the latest last
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _looked_at: dict[str, float] = field(default_factory=dict)  # when each memory was
    _ended: threading.Event = field(default_factory=threading.Event)

    def came(self, identity: TeamIdentity) -> None:
        """Somebody has sent a request."""
        if identity.rights == "write":
            with self._lock:
                self._came[identity.key] = None
                self._came.move_to_end(identity.key)
                if len(self._came) > _MOST:
                    self._came.popitem(last=False)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """In the block rounds are made. What is under way at its end gets a moment; a transaction is whole or was never
        there."""
        thread = threading.Thread(target=self._run, name="upkeep", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            await asyncio.to_thread(thread.join, _STOP_SECONDS)

    def round(self) -> None:
        """Look after every memory that is due."""
        try:
            self.processes.count = self.team.processes()
            with self._lock:
                keys = list(reversed(self._came))
            for key in keys:
                holder = self.team.tokens.holder(key)
                if holder is None:  # revoked, or run out
                    with self._lock:
                        self._came.pop(key, None)
                else:
                    self._for(holder)
        except WaypostError as error:  # `/readyz` says more; the next round tries again
            self.log.event("upkeep", "warning", error=type(error).__name__)

    def _for(self, holder: TeamIdentity) -> None:
        for space_id in holder.roles:
            if self._ended.is_set():
                return
            last = self._looked_at.get(space_id)
            if holder.writes_in(space_id) and (last is None or self.clock() - last >= EVERY_SECONDS):
                self._look_after(holder, space_id)

    def _look_after(self, holder: TeamIdentity, space_id: str) -> None:
        outcome = "failed"
        try:
            with self.team.alone_with(space_id) as is_free:
                if is_free:
                    with holder.acting():
                        self.spaces.memory(_WORKER, space_id).admin.run_worker()
                outcome = "done" if is_free else "busy"
        except WaypostError as error:
            self.log.event("upkeep", "warning", error=type(error).__name__, space=space_id)
        except Exception as error:  # noqa: BLE001  the boundary of a job: it is told and noted, the server lives on
            note_crash(error, self.spaces.home)
            self.log.crash(error)
        self._looked_at[space_id] = self.clock()
        self.figures.upkeep.add(outcome)

    def _run(self) -> None:
        _step_back()
        while not self._ended.is_set():
            self.round()
            self._ended.wait(PAUSE_SECONDS)


def _step_back() -> None:
    """This thread gives way to those that answer. Linux counts priorities by thread, others by process: there it stays."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
