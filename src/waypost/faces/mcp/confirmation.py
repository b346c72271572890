"""How the person behind a client is asked: by a question of the protocol, or by an answer that the client comes back to."""

import asyncio
import hmac
import json
import secrets
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from waypost.errors import SecurityError
from waypost.faces.mcp.session import AnswerNeeded, no_way_to_ask
from waypost.faces.mcp.tool import Cancelled
from waypost.faces.mcp.workers import Workers

_KEY = secrets.token_bytes(32)  # so that only what was asked can be answered
_CONFIRM = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Yes", "description": "Yes, do this"}},
    "required": ["confirm"],
}

Context = ServerRequestContext[Any, Any]
Carries = types.CallToolRequestParams | types.ReadResourceRequestParams | types.GetPromptRequestParams


@dataclass(slots=True)
class Confirmation:
    """The questions of one request."""

    context: Context
    params: Carries
    workers: Workers
    loop: asyncio.AbstractEventLoop
    _open: "list[Future[types.ElicitResult]]" = field(default_factory=list)
    _ended: bool = False

    def ask(self, question: str) -> bool:
        """Called in a tool's thread. Later protocols ask by an answer that the client has to come back to."""
        able = self.context.session.client_capabilities
        if (
            able is None
            or able.elicitation is None
            or (able.elicitation.form is None and able.elicitation.url is not None)
        ):
            return no_way_to_ask(question)
        if self.context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = (self.params.input_responses or {}).get(_key(self.params, question))
            if answer is None:
                raise AnswerNeeded(question)
            return isinstance(answer, types.ElicitResult) and _is_yes(answer)
        return self._ask_now(question)

    def end(self) -> None:
        """Nobody waits for the request any more: neither does its thread for the person."""
        self._ended = True
        for one in self._open:
            one.cancel()

    def needed(self, question: str) -> types.InputRequiredResult:
        """The answer that asks."""
        form = types.ElicitRequestFormParams(message=sendable(question), requested_schema=_CONFIRM)
        return types.InputRequiredResult(input_requests={_key(self.params, question): types.ElicitRequest(params=form)})

    def _ask_now(self, question: str) -> bool:
        asked = self.context.session.elicit_form(sendable(question), _CONFIRM, self.context.request_id)
        waiting = asyncio.run_coroutine_threadsafe(asked, self.loop)
        self._open.append(waiting)
        if self._ended:
            waiting.cancel()
        try:
            with self.workers.aside():
                return _is_yes(waiting.result())
        except CancelledError as error:
            raise Cancelled from error
        except (MCPError, ValidationError) as error:
            raise SecurityError(
                "The person could not be asked; nothing was changed.", "Tell them, they can do it at a terminal."
            ) from error


def sendable(text: str) -> str:
    """Text as UTF-8 can carry it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_yes(answer: types.ElicitResult) -> bool:
    return answer.action == "accept" and (answer.content or {}).get("confirm") is True


def _key(params: Carries, question: str) -> str:
    """What an answer is filed under: that to another question, or about another memory, is none to this one."""
    asked = params.model_dump(include={"name", "arguments", "uri"}, mode="json")
    return hmac.digest(_KEY, json.dumps([asked, question], sort_keys=True).encode(), "sha256").hex()[:32]
