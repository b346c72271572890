"""Jobs: long work, started and looked after; and the events of a memory."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from starlette.concurrency import run_in_threadpool

from waypost.faces.rest.bodies import JobOrder
from waypost.faces.rest.caller import Reader, Writer
from waypost.faces.rest.job_sorts import start
from waypost.faces.rest.parameters import JobId
from waypost.faces.rest.streams import EventStream
from waypost.faces.rest.strict import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Jobs"], route_class=StrictRoute)

LastEventId = Annotated[
    str | None,
    Header(pattern=r"^[0-9]{1,15}$", description="The id of the last event that you have; those after it come first."),
]


@router.get("/jobs")
def jobs(hands: Reader) -> dict[str, Any]:
    """The jobs of this memory that this server knows of, the newest first."""
    return {"jobs": [job.to_json() for job in hands.services.jobs.listed(hands.space_id)]}


@router.post("/jobs", status_code=202)
def start_job(hands: Writer, given: JobOrder, response: Response) -> dict[str, Any]:
    """Start a job: read the tree (`index`), do the upkeep that is due (`maintain`), condense the journal (`condense`), make
    everything derived anew (`rebuild`, or `reindex`), describe files (`summarize`). One of each sort at a time (409)."""
    return start(hands, given.sort, response, force=given.force)


@router.get("/jobs/{job_id}")
def job(hands: Reader, job_id: JobId) -> dict[str, Any]:
    """How a job gets on, or what became of it."""
    return hands.services.jobs.get(hands.space_id, job_id).to_json()


@router.post("/jobs/{job_id}/cancel", status_code=202)
def cancel_job(hands: Writer, job_id: JobId) -> dict[str, Any]:
    """Ask a job to stop. It does where it next tells how far it is; what it did stays, and the next one goes on there."""
    return hands.services.jobs.cancel(hands.space_id, job_id).to_json()


@router.get("/events", response_model=None)
async def events(hands: Reader, last_event_id: LastEventId = None) -> Response:
    """Server-sent events: `change` (an entry of the audit log), `job` (a job that got on), `many` (too many changes to
    tell), `problem`; a comment as a sign of life. The stream ends after ten minutes; clients come back by themselves."""
    await run_in_threadpool(lambda: hands.memory)  # a memory that is not there is answered as such
    since = None if last_event_id is None else int(last_event_id)
    return EventStream(hands, since)
