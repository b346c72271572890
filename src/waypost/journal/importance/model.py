"""What Waypost asks a language model about the importance of utterances, and what it takes from the answer.

It takes the points for emphasis and relevance. Frequency and recency are counted, since they change with every mention;
the model gets the counts. A sum that does not add up is not believed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from waypost.journal.importance.utterance import QuestionKind, UtteranceReading, question_kind
from waypost.llm.prompt import quoted

AT_ONCE = 8  # utterances per question: about five questions for a day of forty
_LONGEST_TEXT = 1200  # characters sent of one utterance
_LONGEST_REASON = 400
_MOST = {"frequency_points": 3, "recency_points": 2, "explicit_points": 2, "relevance_points": 3}


@dataclass(frozen=True, slots=True)
class JudgedUtterance:
    """An utterance to judge, with what was counted."""

    text: str
    said: date
    mentions: int
    first: date


@dataclass(frozen=True, slots=True)
class ModelJudgement:
    """A model's points for an utterance."""

    explicit: int
    relevance: int
    reasoning: str = ""

    def reading(self, text: str, language: str, by: str) -> UtteranceReading:
        """The reading of an utterance with the model's points."""
        question = question_kind(text, language)
        passing = question.passing and not self.explicit and not self.relevance
        reason = f"judged by {by}" + (f": {self.reasoning}" if self.reasoning else "")
        kind = QuestionKind(question.asks, passing)
        return UtteranceReading(self.relevance, reason, self.explicit, f"emphasis as {by} sees it", kind)


def prompt_fields(candidates: Sequence[JudgedUtterance]) -> dict[str, str]:
    keys = ("n", "said", "mentions", "first", "words")
    rows = [
        (number, str(utterance.said), utterance.mentions, str(utterance.first), utterance.text[:_LONGEST_TEXT])
        for number, utterance in enumerate(candidates, 1)
    ]
    lines = (json.dumps(dict(zip(keys, row, strict=True)), ensure_ascii=False) for row in rows)
    return {"utterances": "\n".join(lines)}


def answers_from_json(answer: Any, count: int) -> dict[int, ModelJudgement]:
    """Judgements by index. Raises `ValueError` with a plain reason if the answer as a whole is unusable."""
    rows = answer.get("answers") if isinstance(answer, dict) and "answers" in answer else answer
    rows = [rows] if isinstance(rows, dict) else rows
    if not isinstance(rows, list):
        raise ValueError('it has no list "answers"')  # noqa: TRY004  # the answer is wrong, not the call
    judgements: dict[int, ModelJudgement] = {}
    problem = "it answers none of the utterances"
    for index, row in enumerate(rows[:count]):
        try:
            number, judgement = _read_row(row, index + 1)
        except ValueError as error:
            problem = str(error)
            continue
        if 1 <= number <= count and number - 1 not in judgements:
            judgements[number - 1] = judgement
    if not judgements:
        raise ValueError(problem)
    return judgements


def _read_row(row: Any, default_number: int) -> tuple[int, ModelJudgement]:
    if not isinstance(row, dict):
        raise ValueError("an answer is not a JSON object")  # noqa: TRY004
    for key, most in _MOST.items():
        points = row.get(key)
        if not isinstance(points, int) or isinstance(points, bool) or not 0 <= points <= most:
            raise ValueError(f"{key} is not a whole number from 0 to {most}")
    reasoning = row.get("reasoning")
    if not isinstance(reasoning, str) or not reasoning.strip():
        raise ValueError("reasoning is missing")
    number = row.get("n", default_number)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError("n is not a number")  # noqa: TRY004
    one_line = json.loads(quoted(reasoning))[:_LONGEST_REASON].rstrip(" .")  # without Waypost's own marks
    return number, ModelJudgement(row["explicit_points"], row["relevance_points"], one_line)
