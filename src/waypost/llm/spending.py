"""What a run may spend on a language model, and what it has spent. Nothing is sent that could pass the limit."""

from threading import Lock

from waypost.config import LlmServer
from waypost.errors import LlmLimit
from waypost.llm.protocol import Usage

_PRICED = 1_000_000  # tokens that a price is for


class Spending:
    """Counts for one run. Threads may share it: what is on its way counts as spent."""

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
        """In the currency of the prices; 0 without prices."""
        return self._cost(self._prompt, self._answer)

    def reserve(self, usage: Usage) -> None:
        """Count what a question may use at most, before it is sent. Raises `LlmLimit` and counts nothing instead."""
        with self._lock:
            prompt, answer = self._prompt + usage.prompt, self._answer + usage.answer
            most, dearest = self._server.max_tokens_per_run, self._server.max_cost_per_run
            if prompt + answer > most:
                raise LlmLimit(
                    f"This run may use {most} tokens of the language model, and {self.tokens} are used.",
                    "Raise max_tokens_per_run under [llm] in config.toml, or run again: what is done is kept.",
                )
            if dearest is not None and self._cost(prompt, answer) > dearest:
                raise LlmLimit(
                    f"This run may spend {dearest} on the language model, and {self.cost:.4f} is spent.",
                    "Raise max_cost_per_run under [llm] in config.toml, or run again: what is done is kept.",
                )
            self._prompt, self._answer = prompt, answer

    def correct(self, reserved: Usage, actual: Usage) -> None:
        """Put what was really used in the place of what was reserved."""
        with self._lock:
            self._prompt += actual.prompt - reserved.prompt
            self._answer += actual.answer - reserved.answer

    def _cost(self, prompt: int, answer: int) -> float:
        return (prompt * self._server.input_price + answer * self._server.output_price) / _PRICED
