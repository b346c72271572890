"""Which utterances are about the same: groups by meaning and by rare words in common.

Pairs that are near are linked; then groups are merged, the nearest first, as long as the mean of the links between all
members of the two is high enough. A chain of weak likenesses therefore does not become one topic, but a plan, the
questions about it and the exam it leads to do.
"""

import heapq
from collections.abc import Collection, Mapping, Sequence

from waypost.journal.topics.labels import label_of
from waypost.journal.topics.similarity import Meaning, Nearness, Subject, Vocabulary

FEW_WANTED = 8  # an eighth of all or less: then it pays to look only at what is near
STEPS = 3  # how far that goes
LINKED = 0.4  # nearness of two utterances from which on it counts
MERGED = 1.2  # mean nearness of two groups from which on they are one; lower joins more, and more that is not the same


class TopicGroups:
    """The topic of each utterance, counted from 1 in the order of first appearance; 0 where it stands alone."""

    def __init__(self, subjects: Sequence[Subject], words: Vocabulary, groups: Sequence[int]) -> None:
        self._subjects, self._words = subjects, words
        self._labels: dict[int, str] = {}
        self._members: dict[int, list[int]] = {}
        for place, root in enumerate(groups):
            self._members.setdefault(root, []).append(place)
        shared = [root for root, members in self._members.items() if len(members) > 1]
        self._roots = dict(enumerate(shared, 1))
        numbers = {root: number for number, root in self._roots.items()}
        self.of = tuple(numbers.get(root, 0) for root in groups)

    def label(self, number: int) -> str:
        """The topic in a few words, in the language of its utterances; empty for 0."""
        if number not in self._labels:
            root = self._roots.get(number)
            members = [] if root is None else self._members[root]
            self._labels[number] = label_of(self._subjects, self._words, members)
        return self._labels[number]


def find_topics(
    subjects: Sequence[Subject], meanings: Sequence[Meaning] = (), wanted: Collection[int] | None = None
) -> TopicGroups:
    """Group utterances, given in the order of their times. `meanings` are their vectors by each engine.

    With few places `wanted`, only what is near to these, and near to that, is looked at: the rest may stand alone.
    """
    words = Vocabulary(subjects)
    near = Nearness(subjects, words, meanings)
    rows = range(len(subjects))
    if wanted is None or FEW_WANTED * len(wanted) >= len(subjects):
        found = near.links(rows, LINKED)
    else:
        found = near.links(sorted(wanted), LINKED)
        looked_at = set(wanted)
        for _ in range(STEPS):
            reached = {place for pair, strength in found.items() if strength >= MERGED for place in pair} - looked_at
            found |= near.links(sorted(reached), LINKED)
            looked_at |= reached
    return TopicGroups(subjects, words, _merged(len(subjects), found))


def _merged(count: int, found: Mapping[tuple[int, int], float]) -> list[int]:
    """The group of each, by average linkage; pairs without a link count as 0."""
    near: list[dict[int, float]] = [{} for _ in range(count)]
    for (first, second), strength in found.items():
        near[first][second] = near[second][first] = strength
    size, inside = [1] * count, list(range(count))
    members: list[list[int]] = [[place] for place in range(count)]
    heap = [(-strength, first, second, 1, 1) for (first, second), strength in found.items() if strength >= MERGED]
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
            mean = strength / (size[into] * size[other])
            if mean >= MERGED:
                low, high = min(into, other), max(into, other)
                heapq.heappush(heap, (-mean, low, high, size[low], size[high]))
    return [min(members[root]) for root in inside]
