"""Proposed facts to approve, edit or reject, and expired facts."""

from collections.abc import Sequence
from dataclasses import dataclass

from waypost.faces.dashboard.pages.review_changes import approve, edit, reject, renew, restore, retract
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, ShowPage, post_routes
from waypost.flows.write.proposals import RETRACT, proposal_of
from waypost.memory import Memory
from waypost.model.candidate import Candidate, CandidateRow
from waypost.model.memory import Version
from waypost.model.recall import Hit

_AT_ONCE = 20  # proposed facts per page: each is compared with stored ones
_ALIKE = 0.7  # minimum recall score of a similar memory
_LEVELS = {0: "the whole project", 1: "a domain", 2: "a module", 3: "code"}
_ORIGINS = {
    "git_diff": "a change",
    "staged": "a staged change",
    "file_change": "a changed file",
    "ast_analysis": "the code",
    "commit_message": "a commit message",
    "cold_start": "project discovery",
    "session": "a session",
}


@dataclass(frozen=True, slots=True)
class PendingFact:
    """A proposed fact with what a reviewer needs to know."""

    row: CandidateRow
    candidate: Candidate
    origin: str
    becomes: str
    alike: Hit | None  # a similar stored memory
    replaced: Version | None = None  # what it would replace, correct or retract
    retracts: bool = False

    @property
    def id(self) -> str:
        return self.row.candidate_id


def show(request: PageRequest) -> ShowPage:
    page, archived = request.whole("page", 1, 1, 10_000), request.is_set("archived")
    memory = request.memory
    review = memory.facts.review(include_archived=archived)
    at = request.text("at", limit=200)
    if "page" not in request.query and at:
        page = _page_of(at, review.candidates)
    visible = review.candidates[(page - 1) * _AT_ONCE : page * _AT_ONCE]
    waiting = [_waiting(memory, row, candidate, review.replaced.get(row.candidate_id)) for row, candidate in visible]
    declined = memory.facts.rejected(_AT_ONCE)
    current = next((fact.id for fact in waiting if fact.id == at), waiting[0].id if waiting else "")
    return ShowPage(
        "review.html",
        "Review",
        {
            "waiting": waiting,
            "total": len(review.candidates),
            "expired": review.stale,
            "archived": archived,
            "current": current,
            "is_moved_to": bool(at),
            "declined": declined,
            "last_declined": [row.candidate_id for row, _ in declined if row.declined_at == declined[0][0].declined_at],
            "page": page,
            "pages": max(1, -(-len(review.candidates) // _AT_ONCE)),
        },
    )


def _page_of(candidate_id: str, candidates: Sequence[tuple[CandidateRow, Candidate]]) -> int:
    place = next((n for n, (row, _) in enumerate(candidates) if row.candidate_id == candidate_id), 0)
    return place // _AT_ONCE + 1


def _waiting(memory: Memory, row: CandidateRow, candidate: Candidate, replaced: Version | None) -> PendingFact:
    proposal = proposal_of(row)
    if proposal is None:
        origin = _ORIGINS.get(row.origin, row.origin)
        return PendingFact(row, candidate, origin, _becomes(candidate), _alike(memory, candidate.text), replaced)
    becomes = "retracted: no longer true" if proposal.action == RETRACT else _becomes(candidate)
    return PendingFact(row, candidate, proposal.who, becomes, None, replaced, proposal.action == RETRACT)


def _becomes(candidate: Candidate) -> str:
    """What approving it would store."""
    parts = [f"a {candidate.kind.replace('_', ' ')} under your name"]
    if candidate.level is not None:
        parts.append(f"about {_LEVELS.get(candidate.level, 'the project')}")
    if candidate.domain:
        parts.append(f"in {candidate.domain}")
    if candidate.module:
        parts.append(f"of {candidate.module}")
    if candidate.ttl_class:
        parts.append(f"with the lifetime of {candidate.ttl_class.replace('_', ' ')}")
    return ", ".join(parts)


def _alike(memory: Memory, text: str) -> Hit | None:
    hit = next(iter(memory.recall(text[:500], k=1, scope="facts", shared=False).hits), None)
    return hit if hit is not None and hit.score >= _ALIKE else None


PAGES = (
    PageRoute("/review", show, "review"),
    *post_routes("/review", "review", approve, reject, restore, edit, renew, retract),
)
