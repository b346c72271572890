"""Proposed facts to approve, edit or reject, and expired facts. After an action the next proposed fact is shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from waypost.errors import InvalidInput
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, Redirect, ShowPage, post_routes
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


def approve(request: PageRequest) -> Redirect:
    chosen, after = _chosen(request)
    if not chosen:
        return request.go("review", told="nothing")
    done = request.memory.facts.approve(chosen)
    refused = any(receipt.status == "refused" for _, receipt in done)
    return request.go("review", at=after, told="approved_some" if refused else "approved")


def reject(request: PageRequest) -> ShowPage | Redirect:
    """Reject one at once, after its own question; confirm several first. Both can be undone."""
    chosen, after = _chosen(request)
    if not chosen:
        return request.go("review", told="nothing")
    if len(chosen) > 1 and not request.sent("sure"):
        texts = {row.candidate_id: candidate.text for row, candidate in request.memory.facts.review().candidates}
        values = {
            "ids": chosen,
            "texts": [texts[chosen_id] for chosen_id in chosen],
            "what": "facts",
            "action": "reject",
        }
        return ShowPage("review_sure.html", "Reject them?", values)
    request.memory.facts.reject(chosen)
    return request.go("review", at=after, told="declined")


def restore(request: PageRequest) -> Redirect:
    chosen = list(dict.fromkeys(request.all_sent("id")))
    if not chosen:
        return request.go("review", told="nothing")
    back = request.memory.facts.reconsider(chosen)
    return request.go("review", at=back[0] if back else "", told="reconsidered" if back else "nothing")


def edit(request: PageRequest) -> Redirect:
    """Change the text and approve it, or leave it to review."""
    only, text = request.sent("only", 200), request.sent("text")
    if not text:
        raise InvalidInput("There is no text.", "Write what it should say, or reject it.")
    if request.sent("keep"):
        request.memory.facts.edit(only, text)
        return request.go("review", at=only, told="edited")
    after = _next(request, [only])
    [(_, receipt)] = request.memory.facts.approve(only, text=text)
    return request.go("review", at=after, told="approved_some" if receipt.status == "refused" else "approved")


def renew(request: PageRequest) -> Redirect:
    chosen = _expired(request)
    if not chosen:
        return request.go("review", told="nothing")
    done = request.memory.verify(chosen)
    return request.go("review", told="renewed" if not done.left else "verified_some")


def retract(request: PageRequest) -> ShowPage | Redirect:
    chosen = _expired(request)
    if not chosen:
        return request.go("review", told="nothing")
    memory = request.memory
    if len(chosen) > 1 and not request.sent("sure"):
        texts = [memory.show(memory_id).version.text for memory_id in chosen]
        values = {"ids": chosen, "texts": texts, "what": "facts", "action": "retract"}
        return ShowPage("review_sure.html", "Retract them?", values)
    for memory_id in chosen:
        memory.retract(memory_id)
    return request.go("review", told="retracted")


def _chosen(request: PageRequest) -> tuple[list[str], str]:
    """The fact whose own button was pressed, else the ticked ones still to review; and the one to show next."""
    only = request.sent("only", 200)
    waiting = _waiting_ids(request)
    chosen = (
        [only]
        if only
        else [candidate_id for candidate_id in dict.fromkeys(request.all_sent("id")) if candidate_id in waiting]
    )
    return chosen, _next(request, chosen)


def _expired(request: PageRequest) -> list[str]:
    only = request.sent("only", 200)
    if only:
        return [only]
    expired = {memory.id for memory in request.memory.facts.review(include_archived=True).stale}
    return [memory_id for memory_id in dict.fromkeys(request.all_sent("fact")) if memory_id in expired]


def _waiting_ids(request: PageRequest) -> list[str]:
    return [row.candidate_id for row, _ in request.memory.facts.review().candidates]


def _next(request: PageRequest, decided: Iterable[str]) -> str:
    """The first one to review after these, else the last before them."""
    waiting, excluded = _waiting_ids(request), set(decided)
    last = max((index for index, candidate_id in enumerate(waiting) if candidate_id in excluded), default=-1)
    later = [candidate_id for candidate_id in waiting[last + 1 :] if candidate_id not in excluded]
    earlier = [candidate_id for candidate_id in waiting[: last + 1] if candidate_id not in excluded]
    return later[0] if later else earlier[-1] if earlier else ""


PAGES = (
    PageRoute("/review", show, "review"),
    *post_routes("/review", "review", approve, reject, restore, edit, renew, retract),
)
