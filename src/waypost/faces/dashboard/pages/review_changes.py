"""Review actions. Afterwards the next proposed fact is shown."""

from collections.abc import Iterable

from waypost.errors import InvalidInput
from waypost.faces.dashboard.request_context import PageRequest, Redirect, ShowPage


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
    """Undo a rejection."""
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
    """Renew expired facts that are still true."""
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
    waiting = _waiting(request)
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


def _waiting(request: PageRequest) -> list[str]:
    return [row.candidate_id for row, _ in request.memory.facts.review().candidates]


def _next(request: PageRequest, decided: Iterable[str]) -> str:
    """The first one to review after these, else the last before them."""
    waiting, excluded = _waiting(request), set(decided)
    last = max((index for index, candidate_id in enumerate(waiting) if candidate_id in excluded), default=-1)
    later = [candidate_id for candidate_id in waiting[last + 1 :] if candidate_id not in excluded]
    earlier = [candidate_id for candidate_id in waiting[: last + 1] if candidate_id not in excluded]
    return later[0] if later else earlier[-1] if earlier else ""
