"""Putting a memory right: every change a person can make to it. What cannot be undone asks first, on a page of its own."""

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.faces.dashboard.request_context import Go, PagePlace, PageRequest, Show, ShowPage
from waypost.flows.erase.forget import BEYOND_REACH
from waypost.memory import Memory
from waypost.model.ids import check_id
from waypost.model.lifetime import parse_seconds

_LONGEST = 200_000  # characters of a text


def correct(asked: PageRequest) -> Go:
    """It says something else from now on: the text that is sent."""
    memory, memory_id = _begin(asked)
    _check_seen(asked, memory, memory_id)
    memory.correct(memory_id, asked.sent("text", _LONGEST))
    return asked.go("memory", memory_id, told="corrected")


def _check_seen(asked: PageRequest, memory: Memory, memory_id: str) -> None:
    seen = asked.sent("seen", 20)
    if seen and seen != str(memory.show(memory_id).version.number):
        raise Refused(
            "Somebody has changed it since you looked.", "Go back, look at what it says now, and change that."
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
    """Undo: the same memory holds again as it was; or it says again what it said in the version numbered `before`."""
    memory, memory_id = _begin(asked)
    before = asked.sent("before", 20)
    if before and not (before.isascii() and before.isdigit()):
        raise NotFound("There is no such version of it.", "Look at its history again.")
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
    """To the places that are given, one a line; without any, to where its code is now."""
    memory, memory_id = _begin(asked)
    places = [line.strip() for line in asked.sent("refs").splitlines() if line.strip()]
    drop = asked.sent("drop") == "1"
    done = memory.code.relink(memory_id, places or None, add=bool(places) and asked.sent("add") == "1", drop=drop)
    if not done.memories:
        raise InvalidInput(" ".join(done.left) or "There is nothing to relink.", "Give a place as src/app.py#L10-L20.")
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
    """What will go, and what nobody can reach."""
    asked.need_owner()
    memory, memory_id = asked.memory, memory_id_of(asked)
    told = memory.history(memory_id)
    values = {
        "version": told.versions[-1],
        "versions": len(told.versions),
        "copies": len(told.related),
        "beyond": BEYOND_REACH,
    }
    return ShowPage("memory_forget.html", "Forget this memory?", values)


def forget(asked: PageRequest) -> ShowPage:
    asked.need_owner()
    memory, memory_id = _begin(asked)
    if asked.sent("sure") != "1":
        raise InvalidInput("Nobody said that they are sure.", "Tick the box on the page before.")
    done = memory.forget(memory_id)
    return ShowPage("memory_forgotten.html", "Forgotten", {"done": done})


def _begin(asked: PageRequest) -> tuple[Memory, str]:
    asked.need_person()
    return asked.memory, memory_id_of(asked)


def memory_id_of(asked: PageRequest) -> str:
    """The id in the address. What cannot be one is not there."""
    try:
        return check_id(asked.path["id"])
    except InvalidInput as error:
        raise NotFound("There is no such memory.", "Search for it by its words.") from error


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
