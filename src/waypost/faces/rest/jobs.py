"""Long work that a request starts and does not wait for: one at a time of each sort in a space, in threads of its own."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from waypost.errors import NotFound, WaypostError
from waypost.faces.guard.problem import Problem
from waypost.faces.rest.problems import ProblemError, problem_of, unforeseen
from waypost.model.ids import IdMaker
from waypost.model.time import Clock, format_time

MOST_RUNNING = 4
MOST_KEPT = 200
_HOLDS_SECONDS = 2.0  # between two looks whether whoever started it still may
_STOP_SECONDS = 2.0  # that the end of the server waits for each

RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"
Report = Callable[..., None]  # phase, done, of how many; raises where the job was cancelled
Work = Callable[[Report], Mapping[str, Any]]


class _Stopped(Exception):
    """Somebody has cancelled the job. What it did until now stays, and the next one goes on there."""


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
    change: int = 0  # rises with every change of any job

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "space": self.space_id,
            "sort": self.sort,
            "status": self.status,
            "started_by": self.started_by,
            "started_at": format_time(self.started_at),
            "finished_at": None if self.finished_at is None else format_time(self.finished_at),
            "cancelling": self.cancelling,
            "progress": {"phase": self.phase, "done": self.done, "total": self.total},
            "result": None if self.result is None else dict(self.result),
            "problem": None if self.problem is None else self.problem.to_json(),
        }


@dataclass(slots=True)
class Jobs:
    """The jobs of this process. What has ended is remembered for a while."""

    clock: Clock
    home: Path  # where it is noted what goes wrong
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
        """Raises ProblemError when one of this sort runs in this space, or too many run. It stops where it next tells how
        far it is, once whoever started it has lost what they started it with: `holds` is asked every few seconds."""
        with self._lock:
            running = [job for job in self._jobs.values() if job.status == RUNNING]
            same = next((job for job in running if (job.space_id, job.sort) == (space_id, sort)), None)
            if same is not None:
                raise ProblemError(409, f"A job {sort!r} is running here.", "Wait for it, or cancel it.", job=same.id)
            if len(running) >= MOST_RUNNING:
                retry = ((b"retry-after", b"10"),)
                raise ProblemError(503, f"{MOST_RUNNING} jobs are running.", "Wait for one to end.", headers=retry)
            job = ServerJob(self._new_id(), space_id, sort, started_by, self.clock())
            self._put(job)
            acting = copy_context()  # it works for whoever started it
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
            raise NotFound(f"There is no job {job_id} here.", "Old ones are forgotten; list those that are known.")
        return job

    def listed(self, space_id: str) -> list[ServerJob]:
        """Newest first."""
        with self._lock:
            return [job for job in reversed(self._jobs.values()) if job.space_id == space_id]

    def changed(self, space_id: str, since: int) -> tuple[int, list[ServerJob]]:
        """What is new since that change, and up to which change this is."""
        with self._lock:
            new = [job for job in self._jobs.values() if job.space_id == space_id and job.change > since]
            return self._change, sorted(new, key=lambda job: job.change)

    def states(self) -> list[str]:
        """Of every job that is known."""
        with self._lock:
            return [job.status for job in self._jobs.values()]

    def cancel(self, space_id: str, job_id: str) -> ServerJob:
        """Ask it to stop. It does where it next tells how far it is; one that never tells runs to its end."""
        self.get(space_id, job_id)
        return self._update(job_id, lambda job: replace(job, cancelling=job.status == RUNNING))

    def wait(self, job_id: str, seconds: float) -> None:
        """Until it has ended, or so long."""
        thread = self._threads.get(job_id)
        if thread is not None:
            thread.join(seconds)

    def stop(self) -> None:
        """The server ends: ask all to stop, and give them a moment. What is left is done by the next run."""
        with self._lock:
            running = [job.id for job in self._jobs.values() if job.status == RUNNING]
        for job_id in running:
            self._update(job_id, lambda job: replace(job, cancelling=True))
        for job_id in running:
            self.wait(job_id, _STOP_SECONDS)

    def _run(self, job_id: str, work: Work, holds: Callable[[], bool]) -> None:
        asked = self.ticks()

        def report(phase: str, done: int = 0, total: int = 0, *_: object) -> None:
            nonlocal asked
            job = self._update(job_id, lambda job: replace(job, phase=str(phase), done=done, total=total))
            if job.cancelling:
                raise _Stopped
            if self.ticks() - asked >= _HOLDS_SECONDS:
                asked = self.ticks()
                if not holds():
                    raise _Stopped

        try:
            result = work(report)
            self._end(job_id, status=DONE, result=result)
        except _Stopped:
            self._end(job_id, status=CANCELLED)
        except WaypostError as error:
            self._end(job_id, status=FAILED, problem=problem_of(error))
        except Exception as error:  # noqa: BLE001  the boundary of a job: it is told and logged, the server lives on
            self._end(job_id, status=FAILED, problem=unforeseen(error, self.home))

    def _end(self, job_id: str, **told: Any) -> None:
        self._update(job_id, lambda job: replace(job, finished_at=self.clock(), cancelling=False, **told))
        with self._lock:
            self._threads.pop(job_id, None)

    def _update(self, job_id: str, change: Callable[[ServerJob], ServerJob]) -> ServerJob:
        with self._lock:
            return self._put(change(self._jobs[job_id]))

    def _put(self, job: ServerJob) -> ServerJob:
        self._change += 1
        told = self._jobs[job.id] = replace(job, change=self._change)
        ended = [one.id for one in self._jobs.values() if one.status != RUNNING]
        for old in ended[: max(0, len(self._jobs) - MOST_KEPT)]:
            del self._jobs[old]
        return told
