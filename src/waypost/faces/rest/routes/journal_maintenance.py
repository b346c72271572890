"""Journal maintenance: condense, restore, prune, protect."""

from typing import Any

from fastapi import APIRouter, Response

from waypost.faces.rest.bodies import Curation, EntryProtection, Pruning, RunBody, What
from waypost.faces.rest.caller import Writer
from waypost.faces.rest.job_work import start
from waypost.faces.rest.strict_route import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}/journal", tags=["Journal"], route_class=StrictRoute)


@router.post("/condense")
def condense(access: Writer, response: Response, given: RunBody | None = None) -> dict[str, Any]:
    """Condense what is due: trim, write weekly, monthly and yearly summaries, compress. A dry run returns the steps (200);
    otherwise a job is started (202)."""
    options = given or RunBody()
    if options.dry_run:
        return access.memory.journal.condense(force=options.force, dry_run=True).to_json()
    return start(access, "condense", response, force=options.force)


@router.post("/restore")
def restore(access: Writer, given: What) -> dict[str, Any]:
    """Undo condensing of a day, week, month, year or entry from the originals. It stays as it is until released."""
    return access.memory.journal.restore(given.what).to_json()


@router.post("/release")
def release(access: Writer, given: What) -> dict[str, Any]:
    """Allow condensing a restored part again."""
    return access.memory.journal.release(given.what).to_json()


@router.post("/protect")
def protect_entry(access: Writer, given: EntryProtection) -> dict[str, Any]:
    """Keep an entry unchanged forever, or stop that."""
    return {"id": access.memory.journal.protect(given.what, on=given.on), "protected": given.on}


@router.post("/prune")
def prune(access: Writer, given: Pruning | None = None) -> dict[str, Any]:
    """Archive old conversations that nobody has read lately. They stay searchable."""
    return access.memory.journal.prune(**(given or Pruning()).model_dump()).to_json()


@router.post("/curate")
def curate(access: Writer, given: Curation) -> dict[str, Any]:
    """Copy an entry into the user's part of MEMORY.md."""
    return access.memory.journal.curate(given.id, given.heading).to_json()
