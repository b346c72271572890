"""Shared memories of other projects that match a prompt."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from waypost.flows.links.hits import derived, hit_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.share.sources import AWAY, Giver, given_to
from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.model.share import ShareRow
from waypost.retrieve.shared import only_news
from waypost.store.protocol import Reader

IsLeftOut = Callable[[Version | Hit], bool]
Nearest = Callable[[Reader, View, IsLeftOut], dict[int, float]]  # numbers of versions, the nearest first, with scores


def near_too(
    space: OpenSpace, taken: Sequence[ShareRow], own: Sequence[Hit], view: View, nearest: Nearest
) -> tuple[list[Hit], tuple[str, ...]]:
    """Own and shared hits, the nearest first, and notes about projects that could not be read.

    Scores are plain cosines, so hits of different projects can be compared.
    """
    with given_to(space, taken, view) as given:
        others: list[list[Hit]] = []
        for giver in list(given.givers):
            try:
                others.append(_near(space, giver, view, nearest))
            except AWAY as error:
                given.drop(giver, error)
    hits = [*own, *(hit for side in only_news(own, others) for hit in side)]
    return sorted(hits, key=lambda hit: -hit.score), tuple(given.notes)


def _near(space: OpenSpace, giver: Giver, view: View, nearest: Nearest) -> list[Hit]:
    offered = giver.view(view)
    if offered is None:
        return []
    # Left out before the nearest are chosen: what is not offered must not take their places.
    near = nearest(giver.reader, offered, lambda memory: not giver.offer.admits(memory.kind))
    versions = giver.reader.memories.by_number(near)
    memories = giver.linked(space, [version for version in versions.values() if not KINDS[version.kind].derived])
    hits = []
    for number, score in near.items():
        memory = memories.get(number) or derived(versions[number], space.clock())
        hits.append(replace(hit_of(memory, score, {"meaning": score}), project=giver.project))
    return hits
