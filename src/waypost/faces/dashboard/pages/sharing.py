"""Shares between this memory and others, as part of the overview."""

from waypost.errors import InvalidInput
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, Redirect
from waypost.flows.share.agreements import Share


def described_shares(request: PageRequest) -> list[tuple[str, Share]]:
    """Each share with its description, revoked ones last."""
    shares = sorted(request.memory.admin.shares.list(), key=lambda share: share.state == "revoked")
    return [(share.says, share) for share in shares]


def revoke(request: PageRequest) -> Redirect:
    request.need_person()
    role = request.sent("role", 10)
    if role not in ("gives", "takes"):
        raise InvalidInput("No direction given.", "Use the button on the overview.")
    request.memory.admin.shares.revoke(request.sent("project", 40), role=role)
    return Redirect(request.link() + "#shares")


def accept(request: PageRequest) -> Redirect:
    request.need_owner()
    request.memory.admin.shares.accept(request.sent("project", 40))
    return Redirect(request.link() + "#shares")


PAGES = (
    PageRoute("/shares/revoke", revoke, "", ("POST",)),
    PageRoute("/shares/accept", accept, "", ("POST",)),
)
