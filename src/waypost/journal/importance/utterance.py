"""What one utterance shows about its importance, without history: points for relevance and for emphasis."""

from dataclasses import dataclass
from functools import lru_cache

from waypost.journal.importance.information import worth
from waypost.journal.importance.word_lists import ImportanceWords, UtteranceSentence, importance_words, sentences_of
from waypost.journal.statements.recognise import StatementKind, main_statement

LEAST_WORTH = 0.2  # of `worth`: from here the text states something about life or work; lower admits small talk
_CACHED = 20_000  # utterances: a year of them may be scored at once, each by several callers
ON_PURPOSE = "somebody noted it on purpose"
GOAL, TRAIT, PREFERENCE = "a stated personal goal", "a personal trait", "a preference or dislike"
DECISION, EVENT = "a decision, rule or strategy", "a stated event or fact"
LIFE_EVENT, HEALTH = "an event that changes a life", "about somebody's health"
PROMISE, RESULT = "a promise, a date or something to keep", "a result"
OWN_QUESTION = "a question about the person's own life"
_POINTS: dict[StatementKind, tuple[int, str]] = {
    "goal": (3, GOAL),
    "preference": (3, PREFERENCE),
    "fact": (3, TRAIT),
    "decision": (2, DECISION),
    "promise": (2, PROMISE),
    "result": (2, RESULT),
    "progress": (1, EVENT),
    "event": (1, EVENT),
    "remark": (1, EVENT),
}


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """Whether an utterance only asks, and whether it asks about the day."""

    asks: bool  # nothing but questions and commands
    passing: bool  # about things that nobody needs tomorrow: weather, TV, the time


@dataclass(frozen=True, slots=True)
class UtteranceReading:
    relevance: int  # 0-3
    about: str  # the reason for the points; empty without points
    explicit: int  # 0-2
    emphasis: str
    question: QuestionKind


@lru_cache(maxsize=_CACHED)
def question_kind(text: str, language: str) -> QuestionKind:
    """The cheap half of `read_utterance`: what topic mentions need of each utterance."""
    words, sentences = importance_words(language), sentences_of(text, language)
    asks = bool(sentences) and all(sentence.asks for sentence in sentences)
    if not asks:
        return QuestionKind(asks=False, passing=False)
    whole = _joined_text(sentences)
    momentary = words["momentary"].search(whole) is not None and words["first"].search(whole) is None
    passing = momentary or words["passing"].search(whole) is not None
    return QuestionKind(asks=True, passing=passing and not _explicit(words, sentences)[0])


@lru_cache(maxsize=_CACHED)
def read_utterance(text: str, language: str, kind: str = "conversation") -> UtteranceReading:
    """What a person's text shows about its importance."""
    words, sentences = importance_words(language), sentences_of(text, language)
    question = question_kind(text, language)
    relevance, about = _relevance(text, language, question)
    explicit, emphasis = _explicit(words, sentences)
    if explicit < 2 and about == GOAL and _is_planned(words, _joined_text(sentences)):
        explicit, emphasis = 2, "the goal is stated with a plan, a number or a date"
    if explicit < 2 and about == LIFE_EVENT:
        explicit, emphasis = 2, "it changes a life"
    if explicit == 0 and about == DECISION:
        explicit, emphasis = 1, "it is stated as settled"
    if kind == "preference":
        relevance, about = 3, "it is noted as a preference"
        explicit, emphasis = max(explicit, 1), emphasis or ON_PURPOSE
    if kind == "note" and explicit == 0 and not question.asks:
        explicit, emphasis = 1, ON_PURPOSE
    return UtteranceReading(relevance, about, explicit, emphasis, question)


def _relevance(text: str, language: str, question: QuestionKind) -> tuple[int, str]:
    if question.passing:
        return 0, ""
    statement = main_statement(text, language)
    if statement is None:
        own = importance_words(language)
        concerns = own["own"].search(text.lower()) or own["people"].search(text.lower())
        return (1, OWN_QUESTION) if question.asks and concerns else (0, "")
    if statement.is_milestone:
        return 3, LIFE_EVENT
    if statement.kind == "event" and statement.area == "health":
        return 3, HEALTH
    if statement.kind == "remark" and statement.area is None and worth(text, language) < LEAST_WORTH:
        return 0, ""
    return _POINTS[statement.kind]


def _is_planned(words: ImportanceWords, whole: str) -> bool:
    return any(words[name].search(whole) for name in ("horizon", "plan", "number", "dated"))


def _explicit(words: ImportanceWords, sentences: list[UtteranceSentence]) -> tuple[int, str]:
    for sentence in sentences:
        match = words["keep"].search(sentence.text)
        if match and not words["recalled"].search(sentence.text):
            return 2, f"asked to be kept (“{match[0].strip()}”)"
    for sentence in sentences:
        match = words["stress"].search(sentence.text)
        if match and not sentence.text.endswith("?") and not words["stress_not"].search(sentence.text):
            return 2, f"called important (“{match[0].strip()}”)"
    return 0, ""


def _joined_text(sentences: list[UtteranceSentence]) -> str:
    return " . ".join(sentence.text for sentence in sentences)
