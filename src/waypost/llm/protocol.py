"""What the rest of the house knows of a language model. None is configured by default: callers take `Llm | None`."""

from dataclasses import dataclass, replace
from typing import Protocol


@dataclass(frozen=True, slots=True)
class QuotedText:
    """Text that others wrote. It is masked, cut where there is no room, and fenced as data before it is sent."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question: our words, with the texts of others as blocks among them."""

    system: str
    parts: tuple[str | QuotedText, ...]

    def and_then(self, words: str) -> "Prompt":
        """The same question with more of our words after it."""
        return replace(self, parts=(*self.parts, words))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the server tells them; `estimated` when it does not."""

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
    cut: bool = False  # it ended for want of tokens, not because all was said


class Llm(Protocol):
    @property
    def name(self) -> str:
        """Which model answers; stored beside what it wrote."""
        ...

    def complete(self, prompt: Prompt, *, max_tokens: int, as_json: bool = False) -> Completion:
        """The answer, never empty, in at most `max_tokens` tokens. Raises an `LlmError`."""
        ...
