"""A topic in a few words: those that its utterances share and few others have, as they are written there."""

from collections import Counter
from collections.abc import Sequence

from waypost.journal.topics_links import Subject, Vocabulary
from waypost.text.words import keyword_terms

LABEL_WORDS = 3
_CANDIDATES = 8  # terms that are looked at: some are parts of one word
_LOOKED_AT = 12  # utterances in which spellings are looked up
_LONGEST_LABEL_WORD = 40
_AROUND = ".,;:!?…()[]{}<>\"'*_“”„«»`"


def label_of(subjects: Sequence[Subject], words: Vocabulary, places: Sequence[int]) -> str:
    """For the utterances at these places."""
    told: Counter[str] = Counter()
    for place in places:
        for term in words.terms[place]:
            told[term] += 1
    worth = {term: count * words.weight.get(term, 0.0) for term, count in told.items()}
    best = sorted(worth, key=lambda term: (-worth[term], term))[:_CANDIDATES]
    spelled = _spellings(subjects, words, places, best)
    chosen: list[str] = []
    for term in best:
        word = spelled.get(term, "")
        if word and not any(
            word.casefold() in other.casefold() or other.casefold() in word.casefold() for other in chosen
        ):
            chosen.append(word)
    return ", ".join(chosen[:LABEL_WORDS])


def _spellings(
    subjects: Sequence[Subject], words: Vocabulary, places: Sequence[int], terms: Sequence[str]
) -> dict[str, str]:
    """The commonest spelling of each term in these utterances."""
    found: dict[str, Counter[str]] = {term: Counter() for term in terms}
    having = [place for place in places if any(term in words.terms[place] for term in terms)]
    for place in having[:_LOOKED_AT]:
        for token in dict.fromkeys(subjects[place].text[:2000].split()):
            bare = token.strip(_AROUND)
            if bare and len(bare) <= _LONGEST_LABEL_WORD:
                for stem in keyword_terms(bare, subjects[place].language).stems:
                    if stem in found:
                        found[stem][bare] += 1
    return {term: min(seen, key=lambda word: (-seen[word], word)) for term, seen in found.items() if seen}
