"""Facts from the project: from changes, and from discovery."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from waypost.faces.rest.bodies import Discovery, Learning
from waypost.faces.rest.caller import Writer
from waypost.faces.rest.jobs import Report, begin
from waypost.faces.rest.strict_route import StrictRoute

if TYPE_CHECKING:
    from waypost.flows.learn.cold_start import Discovered
    from waypost.model.review_item import Learned

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Learning"], route_class=StrictRoute)


@router.post("/learn")
def learn(access: Writer, response: Response, given: Learning | None = None) -> dict[str, Any]:
    """Propose facts from uncommitted or staged changes, commits, or one file. Certain ones are stored; the rest needs a
    person's review. A dry run returns the facts (200); otherwise a job is started (202), which returns counts."""
    options, memory = given or Learning(), access.memory
    where: dict[str, Any] = {"staged": options.staged, "diff": options.diff, "file": options.file}
    if options.dry_run:
        return memory.facts.learn(**where, dry_run=True).to_json()
    return begin(access, "learn", response, lambda report: _learned(memory.facts.learn(**where, report=report)))


@router.post("/discover")
def discover(access: Writer, response: Response, given: Discovery | None = None) -> dict[str, Any]:
    """Find first facts about a project, or about a task: what it is, how to run and test it, its main parts. A dry run
    returns them (200); otherwise a job is started (202), which returns counts."""
    options, memory = given or Discovery(), access.memory
    if options.dry_run:
        return memory.facts.discover(options.task, dry_run=True).to_json()

    def work(report: Report) -> Mapping[str, Any]:
        report("looking at the project")
        return _discovered(memory.facts.discover(options.task))

    return begin(access, "discover", response, work)


# Job results stay in the server: only numbers, no text that someone may forget meanwhile.


def _learned(done: "Learned") -> dict[str, Any]:
    statuses: dict[str, int] = {}
    for decided in done.taken:
        statuses[decided.status] = statuses.get(decided.status, 0) + 1
    reported = ("pending_approval", "commits", "files", "skipped", "dry_run")
    return {"counts": statuses, **{name: value for name, value in done.to_json().items() if name in reported}}


def _discovered(done: "Discovered") -> dict[str, Any]:
    left_out = ("facts", "task")
    return {name: value for name, value in done.to_json().items() if name not in left_out}
