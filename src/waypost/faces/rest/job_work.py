"""The types of jobs, and what each does."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fastapi import Response

from waypost.faces.rest.caller import SpaceAccess
from waypost.faces.rest.jobs import Report, Work

if TYPE_CHECKING:
    from waypost.memory import Memory

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
    """Start a job with the given work."""
    space_id, key, holds = access.memory.identity.space_id, access.identity.key, access.services.streams.holds
    job = access.services.jobs.start(space_id, sort, access.identity.name, work, lambda: holds(key, space_id))
    response.status_code = 202
    response.headers["Location"] = f"/api/v1/spaces/{access.space_id}/jobs/{job.id}"
    return job.to_json()
