"""Putting a memory right: every change a person can make to it. What cannot be undone asks first, on a page of its own."""

from typing import Any

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.faces.dashboard.asked import Asked, Go, Page, Place, Show
from waypost.flows.forget import BEYOND_REACH
from waypost.memory import Memory
from waypost.model.ids import check_id
from waypost.model.lifetime import parse_seconds
from waypost.model.memory import Version

_LONGEST = 200_000  # characters of a text


def correct(asked: Asked) -> Go:
    """It says something else from now on: the text that is sent, or what it said in the version numbered `before`."""
    memory, memory_id = _begin(asked)
    seen = asked.sent("seen", 20)
    if seen and seen != str(memory.show(memory_id).version.number):
        raise Refused(
            "Somebody has changed it since you looked.", "Go back, look at what it says now, and correct that."
        )
    before = asked.sent("before", 20)
    text = _said(memory, memory_id, before) if before else asked.sent("text", _LONGEST)
    memory.correct(memory_id, text)
    return asked.go("memory", memory_id, told="corrected")


def _said(memory: Memory, memory_id: str, number: str) -> str:
    for version in memory.history(memory_id).versions:
        if str(version.number) == number:
            return version.text
    raise NotFound("There is no such version of it.", "Look at its history again.")


def retract(asked: Asked) -> Go:
    memory, memory_id = _begin(asked)
    memory.retract(memory_id)
    return asked.go("memory", memory_id, told="retracted")


def reject(asked: Asked) -> Go:
    memory, memory_id = _begin(asked)
    memory.reject(memory_id)
    return asked.go("memory", memory_id, told="rejected")


def again(asked: Asked) -> Go:
    """Undo: what was taken back or rejected is said again, by the person who asks for it. It has another id from now on."""
    memory, memory_id = _begin(asked)
    version = memory.history(memory_id).versions[-1]
    if version.superseded_at is None:
        raise InvalidInput("It is still held.", "There is nothing to bring back.")
    options = _options(version)
    memory.lift(version.text, **options)
    receipt = memory.remember(version.text, **options)
    if receipt.id is None:
        raise InvalidInput(f"It was not remembered: {receipt.reason}.", "Say it in other words.")
    return asked.go("memory", receipt.id, told="remembered")


def protect(asked: Asked) -> Go:
    memory, memory_id = _begin(asked)
    on = asked.sent("on") != "0"
    memory.protect(memory_id, on=on)
    return asked.go("memory", memory_id, told="protected" if on else "released")


def verify(asked: Asked) -> Go:
    memory, memory_id = _begin(asked)
    done = memory.verify(memory_id)
    if not done.memories:
        raise InvalidInput(" ".join(done.left) or "There is nothing to verify.", "Relink it, or correct it.")
    return asked.go("memory", memory_id, told="verified")


def relink(asked: Asked) -> Go:
    """To the places that are given, one a line; without any, to where its code is now."""
    memory, memory_id = _begin(asked)
    places = [line.strip() for line in asked.sent("refs").splitlines() if line.strip()]
    drop = asked.sent("drop") == "1"
    done = memory.relink(memory_id, places or None, add=bool(places) and asked.sent("add") == "1", drop=drop)
    if not done.memories:
        raise InvalidInput(" ".join(done.left) or "There is nothing to relink.", "Give a place as src/app.py#L10-L20.")
    return asked.go("memory", memory_id, told="relinked")


def promote(asked: Asked) -> Go:
    memory, memory_id = _begin(asked)
    level = asked.sent("level", 1)
    if level and not (level.isascii() and level.isdigit()):
        raise InvalidInput("level is not a number.", "Choose one of the levels.")
    memory.promote(
        memory_id,
        int(level) if level else None,
        parent=asked.sent("parent", 40),
        domain=asked.sent("domain", 500),
        module=asked.sent("module", 500),
    )
    return asked.go("memory", memory_id, told="moved")


def set_ttl(asked: Asked) -> Go:
    memory, memory_id = _begin(asked)
    span, chosen = asked.sent("span", 20), asked.sent("class", 40)
    memory.set_ttl(
        memory_id,
        parse_seconds(span) if span else None,
        on_expire=(asked.sent("on_expire", 20) or None) if span or chosen else None,
        ttl_class=chosen or None,
    )
    return asked.go("memory", memory_id, told="lasting" if span or chosen else "unending")


def ask_to_forget(asked: Asked) -> Page:
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
    return Page("memory_forget.html", "Forget this memory?", values)


def forget(asked: Asked) -> Page:
    asked.need_owner()
    memory, memory_id = _begin(asked)
    if asked.sent("sure") != "1":
        raise InvalidInput("Nobody said that they are sure.", "Tick the box on the page before.")
    done = memory.forget(memory_id)
    asked.undoable.drop(asked.space_id)
    return Page("memory_forgotten.html", "Forgotten", {"done": done})


def _begin(asked: Asked) -> tuple[Memory, str]:
    asked.need_person()
    return asked.memory, memory_id_of(asked)


def memory_id_of(asked: Asked) -> str:
    """The id in the address. What cannot be one is not there."""
    try:
        return check_id(asked.path["id"])
    except InvalidInput as error:
        raise NotFound("There is no such memory.", "Search for it by its words.") from error


def _options(version: Version) -> dict[str, Any]:
    """As it would be remembered now."""
    options: dict[str, Any] = {
        "kind": version.kind,
        "level": version.level,
        "domain": version.domain,
        "module": version.module,
        "key": version.key,
        "session": version.session,
        "speaker": version.speaker,
        "time": version.time,
        "valid_from": version.valid_from,
        "valid_until": version.valid_until,
        "parent": version.parent,
        "evidence": version.evidence,
        "tags": dict(version.tags),
        "refs": [str(reference) for reference in version.refs],
    }
    return {name: value for name, value in options.items() if value not in (None, "", (), [], {})}


_ACTIONS: dict[str, Show] = {
    "correct": correct,
    "retract": retract,
    "reject": reject,
    "again": again,
    "protect": protect,
    "verify": verify,
    "relink": relink,
    "promote": promote,
    "ttl": set_ttl,
    "forget": forget,
}
CHANGES = (
    Place("/memory/{id}/forget", ask_to_forget, "search"),
    *(Place(f"/memory/{{id}}/{name}", do, "search", ("POST",)) for name, do in _ACTIONS.items()),
)
