"""What this memory and others let each other read: a part of the overview, with the way to end it."""

from waypost.errors import InvalidInput
from waypost.faces.dashboard.request_context import Go, PagePlace, PageRequest
from waypost.flows.share.agreements import Share


def shares_shown(asked: PageRequest) -> list[tuple[str, Share]]:
    """What there is to say of each share, the standing ones first."""
    found = sorted(asked.memory.admin.shares.list(), key=lambda one: one.state == "revoked")
    return [(one.says, one) for one in found]


def revoke(asked: PageRequest) -> Go:
    asked.need_person()
    role = asked.sent("role", 10)
    if role not in ("gives", "takes"):
        raise InvalidInput("It is not said what is to end.", "Use the button on the overview.")
    asked.memory.admin.shares.revoke(asked.sent("project", 40), role=role)
    return Go(asked.link() + "#shares")


def accept(asked: PageRequest) -> Go:
    asked.need_owner()
    asked.memory.admin.shares.accept(asked.sent("project", 40))
    return Go(asked.link() + "#shares")


PLACES = (
    PagePlace("/shares/revoke", revoke, "", ("POST",)),
    PagePlace("/shares/accept", accept, "", ("POST",)),
)
