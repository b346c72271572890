"""The interface of a language model. None is configured by default: callers take `Llm | None`."""

from dataclasses import dataclass, replace
from typing import Protocol


@dataclass(frozen=True, slots=True)
class QuotedText:
    """Untrusted text. It is masked, cut to fit, and fenced as data before it is sent."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question: our own text, with untrusted texts as blocks in it."""

    system: str
    parts: tuple[str | QuotedText, ...]

    def append(self, text: str) -> "Prompt":
        """The prompt with more of our own text at its end."""
        return replace(self, parts=(*self.parts, text))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as reported by the server, or `estimated`."""

    prompt: int = 0
    answer: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        return self.prompt + self.answer


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    usage: Usage
    cut: bool = False  # the answer was cut off at the token limit


class Llm(Protocol):
    @property
    def name(self) -> str:
        """The model's name, stored with its texts."""
        ...

    def complete(self, prompt: Prompt, *, max_tokens: int, as_json: bool = False) -> Completion:
        """The answer, never empty, in at most `max_tokens` tokens. Raises an `LlmError`."""
        ...
