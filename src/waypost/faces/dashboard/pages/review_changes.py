"""Review actions. Afterwards the next proposed fact is shown."""

from collections.abc import Iterable

from waypost.errors import InvalidInput
from waypost.faces.dashboard.request_context import Go, PageRequest, ShowPage


def approve(asked: PageRequest) -> Go:
    asked.need_person()
    chosen, after = _chosen(asked)
    if not chosen:
        return asked.go("review", told="nothing")
    done = asked.memory.facts.approve(chosen)
    refused = any(receipt.status == "refused" for _, receipt in done)
    return asked.go("review", at=after, told="approved_some" if refused else "approved")


def reject(asked: PageRequest) -> ShowPage | Go:
    """Reject one at once, after its own question; confirm several first. Both can be undone."""
    asked.need_person()
    chosen, after = _chosen(asked)
    if not chosen:
        return asked.go("review", told="nothing")
    if len(chosen) > 1 and not asked.sent("sure"):
        texts = {row.candidate_id: candidate.text for row, candidate in asked.memory.facts.review().candidates}
        values = {"ids": chosen, "texts": [texts[chosen_id] for chosen_id in chosen], "what": "facts", "action": "reject"}
        return ShowPage("review_sure.html", "Reject them?", values)
    asked.memory.facts.reject(chosen)
    return asked.go("review", at=after, told="declined")


def restore(asked: PageRequest) -> Go:
    """Undo a rejection."""
    asked.need_person()
    chosen = list(dict.fromkeys(asked.all_sent("id")))
    if not chosen:
        return asked.go("review", told="nothing")
    back = asked.memory.facts.reconsider(chosen)
    return asked.go("review", at=back[0] if back else "", told="reconsidered" if back else "nothing")


def edit(asked: PageRequest) -> Go:
    """Change the text and approve it, or leave it to review."""
    asked.need_person()
    only, text = asked.sent("only", 200), asked.sent("text")
    if not text:
        raise InvalidInput("There is no text.", "Write what it should say, or reject it.")
    if asked.sent("keep"):
        asked.memory.facts.edit(only, text)
        return asked.go("review", at=only, told="edited")
    after = _next(asked, [only])
    [(_, receipt)] = asked.memory.facts.approve(only, text=text)
    return asked.go("review", at=after, told="approved_some" if receipt.status == "refused" else "approved")


def renew(asked: PageRequest) -> Go:
    """Renew expired facts that are still true."""
    asked.need_person()
    chosen = _expired(asked)
    if not chosen:
        return asked.go("review", told="nothing")
    done = asked.memory.verify(chosen)
    return asked.go("review", told="renewed" if not done.left else "verified_some")


def retract(asked: PageRequest) -> ShowPage | Go:
    asked.need_person()
    chosen = _expired(asked)
    if not chosen:
        return asked.go("review", told="nothing")
    memory = asked.memory
    if len(chosen) > 1 and not asked.sent("sure"):
        texts = [memory.show(memory_id).version.text for memory_id in chosen]
        values = {"ids": chosen, "texts": texts, "what": "facts", "action": "retract"}
        return ShowPage("review_sure.html", "Retract them?", values)
    for memory_id in chosen:
        memory.retract(memory_id)
    return asked.go("review", told="retracted")


def _chosen(asked: PageRequest) -> tuple[list[str], str]:
    """The fact whose own button was pressed, else the ticked ones still to review; and the one to show next."""
    only = asked.sent("only", 200)
    waiting = _waiting(asked)
    chosen = [only] if only else [candidate_id for candidate_id in dict.fromkeys(asked.all_sent("id")) if candidate_id in waiting]
    return chosen, _next(asked, chosen)


def _expired(asked: PageRequest) -> list[str]:
    only = asked.sent("only", 200)
    if only:
        return [only]
    expired = {memory.id for memory in asked.memory.facts.review(include_archived=True).stale}
    return [memory_id for memory_id in dict.fromkeys(asked.all_sent("fact")) if memory_id in expired]


def _waiting(asked: PageRequest) -> list[str]:
    return [row.candidate_id for row, _ in asked.memory.facts.review().candidates]


def _next(asked: PageRequest, decided: Iterable[str]) -> str:
    """The first one to review after these, else the last before them."""
    waiting, excluded = _waiting(asked), set(decided)
    last = max((index for index, candidate_id in enumerate(waiting) if candidate_id in excluded), default=-1)
    later = [candidate_id for candidate_id in waiting[last + 1 :] if candidate_id not in excluded]
    earlier = [candidate_id for candidate_id in waiting[: last + 1] if candidate_id not in excluded]
    return later[0] if later else earlier[-1] if earlier else ""
