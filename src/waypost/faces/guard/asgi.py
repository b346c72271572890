"""ASGI types, headers and the lifespan that the guard uses. Header names are lower-case."""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CALLER = "waypost.caller"  # the scope key of an admitted request's `TokenIdentity`
SPACE_HEADER = "Waypost-Space"  # with which an agent chooses one of the memories its token opens


def values(scope: Scope, name: bytes) -> list[bytes]:
    """All values of the header, in the order sent."""
    return [value for header, value in scope["headers"] if header == name]


def named_space(scope: Scope) -> str:
    """The value of the space header, or an empty string."""
    return b",".join(values(scope, SPACE_HEADER.lower().encode())).decode("latin-1").strip()


def with_lifespan(app: App, running: Callable[[], AbstractAsyncContextManager[None]]) -> App:
    """`app`, with `running` entered while the server runs."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        await receive()  # startup
        async with running():
            await send({"type": "lifespan.startup.complete"})
            await receive()  # shutdown
        await send({"type": "lifespan.shutdown.complete"})

    return application
