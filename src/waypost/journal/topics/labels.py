"""A topic in a word or two: what its utterances share and few others have, as they are written there.

A label is in one language, that in which most of the utterances are: two words that stand side by side again and again
("heat pump"), else the word that tells most, and a second one where most of the utterances have it too.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from waypost.journal.topics.similarity import Subject, Vocabulary
from waypost.text.keywords import keyword_terms

LABEL_WORDS = 2
SHARED = 0.5  # of the utterances, for a second word to tell of the topic and not of one of them
AS_PHRASE = 0.5  # of the times that its word is said, for two words to be a phrase
_CANDIDATES = 8  # terms that are looked at: some are parts of one word
_LOOKED_AT = 12  # utterances in which spellings and phrases are looked up
_LONGEST_LABEL_WORD = 40
_REMEMBERED = 2000  # utterances: upkeep names the same topics many times in one run
_LONGEST_TEXT = 2000
_AROUND = ".,;:!?…()[]{}<>\"'*_“”„«»`"


def label_of(subjects: Sequence[Subject], words: Vocabulary, places: Sequence[int]) -> str:
    """For the utterances at these places."""
    own = _in_one_language(subjects, places)
    told = Counter(term for place in own for term in words.terms[place])
    worth = {term: count * words.weight.get(term, 0.0) for term, count in told.items()}
    best = sorted(worth, key=lambda term: (-worth[term], term))[:_CANDIDATES]
    looked_at = [place for place in own if any(term in words.terms[place] for term in best)][:_LOOKED_AT]
    spelled = _spellings(subjects, looked_at, best)
    chosen = [term for term in best if spelled.get(term)]
    if not chosen:
        return ""
    if phrase := _phrase(subjects, words, looked_at, chosen[0]):
        return phrase
    label = [spelled[chosen[0]]]
    for term in chosen[1:]:
        if told[term] >= max(2, SHARED * len(own)) and not any(_is_part(spelled[term], other) for other in label):
            label.append(spelled[term])
    return ", ".join(label[:LABEL_WORDS])


def _in_one_language(subjects: Sequence[Subject], places: Sequence[int]) -> list[int]:
    """The utterances in the language of most; those in none, such as names, go with any."""
    counts = Counter(subjects[place].language for place in places if subjects[place].language)
    if not counts:
        return list(places)
    most = min(counts, key=lambda language: (-counts[language], language))
    return [place for place in places if subjects[place].language in (most, "")]


def _is_part(word: str, other: str) -> bool:
    one, two = word.casefold(), other.casefold()
    return one in two or two in one


def _spellings(subjects: Sequence[Subject], places: Sequence[int], terms: Sequence[str]) -> dict[str, str]:
    """The commonest spelling of each term in these utterances."""
    found: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for place in places:
        for bare, stems, _ in dict.fromkeys(_tokens(subjects[place])):
            for stem in stems:
                if stem in found:
                    found[stem][bare] += 1
    return {term: _commonest(seen) for term, seen in found.items() if seen}


def _phrase(subjects: Sequence[Subject], words: Vocabulary, places: Sequence[int], term: str) -> str:
    """The term with the telling word that stands beside it in most of these utterances that have it, and in two at least."""
    seen: dict[tuple[str, str], Counter[str]] = {}
    times = 0
    for place in places:
        tokens, here = _tokens(subjects[place]), set[tuple[str, str]]()
        times += any(term in stems for _, stems, _ in tokens)
        for (one, first, ends), (two, second, _) in pairwise(tokens):
            if ends or not (term in first or term in second):
                continue
            pair = (_telling(first, words), _telling(second, words))
            if all(pair) and pair not in here and not _is_part(one, two):
                here.add(pair)
                seen.setdefault(pair, Counter())[f"{one} {two}"] += 1
    best = max(seen, key=lambda pair: (seen[pair].total(), pair), default=None)
    if best is None or seen[best].total() < max(2, AS_PHRASE * times):
        return ""
    return _commonest(seen[best])


def _telling(stems: Sequence[str], words: Vocabulary) -> str:
    """The stem that tells most; none of a word that many say."""
    telling = [stem for stem in stems if words.weight.get(stem, 0.0) > 0]
    return max(telling, key=lambda stem: (words.weight[stem], stem), default="")


def _commonest(seen: Counter[str]) -> str:
    return min(seen, key=lambda word: (-seen[word], word))


def _tokens(subject: Subject) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """The words as they are written, their stems, and whether a sentence or a part of it ends with them."""
    return _read(subject.text[:_LONGEST_TEXT], subject.language)


@lru_cache(maxsize=_REMEMBERED)
def _read(text: str, language: str) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    found = []
    for token in text.split():
        bare = token.strip(_AROUND)
        if bare and len(bare) <= _LONGEST_LABEL_WORD:
            found.append((bare, tuple(keyword_terms(bare, language).stems), token[-1] in _AROUND))
    return tuple(found)
