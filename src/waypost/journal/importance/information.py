"""How much an utterance tells that is worth keeping, as one number: a logistic model over features one can name.

The features are counted by the same word lists in each language; their weights (`data/importance_worth.toml`) were
fitted on English conversations only.
"""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from math import exp, log1p

from waypost.journal.importance.word_lists import ImportanceWords, UtteranceSentence, sentences_of, words_of

_DIGITS = re.compile(r"\d+")
_CAPITAL = re.compile(r"(?<=[\w,;:] )[A-ZА-ЯÄÖÜ]\w+|\b[A-Z]{2,}\w*\b")
_NAMES_OF_GERMAN = 0.35  # every German noun begins with a capital: about a third of them would in English
_SELF = {"I", "I'm", "I've", "I'd", "I'll"}
_LONG_WORD = 7
COUNTED = (  # lists that are counted in what is told
    *("first", "second", "event", "change", "past", "dated", "number", "people", "own", "preference", "trait", "goal"),
    *("decision", "pleasant", "aside", "stress", "heed", "vague", "where", "seeks"),
)
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]{2,60}[\"”“»]")


def worth(text: str, language: str) -> float:
    """0-1: how surely these words tell something lasting about somebody or something. Without any history."""
    weights = _weights()
    total = weights["bias"] + sum(weights[name] * value for name, value in features(text, language).items())
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


@lru_cache(maxsize=20_000)
def _features(text: str, language: str) -> tuple[tuple[str, float], ...]:
    words, sentences = words_of(language), sentences_of(text, language)
    told = [one for one in sentences if not one.asks]
    asked = [one for one in sentences if one.asks]
    told_text, asked_text = " . ".join(one.text for one in told), " . ".join(one.text for one in asked)
    counts: dict[str, float] = {
        name: len(getattr(words, name).findall(told_text)) for name in COUNTED
    }  # how often each list is met in what is told
    counts["number"] += len(_DIGITS.findall(told_text))
    counts["stress"] += len(words.keep.findall(told_text))
    written = " . ".join(one.written for one in told)
    names = len({name for name in _CAPITAL.findall(written) if name not in _SELF})
    counts |= {
        "names": names * (_NAMES_OF_GERMAN if language == "de" else 1.0),
        "quoted": len(_QUOTED.findall(written)),
        "long": sum(1 for word in told_text.split() if len(word) >= _LONG_WORD),
        "told": sum(one.words for one in told),
        "asked": sum(one.words for one in asked),
        "asked_first": len(words.first.findall(asked_text)),
        "asked_event": len(words.event.findall(asked_text)),
        "passing": len(words.passing.findall(asked_text)),
        "exclaims": text.count("!"),
        "own_words": sum(
            one.words for one in told if words.first.search(one.text) and not words.second.search(one.text)
        ),
    }
    events = [one for one in told if words.event.search(one.text) and not words.seeks.search(one.text)]
    counts["event_words"] = max((one.words for one in events), default=0)
    counts["details"] = max((_details(words, one) for one in events), default=0)
    return tuple((name, log1p(value)) for name, value in counts.items())


def _details(words: ImportanceWords, one: UtteranceSentence) -> int:
    """Of how many sorts of circumstances a sentence tells: when, where, how many, with whom."""
    of = (words.change, words.past, words.dated, words.number, words.people, words.own, words.where, _DIGITS)
    return sum(1 for pattern in of if pattern.search(one.text))


def features(text: str, language: str) -> dict[str, float]:
    """What the model sees of an utterance: logarithms of counts."""
    return dict(_features(text, language))


@cache
def _weights() -> dict[str, float]:
    source = files("waypost.journal") / "data" / "importance_worth.toml"
    table: dict[str, float] = tomllib.loads(source.read_text("utf-8"))["weights"]
    return table
