"""A person's word on what waits for it. Afterwards the next one is in front."""

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
    """One is rejected at once: its button stands behind a question. Many are asked about first. Both can be undone."""
    asked.need_person()
    chosen, after = _chosen(asked)
    if not chosen:
        return asked.go("review", told="nothing")
    if len(chosen) > 1 and not asked.sent("sure"):
        texts = {row.candidate_id: one.text for row, one in asked.memory.facts.review().candidates}
        values = {"ids": chosen, "texts": [texts[one] for one in chosen], "what": "candidates", "action": "reject"}
        return ShowPage("review_sure.html", "Reject them?", values)
    asked.memory.facts.reject(chosen)
    return asked.go("review", at=after, told="declined")


def restore(asked: PageRequest) -> Go:
    """What was rejected by mistake waits again."""
    asked.need_person()
    chosen = list(dict.fromkeys(asked.all_sent("id")))
    if not chosen:
        return asked.go("review", told="nothing")
    back = asked.memory.facts.reconsider(chosen)
    return asked.go("review", at=back[0] if back else "", told="reconsidered" if back else "nothing")


def edit(asked: PageRequest) -> Go:
    """Other words for one: approved with them, or left waiting."""
    asked.need_person()
    only, text = asked.sent("only", 200), asked.sent("text")
    if not text:
        raise InvalidInput("There are no words.", "Write what it should say, or reject it.")
    if asked.sent("keep"):
        asked.memory.facts.edit(only, text)
        return asked.go("review", at=only, told="edited")
    after = _next(asked, [only])
    [(_, receipt)] = asked.memory.facts.approve(only, text=text)
    return asked.go("review", at=after, told="approved_some" if receipt.status == "refused" else "approved")


def renew(asked: PageRequest) -> Go:
    """They are still true: each has its whole time again."""
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
        texts = [memory.show(one).version.text for one in chosen]
        values = {"ids": chosen, "texts": texts, "what": "facts", "action": "retract"}
        return ShowPage("review_sure.html", "Take them back?", values)
    for one in chosen:
        memory.retract(one)
    return asked.go("review", told="retracted")


def _chosen(asked: PageRequest) -> tuple[list[str], str]:
    """The candidate whose own button was pressed, else those ticked that still wait; and the one to look at next."""
    only = asked.sent("only", 200)
    waiting = _waiting(asked)
    chosen = [only] if only else [one for one in dict.fromkeys(asked.all_sent("id")) if one in waiting]
    return chosen, _next(asked, chosen)


def _expired(asked: PageRequest) -> list[str]:
    only = asked.sent("only", 200)
    if only:
        return [only]
    there = {one.id for one in asked.memory.facts.review(include_archived=True).stale}
    return [one for one in dict.fromkeys(asked.all_sent("fact")) if one in there]


def _waiting(asked: PageRequest) -> list[str]:
    return [row.candidate_id for row, _ in asked.memory.facts.review().candidates]


def _next(asked: PageRequest, gone: Iterable[str]) -> str:
    """The first that waits after the last of these; else the last before them."""
    waiting, leaving = _waiting(asked), set(gone)
    last = max((place for place, one in enumerate(waiting) if one in leaving), default=-1)
    later = [one for one in waiting[last + 1 :] if one not in leaving]
    earlier = [one for one in waiting[: last + 1] if one not in leaving]
    return later[0] if later else earlier[-1] if earlier else ""
