"""Jobs: start, watch and cancel long work; and the events of a memory."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from starlette.concurrency import run_in_threadpool

from waypost.faces.rest.bodies import JobOrder
from waypost.faces.rest.caller import Reader, Writer
from waypost.faces.rest.jobs import start
from waypost.faces.rest.parameters import JobId
from waypost.faces.rest.streams import EventStream
from waypost.faces.rest.strict_route import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Jobs"], route_class=StrictRoute)

LastEventId = Annotated[
    str | None,
    Header(pattern=r"^[0-9]{1,15}$", description="The id of the last event you have. Later ones are sent first."),
]


@router.get("/jobs")
def jobs(access: Reader) -> dict[str, Any]:
    """List this memory's jobs on this server, newest first."""
    return {"jobs": [job.to_json() for job in access.services.jobs.listed(access.space_id)]}


@router.post("/jobs", status_code=202)
def start_job(access: Writer, given: JobOrder, response: Response) -> dict[str, Any]:
    """Start a job: index the repository (`index`), run due maintenance (`maintain`), condense the journal (`condense`),
    rebuild the index (`rebuild` or `reindex`), summarize files (`summarize`). One of each type at a time (409)."""
    return start(access, given.sort, response, force=given.force)


@router.get("/jobs/{job_id}")
def job(access: Reader, job_id: JobId) -> dict[str, Any]:
    """Show the progress or result of a job."""
    return access.services.jobs.get(access.space_id, job_id).to_json()


@router.post("/jobs/{job_id}/cancel", status_code=202)
def cancel_job(access: Writer, job_id: JobId) -> dict[str, Any]:
    """Ask a job to stop. It stops at its next progress report. Its results stay, and the next job continues there."""
    return access.services.jobs.cancel(access.space_id, job_id).to_json()


@router.get("/events", response_model=None)
async def events(access: Reader, last_event_id: LastEventId = None) -> Response:
    """Server-sent events: `change` (an audit entry), `job` (progress), `many` (too many changes to list), `problem`;
    comments as heartbeats. The stream ends after ten minutes; clients reconnect on their own."""
    await run_in_threadpool(lambda: access.memory)  # fails here if the memory does not exist
    since = None if last_event_id is None else int(last_event_id)
    return EventStream(access, since)
