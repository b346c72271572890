"""Decisions and their reasons."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from waypost.faces.rest.bodies import Decision
from waypost.faces.rest.caller import Reader, Writer
from waypost.faces.rest.parameters import AsOf, KnownAt, Question
from waypost.faces.rest.routes.memory import stored_answer
from waypost.faces.rest.strict_route import StrictRoute
from waypost.model.causal import MOST_DEPTH

router = APIRouter(prefix="/api/v1/spaces/{space}/decisions", tags=["Decisions"], route_class=StrictRoute)


@router.post("", status_code=201)
def decide(access: Writer, given: Decision, response: Response) -> dict[str, Any]:
    """Record a decision with its reasons, consequences and constraints, each a text or the id of a memory."""
    fields = given.given()
    done = access.memory.decide(fields.pop("text"), given=fields.pop("given_", ()), **fields)
    stored_answer(done.decision, response, f"/api/v1/spaces/{access.space}/memories/{done.id}")
    return done.to_json()


@router.get("/why")
def why(
    access: Reader,
    q: Question,
    depth: Annotated[int, Query(ge=1, le=MOST_DEPTH, description="Number of links to follow.")] = 5,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> dict[str, Any]:
    """Explain why something was decided: reasons, constraints and consequences, also as a Mermaid diagram."""
    return access.memory.why(q, depth=depth, as_of=as_of, known_at=known_at).to_json()
