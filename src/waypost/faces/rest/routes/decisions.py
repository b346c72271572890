"""Decisions, and why."""

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
    """Record a decision with its reasons, its consequences and what limited it; each a text or the id of a memory."""
    told = given.given()
    done = hands.memory.decide(told.pop("text"), given=told.pop("given_", ()), **told)
    written(done.decision, response, f"/api/v1/spaces/{hands.space}/memories/{done.id}")
    return done.to_json()


@router.get("/why")
def why(
    hands: Reader,
    q: Question,
    depth: Annotated[int, Query(ge=1, le=MOST_DEPTH, description="How many links to follow.")] = 5,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> dict[str, Any]:
    """Why something was decided: the chain of reasons, limits and consequences, also as a Mermaid diagram."""
    return hands.memory.why(q, depth=depth, as_of=as_of, known_at=known_at).to_json()
