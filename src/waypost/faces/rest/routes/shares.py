"""Sharing between memories. Other memories are named by id: requests contain no paths."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from waypost.faces.rest.bodies import Level, RequestBody, Short, example
from waypost.faces.rest.caller import Owner, Person, Reader
from waypost.faces.rest.strict_route import StrictRoute
from waypost.model.share import MOST_NAMED, SHAREABLE_KINDS

router = APIRouter(prefix="/api/v1/spaces/{space}/shares", tags=["Sharing"], route_class=StrictRoute)

_OTHER = "1e7ac36f9b20d5c4"
Project = Annotated[str, Field(pattern="^[0-9a-f]{16}$", description="The other memory's id.")]
SharedKind = Annotated[str, Field(json_schema_extra={"enum": list(SHAREABLE_KINDS)})]


class Offering(RequestBody, json_schema_extra=example(project=_OTHER, kinds=["decision"], domains=["payments"])):
    """What to offer: all facts and decisions, or only some; with `code` also indexed code."""

    project: Project
    kinds: list[SharedKind] = Field(default_factory=list, max_length=MOST_NAMED)
    domains: list[Short] = Field(default_factory=list, max_length=MOST_NAMED)
    levels: list[Level] = Field(default_factory=list, max_length=4)
    code: bool = False


class Accepting(RequestBody, json_schema_extra=example(project=_OTHER)):
    project: Project


class Revoking(RequestBody, json_schema_extra=example(project=_OTHER)):
    project: Project
    role: Literal["gives", "takes"] | None = Field(default=None, description="Only this direction (default: both).")


@router.get("")
def shares(access: Reader) -> dict[str, Any]:
    """List what this memory shares, reads and is offered, including revoked shares."""
    return {"shares": [share.to_json() for share in access.memory.admin.shares.list()]}


@router.post("/offer")
def share_offer(access: Owner, given: Offering) -> dict[str, Any]:
    """Offer another memory read access to facts and decisions. A person there must accept. Persons only."""
    options = given.given()
    return access.memory.admin.shares.offer(options.pop("project"), **options).to_json()


@router.post("/accept")
def share_accept(access: Owner, given: Accepting) -> dict[str, Any]:
    """Accept another memory's offer. Persons only."""
    return access.memory.admin.shares.accept(given.project).to_json()


@router.post("/revoke")
def share_revoke(access: Person, given: Revoking) -> dict[str, Any]:
    """Stop sharing immediately, from either side. Persons only."""
    return {"shares": [share.to_json() for share in access.memory.admin.shares.revoke(given.project, role=given.role)]}
