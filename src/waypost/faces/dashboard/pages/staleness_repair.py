"""Putting right what went stale: verify, relink, reset. What takes something away asks first."""

from waypost.errors import InvalidInput
from waypost.faces.dashboard.request_context import Go, PageRequest, ShowPage
from waypost.memory import Memory

FILTERS = ("file", "reason", "by")


def check(asked: PageRequest) -> Go:
    """Judge them anew, also where no file has changed since the last look."""
    asked.need_person()
    file, memory = asked.sent("file", 1000), asked.memory
    if file:
        memory.code.stale([file], check=True)
        return _back(asked, "checked")
    done = asked.patience.ask(f"check {memory.identity.space_id}", lambda: memory.code.stale(check=True))
    return _back(asked, "checked" if done is not None else "checking")


def verify(asked: PageRequest) -> Go:
    """They are true of the code as it is now."""
    asked.need_person()
    chosen = _chosen(asked)
    if not chosen:
        return _back(asked, "nothing")
    done = asked.memory.verify(chosen)
    return _back(asked, "verified" if not done.left else "verified_some")


def relink(asked: PageRequest) -> Go:
    """Follow the code to where it was found again, or to the place that is told for one."""
    asked.need_person()
    memory, chosen = asked.memory, _chosen(asked)
    if asked.sent("every"):
        memory.code.relink(every=True)
        return _back(asked, "relinked")
    if not chosen:
        return _back(asked, "nothing")
    told = asked.sent("ref", 1000) or _place(memory, asked.sent("place", 1000))
    if told:
        memory.code.relink(chosen[0], [told])
        return _back(asked, "relinked")
    left = [line for one in chosen for line in memory.code.relink(one).left]
    return _back(asked, "relinked" if not left else "relinked_some")


def reset(asked: PageRequest) -> ShowPage | Go:
    """Begin anew: the code as it is now is what they are about; references to code that is gone are taken away."""
    asked.need_person()
    memory, chosen = asked.memory, _chosen(asked)
    if not chosen:
        return _back(asked, "nothing")
    if not asked.sent("sure"):
        memories = [memory.show(one) for one in chosen]
        return ShowPage("staleness_reset.html", "Reset staleness?", {"memories": memories, "filters": _filters(asked)})
    memory.verify(chosen)
    for one in _still_stale(memory, chosen):
        memory.code.relink(one, drop=True)
        memory.verify(one)
    return _back(asked, "reset" if not _still_stale(memory, chosen) else "reset_some")


def _still_stale(memory: Memory, chosen: list[str]) -> list[str]:
    stale = {one.id for one in memory.code.stale().memories}
    return [one for one in chosen if one in stale]


def _chosen(asked: PageRequest) -> list[str]:
    """The one whose own button was pressed, else all that are ticked and can still be put right: others may have been,
    since the page was shown."""
    only = asked.sent("only", 200)
    if only:
        return [only]
    report = asked.memory.code.stale()
    there = {one.id for one in (*report.memories, *report.moved)}
    return [one for one in dict.fromkeys(asked.all_sent("id")) if one in there]


def _place(memory: Memory, place: str) -> str:
    """A place that was offered, `path:line`, as a reference: the symbol that begins there, else that line."""
    if not place:
        return ""
    path, _, line = place.rpartition(":")
    if not path or not line.isascii() or not line.isdigit() or len(line) > 9:
        raise InvalidInput(f"{place[:100]!r} is no place.", "Write it as src/app.py#L10-L20.")
    start = int(line)
    outline = memory.code.source(path, max(1, start), 1).outline
    end = max((one.end_line for one in outline if one.line == start), default=start)
    return f"{path}#L{start}-L{end}"


def _filters(asked: PageRequest) -> dict[str, str]:
    return {name: asked.sent(name, 1000) for name in FILTERS if asked.sent(name, 1000)}


def _back(asked: PageRequest, told: str) -> Go:
    return asked.go("stale", **_filters(asked), told=told)
