"""Which utterances are about the same: groups by meaning and by rare words in common.

Pairs that are near are linked; then groups are merged, the nearest first, as long as the links between two of them are
strong for their sizes. A chain of weak likenesses therefore does not become one topic, but a plan, the questions about
it and the exam it leads to do. The outcome does not depend on the order in which the utterances are given.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.journal.topics_links import Link, Meaning, Subject, Vocabulary, links

if TYPE_CHECKING:
    from waypost.journal.topics_links import Vectors

LINKED = 0.3  # nearness of two utterances from which on it counts
MERGED = 0.3  # nearness of two groups from which on they are one
SPREAD = 0.7  # how much of the possible pairs must be linked: 1 all of them, 0 one
_LABEL_WORDS = 3


@dataclass(frozen=True, slots=True)
class Topics:
    """The topic of each utterance, counted from 1 in the order of first appearance; 0 where it stands alone."""

    of: tuple[int, ...]
    labels: dict[int, str]


def find_topics(subjects: Sequence[Subject], meanings: "Sequence[tuple[Vectors, Meaning]]" = ()) -> Topics:
    """Group utterances, given in the order of their times. `meanings` are vectors, a row for each, zero where missing."""
    words = Vocabulary(subjects)
    groups = _merged(len(subjects), links(subjects, words, meanings, LINKED))
    numbers: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for root in groups:
        sizes[root] = sizes.get(root, 0) + 1
    of = tuple(numbers.setdefault(root, len(numbers) + 1) if sizes[root] > 1 else 0 for root in groups)
    members: dict[int, list[int]] = {}
    for place, number in enumerate(of):
        if number:
            members.setdefault(number, []).append(place)
    return Topics(of, {number: _label(subjects, words, places) for number, places in members.items()})


def _merged(count: int, found: Sequence[Link]) -> list[int]:
    """The group of each: average linkage over the links there are, softened by `SPREAD`."""
    near: list[dict[int, float]] = [{} for _ in range(count)]
    for first, second, strength in found:
        near[first][second] = near[second][first] = strength
    size, inside = [1] * count, list(range(count))
    members: list[list[int]] = [[place] for place in range(count)]
    heap = [(-strength, first, second, 1, 1) for first, second, strength in found if strength >= MERGED]
    heapq.heapify(heap)
    while heap:
        _, first, second, first_size, second_size = heapq.heappop(heap)
        if size[first] != first_size or size[second] != second_size:
            continue  # one of them has grown or gone since
        into, gone = (first, second) if len(near[first]) >= len(near[second]) else (second, first)
        for place in members[gone]:
            inside[place] = into
        members[into] += members[gone]
        size[into] += size[gone]
        members[gone], size[gone] = [], 0
        near[into].pop(gone, None)
        for other, strength in near[gone].items():
            near[other].pop(gone, None)
            if other != into:
                near[into][other] = near[other][into] = near[into].get(other, 0.0) + strength
        near[gone] = {}
        for other, strength in near[into].items():
            mean = strength / (size[into] * size[other]) ** SPREAD
            if mean >= MERGED:
                low, high = min(into, other), max(into, other)
                heapq.heappush(heap, (-mean, low, high, size[low], size[high]))
    return [min(members[root]) for root in inside]


def _label(subjects: Sequence[Subject], words: Vocabulary, places: Sequence[int]) -> str:
    """The words that most of the topic's utterances share and few others have, as they are written there."""
    told: dict[str, float] = {}
    for place in places:
        for term in words.terms[place]:
            told[term] = told.get(term, 0.0) + words.weight.get(term, 0.0)
    best = sorted(told, key=lambda term: (-told[term], term))[:_LABEL_WORDS]
    return ", ".join(_as_written(subjects, places, best, words))


def _as_written(
    subjects: Sequence[Subject], places: Sequence[int], terms: Sequence[str], words: Vocabulary
) -> list[str]:
    """The commonest spelling of each stem in these utterances."""
    from collections import Counter

    from waypost.text.words import keyword_terms

    spellings: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for place in places:
        if not any(term in words.terms[place] for term in terms):
            continue
        for token in subjects[place].text[:2000].split():
            bare = token.strip(".,;:!?…()[]{}<>\"'*_“”„«»")
            for stem in keyword_terms(bare, subjects[place].language).stems:
                if stem in spellings:
                    spellings[stem][bare] += 1
    return [min(found, key=lambda word: (-found[word], word)) if found else term for term, found in spellings.items()]
