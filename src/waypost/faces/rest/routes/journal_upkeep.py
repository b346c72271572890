"""What becomes of the journal as it ages, and undoing it."""

from typing import Any

from fastapi import APIRouter, Response

from waypost.faces.rest.bodies import Curation, EntryProtection, Pruning, RunBody, What
from waypost.faces.rest.caller import Writer
from waypost.faces.rest.job_sorts import start
from waypost.faces.rest.strict import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}/journal", tags=["Journal"], route_class=StrictRoute)


@router.post("/condense")
def condense(hands: Writer, response: Response, given: RunBody | None = None) -> dict[str, Any]:
    """Trim, weekly, monthly and yearly summaries, packing: what is due. A dry run answers at once (200) with the steps;
    else a job is started (202)."""
    asked = given or RunBody()
    if asked.dry_run:
        return hands.memory.journal.condense(force=asked.force, dry_run=True).to_json()
    return start(hands, "condense", response, force=asked.force)


@router.post("/restore")
def restore(hands: Writer, given: What) -> dict[str, Any]:
    """Undo condensing for a day, week, month or year, or an entry, from the originals. What is back stays as it is."""
    return hands.memory.journal.restore(given.what).to_json()


@router.post("/release")
def release(hands: Writer, given: What) -> dict[str, Any]:
    """Let condensing go on with what was brought back."""
    return hands.memory.journal.release(given.what).to_json()


@router.post("/protect")
def protect_entry(hands: Writer, given: EntryProtection) -> dict[str, Any]:
    """Keep an entry word for word for ever; or no longer."""
    return {"id": hands.memory.journal.protect(given.what, on=given.on), "protected": given.on}


@router.post("/prune")
def prune(hands: Writer, given: Pruning | None = None) -> dict[str, Any]:
    """Put conversations into the archive that are old and that nobody read lately. They stay searchable."""
    asked = given or Pruning()
    done = hands.memory.journal.prune(after_days=asked.after_days, unused_days=asked.unused_days, dry_run=asked.dry_run)
    return done.to_json()


@router.post("/curate")
def curate(hands: Writer, given: Curation) -> dict[str, Any]:
    """Put an entry into the part of MEMORY.md that belongs to people."""
    return hands.memory.journal.curate(given.id, given.heading).to_json()
