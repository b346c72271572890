"""The core of an answer: the one sentence that answers best, without what its question has said already."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date

from waypost.journal.wording import Words, clip, dated, sentences
from waypost.text.stems import fold
from waypost.text.words import keyword_terms, stop_words

SHORT_ANSWER = 100  # characters; nothing is won by shortening what fits on one line
LONGEST_CORE = 160
WHOLE_PHRASE = 60  # characters; a sentence this short is not shortened from the left
_FIRST_WORTH, _ASKED_WORTH, _TELLING_WORTH, _CENTRAL_WORTH = 0.8, 2.0, 0.5, 1.0
_OPENER_COST, _QUESTION_COST, _SCRAP_COST = 3.0, 4.0, 1.5
_LEAST_WORDS = 3  # of a sentence; fewer are a heading or an exclamation
_LEAST_LEFT = 2  # telling words that must be left of a sentence
_TOKEN = re.compile(r"[^\s,;:.!?()\"„“”«»]+")
_TELLING = re.compile(r"\d|(?<!^)(?<![.!?]\s)\b[A-ZÄÖÜА-ЯЁ]")


def core_of(text: str, said_on: date, words: Words, question: str = "") -> str | None:
    """One line of at most about 160 characters; None when the answer is as short already, or says nothing in words."""
    if len(text) <= SHORT_ANSWER and "\n" not in text.strip():
        return None
    found = sentences(text, words)
    if not found:
        return None
    asked = _Stems.of(question, words)
    best = found[_best(found, asked, words)]
    core = clip(_without_the_question(best, asked, words), LONGEST_CORE)
    return dated(_capital(core), said_on, words, context=f"{best} {question}")


@dataclass(frozen=True, slots=True)
class _Stems:
    all: frozenset[str]

    @classmethod
    def of(cls, text: str, words: Words) -> "_Stems":
        return cls(frozenset(_stems(text, words)))


def _stems(text: str, words: Words) -> list[str]:
    stops = stop_words(words.language)
    return [
        stem
        for token in _TOKEN.findall(text)
        if fold(token) not in stops
        for stem in keyword_terms(token, words.language).stems
    ]


def _best(found: list[str], asked: _Stems, words: Words) -> int:
    """The place of the sentence that answers: it shares words with the question and with the rest of the answer."""
    stems = [set(_stems(sentence, words)) for sentence in found]
    shared = Counter(stem for one in stems for stem in one)
    common = sum(count for count in shared.values() if count > 1) or 1
    worths = []
    for place, sentence in enumerate(found):
        own = stems[place]
        worth = _FIRST_WORTH / (1 + place)
        if asked.all:
            worth += _ASKED_WORTH * len(own & asked.all) / len(asked.all)
        worth += _CENTRAL_WORTH * sum(shared[stem] for stem in own if shared[stem] > 1) / common
        worth += _TELLING_WORTH * min(4, len(_TELLING.findall(sentence))) / 4
        worth += min(1.0, len(own - asked.all) / 4)
        worth -= _cost(sentence, words)
        worths.append(worth)
    return max(range(len(found)), key=lambda place: (round(worths[place], 6), -place))


def _cost(sentence: str, words: Words) -> float:
    cost = 0.0
    if words.openers.match(sentence):
        cost += _OPENER_COST
    if sentence.rstrip(' )"“”»').endswith("?"):
        cost += _QUESTION_COST
    if len(sentence.split()) < _LEAST_WORDS or sentence.endswith(":"):
        cost += _SCRAP_COST
    return cost


def _without_the_question(sentence: str, asked: _Stems, words: Words) -> str:
    """What is left of a sentence when its beginning only repeats the question: "On ZDF tonight runs the semi-final".

    A word that denies or affirms ends the beginning: what follows it cannot be cut off from it.
    """
    if not asked.all or len(sentence) <= WHOLE_PHRASE:
        return sentence
    stops = stop_words(words.language)
    cut = 0
    for token in _TOKEN.finditer(sentence):
        word = fold(token[0])
        if word in words.negations:
            break
        known = word in words.time or word[:1].isdecimal() or bool(set(_stems(token[0], words)) & asked.all)
        if known or (cut == token.start() and word in words.articles):
            cut = token.end() + 1
        elif word not in stops:
            break
    rest = sentence[cut:].lstrip(" ,;:–—-")
    first = _TOKEN.match(rest)
    if first and fold(first[0]) in words.articles:
        rest = rest[first.end() :].lstrip()
    return rest if len(_stems(rest, words)) >= _LEAST_LEFT else sentence


def _capital(text: str) -> str:
    text = text.rstrip(" .")
    return text[:1].upper() + text[1:]
