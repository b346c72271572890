"""How this memory is doing, and what has happened lately."""

from waypost.faces.dashboard.asked import Asked, Page, Place


def show(asked: Asked) -> Page:
    memory = asked.memory
    return Page("overview.html", "Overview", {"status": memory.status(), "recent": memory.audit(limit=12)})


PLACES = (Place("", show, ""),)
