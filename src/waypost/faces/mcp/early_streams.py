"""The early connection as a transport of the SDK: one stream of messages in, one out. Imports the SDK."""

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

from waypost.faces.mcp.early_handshake import EarlyConnection

_FINISH_WITHIN = 1.0  # seconds for running requests after the client has closed its end; see shutdown.LEAVE_WITHIN


async def serve(server: Server[Any], connection: EarlyConnection) -> None:
    """Run the server on the connection until the client disconnects."""
    async with streams(connection) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


@asynccontextmanager
async def streams(
    connection: EarlyConnection,
) -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
]:
    """Streams of the client's messages, queued ones first, and of the answers to it."""
    received, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, sent = anyio.create_memory_object_stream[SessionMessage]()
    requests = _OpenRequests()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_receive, connection, received, requests)
        tasks.start_soon(_send, connection, sent, requests)
        yield incoming, outgoing


@dataclass(slots=True)
class _OpenRequests:
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


async def _receive(
    connection: EarlyConnection, received: MemoryObjectSendStream[SessionMessage | Exception], requests: _OpenRequests
) -> None:
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()
    connection.hand_over(lambda: _wake(loop, arrived))
    async with received:
        try:
            while await arrived.wait():
                arrived.clear()
                for line in connection.take():
                    if line is None:  # the client has closed its end; the server ends with this stream
                        with anyio.move_on_after(_FINISH_WITHIN):
                            await requests.all_answered()
                        return
                    message = _message(line)
                    if message is not None:
                        requests.note(message)
                        await received.send(SessionMessage(message))
                    elif refusal := _refusal(line):
                        await anyio.to_thread.run_sync(connection.write, refusal)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return  # the server has ended


def _wake(loop: asyncio.AbstractEventLoop, arrived: asyncio.Event) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(arrived.set)


def _message(line: bytes) -> JSONRPCMessage | None:
    """The client's message, or None if the line is not one. Cut-off characters, which some clients send, are replaced."""
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        try:
            whole = json.dumps(_read(line), ensure_ascii=False)
            message = jsonrpc_message_adapter.validate_json(whole.encode("utf-8", "replace"), by_name=False)
        except (ValueError, RecursionError):  # includes ValidationError
            return None
    if isinstance(message, JSONRPCNotification) and b'"id"' in line:
        with contextlib.suppress(ValueError, RecursionError):
            if "id" in _read(line):  # null or a fraction: the client expects an answer, but the SDK sends none
                return None
    return message


def _refusal(line: bytes) -> bytes | None:
    """The error answer to a line that is not a message, or None if nobody waits. The SDK would not answer at all."""
    number, code, text = None, PARSE_ERROR, "This is not JSON."
    with contextlib.suppress(ValueError, RecursionError):
        message = _read(line)
        if isinstance(message, dict) and ("id" not in message or "method" not in message):
            return None
        code, text = INVALID_REQUEST, "This is not a JSON-RPC 2.0 request whose id is a string or an integer."
        if isinstance(message, list):
            text = "Batches are not supported. Send one message at a time."
        elif isinstance(message, dict) and type(message["id"]) in {str, int}:
            number = message["id"]
    answer = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}
    return json.dumps(answer).encode() + b"\n"


def _read(line: bytes) -> Any:
    return json.loads(line.decode("utf-8", "replace"))


async def _send(
    connection: EarlyConnection, outgoing: MemoryObjectReceiveStream[SessionMessage], requests: _OpenRequests
) -> None:
    answered_id = connection.opening
    one_at_a_time = anyio.CapacityLimiter(1)
    async with outgoing:
        async for envelope in outgoing:
            message = envelope.message
            answers = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
            if answered_id is not None and answers == answered_id and type(answers) is type(answered_id):
                answered_id = None
                if isinstance(message, JSONRPCError):
                    connection.fail(f"The answered opening cannot be served: {message.error.message}.")
            else:
                line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                await anyio.to_thread.run_sync(connection.write, line, limiter=one_at_a_time)
            requests.answered(answers)
