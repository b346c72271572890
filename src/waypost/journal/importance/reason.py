"""The reason of a score as one sentence in the reader's language. It never quotes the text."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.journal.importance.utterance import OWN_QUESTION, question_kind, read_utterance
from waypost.journal.importance.word_lists import importance_words
from waypost.journal.statements.recognise import main_statement
from waypost.model.journal import Score

_MARKED = 2  # explicit points


def reason_of(
    score: Score, text: str, language: str, role: str, shown_in: str = "en", *, form: str = "sentence"
) -> str:
    """Why a text has this score, in one sentence. `language` is that of the text, `shown_in` that of the sentence.

    The form `after_level` goes after the level in words.
    """
    words = _phrases(shown_in)
    kind = kind_of(text, language) if role == "person" else "answer"
    reasons = [str(words[kind])]
    is_marked = score.explicit_points == _MARKED and kind not in ("life_event", "answer")
    if is_marked and any(importance_words(language)[name].search(text.lower()) for name in ("keep", "stress")):
        reasons.append(str(words["marked"]))
    reasons += [str(words["frequency"][min(3, score.frequency_points)])]
    reasons += [str(words["recency"][min(2, score.recency_points)])]
    *first, last = [reason for reason in reasons if reason]
    joined = str(words["last"]).join([str(words["join"]).join(first), last]) if first else last
    return str(words[form]).format(score=score.score, reasons=joined)


def kind_of(text: str, language: str) -> str:
    """What a person's text is, as a key of the phrases."""
    question = question_kind(text, language)
    if question.passing:
        return "passing"
    statement = main_statement(text, language)
    if statement is None:
        if not question.asks:
            return "talk"
        return "own_question" if read_utterance(text, language).about == OWN_QUESTION else "question"
    if statement.is_milestone:
        return "life_event"
    return "health" if statement.kind == "event" and statement.area == "health" else statement.kind


@cache
def _phrases(language: str) -> dict[str, Any]:
    table = tomllib.loads((files("waypost.journal") / "data" / "importance_reasons.toml").read_text("utf-8"))
    phrases: dict[str, Any] = table.get(language, table["en"])
    return phrases
