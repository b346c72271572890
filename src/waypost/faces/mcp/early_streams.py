"""The door as the SDK wants a transport: a stream of messages in, and one out. Imports the SDK."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from waypost.faces.mcp.early_handshake import Door

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
                    message = _message(line)
                    if message is not None:
                        asked.note(message)
                        await heard.send(SessionMessage(message))
                    elif refusal := _refusal(line):
                        await anyio.to_thread.run_sync(door.write, refusal)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return  # the server has ended by itself


def _wake(loop: asyncio.AbstractEventLoop, arrived: asyncio.Event) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(arrived.set)


def _message(line: bytes) -> JSONRPCMessage | None:
    """What the client says; None for what is no message. Half a character, as clients write that cut texts, is replaced."""
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        try:
            whole = json.dumps(_read(line), ensure_ascii=False)
            message = jsonrpc_message_adapter.validate_json(whole.encode("utf-8", "replace"), by_name=False)
        except (ValueError, RecursionError):  # also the error of validation
            return None
    if isinstance(message, JSONRPCNotification) and b'"id"' in line:
        with contextlib.suppress(ValueError, RecursionError):
            if "id" in _read(line):  # null or a fraction: it wants an answer, and the SDK gives none
                return None
    return message


def _refusal(line: bytes) -> bytes | None:
    """The answer to what is no message: the SDK gives none, and a client would wait for it. None where nobody waits."""
    number, code, text = None, PARSE_ERROR, "This is no JSON."
    with contextlib.suppress(ValueError, RecursionError):
        said = _read(line)
        if isinstance(said, dict) and ("id" not in said or "method" not in said):
            return None
        code, text = INVALID_REQUEST, "This is no request of JSON-RPC 2.0, with an id that is a text or a whole number."
        if isinstance(said, list):
            text = "Messages come one by one, not as a list."
        elif isinstance(said, dict) and type(said["id"]) in {str, int}:
            number = said["id"]
    answer = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}
    return json.dumps(answer).encode() + b"\n"


def _read(line: bytes) -> Any:
    return json.loads(line.decode("utf-8", "replace"))


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
