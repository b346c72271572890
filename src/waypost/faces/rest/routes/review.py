"""Review of proposed facts: approve, edit, reject."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.faces.rest.bodies import Approval, Ids, TextBody
from waypost.faces.rest.caller import Person, Reader, SpaceAccess
from waypost.faces.rest.parameters import CandidateId
from waypost.faces.rest.strict_route import StrictRoute
from waypost.flows.facts.review import candidate_row

router = APIRouter(prefix="/api/v1/spaces/{space}/candidates", tags=["Review"], route_class=StrictRoute)

_STATUS = {"added": "approved", "duplicate": "known"}


@router.get("")
def candidates(
    access: Reader,
    archived: Annotated[bool, Query(description="Include archived facts.")] = False,
    rejected: Annotated[bool, Query(description="Include recently rejected facts.")] = False,
) -> dict[str, Any]:
    """List facts pending approval, surest first, and expired facts."""
    pending = access.memory.facts.review(include_archived=archived).to_json()
    if rejected:
        pending["rejected"] = [candidate_row(row, candidate) for row, candidate in access.memory.facts.rejected()]
    return pending


@router.post("/approve")
def approve_many(access: Person, given: Ids) -> dict[str, Any]:
    """Store these facts under the person's name. Persons only."""
    return {"decided": _approved(access, given.ids)}


@router.post("/reject")
def reject_many(access: Person, given: Ids) -> dict[str, Any]:
    """Reject these facts. They are not proposed again. Persons only."""
    return {
        "decided": [
            {"id": candidate_id, "status": "rejected"} for candidate_id in access.memory.facts.reject(given.ids)
        ]
    }


@router.post("/{candidate_id}/approve")
def approve(access: Person, candidate_id: CandidateId, given: Approval | None = None) -> dict[str, Any]:
    """Store the fact under the person's name, with a new text if given. Persons only."""
    return _approved(access, [candidate_id], given.text if given else None)[0]


@router.post("/{candidate_id}/edit")
def edit(access: Person, candidate_id: CandidateId, given: TextBody) -> dict[str, Any]:
    """Change the text without approving it. Persons only."""
    return {"id": candidate_id, "status": "edited", "text": access.memory.facts.edit(candidate_id, given.text)}


@router.post("/{candidate_id}/reject")
def reject_candidate(access: Person, candidate_id: CandidateId) -> dict[str, Any]:
    """Reject the fact. It is not proposed again. Persons only."""
    return {"id": access.memory.facts.reject([candidate_id])[0], "status": "rejected"}


@router.post("/{candidate_id}/restore")
def restore_candidate(access: Person, candidate_id: CandidateId) -> dict[str, Any]:
    """Undo the rejection: the fact is pending again. Persons only."""
    back = access.memory.facts.reconsider(candidate_id)
    return {"id": candidate_id, "status": "restored" if back else "known"}


def _approved(access: SpaceAccess, ids: list[str], text: str | None = None) -> list[dict[str, Any]]:
    return [
        {"candidate": candidate_id, **receipt.to_json(), "status": _STATUS.get(receipt.status, receipt.status)}
        for candidate_id, receipt in access.memory.facts.approve(ids, text=text)
    ]
