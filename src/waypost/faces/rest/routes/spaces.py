"""The memories of this server: list, status, audit, doctor."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from waypost.faces.rest.bodies import Fixing, NewPerson
from waypost.faces.rest.caller import HERE, Anybody, Anywhere, Reader, Writer
from waypost.faces.rest.listing import Cursor, read_cursor
from waypost.faces.rest.parameters import ID, CursorText, Limit
from waypost.faces.rest.problems import ProblemError
from waypost.faces.rest.strict_route import StrictRoute
from waypost.flows.findings import report_of

router = APIRouter(prefix="/api/v1/spaces", tags=["Spaces"], route_class=StrictRoute)

DEEPEST_AUDIT = 20_000  # entries: each page loads all newer ones


@router.get("")
def spaces(access: Anybody) -> dict[str, Any]:
    """List the memories that this token opens, by name."""
    catalog = access.services.spaces
    readable = [entry for entry in catalog.entries() if access.identity.opens(entry.space_id)]
    here = catalog.here if readable and access.identity.opens(catalog.here) else None
    return {HERE: here, "spaces": [entry.to_json() for entry in readable]}


@router.post("", status_code=201)
def create_person(access: Anywhere, given: NewPerson, response: Response) -> dict[str, Any]:
    """Create a person's memory, such as one for each user of an assistant. 200: it exists. Needs a token for all memories."""
    entry, is_new = access.services.spaces.create_person(access.identity.caller, given.person)
    response.status_code = 201 if is_new else 200
    response.headers["Location"] = f"/api/v1/spaces/{entry.space_id}"
    return entry.to_json()


@router.get("/{space}")
def space(access: Reader) -> dict[str, Any]:
    """A memory's name, kind and checkouts."""
    return access.services.spaces.entry(access.space_id).to_json()


@router.get("/{space}/status")
def status(access: Reader) -> dict[str, Any]:
    """What is stored, its size, and pending work."""
    return access.memory.status()


@router.get("/{space}/audit")
def audit(
    access: Reader,
    memory_id: Annotated[str | None, Query(pattern=ID, description="Only changes of this memory.")] = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> dict[str, Any]:
    """Show who changed what, newest first, by pages. Never contains a memory's text."""
    question = {"audit": memory_id, "space": access.space_id}
    at = None if cursor is None else read_cursor(cursor, question)
    memory = access.memory
    newer = 0
    if at is not None:
        newest = memory.admin.audit(None, 1)
        newer = max(0, newest[0].number - at.before + 1) if newest else 0
        if newer > DEEPEST_AUDIT:
            raise ProblemError(
                422,
                f"Pages go back {DEEPEST_AUDIT:,} entries.",
                "Ask for one memory with memory_id=…, or use `waypost audit`.",
            )
    latest = memory.admin.audit(memory_id, newer + limit + 1)  # enough, because numbers have no gaps
    entries = [entry for entry in latest if at is None or entry.number < at.before]
    following = Cursor(entries[limit - 1].number, 0).encode(question) if len(entries) > limit else None
    return {"entries": [entry.to_json() for entry in entries[:limit]], "next": following}


@router.get("/{space}/doctor")
def examine(access: Reader) -> dict[str, Any]:
    """Check for problems."""
    return report_of(access.memory.admin.doctor())


@router.post("/{space}/doctor")
def doctor(access: Writer, given: Fixing | None = None) -> dict[str, Any]:
    """Check for problems, and repair what can be rebuilt."""
    return report_of(access.memory.admin.doctor(fix=given is not None and given.fix))
