"""Asks the client's user to confirm: during the request, or in newer protocols by a result the client must answer."""

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

_KEY = secrets.token_bytes(32)  # so that clients cannot answer questions that were never asked
_CONFIRM = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Yes", "description": "Yes, do this"}},
    "required": ["confirm"],
}

Context = ServerRequestContext[Any, Any]
AnswerableParams = types.CallToolRequestParams | types.ReadResourceRequestParams | types.GetPromptRequestParams


@dataclass(slots=True)
class Confirmation:
    context: Context
    params: AnswerableParams
    workers: Workers
    loop: asyncio.AbstractEventLoop
    _open: "list[Future[types.ElicitResult]]" = field(default_factory=list)
    _ended: bool = False

    def ask(self, question: str) -> bool:
        """Ask and wait; called in a tool's thread. In newer protocols raises `AnswerNeeded` instead of waiting."""
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
        """Stop waiting for answers, because the request has ended."""
        self._ended = True
        for question in self._open:
            question.cancel()

    def needed(self, question: str) -> types.InputRequiredResult:
        form = types.ElicitRequestFormParams(message=sendable(question), requested_schema=_CONFIRM)
        return types.InputRequiredResult(input_requests={_key(self.params, question): types.ElicitRequest(params=form)})

    def _ask_now(self, question: str) -> bool:
        request = self.context.session.elicit_form(sendable(question), _CONFIRM, self.context.request_id)
        waiting = asyncio.run_coroutine_threadsafe(request, self.loop)
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
                "The user could not be asked; nothing was changed.", "Ask them to do it at a terminal."
            ) from error


def sendable(text: str) -> str:
    """Text without characters that UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_yes(answer: types.ElicitResult) -> bool:
    return answer.action == "accept" and (answer.content or {}).get("confirm") is True


def _key(params: AnswerableParams, question: str) -> str:
    """The key of an answer, bound to the question and the arguments, so that no other answer can be used."""
    subject = params.model_dump(include={"name", "arguments", "uri"}, mode="json")
    return hmac.digest(_KEY, json.dumps([subject, question], sort_keys=True).encode(), "sha256").hex()[:32]
