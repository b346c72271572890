"""Shares between this memory and others, as part of the overview."""

from waypost.errors import InvalidInput
from waypost.faces.dashboard.request_context import Go, PagePlace, PageRequest
from waypost.flows.share.agreements import Share


def shares_shown(asked: PageRequest) -> list[tuple[str, Share]]:
    """Each share with its description, revoked ones last."""
    shares = sorted(asked.memory.admin.shares.list(), key=lambda share: share.state == "revoked")
    return [(share.says, share) for share in shares]


def revoke(asked: PageRequest) -> Go:
    asked.need_person()
    role = asked.sent("role", 10)
    if role not in ("gives", "takes"):
        raise InvalidInput("No direction given.", "Use the button on the overview.")
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
