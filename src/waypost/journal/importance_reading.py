"""What one utterance says about its own worth, without any history: points for what it is about and for emphasis."""

from dataclasses import dataclass
from functools import lru_cache

from waypost.journal.importance_words import Sentence, Words, sentences_of, words_of
from waypost.journal.importance_worth import worth

EVENT_WORTH = 0.5  # from here on a statement is taken for something that happened in somebody's life
_REMEMBERED = 20_000  # utterances: a year of them is judged anew every night


@dataclass(frozen=True, slots=True)
class Reading:
    relevance: int  # 0-3
    about: str  # why so many points, in words; empty for none
    explicit: int  # 0-2
    emphasis: str
    asks: bool  # nothing but questions and commands
    passing: bool  # asks for what nobody wants to know tomorrow: weather, TV, the time


NOTHING = Reading(0, "", 0, "", asks=False, passing=False)


@lru_cache(maxsize=_REMEMBERED)
def read(text: str, language: str, kind: str = "conversation") -> Reading:
    """What a person's words say of themselves."""
    words, sentences = words_of(language), sentences_of(text, language)
    told = [one for one in sentences if not one.asks]
    relevance, about = _relevance(text, language, words, sentences, told)
    explicit, emphasis = _explicit(words, sentences)
    if explicit < 2 and relevance == 3 and about.endswith("goal"):
        whole = " ".join(one.text for one in sentences)
        if words.horizon.search(whole) or words.plan.search(whole) or words.number.search(whole):
            explicit, emphasis = 2, "the goal is stated with a plan, a number or a date"
    if explicit == 0 and relevance == 2:
        explicit, emphasis = 1, "it is stated as decided"
    if kind == "preference":
        relevance, about = 3, "it is noted as a preference"
        explicit, emphasis = max(explicit, 1), emphasis or "somebody noted it on purpose"
    asks = bool(sentences) and not told
    return Reading(relevance, about, explicit, emphasis, asks, asks and not explicit and _is_passing(words, sentences))


def _relevance(
    text: str, language: str, words: Words, sentences: list[Sentence], told: list[Sentence]
) -> tuple[int, str]:
    if any(words.goal.search(one.text) and not words.not_goal.search(one.text) for one in told):
        return 3, "a stated personal goal"
    if any(words.trait.search(one.text) for one in told):
        return 3, "a personal trait"
    if any(words.preference.search(one.text) and not words.not_preference.search(one.text) for one in sentences):
        return 3, "a preference or dislike"
    if any(words.decision.search(one.text) for one in told):
        return 2, "a decision or strategy"
    if any(words.event.search(one.text) for one in told) and worth(text, language) >= EVENT_WORTH:
        return 1, "a personal event"
    return 0, ""


def _explicit(words: Words, sentences: list[Sentence]) -> tuple[int, str]:
    for one in sentences:
        found = words.keep.search(one.text)
        if found and not words.recalled.search(one.text):
            return 2, f"asked to be kept (“{found[0].strip()}”)"
    for one in sentences:
        found = words.stress.search(one.text)
        if found and not one.text.endswith("?") and not words.stress_not.search(one.text):
            return 2, f"called important (“{found[0].strip()}”)"
    return 0, ""


def _is_passing(words: Words, sentences: list[Sentence]) -> bool:
    """Every question is about something of the day, and none about the one who asks."""
    whole = " ".join(one.text for one in sentences)
    if words.passing.search(whole):
        return True
    return words.momentary.search(whole) is not None and words.first.search(whole) is None
