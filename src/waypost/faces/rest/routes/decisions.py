"""Decisions and their reasons."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from waypost.faces.rest.bodies import Decision
from waypost.faces.rest.caller import Reader, Writer
from waypost.faces.rest.parameters import AsOf, KnownAt, Question
from waypost.faces.rest.routes.one import written
from waypost.faces.rest.strict import StrictRoute
from waypost.model.causal import MOST_DEPTH

router = APIRouter(prefix="/api/v1/spaces/{space}/decisions", tags=["Decisions"], route_class=StrictRoute)


@router.post("", status_code=201)
def decide(hands: Writer, given: Decision, response: Response) -> dict[str, Any]:
    """Record a decision with its reasons, consequences and constraints, each a text or the id of a memory."""
    fields = given.given()
    done = hands.memory.decide(fields.pop("text"), given=fields.pop("given_", ()), **fields)
    written(done.decision, response, f"/api/v1/spaces/{hands.space}/memories/{done.id}")
    return done.to_json()


@router.get("/why")
def why(
    hands: Reader,
    q: Question,
    depth: Annotated[int, Query(ge=1, le=MOST_DEPTH, description="Number of links to follow.")] = 5,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> dict[str, Any]:
    """Explain why something was decided: reasons, constraints and consequences, also as a Mermaid diagram."""
    return hands.memory.why(q, depth=depth, as_of=as_of, known_at=known_at).to_json()
