"""Grouping utterances about the same topic, by meaning and shared rare words.

Near pairs are linked. Then groups are merged, the nearest first, while the mean link between all their members is high
enough. So a chain of weak similarities does not become one topic. A plan, the questions about it and the exam it leads
to do.
"""

import heapq
from collections.abc import Collection, Mapping, Sequence

from waypost.journal.topics.labels import label_of
from waypost.journal.topics.similarity import Meaning, Nearness, Subject, Vocabulary

FEW_SELECTED = 8  # at most an eighth of all: then looking only at neighbours pays
STEPS = 3  # of neighbours
LEAST_LINK = 0.4  # nearness of two utterances that counts
LEAST_MEAN = 1.2  # mean nearness of two groups to merge them; lower merges more, also different topics


class TopicGroups:
    """The topic of each utterance, numbered from 1 by first appearance. 0 if it stands alone."""

    def __init__(self, subjects: Sequence[Subject], words: Vocabulary, groups: Sequence[int]) -> None:
        self._subjects, self._words = subjects, words
        self._labels: dict[int, str] = {}
        self._members: dict[int, list[int]] = {}
        for index, root in enumerate(groups):
            self._members.setdefault(root, []).append(index)
        shared = [root for root, members in self._members.items() if len(members) > 1]
        self._roots = dict(enumerate(shared, 1))
        numbers = {root: number for number, root in self._roots.items()}
        self.of = tuple(numbers.get(root, 0) for root in groups)

    def label(self, number: int) -> str:
        """The topic in a few words, in the language of its utterances. Empty for 0."""
        if number not in self._labels:
            root = self._roots.get(number)
            members = [] if root is None else self._members[root]
            self._labels[number] = label_of(self._subjects, self._words, members)
        return self._labels[number]


def find_topics(
    subjects: Sequence[Subject], meanings: Sequence[Meaning] = (), selected: Collection[int] | None = None
) -> TopicGroups:
    """Group utterances given in time order. `meanings` are their vectors, one set per embedding model.

    With few `selected` indices, only these, their neighbours and the neighbours of those are examined.
    """
    words = Vocabulary(subjects)
    near = Nearness(subjects, words, meanings)
    rows = range(len(subjects))
    if selected is None or FEW_SELECTED * len(selected) >= len(subjects):
        links = near.links(rows, LEAST_LINK)
    else:
        links = near.links(sorted(selected), LEAST_LINK)
        examined = set(selected)
        for _ in range(STEPS):
            reached = {index for pair, strength in links.items() if strength >= LEAST_MEAN for index in pair} - examined
            links |= near.links(sorted(reached), LEAST_LINK)
            examined |= reached
    return TopicGroups(subjects, words, _merge_groups(len(subjects), links))


def _merge_groups(count: int, links: Mapping[tuple[int, int], float]) -> list[int]:
    """The group of each utterance, by average linkage. Pairs without a link count as 0."""
    near: list[dict[int, float]] = [{} for _ in range(count)]
    for (first, second), strength in links.items():
        near[first][second] = near[second][first] = strength
    size, group_of = [1] * count, list(range(count))
    members: list[list[int]] = [[index] for index in range(count)]
    heap = [(-strength, first, second, 1, 1) for (first, second), strength in links.items() if strength >= LEAST_MEAN]
    heapq.heapify(heap)
    while heap:
        _, first, second, first_size, second_size = heapq.heappop(heap)
        if size[first] != first_size or size[second] != second_size:
            continue  # one of them has grown or was merged since
        target, source = (first, second) if len(near[first]) >= len(near[second]) else (second, first)
        for index in members[source]:
            group_of[index] = target
        members[target] += members[source]
        size[target] += size[source]
        members[source], size[source] = [], 0
        near[target].pop(source, None)
        for other, strength in near[source].items():
            near[other].pop(source, None)
            if other != target:
                near[target][other] = near[other][target] = near[target].get(other, 0.0) + strength
        near[source] = {}
        for other, strength in near[target].items():
            mean = strength / (size[target] * size[other])
            if mean >= LEAST_MEAN:
                low, high = min(target, other), max(target, other)
                heapq.heappush(heap, (-mean, low, high, size[low], size[high]))
    return [min(members[root]) for root in group_of]
