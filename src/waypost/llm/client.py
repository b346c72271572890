"""A language model behind OpenAI's `/v1/chat/completions`. Used only if configured.

Answers are not trusted: sizes, shapes and numbers are checked, and no error message quotes them.
"""

import json
import re
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from threading import Lock
from typing import Any

from waypost.config import LlmServer, Settings
from waypost.errors import LlmError, LlmLimit, LlmRefused, LlmUnavailable, LlmUnusable
from waypost.llm.prompt import FRAME_TOKENS, count_tokens, render
from waypost.llm.protocol import Completion, Prompt, Usage
from waypost.wire import HttpServer, NoReply, ServerReply, retry, usable_key

_PATH = "/v1/chat/completions"
_PAUSES = tuple(min(30.0, 2.0**attempt) for attempt in range(10))  # seconds before each further attempt
_ANSWER_LIMIT = 8 << 20  # bytes
_ERROR_LIMIT = 1 << 16  # bytes of an error response to read
_MOST_TOKENS = 10**9  # larger counts are not plausible
# Options that some servers reject, and what to send instead.
_OPTIONS = {"max_tokens": "max_completion_tokens", "response_format": "", "temperature": ""}
_TOO_LONG = ("context_length", "context length", "context window", "context size", "too many tokens")
_FILTERED = ("content_filter", "content_policy")
_THOUGHTS = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)  # some models print their reasoning first
_CHECK = "Check [llm] in config.toml, or remove it: Waypost works without a language model."
_PRICED_TOKENS = 1_000_000  # prices are per this many tokens


def open_llm(settings: Settings, *, sleep: Callable[[float], None] = time.sleep) -> "OpenAiLlm | None":
    """The configured language model, with the spending limit of one run; None if none is configured."""
    return None if settings.llm is None else OpenAiLlm(settings.llm, dict(settings.secrets), sleep=sleep)


class Spending:
    """Counts the tokens of one run and enforces its limit. Threads may share it: reserved tokens count as spent."""

    def __init__(self, server: LlmServer) -> None:
        self._server = server
        self._lock = Lock()
        self._prompt = 0
        self._answer = 0

    @property
    def tokens(self) -> int:
        return self._prompt + self._answer

    @property
    def cost(self) -> float:
        """In the currency of the configured prices; 0 without prices."""
        return self._cost(self._prompt, self._answer)

    def reserve(self, usage: Usage) -> None:
        """Count the most that a question may use, before sending it. Raises `LlmLimit` if that passes the limit."""
        with self._lock:
            prompt, answer = self._prompt + usage.prompt, self._answer + usage.answer
            max_tokens, max_cost = self._server.max_tokens_per_run, self._server.max_cost_per_run
            if prompt + answer > max_tokens:
                raise LlmLimit(
                    f"This run may use {max_tokens} tokens of the language model, and {self.tokens} are used.",
                    "Raise max_tokens_per_run under [llm] in config.toml, or run again: finished work is kept.",
                )
            if max_cost is not None and self._cost(prompt, answer) > max_cost:
                raise LlmLimit(
                    f"This run may spend {max_cost} on the language model, and {self.cost:.4f} is spent.",
                    "Raise max_cost_per_run under [llm] in config.toml, or run again: finished work is kept.",
                )
            self._prompt, self._answer = prompt, answer

    def correct(self, reserved: Usage, actual: Usage) -> None:
        """Replace a reservation by the actual usage."""
        with self._lock:
            self._prompt += actual.prompt - reserved.prompt
            self._answer += actual.answer - reserved.answer

    def _cost(self, prompt: int, answer: int) -> float:
        return (prompt * self._server.input_price + answer * self._server.output_price) / _PRICED_TOKENS


