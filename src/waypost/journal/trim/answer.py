"""The core of an answer: the one sentence that answers best, without what its question has said already."""

import re
from collections import Counter
from datetime import date

from waypost.journal.wording import SummaryWords, clip, sentences, with_date, without_markdown
from waypost.text.keywords import keyword_terms, stop_words
from waypost.text.stems import fold

SHORT_ANSWER = 100  # characters; nothing is won by shortening what fits on one line
LONGEST_CORE = 160
WHOLE_PHRASE = 60  # characters; a sentence this short is not shortened from the left
_FIRST_WORTH, _ASKED_WORTH, _TELLING_WORTH, _CENTRAL_WORTH = 0.8, 2.0, 0.5, 1.0
_OPENER_COST, _QUESTION_COST, _SCRAP_COST = 3.0, 4.0, 1.5
_LEAST_WORDS = 3  # of a sentence; fewer are a heading or an exclamation
_LEAST_LEFT = 2  # telling words that must be left of a sentence
_SHORT_QUESTION = 120
_LEAST_HEADS = 3
_LONGEST_HEAD = 60
_READ_CHARACTERS = 20_000
_TAKEN_UP = 0.5  # of the question's words that a sentence must have to be its answer rather than a list
_POINT = re.compile(r"[ \t]{0,3}(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_STRONG = re.compile(r"(?:\*\*|__)([^*_\n]{2,200})(?:\*\*|__)")
_TOKEN = re.compile(r"[^\s,;:.!?()\"„“”«»]+")
_TELLING = re.compile(r"\d|(?<!^)(?<![.!?]\s)\b[A-ZÄÖÜА-ЯЁ]")


def core_of(text: str, said_on: date, words: SummaryWords, question: str = "") -> str | None:
    """One line of at most about 160 characters; None when the answer is as short already, or says nothing in words.

    The sentence that answers best, or the heads of a list where no sentence takes the question up.
    """
    if len(text) <= SHORT_ANSWER and "\n" not in text.strip():
        return None
    found = sentences(text, words)
    if not found:
        return None
    asked = frozenset(_stems(question, words))
    best = found[_best(found, asked, words)]
    heads = _heads(text)
    if len(heads) >= _LEAST_HEADS and len(asked & set(_stems(best, words))) < _TAKEN_UP * len(asked):
        core = clip("; ".join(heads), LONGEST_CORE)
    else:
        core = clip(_without_the_question(best, asked, words), LONGEST_CORE)
    asked_for_a_day = question if len(question) <= _SHORT_QUESTION else ""  # in a long one "today" is said in passing
    return with_date(_capital(core), said_on, words, context=f"{best} {asked_for_a_day}")


def _heads(text: str) -> list[str]:
    """What the points of a list begin with: what stands out in them, or stands before a colon, or short ones whole."""
    found: dict[str, None] = {}
    for line in text[:_READ_CHARACTERS].split("\n"):
        point = _POINT.match(line)
        if point is None:
            continue
        rest = line[point.end() :]
        strong = _STRONG.match(rest)
        head = without_markdown(strong[1] if strong else rest.partition(": ")[0]).strip(" .:")
        if 1 < len(head) <= _LONGEST_HEAD:
            found[head] = None
    return list(found)


def _stems(text: str, words: SummaryWords) -> list[str]:
    stops = stop_words(words.language)
    return [
        stem
        for token in _TOKEN.findall(text)
        if fold(token) not in stops
        for stem in keyword_terms(token, words.language).stems
    ]


def _best(found: list[str], asked: frozenset[str], words: SummaryWords) -> int:
    """The place of the sentence that answers: it shares words with the question and with the rest of the answer."""
    stems = [set(_stems(sentence, words)) for sentence in found]
    shared = Counter(stem for one in stems for stem in one)
    common = sum(count for count in shared.values() if count > 1) or 1
    worths = []
    for place, sentence in enumerate(found):
        own = stems[place]
        worth = _FIRST_WORTH / (1 + place)
        if asked:
            worth += _ASKED_WORTH * len(own & asked) / len(asked)
        worth += _CENTRAL_WORTH * sum(shared[stem] for stem in own if shared[stem] > 1) / common
        worth += _TELLING_WORTH * min(4, len(_TELLING.findall(sentence))) / 4
        worth += min(1.0, len(own - asked) / 4)
        worth -= _cost(sentence, words)
        worths.append(worth)
    return max(range(len(found)), key=lambda place: (round(worths[place], 6), -place))


def _cost(sentence: str, words: SummaryWords) -> float:
    cost = 0.0
    if words.openers.match(sentence) or words.greetings.match(sentence) or words.praise.search(sentence):
        cost += _OPENER_COST
    if sentence.rstrip(' )"“”»').endswith("?"):
        cost += _QUESTION_COST
    if len(sentence.split()) < _LEAST_WORDS or sentence.endswith(":"):
        cost += _SCRAP_COST
    return cost


def _without_the_question(sentence: str, asked: frozenset[str], words: SummaryWords) -> str:
    """What is left of a sentence when its beginning only repeats the question: "On ZDF tonight runs the semi-final".

    A word that denies or affirms ends the beginning: what follows it cannot be cut off from it.
    """
    if not asked or len(sentence) <= WHOLE_PHRASE:
        return sentence
    stops = stop_words(words.language)
    cut, ends_in_time = 0, False
    for token in _TOKEN.finditer(sentence):
        word = fold(token[0])
        if word in words.negations:
            break
        is_time = word in words.time or word[:1].isdecimal()
        if is_time or not asked.isdisjoint(_stems(token[0], words)):
            cut, ends_in_time = token.end() + 1, is_time
        elif word not in stops:
            break
    rest = sentence[cut:].lstrip(" ,;:–—-")
    first = _TOKEN.match(rest)
    if first and fold(first[0]) in words.articles:
        rest = rest[first.end() :].lstrip()
    elif first and (fold(first[0]) in words.auxiliaries or (fold(first[0]) in stops and not ends_in_time)):
        return sentence  # what follows still speaks of what would be cut off
    return rest if len(_stems(rest, words)) >= _LEAST_LEFT else sentence


def _capital(text: str) -> str:
    text = text.rstrip(" .")
    return text[:1].upper() + text[1:]
