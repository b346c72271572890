"""Facts out of the project itself: from what changed, and from a first look at it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from waypost.faces.rest.bodies import Discovery, Learning
from waypost.faces.rest.caller import Writer
from waypost.faces.rest.job_sorts import begin
from waypost.faces.rest.jobs import Report
from waypost.faces.rest.strict import StrictRoute

if TYPE_CHECKING:
    from waypost.flows.learn.cold_start import Discovered
    from waypost.model.review_item import Learned

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Learning"], route_class=StrictRoute)


@router.post("/learn")
def learn(hands: Writer, response: Response, given: Learning | None = None) -> dict[str, Any]:
    """Facts from what is not committed yet, from what is staged, from commits, or from one file. What is certain is stored,
    the rest waits for a person. A dry run answers at once (200) with what would be learned; else a job is started (202),
    which tells how many there were."""
    asked, memory = given or Learning(), hands.memory
    where: dict[str, Any] = {"staged": asked.staged, "diff": asked.diff, "file": asked.file}
    if asked.dry_run:
        return memory.facts.learn(**where, dry_run=True).to_json()
    return begin(hands, "learn", response, lambda report: _learned(memory.facts.learn(**where, report=report)))


@router.post("/discover")
def discover(hands: Writer, response: Response, given: Discovery | None = None) -> dict[str, Any]:
    """The first facts of a project: what it is, how it is run and tested, which parts it has; or those that a task needs.
    A dry run answers at once (200); else a job is started (202), which tells how many there were."""
    asked, memory = given or Discovery(), hands.memory
    if asked.dry_run:
        return memory.facts.discover(asked.task, dry_run=True).to_json()

    def work(report: Report) -> Mapping[str, Any]:
        report("looking at the project")
        return _discovered(memory.facts.discover(asked.task))

    return begin(hands, "discover", response, work)


# What a job tells stays in the server until it ends: numbers, and no words that somebody may forget meanwhile.


def _learned(done: "Learned") -> dict[str, Any]:
    statuses: dict[str, int] = {}
    for one in done.taken:
        statuses[one.status] = statuses.get(one.status, 0) + 1
    told = ("pending_approval", "commits", "files", "skipped", "dry_run")
    return {"counts": statuses, **{name: value for name, value in done.to_json().items() if name in told}}


def _discovered(done: "Discovered") -> dict[str, Any]:
    left_out = ("facts", "task")
    return {name: value for name, value in done.to_json().items() if name not in left_out}
