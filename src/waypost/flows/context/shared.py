"""Shared memories of other projects that match a prompt."""

from collections.abc import Sequence
from dataclasses import replace

from waypost.flows.context.nearest import PromptQuery, nearest
from waypost.flows.links.hits import derived, hit_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.share.sources import AWAY, Giver, given_to
from waypost.model.kinds import KINDS
from waypost.model.recall import Hit, View
from waypost.model.share import ShareRow
from waypost.retrieve.shared import only_news


def with_shared_hits(
    space: OpenSpace, taken: Sequence[ShareRow], own: Sequence[Hit], query: PromptQuery, view: View
) -> tuple[list[Hit], tuple[str, ...]]:
    """Own and shared hits, the nearest first, and notes about projects that could not be read.

    Scores are plain cosines, so hits of different projects can be compared.
    """
    with given_to(space, taken, view) as given:
        others: list[list[Hit]] = []
        for giver in list(given.givers):
            try:
                others.append(_nearest_of(space, giver, query, view))
            except AWAY as error:
                given.drop(giver, error)
    hits = [*own, *(hit for side in only_news(own, others) for hit in side)]
    return sorted(hits, key=lambda hit: -hit.score), tuple(given.notes)


def _nearest_of(space: OpenSpace, giver: Giver, query: PromptQuery, view: View) -> list[Hit]:
    giver_view = giver.view(view)
    if giver_view is None:
        return []
    # Left out before the nearest are chosen: what is not offered must not take their places.
    offered = replace(query, is_known=lambda memory: query.is_known(memory) or not giver.offer.admits(memory.kind))
    near = nearest(giver.reader, offered, giver_view)
    versions = giver.reader.memories.by_number(near)
    memories = giver.linked(space, [version for version in versions.values() if not KINDS[version.kind].derived])
    hits = []
    for number, score in near.items():
        memory = memories.get(number) or derived(versions[number], space.clock())
        hits.append(replace(hit_of(memory, score, {"meaning": score}), project=giver.project))
    return hits
