"""Repairs of stale memories: verify, relink, reset. Resets are confirmed first."""

from waypost.errors import InvalidInput
from waypost.faces.dashboard.request_context import PageRequest, Redirect, ShowPage
from waypost.memory import Memory

FILTERS = ("file", "reason", "by")


def check(request: PageRequest) -> Redirect:
    """Check again, even if no file has changed."""
    file, memory = request.sent("file", 1000), request.memory
    if file:
        memory.code.stale([file], check=True)
        return _back(request, "checked")
    done = request.slow_work.ask(f"check {memory.identity.space_id}", lambda: memory.code.stale(check=True))
    return _back(request, "checked" if done is not None else "checking")


def verify(request: PageRequest) -> Redirect:
    """Confirm memories for the current code."""
    chosen = _chosen(request)
    if not chosen:
        return _back(request, "nothing")
    done = request.memory.verify(chosen)
    return _back(request, "verified" if not done.left else "verified_some")


def relink(request: PageRequest) -> Redirect:
    """Point memories at where their code moved, or one memory at a given place."""
    memory, chosen = request.memory, _chosen(request)
    if request.sent("every"):
        memory.code.relink(every=True)
        return _back(request, "relinked")
    if not chosen:
        return _back(request, "nothing")
    reference = request.sent("ref", 1000) or _place(memory, request.sent("place", 1000))
    if reference:
        memory.code.relink(chosen[0], [reference])
        return _back(request, "relinked")
    left = [line for memory_id in chosen for line in memory.code.relink(memory_id).left]
    return _back(request, "relinked" if not left else "relinked_some")


def reset(request: PageRequest) -> ShowPage | Redirect:
    """Accept the current code for these memories and remove references to deleted code."""
    memory, chosen = request.memory, _chosen(request)
    if not chosen:
        return _back(request, "nothing")
    if not request.sent("sure"):
        memories = [memory.show(memory_id) for memory_id in chosen]
        return ShowPage(
            "staleness_reset.html", "Reset staleness?", {"memories": memories, "filters": _filters(request)}
        )
    memory.verify(chosen)
    for memory_id in _still_stale(memory, chosen):
        memory.code.relink(memory_id, drop=True)
        memory.verify(memory_id)
    return _back(request, "reset" if not _still_stale(memory, chosen) else "reset_some")


def _still_stale(memory: Memory, chosen: list[str]) -> list[str]:
    stale = {memory_.id for memory_ in memory.code.stale().memories}
    return [memory_id for memory_id in chosen if memory_id in stale]


def _chosen(request: PageRequest) -> list[str]:
    """The memory whose own button was pressed, else the ticked ones that still need repair."""
    only = request.sent("only", 200)
    if only:
        return [only]
    report = request.memory.code.stale()
    repairable = {memory.id for memory in (*report.memories, *report.moved)}
    return [memory_id for memory_id in dict.fromkeys(request.all_sent("id")) if memory_id in repairable]


def _place(memory: Memory, place: str) -> str:
    """A suggested place `path:line` as a reference: the symbol that starts there, else that line."""
    if not place:
        return ""
    path, _, line = place.rpartition(":")
    if not path or not line.isascii() or not line.isdigit() or len(line) > 9:
        raise InvalidInput(f"{place[:100]!r} is not a place.", "Write it as src/app.py#L10-L20.")
    start = int(line)
    outline = memory.code.source(path, max(1, start), 1).outline
    end = max((symbol.end_line for symbol in outline if symbol.line == start), default=start)
    return f"{path}#L{start}-L{end}"


def _filters(request: PageRequest) -> dict[str, str]:
    return {name: request.sent(name, 1000) for name in FILTERS if request.sent(name, 1000)}


def _back(request: PageRequest, message: str) -> Redirect:
    return request.go("stale", **_filters(request), told=message)
