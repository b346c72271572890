"""Startup and shutdown in ASGI."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from waypost.faces.guard.asgi import App, Receive, Scope, Send


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
