"""Closes event streams with a last event when the server stops, because they do not end on their own."""

import asyncio
from contextlib import suppress

from waypost.faces.guard.asgi import App, Message, Receive, Scope, Send

_LAST = b'event: end\ndata: {"reason": "the server is stopping"}\nretry: 1000\n\n'
_LAST_OF_MCP = b": the server is stopping\n\n"  # a comment: MCP clients parse every event as a message


class StreamShutdown:
    """Whether the server is stopping."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def begin(self) -> None:
        """Call it in the event loop."""
        self._event.set()

    def closing(self, app: App, *, is_mcp: bool = False) -> App:
        """`app` for requests that are answered with an event stream."""
        last = _LAST_OF_MCP if is_mcp else _LAST

        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            state = _State(send)
            work = asyncio.ensure_future(app(scope, receive, state.send))
            stopping = asyncio.ensure_future(self._event.wait())
            try:
                await asyncio.wait((work, stopping), return_when=asyncio.FIRST_COMPLETED)
                if work.done() or not state.streams:
                    await work
                    return
                work.cancel()
                with suppress(asyncio.CancelledError):
                    await work
                if not state.has_ended:
                    await send({"type": "http.response.body", "body": last, "more_body": False})
            finally:
                stopping.cancel()
                work.cancel()

        return application


class _State:
    def __init__(self, send: Send) -> None:
        self._send = send
        self.streams = self.has_ended = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.streams = is_stream(message)
        elif not message.get("more_body", False):
            self.has_ended = True
        await self._send(message)


def is_stream(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in message.get("headers", ())
    )
