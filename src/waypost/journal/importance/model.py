"""What a language model is asked about the worth of utterances, and what is taken from its answer.

Its points for emphasis and for what the words are about are taken. Frequency and recency are counted, not guessed: they
change with every mention, and what was counted is told to the model. A sum that is none is not believed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from waypost.journal.importance.utterance import QuestionKind, UtteranceReading, asking_of
from waypost.llm.prompt import quoted

AT_ONCE = 8  # utterances in one question: about five questions for a day of forty
_LONGEST_TEXT = 1200  # characters of an utterance that are sent
_LONGEST_REASON = 400
_MOST = {"frequency_points": 3, "recency_points": 2, "explicit_points": 2, "relevance_points": 3}


@dataclass(frozen=True, slots=True)
class JudgedUtterance:
    """An utterance to be judged, with what was counted."""

    text: str
    said: date
    mentions: int
    first: date


@dataclass(frozen=True, slots=True)
class Judged:
    """What a model made of an utterance."""

    explicit: int
    relevance: int
    reasoning: str = ""

    def reading(self, text: str, language: str, by: str) -> UtteranceReading:
        """As if the words had said so themselves."""
        asking = asking_of(text, language)
        passing = asking.passing and not self.explicit and not self.relevance
        told = f"judged by {by}" + (f": {self.reasoning}" if self.reasoning else "")
        return UtteranceReading(
            self.relevance, told, self.explicit, f"emphasis as {by} sees it", QuestionKind(asking.asks, passing)
        )


def prompt_fields(candidates: Sequence[JudgedUtterance]) -> dict[str, str]:
    lines = [
        json.dumps(
            {
                "n": number,
                "said": one.said.isoformat(),
                "mentions": one.mentions,
                "first": one.first.isoformat(),
                "words": one.text[:_LONGEST_TEXT],
            },
            ensure_ascii=False,
        )
        for number, one in enumerate(candidates, 1)
    ]
    return {"utterances": "\n".join(lines)}


def answers_from_json(answer: Any, count: int) -> dict[int, Judged]:
    """By place. Raises `ValueError` with a plain reason for an answer that cannot be used as a whole."""
    rows = answer.get("answers") if isinstance(answer, dict) and "answers" in answer else answer
    rows = [rows] if isinstance(rows, dict) else rows
    if not isinstance(rows, list):
        raise ValueError('it has no list "answers"')  # noqa: TRY004  # the answer is wrong, not the call
    found: dict[int, Judged] = {}
    problem = "it answers none of the utterances"
    for place, row in enumerate(rows[:count]):
        try:
            number, judged = _row(row, place + 1)
        except ValueError as error:
            problem = str(error)
            continue
        if 1 <= number <= count and number - 1 not in found:
            found[number - 1] = judged
    if not found:
        raise ValueError(problem)
    return found


def _row(row: Any, place: int) -> tuple[int, Judged]:
    if not isinstance(row, dict):
        raise ValueError("an answer is no JSON object")  # noqa: TRY004
    for key, most in _MOST.items():
        points = row.get(key)
        if not isinstance(points, int) or isinstance(points, bool) or not 0 <= points <= most:
            raise ValueError(f"{key} is no whole number from 0 to {most}")
    reasoning = row.get("reasoning")
    if not isinstance(reasoning, str) or not reasoning.strip():
        raise ValueError("reasoning is missing")
    number = row.get("n", place)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError("n is no number")  # noqa: TRY004
    plain = json.loads(quoted(reasoning))[:_LONGEST_REASON].rstrip(" .")  # on one line, without our own marks
    return number, Judged(row["explicit_points"], row["relevance_points"], plain)
