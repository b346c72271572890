"""Changes to a memory. What cannot be undone is confirmed on its own page."""

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, Redirect, ShowPage, post_routes
from waypost.flows.erase.forget import BEYOND_REACH
from waypost.memory import Memory
from waypost.model.ids import check_id
from waypost.model.lifetime import parse_seconds

_LONGEST = 200_000  # characters of a text


def correct(request: PageRequest) -> Redirect:
    """Replace the text by the one in the form."""
    memory, memory_id = _begin(request)
    _check_seen(request, memory, memory_id)
    memory.correct(memory_id, request.sent("text", _LONGEST))
    return request.go("memory", memory_id, told="corrected")


def _check_seen(request: PageRequest, memory: Memory, memory_id: str) -> None:
    seen = request.sent("seen", 20)
    if seen and seen != str(memory.show(memory_id).version.number):
        raise Refused(
            "Someone has changed it since you opened the page.",
            "Go back, read the current text, and change that.",
        )


def retract(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    memory.retract(memory_id)
    return request.go("memory", memory_id, told="retracted")


def reject(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    memory.reject(memory_id)
    return request.go("memory", memory_id, told="rejected")


def restore(request: PageRequest) -> Redirect:
    """Undo a retraction or rejection, or restore the version numbered `before`."""
    memory, memory_id = _begin(request)
    before = request.sent("before", 20)
    if before and not (before.isascii() and before.isdigit()):
        raise NotFound("There is no such version.", "See its history.")
    if before:
        _check_seen(request, memory, memory_id)
    memory.restore(memory_id, version=int(before) if before else None)
    return request.go("memory", memory_id, told="brought_back")


def protect(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    on = request.sent("on") != "0"
    memory.protect(memory_id, on=on)
    return request.go("memory", memory_id, told="protected" if on else "released")


def verify(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    done = memory.verify(memory_id)
    if not done.memories:
        raise InvalidInput(" ".join(done.left) or "There is nothing to verify.", "Relink it, or correct it.")
    return request.go("memory", memory_id, told="verified")


def relink(request: PageRequest) -> Redirect:
    """To the given references, one per line; without any, to where its code moved."""
    memory, memory_id = _begin(request)
    places = [line.strip() for line in request.sent("refs").splitlines() if line.strip()]
    drop = request.sent("drop") == "1"
    done = memory.code.relink(memory_id, places or None, add=bool(places) and request.sent("add") == "1", drop=drop)
    if not done.memories:
        raise InvalidInput(
            " ".join(done.left) or "There is nothing to relink.", "Give a reference such as src/app.py#L10-L20."
        )
    return request.go("memory", memory_id, told="relinked")


def promote(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    level = request.sent("level", 1)
    if level and not (level.isascii() and level.isdigit()):
        raise InvalidInput("level is not a number.", "Choose one of the levels.")
    memory.facts.promote(
        memory_id,
        int(level) if level else None,
        parent=request.sent("parent", 40),
        domain=request.sent("domain", 500),
        module=request.sent("module", 500),
    )
    return request.go("memory", memory_id, told="moved")


def ttl(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    span, chosen = request.sent("span", 20), request.sent("class", 40)
    memory.facts.set_ttl(
        memory_id,
        parse_seconds(span) if span else None,
        on_expire=(request.sent("on_expire", 20) or None) if span or chosen else None,
        ttl_class=chosen or None,
    )
    return request.go("memory", memory_id, told="lasting" if span or chosen else "unending")


def ask_to_forget(request: PageRequest) -> ShowPage:
    """Show what will be deleted, and what Waypost cannot reach."""
    request.need_owner()
    memory, memory_id = request.memory, memory_id_of(request)
    history = memory.history(memory_id)
    values = {
        "version": history.versions[-1],
        "versions": len(history.versions),
        "copies": len(history.related),
        "beyond": BEYOND_REACH,
    }
    return ShowPage("memory_forget.html", "Forget this memory?", values)


def forget(request: PageRequest) -> ShowPage:
    request.need_owner()
    memory, memory_id = _begin(request)
    if request.sent("sure") != "1":
        raise InvalidInput("Not confirmed.", "Tick the box on the previous page.")
    done = memory.forget(memory_id)
    return ShowPage("memory_forgotten.html", "Forgotten", {"done": done})


def _begin(request: PageRequest) -> tuple[Memory, str]:
    return request.memory, memory_id_of(request)


def memory_id_of(request: PageRequest) -> str:
    """The id in the address. Raises NotFound if it is not a valid id."""
    try:
        return check_id(request.path["id"])
    except InvalidInput as error:
        raise NotFound("There is no such memory.", "Search for its text.") from error


CHANGES = (
    PageRoute("/memory/{id}/forget", ask_to_forget, "search"),
    *post_routes(
        "/memory/{id}", "search", correct, retract, reject, restore, protect, verify, relink, promote, ttl, forget
    ),
)
