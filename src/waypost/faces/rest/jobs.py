"""Long work that a request starts without waiting: one job of each type per memory, each in its own thread."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Response

from waypost.errors import NotFound, WaypostError
from waypost.faces.guard.problem import Problem
from waypost.faces.rest.caller import SpaceAccess
from waypost.faces.rest.problems import ProblemError, problem_of, unforeseen
from waypost.model.ids import IdMaker
from waypost.model.json_row import json_row
from waypost.model.time import Clock

if TYPE_CHECKING:
    from waypost.memory import Memory


MOST_RUNNING = 4
MOST_KEPT = 200
_HOLDS_SECONDS = 2.0  # between two checks that the token is still valid
_STOP_SECONDS = 2.0  # to wait for each job when the server stops

RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"
Report = Callable[..., None]  # phase, done, total; raises if the job was cancelled
Work = Callable[[Report], Mapping[str, Any]]


class _Stopped(Exception):
    """The job was cancelled. Its results so far stay, and the next job continues there."""


@dataclass(frozen=True, slots=True)
class ServerJob:
    id: str
    space_id: str
    sort: str
    started_by: str
    started_at: datetime
    status: str = RUNNING
    phase: str = ""
    done: int = 0
    total: int = 0
    cancelling: bool = False
    finished_at: datetime | None = None
    result: Mapping[str, Any] | None = None
    problem: Problem | None = None
    change: int = 0  # rises with every change of any job; see Jobs.changed

    def to_json(self) -> dict[str, Any]:
        progress = {"phase": self.phase, "done": self.done, "total": self.total}
        return json_row(self, "space_id", *progress, "change", space=self.space_id, progress=progress)


@dataclass(slots=True)
class Jobs:
    """The jobs of this process. Ended ones are kept for a while."""

    clock: Clock
    home: Path  # for crash.log
    ticks: Callable[[], float] = time.monotonic
    _jobs: OrderedDict[str, ServerJob] = field(default_factory=OrderedDict)
    _threads: dict[str, threading.Thread] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _change: int = 0
    _new_id: IdMaker = field(init=False)

    def __post_init__(self) -> None:
        self._new_id = IdMaker(self.clock)

    def start(
        self, space_id: str, sort: str, started_by: str, work: Work, holds: Callable[[], bool] = lambda: True
    ) -> ServerJob:
        """Raises ProblemError if a job of this type is running in this space, or too many are running. `holds` is polled;
        when it returns False, the job stops at its next report."""
        with self._lock:
            running = [job for job in self._jobs.values() if job.status == RUNNING]
            same = next((job for job in running if (job.space_id, job.sort) == (space_id, sort)), None)
            if same is not None:
                raise ProblemError(
                    409, f"A job {sort!r} is already running.", "Wait for it, or cancel it.", job=same.id
                )
            if len(running) >= MOST_RUNNING:
                retry = ((b"retry-after", b"10"),)
                raise ProblemError(503, f"{MOST_RUNNING} jobs are running.", "Wait for one to end.", headers=retry)
            job = ServerJob(self._new_id(), space_id, sort, started_by, self.clock())
            self._put(job)
            acting = copy_context()  # keeps the caller's rights
            thread = threading.Thread(
                target=acting.run, args=(self._run, job.id, work, holds), name=f"job-{sort}", daemon=True
            )
            self._threads[job.id] = thread
        thread.start()
        return job

    def get(self, space_id: str, job_id: str) -> ServerJob:
        with self._lock:
            job = self._jobs.get(job_id)
        if job is None or job.space_id != space_id:
            raise NotFound(f"There is no job {job_id} here.", "Old jobs are removed; list the current ones.")
        return job

    def listed(self, space_id: str) -> list[ServerJob]:
        """Newest first."""
        with self._lock:
            return [job for job in reversed(self._jobs.values()) if job.space_id == space_id]

    def changed(self, space_id: str, since: int) -> tuple[int, list[ServerJob]]:
        """The jobs that changed after `since`, and the number of the latest change."""
        with self._lock:
            new = [job for job in self._jobs.values() if job.space_id == space_id and job.change > since]
            return self._change, sorted(new, key=lambda job: job.change)

    def states(self) -> list[str]:
        with self._lock:
            return [job.status for job in self._jobs.values()]

    def cancel(self, space_id: str, job_id: str) -> ServerJob:
        """Ask the job to stop. It stops at its next report; a job that never reports runs to its end."""
        self.get(space_id, job_id)
        return self._update(job_id, lambda job: replace(job, cancelling=job.status == RUNNING))

    def wait(self, job_id: str, seconds: float) -> None:
        """Wait until the job has ended, at most so many seconds."""
        thread = self._threads.get(job_id)
        if thread is not None:
            thread.join(seconds)

    def stop(self) -> None:
        """Ask all jobs to stop and give them a moment. The next run does the rest."""
        with self._lock:
            running = [job.id for job in self._jobs.values() if job.status == RUNNING]
        for job_id in running:
            self._update(job_id, lambda job: replace(job, cancelling=True))
        for job_id in running:
            self.wait(job_id, _STOP_SECONDS)

    def _run(self, job_id: str, work: Work, holds: Callable[[], bool]) -> None:
        checked_at = self.ticks()

        def report(phase: str, done: int = 0, total: int = 0, *_: object) -> None:
            nonlocal checked_at
            job = self._update(job_id, lambda job: replace(job, phase=str(phase), done=done, total=total))
            if job.cancelling:
                raise _Stopped
            if self.ticks() - checked_at >= _HOLDS_SECONDS:
                checked_at = self.ticks()
                if not holds():
                    raise _Stopped

        try:
            result = work(report)
            self._end(job_id, status=DONE, result=result)
        except _Stopped:
            self._end(job_id, status=CANCELLED)
        except WaypostError as error:
            self._end(job_id, status=FAILED, problem=problem_of(error))
        except Exception as error:  # noqa: BLE001  boundary of a job: reported and logged, the server goes on
            self._end(job_id, status=FAILED, problem=unforeseen(error, self.home))

    def _end(self, job_id: str, **fields: Any) -> None:
        self._update(job_id, lambda job: replace(job, finished_at=self.clock(), cancelling=False, **fields))
        with self._lock:
            self._threads.pop(job_id, None)

    def _update(self, job_id: str, change: Callable[[ServerJob], ServerJob]) -> ServerJob:
        with self._lock:
            return self._put(change(self._jobs[job_id]))

    def _put(self, job: ServerJob) -> ServerJob:
        self._change += 1
        stored = self._jobs[job.id] = replace(job, change=self._change)
        ended = [other.id for other in self._jobs.values() if other.status != RUNNING]
        for old in ended[: max(0, len(self._jobs) - MOST_KEPT)]:
            del self._jobs[old]
        return stored


_ALIKE = {"reindex": "rebuild"}  # a synonym; only one of both runs at a time


def _rebuild(memory: "Memory", _force: bool, report: Report) -> Mapping[str, Any]:
    most = 0

    def report_left(engine: str, left: int) -> None:
        nonlocal most
        most = max(most, left)
        report(f"embedding by {engine}", most - left, most)

    report("indexing")
    return {"status": "rebuilt", "pending": memory.admin.rebuild(progress=report_left)}


_WORK: Mapping[str, Callable[["Memory", bool, Report], Mapping[str, Any]]] = {
    "index": lambda memory, force, report: memory.index(force=force, wait=False, facts=True, report=report).to_json(),
    "maintain": lambda memory, force, report: {
        "steps": [step.to_json() for step in memory.admin.maintain(force=force, report=report)]
    },
    "condense": lambda memory, force, report: memory.journal.condense(force=force, report=report).to_json(),
    "rebuild": _rebuild,
    "summarize": lambda memory, force, report: memory.code.summarize(force=force, report=report).to_json(),
}


def start(access: SpaceAccess, sort: str, response: Response, *, force: bool = False) -> dict[str, Any]:
    """Start a job for the caller. The answer has the address of its state."""
    memory, work = access.memory, _WORK[_ALIKE.get(sort, sort)]
    return begin(access, _ALIKE.get(sort, sort), response, lambda report: work(memory, force, report))


def begin(access: SpaceAccess, sort: str, response: Response, work: Work) -> dict[str, Any]:
    space_id, key, holds = access.memory.identity.space_id, access.identity.key, access.services.streams.holds
    job = access.services.jobs.start(space_id, sort, access.identity.name, work, lambda: holds(key, space_id))
    response.status_code = 202
    response.headers["Location"] = f"/api/v1/spaces/{access.space_id}/jobs/{job.id}"
    return job.to_json()
