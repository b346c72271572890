"""The caller of a request: the token's identity, its rights, and the memory it asks for. Also what all routes share."""

import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Header, Path, Request
from fastapi.dependencies.models import Dependant
from starlette.concurrency import run_in_threadpool

from waypost.faces.guard.asgi import CALLER
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.rest.problems import ProblemError
from waypost.model.time import Clock

if TYPE_CHECKING:
    from waypost.faces.rest.jobs import Jobs
    from waypost.faces.rest.replies import Replies
    from waypost.faces.rest.streams import Streams
    from waypost.memory import Memory
    from waypost.memory.catalog import Spaces

HERE = "here"  # the memory that the server was started in

SpaceId = Annotated[
    str,
    Path(
        pattern="^(here|[0-9a-f]{16})$",
        description="A memory's id, or `here` for the memory that the server was started in.",
        examples=[HERE],
    ),
]


CheckoutId = Annotated[
    str | None,
    Header(
        alias="Waypost-Checkout",
        pattern="^[0-9a-f]{16}$",
        description="Show the memory as last seen in this checkout, one of those listed for the space.",
    ),
]


@dataclass(frozen=True)  # without slots: cached_property needs a dict
class SpaceAccess:
    identity: TokenIdentity
    services: "Services"
    space: str  # an id, or HERE
    checkout: str | None = None  # show the memory as last seen in this checkout

    @property
    def space_id(self) -> str:
        return self.services.spaces.here if self.space == HERE else self.space

    @cached_property
    def memory(self) -> "Memory":
        """The memory with the caller's rights. Opens files, so call it in a thread. Raises NotFound if it does not exist."""
        return self.services.spaces.memory(self.identity.caller, self.space_id, self.checkout)


def identity_of(request: Request) -> TokenIdentity:
    """The identity set by the gate. Raises ProblemError if no gate runs in front."""
    identity = request.scope.get(CALLER)
    if not isinstance(identity, TokenIdentity):
        raise ProblemError(401, "A valid token is needed.", "Send it as a bearer token.")
    return identity


def services_of(request: Request) -> "Services":
    services: Services = request.app.state.services
    return services


_NO_SPACE = "-"  # the id of no memory
_STRIPES = 64  # memories that share a lock sometimes wait for each other


class MemoryLocks:
    """Locks for requests that read a memory and then change it."""

    def __init__(self) -> None:
        self._locks = tuple(threading.Lock() for _ in range(_STRIPES))

    @contextmanager
    def of(self, space_id: str, memory_id: str) -> Iterator[None]:
        with self._locks[hash((space_id, memory_id.lower())) % _STRIPES]:
            yield


@dataclass(frozen=True, slots=True)
class Services:
    spaces: "Spaces"
    jobs: "Jobs"
    replies: "Replies"
    streams: "Streams"
    locks: MemoryLocks
    clock: Clock


# Each dependency is a right. Routes declare the one they need, which OpenAPI also documents. They only read the request,
# so they run in the event loop, before the body is validated.


async def any_token(request: Request) -> SpaceAccess:
    """Any valid token, whatever memory it opens."""
    return SpaceAccess(identity_of(request), services_of(request), HERE)


async def may_read_here(request: Request) -> SpaceAccess:
    return await _check_opens(await any_token(request))


async def may_read(request: Request, space: SpaceId, checkout: CheckoutId = None) -> SpaceAccess:
    return await _check_opens(SpaceAccess(identity_of(request), services_of(request), space, checkout))


async def may_write_here(request: Request) -> SpaceAccess:
    return _check_writes(await may_read_here(request))


async def may_write(request: Request, space: SpaceId) -> SpaceAccess:
    return _check_writes(await may_read(request, space))


async def may_write_anywhere(request: Request) -> SpaceAccess:
    """A token that can write to every memory, also to those that do not exist yet."""
    access = await any_token(request)
    access.identity.check_opens(_NO_SPACE)
    access.identity.check_writes(_NO_SPACE)
    return access


async def must_own(request: Request, space: SpaceId) -> SpaceAccess:
    return _check_owns(await must_be_person(request, space))


async def must_own_here(request: Request) -> SpaceAccess:
    return _check_owns(_check_person(await may_write_here(request)))


async def must_be_person(request: Request, space: SpaceId) -> SpaceAccess:
    return _check_person(await may_write(request, space))


async def _check_opens(access: SpaceAccess) -> SpaceAccess:
    if access.space == HERE and access.services.spaces.here_is_callers:
        access = replace(access, space=await run_in_threadpool(lambda: access.space_id))
    access.identity.check_opens(access.space_id)
    return access


def _check_writes(access: SpaceAccess) -> SpaceAccess:
    access.identity.check_writes(access.space_id)
    return access


def _check_person(access: SpaceAccess) -> SpaceAccess:
    """Only a person's token can do what only a person may decide."""
    if access.identity.kind != "person":
        raise ProblemError(
            403,
            "Only a person can decide this; the token belongs to an agent.",
            "Ask the user to do it in the dashboard, at a terminal, or with the owner's token.",
        )
    return access


def _check_owns(access: SpaceAccess) -> SpaceAccess:
    if not access.identity.owns(access.space_id):
        raise ProblemError(
            403, "Only an owner of this memory can do this.", "Owners are listed by `waypost team member list`."
        )
    return access


Anybody = Annotated[SpaceAccess, Depends(any_token)]
Reader = Annotated[SpaceAccess, Depends(may_read)]
Writer = Annotated[SpaceAccess, Depends(may_write)]
Person = Annotated[SpaceAccess, Depends(must_be_person)]
Anywhere = Annotated[SpaceAccess, Depends(may_write_anywhere)]
Owner = Annotated[SpaceAccess, Depends(must_own)]
ReaderHere = Annotated[SpaceAccess, Depends(may_read_here)]
WriterHere = Annotated[SpaceAccess, Depends(may_write_here)]
OwnerHere = Annotated[SpaceAccess, Depends(must_own_here)]

_DECIDING = frozenset({must_be_person, must_own, must_own_here})
_WRITING = _DECIDING | {may_write, may_write_here, may_write_anywhere}
_HERE = frozenset({may_write_here, must_own_here, may_write_anywhere})


def wants_to_write(dependant: Dependant) -> bool:
    return not _WRITING.isdisjoint(_calls(dependant))


def right_to_write(dependant: Dependant) -> Callable[[Request], Awaitable[SpaceAccess]] | None:
    """The right that a writing route needs, to check before its body is validated. None if it only reads."""
    needed = next((call for call in _calls(dependant) if call in _WRITING), None)
    if needed is None or needed in _HERE:
        return needed

    async def check_right(request: Request) -> SpaceAccess:
        return await needed(request, request.path_params["space"])  # type: ignore[operator,no-any-return]

    return check_right


def wants_to_decide(dependant: Dependant) -> bool:
    return not _DECIDING.isdisjoint(_calls(dependant))


def _calls(dependant: Dependant) -> Iterable[object]:
    for inner in dependant.dependencies:
        yield inner.call
        yield from _calls(inner)
