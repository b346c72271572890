"""In whose hands a request works: the holder of the token, with the rights of the token."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Header, Path, Request
from fastapi.dependencies.models import Dependant
from starlette.concurrency import run_in_threadpool

from waypost.faces.guard.asgi import CALLER
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.rest.problems import ProblemError

if TYPE_CHECKING:
    from waypost.faces.rest.services import Services
    from waypost.memory import Memory

HERE = "here"  # stands for the memory that the server was started in

SpaceId = Annotated[
    str,
    Path(
        pattern="^(here|[0-9a-f]{16})$",
        description="The id of a memory, or `here`: the one that the server was started in.",
        examples=[HERE],
    ),
]


CheckoutId = Annotated[
    str | None,
    Header(
        alias="Waypost-Checkout",
        pattern="^[0-9a-f]{16}$",
        description="Show the memory as it was seen last in this checkout, one of those that the space names.",
    ),
]


@dataclass(frozen=True)  # without slots: what is opened once is kept
class Hands:
    """Who asks, and of which memory."""

    identity: TokenIdentity
    services: "Services"
    space: str  # an id, or HERE
    checkout: str | None = None  # as seen last in this one, wherever it is

    @property
    def space_id(self) -> str:
        return self.services.spaces.here if self.space == HERE else self.space

    @cached_property
    def memory(self) -> "Memory":
        """The memory in the caller's hands. Opens files: ask for it in a thread. Raises NotFound where there is none."""
        return self.services.spaces.memory(self.identity.caller, self.space_id, self.checkout)


def identity_of(request: Request) -> TokenIdentity:
    """Who sends this, as the gate found. Raises ProblemError where no gate stands before us."""
    found = request.scope.get(CALLER)
    if not isinstance(found, TokenIdentity):
        raise ProblemError(401, "A valid token is needed.", "Send it as a bearer token.")
    return found


def services_of(request: Request) -> "Services":
    services: Services = request.app.state.services
    return services


# Each of these is a right; what a route depends on says which it needs, also to the document. They only look at the
# request, so they run in the event loop, before anything of the body is judged.


async def comes(request: Request) -> Hands:
    """Whoever has a token, whatever it opens."""
    return Hands(identity_of(request), services_of(request), HERE)


async def reads_here(request: Request) -> Hands:
    return await _opening(await comes(request))


async def reads(request: Request, space: SpaceId, checkout: CheckoutId = None) -> Hands:
    return await _opening(Hands(identity_of(request), services_of(request), space, checkout))


async def writes_here(request: Request) -> Hands:
    return _writing(await reads_here(request))


async def writes(request: Request, space: SpaceId) -> Hands:
    return _writing(await reads(request, space))


async def owns(request: Request, space: SpaceId) -> Hands:
    return _owning(await decides(request, space))


async def owns_here(request: Request) -> Hands:
    return _owning(_deciding(await writes_here(request)))


async def decides(request: Request, space: SpaceId) -> Hands:
    return _deciding(await writes(request, space))


async def _opening(hands: Hands) -> Hands:
    if hands.space == HERE and hands.services.spaces.here_is_callers:
        hands = replace(hands, space=await run_in_threadpool(lambda: hands.space_id))
    hands.identity.check_opens(hands.space_id)
    return hands


def _writing(hands: Hands) -> Hands:
    hands.identity.check_writes(hands.space_id)
    return hands


def _deciding(hands: Hands) -> Hands:
    """GOV-1: what only a person may decide, no agent's token does."""
    if hands.identity.kind != "person":
        raise ProblemError(
            403,
            "Only a person decides this; the token is an agent's.",
            "Ask the person to do it in the dashboard, at a terminal, or with the owner's token.",
        )
    return hands


def _owning(hands: Hands) -> Hands:
    if not hands.identity.owns(hands.space_id):
        raise ProblemError(
            403, "Only an owner of this memory may do this.", "Ask one of them: `waypost team member list` names them."
        )
    return hands


Anybody = Annotated[Hands, Depends(comes)]
Reader = Annotated[Hands, Depends(reads)]
Writer = Annotated[Hands, Depends(writes)]
Person = Annotated[Hands, Depends(decides)]
Owner = Annotated[Hands, Depends(owns)]
ReaderHere = Annotated[Hands, Depends(reads_here)]
WriterHere = Annotated[Hands, Depends(writes_here)]
OwnerHere = Annotated[Hands, Depends(owns_here)]

_DECIDING = frozenset({decides, owns, owns_here})
_WRITING = _DECIDING | {writes, writes_here}
_HERE = frozenset({writes_here, owns_here})


def wants_to_write(dependant: Dependant) -> bool:
    return not _WRITING.isdisjoint(_calls(dependant))


def right_to_write(dependant: Dependant) -> Callable[[Request], Awaitable[Hands]] | None:
    """The right that a route which writes asks for, to be asked before its body is judged; None: it only reads."""
    found = next((call for call in _calls(dependant) if call in _WRITING), None)
    if found is None or found in _HERE:
        return found

    async def right(request: Request) -> Hands:
        return await found(request, request.path_params["space"])  # type: ignore[operator,no-any-return]

    return right


def wants_to_decide(dependant: Dependant) -> bool:
    return not _DECIDING.isdisjoint(_calls(dependant))


def _calls(dependant: Dependant) -> Iterable[object]:
    for inner in dependant.dependencies:
        yield inner.call
        yield from _calls(inner)
