"""A language model behind OpenAI's `/v1/chat/completions`. Only by configuration, never by default.

What such a server answers is not trusted: sizes, shapes and numbers are checked, and no error repeats its words.
"""

import json
import re
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from waypost.config import LlmServer, Settings
from waypost.errors import LlmError, LlmRefused, LlmUnavailable, LlmUnusable
from waypost.llm.prompt import FRAME_TOKENS, count_tokens, render
from waypost.llm.protocol import Completion, Prompt, Usage
from waypost.llm.spending import Spending
from waypost.wire import HttpServer, NoReply, ServerReply, patiently, usable_key

_PATH = "/v1/chat/completions"
_PAUSES = tuple(min(30.0, 2.0**attempt) for attempt in range(10))  # seconds before each further attempt
_ANSWER_LIMIT = 8 << 20  # bytes
_ERROR_LIMIT = 1 << 16  # characters of an error that are looked at
_MOST_TOKENS = 10**9  # a count beyond is no count
# What some servers or models do not take, and what they want instead.
_OPTIONS = {"max_tokens": "max_completion_tokens", "response_format": "", "temperature": ""}
_TOO_LONG = ("context_length", "context length", "context window", "context size", "too many tokens")
_FILTERED = ("content_filter", "content_policy")
_THOUGHTS = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)  # some models think aloud first
_CHECK = "Check [llm] in config.toml, or remove it: everything works without a language model."


def open_llm(settings: Settings, *, sleep: Callable[[float], None] = time.sleep) -> "OpenAiLlm | None":
    """The configured language model for one run, with that run's limit; None when none is configured."""
    return None if settings.llm is None else OpenAiLlm(settings.llm, dict(settings.secrets), sleep=sleep)


class OpenAiLlm:
    """Asks the server, with bounded patience and within what the run may spend."""

    def __init__(
        self, settings: LlmServer, secrets: dict[str, str], *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        variable = settings.api_key_variable
        key = usable_key(secrets, variable)
        if variable and not key:
            raise LlmUnavailable(f"{variable} holds no API key.", f"Set the environment variable {variable}.")
        self._settings = settings
        self._sleep = sleep
        self._left_out: set[str] = set()
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
            raise self._unusable("an empty answer" + (" for want of tokens" if completion.cut else ""))
        return completion

    def _question(self, system: str, user: str, max_tokens: int, as_json: bool) -> dict[str, Any]:
        options: dict[str, Any] = {"max_tokens": max_tokens, "temperature": self._settings.temperature}
        if as_json:
            options["response_format"] = {"type": "json_object"}
        for option in self._left_out & options.keys():
            value = options.pop(option)
            if _OPTIONS[option]:
                options[_OPTIONS[option]] = value
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return {"model": self._settings.model, "messages": messages, "stream": False, **options}

    def _reply(self, question: Callable[[], dict[str, Any]], expected: Usage) -> ServerReply:
        """A reply with status 200; asked again without an option that the server does not take."""
        pauses = _PAUSES[: self._settings.retries]
        while True:
            asked = question()
            try:
                reply = patiently(partial(self._attempt, asked, expected), pauses, self._sleep)
            except NoReply as error:
                raise self._unavailable(str(error)) from error
            if reply.status == HTTPStatus.OK:
                return reply
            complaint = reply.body[:_ERROR_LIMIT].decode("utf-8", "replace").lower()
            refused = {option for option in _OPTIONS if option in complaint and option in asked}
            if reply.status not in {400, 422} or not refused or _says(complaint, _TOO_LONG):
                raise self._failure(reply.status, complaint)
            self._left_out |= refused

    def _attempt(self, question: dict[str, Any], expected: Usage) -> ServerReply:
        """Ask once. What got no answer may have been worked on and stays counted; what was turned away does not."""
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
        """What the reply holds. The tokens are counted even if it cannot be used; all that was reserved if it is none."""
        try:
            answer = json.loads(body)
            choice = answer["choices"][0]
            message, reason = choice["message"], choice.get("finish_reason")
            text = _THOUGHTS.sub("", _text(message.get("content")), count=1).strip()
            refused = reason == "content_filter" or bool(message.get("refusal"))
            usage = _usage(answer.get("usage"), expected, text)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise self._unusable("something that is no chat completion") from error
        self.spending.correct(expected, usage)
        if refused:
            raise self._refused()
        return Completion(text, usage, reason == "length")

    def _failure(self, status: int, complaint: str) -> LlmError:
        model, variable = self._settings.model, self._settings.api_key_variable
        if status in {401, 403}:
            remedy = f"Check the key in {variable}." if variable else "Name the key's variable as api_key_variable."
            return self._unavailable(f"did not let us in (HTTP status {status})", remedy)
        if status == HTTPStatus.NOT_FOUND:
            remedy = f"Fetch the model (`ollama pull {model}`), or check url and model under [llm] in config.toml."
            return self._unavailable(f"does not know the model {model} or is no such server (HTTP status 404)", remedy)
        if _says(complaint, _TOO_LONG):
            remedy = "Lower context_window under [llm] in config.toml to what the model takes."
            return self._unavailable("takes no question of this length", remedy)
        if _says(complaint, _FILTERED):
            return self._refused()
        return self._unavailable(f"answered with HTTP status {status}")

    def _unavailable(self, what: str, remedy: str = _CHECK) -> LlmUnavailable:
        return LlmUnavailable(f"The language model at {self._server.address} {what}.", remedy)

    def _refused(self) -> LlmRefused:
        return LlmRefused(f"The language model {self.name} refused to answer.", "Go on without it for this text.")

    def _unusable(self, what: str) -> LlmUnusable:
        return LlmUnusable(f"The language model {self.name} gave {what}.", _CHECK)


def _says(complaint: str, signs: tuple[str, ...]) -> bool:
    return any(sign in complaint for sign in signs)


def _text(content: Any) -> str:
    """Of a string, of a list of parts of which some are text, or of nothing, as beside a refusal."""
    if content is None:
        return ""
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise TypeError("no text")
    return content


def _usage(told: Any, expected: Usage, text: str) -> Usage:
    """As the server tells it, where it tells numbers that can be."""
    prompt, answer = (_count(told, key) for key in ("prompt_tokens", "completion_tokens"))
    if prompt is None or answer is None:
        return Usage(expected.prompt, count_tokens(text), estimated=True)
    return Usage(prompt, answer)


def _count(told: Any, key: str) -> int | None:
    count = told.get(key) if isinstance(told, dict) else None
    return count if type(count) is int and 0 <= count <= _MOST_TOKENS else None
