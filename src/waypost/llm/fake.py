"""A language model for tests: gives prepared answers and records the questions."""

from collections.abc import Sequence

from waypost.llm.prompt import count_tokens, render
from waypost.llm.protocol import Completion, Prompt, Usage


class FakeLlm:
    """Gives each of `answers` once, and the last one forever. `asked` has the questions a server would get."""

    name = "fake"

    def __init__(self, answers: Sequence[str], context_window: int = 8192) -> None:
        self._answers = list(answers)
        self._window = context_window
        self.asked: list[str] = []

    def complete(self, prompt: Prompt, *, max_tokens: int, as_json: bool = False) -> Completion:  # noqa: ARG002
        _, user = render(prompt, self._window - max_tokens)
        self.asked.append(user)
        text = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return Completion(text, Usage(count_tokens(user), count_tokens(text), estimated=True))
