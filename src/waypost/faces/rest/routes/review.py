"""What waits for a person: candidates to approve, put right or reject."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.faces.rest.bodies import Approval, Ids, TextBody
from waypost.faces.rest.caller import Hands, Person, Reader
from waypost.faces.rest.parameters import CandidateId
from waypost.faces.rest.strict import StrictRoute
from waypost.flows.facts.review import candidate_row

router = APIRouter(prefix="/api/v1/spaces/{space}/candidates", tags=["Review"], route_class=StrictRoute)

_WORDS = {"added": "approved", "duplicate": "known"}


@router.get("")
def candidates(
    hands: Reader,
    archived: Annotated[bool, Query(description="Show facts that were archived too.")] = False,
    rejected: Annotated[bool, Query(description="Show the candidates that were rejected last too.")] = False,
) -> dict[str, Any]:
    """Facts that wait for approval, the surest first, and facts whose time has run out."""
    found = hands.memory.facts.review(include_archived=archived).to_json()
    if rejected:
        found["rejected"] = [candidate_row(row, one) for row, one in hands.memory.facts.rejected()]
    return found


@router.post("/approve")
def approve_many(hands: Person, given: Ids) -> dict[str, Any]:
    """Remember these as a person's word. Only a person may."""
    return {"decided": _approved(hands, given.ids)}


@router.post("/reject")
def reject_many(hands: Person, given: Ids) -> dict[str, Any]:
    """These are wrong or useless, and are not proposed again. Only a person may."""
    return {"decided": [{"id": one, "status": "rejected"} for one in hands.memory.facts.reject(given.ids)]}


@router.post("/{candidate_id}/approve")
def approve(hands: Person, candidate_id: CandidateId, given: Approval | None = None) -> dict[str, Any]:
    """Remember it as a person's word, with better words where these are given. Only a person may."""
    return _approved(hands, [candidate_id], given.text if given else None)[0]


@router.post("/{candidate_id}/edit")
def edit(hands: Person, candidate_id: CandidateId, given: TextBody) -> dict[str, Any]:
    """Put its words right, and leave it waiting. Only a person may."""
    return {"id": candidate_id, "status": "edited", "text": hands.memory.facts.edit(candidate_id, given.text)}


@router.post("/{candidate_id}/reject")
def reject_candidate(hands: Person, candidate_id: CandidateId) -> dict[str, Any]:
    """It is wrong or useless, and is not proposed again. Only a person may."""
    return {"id": hands.memory.facts.reject([candidate_id])[0], "status": "rejected"}


@router.post("/{candidate_id}/restore")
def restore_candidate(hands: Person, candidate_id: CandidateId) -> dict[str, Any]:
    """Undo its rejection: it waits for approval again, as it did. Only a person may."""
    back = hands.memory.facts.reconsider(candidate_id)
    return {"id": candidate_id, "status": "restored" if back else "known"}


def _approved(hands: Hands, ids: list[str], text: str | None = None) -> list[dict[str, Any]]:
    return [
        {"candidate": one, **receipt.to_json(), "status": _WORDS.get(receipt.status, receipt.status)}
        for one, receipt in hands.memory.facts.approve(ids, text=text)
    ]