class OpenAiLlm:
    """Sends questions to the server, with retries and within the run's spending limit."""

    def __init__(
        self, settings: LlmServer, secrets: dict[str, str], *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        variable = settings.api_key_variable
        key = usable_key(secrets, variable)
        if variable and not key:
            raise LlmUnavailable(f"{variable} has no API key.", f"Set the environment variable {variable}.")
        self._settings = settings
        self._sleep = sleep
        self._rejected_options: set[str] = set()
        self._server = HttpServer(
            settings.url,
            "language model",
            key=key,
            timeout_seconds=settings.timeout_seconds,
            largest_answer=_ANSWER_LIMIT,
        )
        self.spending = Spending(settings)

    @property
    def name(self) -> str:
        return self._settings.model

    def complete(self, prompt: Prompt, *, max_tokens: int, as_json: bool = False) -> Completion:
        max_tokens = min(max_tokens, self._settings.context_window // 2)
        system, user = render(prompt, self._settings.context_window - max_tokens)
        expected = Usage(FRAME_TOKENS + count_tokens(system) + count_tokens(user), max_tokens, estimated=True)
        reply = self._reply(lambda: self._question(system, user, max_tokens, as_json), expected)
        completion = self._completion(reply.body, expected)
        if not completion.text:
            raise self._unusable("an empty answer" + (" because it ran out of tokens" if completion.cut else ""))
        return completion

    def _question(self, system: str, user: str, max_tokens: int, as_json: bool) -> dict[str, Any]:
        options: dict[str, Any] = {"max_tokens": max_tokens, "temperature": self._settings.temperature}
        if as_json:
            options["response_format"] = {"type": "json_object"}
        for option in self._rejected_options & options.keys():
            value = options.pop(option)
            if _OPTIONS[option]:
                options[_OPTIONS[option]] = value
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return {"model": self._settings.model, "messages": messages, "stream": False, **options}

    def _reply(self, question: Callable[[], dict[str, Any]], expected: Usage) -> ServerReply:
        """A reply with status 200. Options that the server rejects are left out of the next attempt."""
        pauses = _PAUSES[: self._settings.retries]
        while True:
            body = question()
            try:
                reply = retry(partial(self._attempt, body, expected), pauses, self._sleep)
            except NoReply as error:
                raise self._unavailable(str(error)) from error
            if reply.status == HTTPStatus.OK:
                return reply
            complaint = reply.body[:_ERROR_LIMIT].decode("utf-8", "replace").lower()
            rejected = {option for option in _OPTIONS if option in complaint and option in body}
            if reply.status not in {400, 422} or not rejected or _contains_any(complaint, _TOO_LONG):
                raise self._failure(reply.status, complaint)
            self._rejected_options |= rejected

    def _attempt(self, question: dict[str, Any], expected: Usage) -> ServerReply:
        """Send once. Rejected questions cost nothing; unanswered ones may have used tokens and stay counted."""
        self.spending.reserve(expected)
        try:
            reply = self._server.post(_PATH, question)
        except NoReply as error:
            if not error.sent:
                self.spending.correct(expected, Usage())
            raise
        if reply.status != HTTPStatus.OK:
            self.spending.correct(expected, Usage())
        return reply

    def _completion(self, body: bytes, expected: Usage) -> Completion:
        """The completion in a reply. Its tokens count even if it is unusable; without one, the reservation stays."""
        try:
            answer = json.loads(body)
            choice = answer["choices"][0]
            message, reason = choice["message"], choice.get("finish_reason")
            text = _THOUGHTS.sub("", _text(message.get("content")), count=1).strip()
            refused = reason == "content_filter" or bool(message.get("refusal"))
            usage = _usage(answer.get("usage"), expected, text)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise self._unusable("something other than a chat completion") from error
        self.spending.correct(expected, usage)
        if refused:
            raise self._refused()
        return Completion(text, usage, reason == "length")

    def _failure(self, status: int, complaint: str) -> LlmError:
        model, variable = self._settings.model, self._settings.api_key_variable
        if status in {401, 403}:
            remedy = f"Check the key in {variable}." if variable else "Name the key's variable as api_key_variable."
            return self._unavailable(f"denied access (HTTP status {status})", remedy)
        if status == HTTPStatus.NOT_FOUND:
            remedy = f"Fetch the model (`ollama pull {model}`), or check url and model under [llm] in config.toml."
            return self._unavailable(f"has no model {model} or no such API (HTTP status 404)", remedy)
        if _contains_any(complaint, _TOO_LONG):
            remedy = "Lower context_window under [llm] in config.toml to the model's limit."
            return self._unavailable("rejected the question as too long", remedy)
        if _contains_any(complaint, _FILTERED):
            return self._refused()
        return self._unavailable(f"answered with HTTP status {status}")

    def _unavailable(self, what: str, remedy: str = _CHECK) -> LlmUnavailable:
        return LlmUnavailable(f"The language model at {self._server.address} {what}.", remedy)

    def _refused(self) -> LlmRefused:
        return LlmRefused(f"The language model {self.name} refused to answer.", "Continue without it for this text.")

    def _unusable(self, what: str) -> LlmUnusable:
        return LlmUnusable(f"The language model {self.name} gave {what}.", _CHECK)


def _contains_any(complaint: str, phrases: tuple[str, ...]) -> bool:
    return any(phrase in complaint for phrase in phrases)


def _text(content: Any) -> str:
    """The text of a string, of a list of parts, or of nothing, as in a refusal."""
    if content is None:
        return ""
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise TypeError("no text")
    return content


def _usage(reported: Any, expected: Usage, text: str) -> Usage:
    """The server's numbers if they are plausible, else an estimate."""
    prompt, answer = (_count(reported, key) for key in ("prompt_tokens", "completion_tokens"))
    if prompt is None or answer is None:
        return Usage(expected.prompt, count_tokens(text), estimated=True)
    return Usage(prompt, answer)


def _count(reported: Any, key: str) -> int | None:
    count = reported.get(key) if isinstance(reported, dict) else None
    return count if type(count) is int and 0 <= count <= _MOST_TOKENS else None
