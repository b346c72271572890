"""A topic's label: what its utterances share and few others have, as written there.

A label is in the language of most of the utterances. It is two words that often stand side by side ("heat pump"), else
the most specific word: two words that stand apart read like a list of keywords.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from waypost.journal.topics.similarity import Subject, Vocabulary
from waypost.text.keywords import keyword_terms, stop_words

AS_PHRASE = 0.5  # share of a word's occurrences with the same neighbour, to make them a phrase
_CANDIDATES = 8  # terms examined: some are parts of one word
_MOST_EXAMINED = 12  # utterances searched for spellings and phrases
_LONGEST_LABEL_WORD = 40
_CACHED = 2000  # utterances: one maintenance run labels the same topics many times
_LONGEST_TEXT = 2000
_PRONOUNS = frozenset(("меня", "мне", "мной", "моя", "мой", "её", "себя", "нас"))  # beside the stop words
_CONTRACTED = re.compile(r"['’]\w{1,2}$")
_DETERMINERS = "the|an?|my|our|your|his|her|its|their|this|that|no|mein|unser|der|die|das|ein|мой|моя|моё|наш|наша|наше"
_AROUND = ".,;:!?…()[]{}<>\"'*_“”„«»`"


def label_of(subjects: Sequence[Subject], words: Vocabulary, indices: Sequence[int]) -> str:
    """The label of the utterances at these indices."""
    members = _in_one_language(subjects, indices)
    counts = Counter(term for index in members for term in words.terms[index])
    weights = {term: count * words.weight.get(term, 0.0) for term, count in counts.items()}
    best = sorted(weights, key=lambda term: (-weights[term], term))[:_CANDIDATES]
    examined = [index for index in members if any(term in words.terms[index] for term in best)][:_MOST_EXAMINED]
    spellings = _spellings(subjects, examined, best)
    usable = [term for term in best if spellings.get(term) and _names(subjects, examined, spellings[term])]
    if not usable:
        return ""
    if phrase := _phrase(subjects, words, examined, usable[0]):
        return phrase
    texts = [subjects[index].text[:_LONGEST_TEXT] for index in examined]
    return spellings[next((term for term in usable if _looks_like_noun(spellings[term], texts)), usable[0])]


def _in_one_language(subjects: Sequence[Subject], indices: Sequence[int]) -> list[int]:
    """The utterances in the prevailing language, and those without one, such as names."""
    counts = Counter(subjects[index].language for index in indices if subjects[index].language)
    if not counts:
        return list(indices)
    most = min(counts, key=lambda language: (-counts[language], language))
    return [index for index in indices if subjects[index].language in (most, "")]


def _names(subjects: Sequence[Subject], indices: Sequence[int], spelling: str) -> bool:
    """Whether a word can name a topic: no pronoun or interjection, and in German a noun, which has a capital letter."""
    language = next((subjects[index].language for index in indices if subjects[index].language), "")
    word = _CONTRACTED.sub("", spelling.casefold())  # "we'd" is "we"
    if word in _PRONOUNS or word in stop_words(language):
        return False
    if language != "de" or not spelling.isalpha():
        return True
    inside = re.compile(rf"[^.!?…\s]\s+\W{{0,2}}{re.escape(spelling)}(?!\w)")  # not at the start of a sentence
    return spelling[0].isupper() and any(inside.search(subjects[index].text[:_LONGEST_TEXT]) for index in indices)


def _looks_like_noun(word: str, texts: Sequence[str]) -> bool:
    """Whether it is written as a name, or after an article or a possessive."""
    escaped = re.escape(word)
    noun = re.compile(rf"(?:\b(?i:{_DETERMINERS})\s+(?:\w+\s+)?|[^.!?…\s]\s+(?=[A-ZÄÖÜА-ЯЁ])){escaped}(?!\w)")
    return any(noun.search(text) for text in texts)


def _is_part(word: str, other: str) -> bool:
    first, second = word.casefold(), other.casefold()
    return first in second or second in first


def _spellings(subjects: Sequence[Subject], indices: Sequence[int], terms: Sequence[str]) -> dict[str, str]:
    spellings: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for index in indices:
        for bare, stems, _ in dict.fromkeys(_tokens(subjects[index])):
            for stem in stems:
                if stem in spellings:
                    spellings[stem][bare] += 1
    return {term: _commonest(counter) for term, counter in spellings.items() if counter}


def _phrase(subjects: Sequence[Subject], words: Vocabulary, indices: Sequence[int], term: str) -> str:
    """The term with the specific word beside it in most of its utterances, and in at least two."""
    pairs: dict[tuple[str, str], Counter[str]] = {}
    times = 0
    for index in indices:
        tokens, pairs_here = _tokens(subjects[index]), set[tuple[str, str]]()
        times += any(term in stems for _, stems, _ in tokens)
        for (first_word, first, ends), (second_word, second, _) in pairwise(tokens):
            if ends or not (term in first or term in second):
                continue
            pair = (_main_stem(first, words), _main_stem(second, words))
            if all(pair) and pair not in pairs_here and not _is_part(first_word, second_word):
                pairs_here.add(pair)
                pairs.setdefault(pair, Counter())[f"{first_word} {second_word}"] += 1
    best = max(pairs, key=lambda pair: (pairs[pair].total(), pair), default=None)
    if best is None or pairs[best].total() < max(2, AS_PHRASE * times):
        return ""
    return _commonest(pairs[best])


def _main_stem(stems: Sequence[str], words: Vocabulary) -> str:
    """The stem with the highest weight. Empty for a common word."""
    weighted = [stem for stem in stems if words.weight.get(stem, 0.0) > 0]
    return max(weighted, key=lambda stem: (words.weight[stem], stem), default="")


def _commonest(counter: Counter[str]) -> str:
    return min(counter, key=lambda word: (-counter[word], word))


def _tokens(subject: Subject) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """The words as written, their stems, and whether a sentence or clause ends after them."""
    return _read_tokens(subject.text[:_LONGEST_TEXT], subject.language)


@lru_cache(maxsize=_CACHED)
def _read_tokens(text: str, language: str) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    tokens = []
    for token in text.split():
        bare = token.strip(_AROUND)
        if bare and len(bare) <= _LONGEST_LABEL_WORD:
            tokens.append((bare, tuple(keyword_terms(bare, language).stems), token[-1] in _AROUND))
    return tuple(tokens)
