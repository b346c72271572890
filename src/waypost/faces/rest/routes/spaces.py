"""The memories of this home: which there are, how each is doing, who changed what."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.faces.rest.bodies import Fixing
from waypost.faces.rest.caller import HERE, Anybody, Reader, Writer
from waypost.faces.rest.cursors import Cursor, read_cursor
from waypost.faces.rest.parameters import ID, CursorText, Limit
from waypost.faces.rest.problems import ProblemError
from waypost.faces.rest.rows import audit_row
from waypost.faces.rest.strict import StrictRoute
from waypost.flows.findings import report_of

router = APIRouter(prefix="/api/v1/spaces", tags=["Spaces"], route_class=StrictRoute)

DEEPEST_AUDIT = 20_000  # entries: each page holds all that are newer, for as long as it takes


@router.get("")
def spaces(hands: Anybody) -> dict[str, Any]:
    """The memories of this home that this token opens, by name."""
    found = hands.services.spaces
    opened = [one for one in found.entries() if hands.identity.opens(one.space_id)]
    here = found.here if opened and hands.identity.opens(found.here) else None
    return {HERE: here, "spaces": [one.to_json() for one in opened]}


@router.get("/{space}")
def space(hands: Reader) -> dict[str, Any]:
    """One memory: its name, its kind, the trees in which it was used."""
    return hands.services.spaces.entry(hands.space_id).to_json()


@router.get("/{space}/status")
def status(hands: Reader) -> dict[str, Any]:
    """What is remembered, how large it is, what is still being embedded, what waits."""
    return hands.memory.status()


@router.get("/{space}/audit")
def audit(
    hands: Reader,
    memory_id: Annotated[str | None, Query(pattern=ID, description="Only what was done to this memory.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> dict[str, Any]:
    """Who changed what, the latest first, by pages. It never holds the words of a memory."""
    question = {"audit": memory_id, "space": hands.space_id}
    at = None if cursor is None else read_cursor(cursor, question)
    memory = hands.memory
    newer = 0
    if at is not None:
        newest = memory.admin.audit(None, 1)
        newer = max(0, newest[0].number - at.before + 1) if newest else 0
        if newer > DEEPEST_AUDIT:
            raise ProblemError(
                422,
                f"Pages go {DEEPEST_AUDIT:,} entries back.",
                "Ask for one memory: memory_id=…; `waypost audit` tells the rest.",
            )
    found = memory.admin.audit(memory_id, newer + limit + 1)  # numbers have no gaps: these are enough
    entries = [entry for entry in found if at is None or entry.number < at.before]
    following = Cursor(entries[limit - 1].number, 0).written(question) if len(entries) > limit else None
    return {"entries": [audit_row(entry) for entry in entries[:limit]], "next": following}


@router.get("/{space}/doctor")
def examine(hands: Reader) -> dict[str, Any]:
    """Look for anything that is wrong."""
    return report_of(hands.memory.admin.doctor())


@router.post("/{space}/doctor")
def doctor(hands: Writer, given: Fixing | None = None) -> dict[str, Any]:
    """Look for anything that is wrong, and mend what can be made again."""
    return report_of(hands.memory.admin.doctor(fix=given is not None and given.fix))
