"""Changes to a memory. What cannot be undone is confirmed on its own page."""

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.faces.dashboard.request_context import Go, PagePlace, PageRequest, Show, ShowPage
from waypost.flows.write.forget import BEYOND_REACH
from waypost.memory import Memory
from waypost.model.ids import check_id
from waypost.model.lifetime import parse_seconds

_LONGEST = 200_000  # characters of a text


def correct(asked: PageRequest) -> Go:
    """Replace the text by the one in the form."""
    memory, memory_id = _begin(asked)
    _check_seen(asked, memory, memory_id)
    memory.correct(memory_id, asked.sent("text", _LONGEST))
    return asked.go("memory", memory_id, told="corrected")


def _check_seen(asked: PageRequest, memory: Memory, memory_id: str) -> None:
    seen = asked.sent("seen", 20)
    if seen and seen != str(memory.show(memory_id).version.number):
        raise Refused(
            "Someone has changed it since you opened the page.", "Go back, read the current text, and change that."
        )


def retract(asked: PageRequest) -> Go:
    memory, memory_id = _begin(asked)
    memory.retract(memory_id)
    return asked.go("memory", memory_id, told="retracted")


def reject(asked: PageRequest) -> Go:
    memory, memory_id = _begin(asked)
    memory.reject(memory_id)
    return asked.go("memory", memory_id, told="rejected")


def restore(asked: PageRequest) -> Go:
    """Undo a retraction or rejection, or restore the version numbered `before`."""
    memory, memory_id = _begin(asked)
    before = asked.sent("before", 20)
    if before and not (before.isascii() and before.isdigit()):
        raise NotFound("There is no such version.", "See its history.")
    if before:
        _check_seen(asked, memory, memory_id)
    memory.restore(memory_id, version=int(before) if before else None)
    return asked.go("memory", memory_id, told="brought_back")


def protect(asked: PageRequest) -> Go:
    memory, memory_id = _begin(asked)
    on = asked.sent("on") != "0"
    memory.protect(memory_id, on=on)
    return asked.go("memory", memory_id, told="protected" if on else "released")


def verify(asked: PageRequest) -> Go:
    memory, memory_id = _begin(asked)
    done = memory.verify(memory_id)
    if not done.memories:
        raise InvalidInput(" ".join(done.left) or "There is nothing to verify.", "Relink it, or correct it.")
    return asked.go("memory", memory_id, told="verified")


def relink(asked: PageRequest) -> Go:
    """To the given references, one per line; without any, to where its code moved."""
    memory, memory_id = _begin(asked)
    places = [line.strip() for line in asked.sent("refs").splitlines() if line.strip()]
    drop = asked.sent("drop") == "1"
    done = memory.code.relink(memory_id, places or None, add=bool(places) and asked.sent("add") == "1", drop=drop)
    if not done.memories:
        raise InvalidInput(" ".join(done.left) or "There is nothing to relink.", "Give a reference such as src/app.py#L10-L20.")
    return asked.go("memory", memory_id, told="relinked")


def promote(asked: PageRequest) -> Go:
    memory, memory_id = _begin(asked)
    level = asked.sent("level", 1)
    if level and not (level.isascii() and level.isdigit()):
        raise InvalidInput("level is not a number.", "Choose one of the levels.")
    memory.facts.promote(
        memory_id,
        int(level) if level else None,
        parent=asked.sent("parent", 40),
        domain=asked.sent("domain", 500),
        module=asked.sent("module", 500),
    )
    return asked.go("memory", memory_id, told="moved")


def set_ttl(asked: PageRequest) -> Go:
    memory, memory_id = _begin(asked)
    span, chosen = asked.sent("span", 20), asked.sent("class", 40)
    memory.facts.set_ttl(
        memory_id,
        parse_seconds(span) if span else None,
        on_expire=(asked.sent("on_expire", 20) or None) if span or chosen else None,
        ttl_class=chosen or None,
    )
    return asked.go("memory", memory_id, told="lasting" if span or chosen else "unending")


def ask_to_forget(asked: PageRequest) -> ShowPage:
    """Show what will be deleted, and what Waypost cannot reach."""
    asked.need_owner()
    memory, memory_id = asked.memory, memory_id_of(asked)
    history = memory.history(memory_id)
    values = {
        "version": history.versions[-1],
        "versions": len(history.versions),
        "copies": len(history.related),
        "beyond": BEYOND_REACH,
    }
    return ShowPage("memory_forget.html", "Forget this memory?", values)


def forget(asked: PageRequest) -> ShowPage:
    asked.need_owner()
    memory, memory_id = _begin(asked)
    if asked.sent("sure") != "1":
        raise InvalidInput("Not confirmed.", "Tick the box on the previous page.")
    done = memory.forget(memory_id)
    return ShowPage("memory_forgotten.html", "Forgotten", {"done": done})


def _begin(asked: PageRequest) -> tuple[Memory, str]:
    asked.need_person()
    return asked.memory, memory_id_of(asked)


def memory_id_of(asked: PageRequest) -> str:
    """The id in the address. Raises NotFound if it is not a valid id."""
    try:
        return check_id(asked.path["id"])
    except InvalidInput as error:
        raise NotFound("There is no such memory.", "Search for its text.") from error


_ACTIONS: dict[str, Show] = {
    "correct": correct,
    "retract": retract,
    "reject": reject,
    "restore": restore,
    "protect": protect,
    "verify": verify,
    "relink": relink,
    "promote": promote,
    "ttl": set_ttl,
    "forget": forget,
}
CHANGES = (
    PagePlace("/memory/{id}/forget", ask_to_forget, "search"),
    *(PagePlace(f"/memory/{{id}}/{name}", do, "search", ("POST",)) for name, do in _ACTIONS.items()),
)
