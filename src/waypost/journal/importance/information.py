"""How much lasting information an utterance contains, as one number: a logistic model over nameable features.

The same word lists count the features in each language. Their weights (`data/importance_worth.toml`) were fitted on
English conversations only.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from math import exp, log1p

from waypost.journal.importance.word_lists import ImportanceWords, UtteranceSentence, importance_words, sentences_of

_DIGITS = re.compile(r"\d+")
_CAPITAL = re.compile(r"(?<=[\w,;:] )[A-ZА-ЯÄÖÜ]\w+|\b[A-Z]{2,}\w*\b")
_NAMES_OF_GERMAN = 0.35  # all German nouns have a capital; in English about a third of them would
_SELF = {"I", "I'm", "I've", "I'd", "I'll"}
_LONG_WORD = 7
COUNTED = (  # word lists that are counted in statements
    *("first", "second", "event", "change", "past", "dated", "number", "people", "own", "preference", "trait", "goal"),
    *("decision", "pleasant", "aside", "stress", "heed", "vague", "where", "seeks"),
)
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]{2,60}[\"”“»]")


def worth(text: str, language: str) -> float:
    """0-1: how surely the text contains lasting information about a person or thing. Ignores history."""
    weights = _weights()
    total = weights["bias"] + sum(weights[name] * value for name, value in features(text, language).items())
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


@lru_cache(maxsize=20_000)
def features(text: str, language: str) -> Mapping[str, float]:
    """The model's input for an utterance: logarithms of counts."""
    words, sentences = importance_words(language), sentences_of(text, language)
    statements = [part for part in sentences if not part.asks]
    questions = [part for part in sentences if part.asks]
    statement_text = " . ".join(part.text for part in statements)
    question_text = " . ".join(part.text for part in questions)
    counts: dict[str, float] = {name: len(words[name].findall(statement_text)) for name in COUNTED}
    counts["number"] += len(_DIGITS.findall(statement_text))
    counts["stress"] += len(words["keep"].findall(statement_text))
    original_text = " . ".join(part.written for part in statements)
    names = len({name for name in _CAPITAL.findall(original_text) if name not in _SELF})
    counts |= {
        "names": names * (_NAMES_OF_GERMAN if language == "de" else 1.0),
        "quoted": len(_QUOTED.findall(original_text)),
        "long": sum(1 for word in statement_text.split() if len(word) >= _LONG_WORD),
        "told": sum(part.words for part in statements),
        "asked": sum(part.words for part in questions),
        "asked_first": len(words["first"].findall(question_text)),
        "asked_event": len(words["event"].findall(question_text)),
        "passing": len(words["passing"].findall(question_text)),
        "exclaims": text.count("!"),
        "own_words": sum(
            part.words
            for part in statements
            if words["first"].search(part.text) and not words["second"].search(part.text)
        ),
    }
    events = [part for part in statements if words["event"].search(part.text) and not words["seeks"].search(part.text)]
    counts["event_words"] = max((part.words for part in events), default=0)
    counts["details"] = max((_details(words, part) for part in events), default=0)
    return {name: log1p(value) for name, value in counts.items()}


def _details(words: ImportanceWords, part: UtteranceSentence) -> int:
    """How many kinds of circumstances a sentence states: when, where, how many, with whom."""
    patterns = [*(words[name] for name in ("change", "past", "dated", "number", "people", "own", "where")), _DIGITS]
    return sum(1 for pattern in patterns if pattern.search(part.text))


@cache
def _weights() -> dict[str, float]:
    source = files("waypost.journal") / "data" / "importance_worth.toml"
    table: dict[str, float] = tomllib.loads(source.read_text("utf-8"))["weights"]
    return table
