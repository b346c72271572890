"""The door as the SDK wants a transport: a stream of messages in, and one out. Imports the SDK."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from waypost.faces.mcp.door import Door

_FINISH_WITHIN = 1.0  # seconds that running requests have when the client has closed its end; see life.LEAVE_WITHIN


async def serve(server: Server[Any], door: Door) -> None:
    """Let the server take over at the door, until the client goes."""
    async with streams(door) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


@asynccontextmanager
async def streams(
    door: Door,
) -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
]:
    """What the client says and said, and where to answer it."""
    heard, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, said = anyio.create_memory_object_stream[SessionMessage]()
    asked = _Asked()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_hear, door, heard, asked)
        tasks.start_soon(_say, door, said, asked)
        yield incoming, outgoing


@dataclass(slots=True)
class _Asked:
    """The requests that have no answer yet."""

    ids: set[str | int] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest):
            self.ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self.answered((message.params or {}).get("requestId"))

    def answered(self, request: Any) -> None:
        if isinstance(request, str | int):
            self.ids.discard(request)
            self.changed.set()

    async def all_answered(self) -> None:
        while self.ids:
            self.changed.clear()
            await self.changed.wait()


async def _hear(door: Door, heard: MemoryObjectSendStream[SessionMessage | Exception], asked: _Asked) -> None:
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()
    door.hand_over(lambda: _wake(loop, arrived))
    async with heard:
        try:
            while await arrived.wait():
                arrived.clear()
                for line in door.take():
                    if line is None:  # ended by the client; the server ends with this stream
                        with anyio.move_on_after(_FINISH_WITHIN):
                            await asked.all_answered()
                        return
                    await heard.send(_message(line, asked))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return  # the server has ended by itself


def _wake(loop: asyncio.AbstractEventLoop, arrived: asyncio.Event) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(arrived.set)


def _message(line: bytes, asked: _Asked) -> SessionMessage | Exception:
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return error
    asked.note(message)
    return SessionMessage(message)


async def _say(door: Door, said: MemoryObjectReceiveStream[SessionMessage], asked: _Asked) -> None:
    given = door.opening
    alone = anyio.CapacityLimiter(1)
    async with said:
        async for sent in said:
            message = sent.message
            answers = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
            if given is not None and answers == given and type(answers) is type(given):
                given = None
                if isinstance(message, JSONRPCError):
                    door.complain(f"The opening that was answered cannot be served: {message.error.message}.")
            else:
                line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                await anyio.to_thread.run_sync(door.write, line, limiter=alone)
            asked.answered(answers)
