"""What one utterance says about its own worth, without any history: points for what it is about and for emphasis."""

import re
from dataclasses import dataclass
from functools import lru_cache

from waypost.journal.importance.information import worth
from waypost.journal.importance.word_lists import ImportanceWords, UtteranceSentence, sentences_of, words_of

TOLD_WORTH = 0.2  # of `worth`: from here on something was told of somebody's life or work. Lower takes small talk in
_REMEMBERED = 20_000  # utterances: a year of them may be judged at once, each by several callers
ON_PURPOSE = "somebody noted it on purpose"
GOAL, TRAIT, PREFERENCE = "a stated personal goal", "a personal trait", "a preference or dislike"
DECISION, EVENT = "a decision, rule or strategy", "an event or fact that was told"


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """Whether an utterance only asks, and whether for something of the day."""

    asks: bool  # nothing but questions and commands
    passing: bool  # for what nobody wants to know tomorrow: weather, TV, the time


@dataclass(frozen=True, slots=True)
class UtteranceReading:
    relevance: int  # 0-3
    about: str  # why so many points, in words; empty for none
    explicit: int  # 0-2
    emphasis: str
    asking: QuestionKind


@lru_cache(maxsize=_REMEMBERED)
def asking_of(text: str, language: str) -> QuestionKind:
    """The cheap half of `read`: what the mentions of a topic need to know of each utterance."""
    words, sentences = words_of(language), sentences_of(text, language)
    asks = bool(sentences) and all(one.asks for one in sentences)
    if not asks:
        return QuestionKind(asks=False, passing=False)
    whole = _joined(sentences)
    momentary = words.momentary.search(whole) is not None and words.first.search(whole) is None
    passing = momentary or words.passing.search(whole) is not None
    return QuestionKind(asks=True, passing=passing and not _explicit(words, sentences)[0])


@lru_cache(maxsize=_REMEMBERED)
def read(text: str, language: str, kind: str = "conversation") -> UtteranceReading:
    """What a person's words say of themselves."""
    words, sentences = words_of(language), sentences_of(text, language)
    relevance, about = _relevance(text, language, words, sentences)
    explicit, emphasis = _explicit(words, sentences)
    if explicit < 2 and about == GOAL and _is_planned(words, _joined(sentences)):
        explicit, emphasis = 2, "the goal is stated with a plan, a number or a date"
    if explicit == 0 and about == DECISION:
        explicit, emphasis = 1, "it is stated as settled"
    if kind == "preference":
        relevance, about = 3, "it is noted as a preference"
        explicit, emphasis = max(explicit, 1), emphasis or ON_PURPOSE
    asking = asking_of(text, language)
    if kind == "note" and explicit == 0 and not asking.asks:
        explicit, emphasis = 1, ON_PURPOSE
    return UtteranceReading(relevance, about, explicit, emphasis, asking)


def _relevance(text: str, language: str, words: ImportanceWords, sentences: list[UtteranceSentence]) -> tuple[int, str]:
    told = [one for one in sentences if not one.asks]
    if _says(told, words.goal, words.not_goal):
        return 3, GOAL
    if _says(told, words.trait):
        return 3, TRAIT
    if _says(sentences, words.preference, words.not_preference):  # "Always answer in German" is a command
        return 3, PREFERENCE
    if _says(told, words.decision):
        return 2, DECISION
    if told and worth(text, language) >= TOLD_WORTH:
        return 1, EVENT
    return 0, ""


def _says(sentences: list[UtteranceSentence], wanted: re.Pattern[str], unless: re.Pattern[str] | None = None) -> bool:
    return any(
        wanted.search(one.text) and not (unless and unless.search(one.text)) and not one.text.endswith("?")
        for one in sentences
    )


def _is_planned(words: ImportanceWords, whole: str) -> bool:
    return any(pattern.search(whole) for pattern in (words.horizon, words.plan, words.number, words.dated))


def _explicit(words: ImportanceWords, sentences: list[UtteranceSentence]) -> tuple[int, str]:
    for one in sentences:
        found = words.keep.search(one.text)
        if found and not words.recalled.search(one.text):
            return 2, f"asked to be kept (“{found[0].strip()}”)"
    for one in sentences:
        found = words.stress.search(one.text)
        if found and not one.text.endswith("?") and not words.stress_not.search(one.text):
            return 2, f"called important (“{found[0].strip()}”)"
    return 0, ""


def _joined(sentences: list[UtteranceSentence]) -> str:
    return " . ".join(one.text for one in sentences)
