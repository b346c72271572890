"""Regular maintenance by a team's server: pending embeddings, expiry, due maintenance.

The server role has no rights of its own. It works for a recent caller who can write to the memory and still has that right.
Only one server maintains a memory at a time.
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
from waypost.system.crash_log import note_crash

PAUSE_SECONDS = 20.0  # between two rounds
EVERY_SECONDS = 300.0  # between two runs for a memory, while it has callers
_MOST = 1000  # recent tokens
_STOP_SECONDS = 2.0
_NICE = 10
_WORKER = Caller("extractor", "worker")


@dataclass(slots=True)
class ServerMaintenance:
    """Runs rounds in its own low-priority thread. A round also counts the team's servers."""

    spaces: Spaces
    team: Team
    log: Log
    figures: ServerMetrics
    processes: Processes
    clock: Monotonic = time.monotonic
    _recent: OrderedDict[str, None] = field(default_factory=OrderedDict)  # token keys, newest last
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _last_run: dict[str, float] = field(default_factory=dict)  # by space
    _ended: threading.Event = field(default_factory=threading.Event)

    def note_caller(self, identity: TeamIdentity) -> None:
        if identity.rights == "write":
            with self._lock:
                self._recent[identity.key] = None
                self._recent.move_to_end(identity.key)
                if len(self._recent) > _MOST:
                    self._recent.popitem(last=False)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run rounds within the block. Running work gets a moment at the end; transactions are atomic."""
        thread = threading.Thread(target=self._run, name="maintenance", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            await asyncio.to_thread(thread.join, _STOP_SECONDS)

    def round(self) -> None:
        try:
            self.processes.count = self.team.database.server_count()
            with self._lock:
                keys = list(reversed(self._recent))
            for key in keys:
                holder = self.team.tokens.holder(key)
                if holder is None:  # revoked or expired
                    with self._lock:
                        self._recent.pop(key, None)
                else:
                    self._maintain_all(holder)
        except WaypostError as error:  # `/readyz` has details; the next round tries again
            self.log.event("upkeep", "warning", error=type(error).__name__)

    def _maintain_all(self, holder: TeamIdentity) -> None:
        for space_id in holder.roles:
            if self._ended.is_set():
                return
            last = self._last_run.get(space_id)
            if holder.writes_in(space_id) and (last is None or self.clock() - last >= EVERY_SECONDS):
                self._maintain(holder, space_id)

    def _maintain(self, holder: TeamIdentity, space_id: str) -> None:
        outcome = "failed"
        try:
            with self.team.database.exclusive(space_id) as is_free:
                if is_free:
                    with holder.acting():
                        self.spaces.memory(_WORKER, space_id).admin.run_worker()
                outcome = "done" if is_free else "busy"
        except WaypostError as error:
            self.log.event("upkeep", "warning", error=type(error).__name__, space=space_id)
        except Exception as error:  # noqa: BLE001  boundary of a job: logged, and the server goes on
            note_crash(error, self.spaces.home)
            self.log.crash(error)
        self._last_run[space_id] = self.clock()
        self.figures.upkeep.add(outcome)

    def _run(self) -> None:
        _lower_priority()
        while not self._ended.is_set():
            self.round()
            self._ended.wait(PAUSE_SECONDS)


def _lower_priority() -> None:
    """Lower the priority of this thread. Only Linux has priorities per thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
