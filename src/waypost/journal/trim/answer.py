"""The core of an answer: the sentence that answers best, without what the question already said."""

import re
from collections import Counter
from datetime import date

from waypost.journal.wording import SummaryWords, clip, sentences, with_date, without_markdown
from waypost.text.keywords import keyword_terms, stop_words
from waypost.text.stems import fold

SHORT_ANSWER = 100  # characters; shortening a single line gains nothing
LONGEST_CORE = 160
WHOLE_PHRASE = 60  # characters; a sentence this short keeps its beginning
_FIRST_WORTH, _ASKED_WORTH, _TELLING_WORTH, _CENTRAL_WORTH = 0.8, 2.0, 0.5, 1.0
_OPENER_COST, _QUESTION_COST, _SCRAP_COST = 3.0, 4.0, 1.5
_LEAST_WORDS = 3  # of a sentence; fewer are a heading or an exclamation
_LEAST_LEFT = 2  # stems that must remain of a sentence
_SHORT_QUESTION = 120
_LEAST_HEADS = 3
_LONGEST_HEAD = 60
_READ_CHARACTERS = 20_000
_TAKEN_UP = 0.5  # share of the question's stems that a sentence needs to be preferred to a list
_POINT = re.compile(r"[ \t]{0,3}(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_STRONG = re.compile(r"(?:\*\*|__)([^*_\n]{2,200})(?:\*\*|__)")
_TOKEN = re.compile(r"[^\s,;:.!?()\"„“”«»]+")
_TELLING = re.compile(r"\d|(?<!^)(?<![.!?]\s)\b[A-ZÄÖÜА-ЯЁ]")


def core_sentence(text: str, said_on: date, words: SummaryWords, question: str = "") -> str | None:
    """One line of at most about 160 characters, or None if the answer is that short or has no sentences.

    It is the sentence that answers best, or the heads of a list if no sentence answers the question.
    """
    if len(text) <= SHORT_ANSWER and "\n" not in text.strip():
        return None
    answer_sentences = sentences(text, words)
    if not answer_sentences:
        return None
    question_stems = frozenset(_stems(question, words))
    best = answer_sentences[_best_index(answer_sentences, question_stems, words)]
    heads = _heads(text)
    if len(heads) >= _LEAST_HEADS and len(question_stems & set(_stems(best, words))) < _TAKEN_UP * len(question_stems):
        core = clip("; ".join(heads), LONGEST_CORE)
    else:
        core = clip(_without_repeated_question(best, question_stems, words), LONGEST_CORE)
    short_question = question if len(question) <= _SHORT_QUESTION else ""  # a long one mentions "today" in passing
    return with_date(_capital(core), said_on, words, context=f"{best} {short_question}")


def _heads(text: str) -> list[str]:
    """The heads of list items: their bold part, the part before a colon, or short items whole."""
    heads: dict[str, None] = {}
    for line in text[:_READ_CHARACTERS].split("\n"):
        point = _POINT.match(line)
        if point is None:
            continue
        rest = line[point.end() :]
        strong = _STRONG.match(rest)
        head = without_markdown(strong[1] if strong else rest.partition(": ")[0]).strip(" .:")
        if 1 < len(head) <= _LONGEST_HEAD:
            heads[head] = None
    return list(heads)


def _stems(text: str, words: SummaryWords) -> list[str]:
    stops = stop_words(words.language)
    tokens = [token for token in _TOKEN.findall(text) if fold(token) not in stops]
    return [stem for token in tokens for stem in keyword_terms(token, words.language).stems]


def _best_index(candidates: list[str], question_stems: frozenset[str], words: SummaryWords) -> int:
    """Index of the sentence that answers: it shares words with the question and the rest of the answer."""
    stems = [set(_stems(sentence, words)) for sentence in candidates]
    shared = Counter(stem for stem_set in stems for stem in stem_set)
    common = sum(count for count in shared.values() if count > 1) or 1
    scores = []
    for index, sentence in enumerate(candidates):
        own = stems[index]
        score = _FIRST_WORTH / (1 + index)
        if question_stems:
            score += _ASKED_WORTH * len(own & question_stems) / len(question_stems)
        score += _CENTRAL_WORTH * sum(shared[stem] for stem in own if shared[stem] > 1) / common
        score += _TELLING_WORTH * min(4, len(_TELLING.findall(sentence))) / 4
        score += min(1.0, len(own - question_stems) / 4)
        score -= _cost(sentence, words)
        scores.append(score)
    return max(range(len(candidates)), key=lambda index: (round(scores[index], 6), -index))


def _cost(sentence: str, words: SummaryWords) -> float:
    cost = 0.0
    if words.openers.match(sentence) or words.greetings.match(sentence) or words.praise.search(sentence):
        cost += _OPENER_COST
    if sentence.rstrip(' )"“”»').endswith("?"):
        cost += _QUESTION_COST
    if len(sentence.split()) < _LEAST_WORDS or sentence.endswith(":"):
        cost += _SCRAP_COST
    return cost


def _without_repeated_question(sentence: str, question_stems: frozenset[str], words: SummaryWords) -> str:
    """The sentence without a beginning that only repeats the question: "On ZDF tonight runs the semi-final".

    A negation or affirmation ends that beginning, since what follows depends on it.
    """
    if not question_stems or len(sentence) <= WHOLE_PHRASE:
        return sentence
    stops = stop_words(words.language)
    cut, ends_in_time = 0, False
    for token in _TOKEN.finditer(sentence):
        word = fold(token[0])
        if word in words.negations:
            break
        is_time = word in words.time or word[:1].isdecimal()
        if is_time or not question_stems.isdisjoint(_stems(token[0], words)):
            cut, ends_in_time = token.end() + 1, is_time
        elif word not in stops:
            break
    rest = sentence[cut:].lstrip(" ,;:–—-")
    first = _TOKEN.match(rest)
    if first and fold(first[0]) in words.articles:
        rest = rest[first.end() :].lstrip()
    elif first and (fold(first[0]) in words.auxiliaries or (fold(first[0]) in stops and not ends_in_time)):
        return sentence  # the rest still refers to the beginning
    return rest if len(_stems(rest, words)) >= _LEAST_LEFT else sentence


def _capital(text: str) -> str:
    text = text.rstrip(" .")
    return text[:1].upper() + text[1:]
