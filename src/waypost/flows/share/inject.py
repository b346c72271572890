"""What other projects share that has to do with a message, beside what is known here."""

from collections.abc import Sequence
from dataclasses import replace

from waypost.flows.context.nearest import PromptQuery, nearest
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.hits import derived, hit_of
from waypost.flows.share.sources import AWAY, Giver, given_to
from waypost.model.kinds import KINDS
from waypost.model.recall import Hit, View
from waypost.model.share import ShareRow
from waypost.retrieve.shared import only_news


def near_too(
    space: OpenSpace, taken: Sequence[ShareRow], own: Sequence[Hit], asked: PromptQuery, view: View
) -> tuple[list[Hit], tuple[str, ...]]:
    """One's own hits and theirs, the nearest first, and what is to be said of those who share. How near something is,
    an engine tells by the cosine alone: it is the same measure in every project."""
    with given_to(space, taken, view) as given:
        others: list[list[Hit]] = []
        for giver in list(given.givers):
            try:
                others.append(_near(space, giver, asked, view))
            except AWAY as error:
                given.drop(giver, error)
    found = [*own, *(hit for side in only_news(own, others) for hit in side)]
    return sorted(found, key=lambda hit: -hit.score), tuple(given.notes)


def _near(space: OpenSpace, giver: Giver, asked: PromptQuery, view: View) -> list[Hit]:
    shown = giver.view(view)
    if shown is None:
        return []
    # What is not offered is left out before the nearest are chosen: it must not take their places.
    offered = replace(asked, is_known=lambda one: asked.is_known(one) or not giver.offer.admits(one.kind))
    near = nearest(giver.reader, offered, shown)
    versions = giver.reader.versions_by_number(near)
    kept = [one for one in versions.values() if not KINDS[one.kind].derived]
    memories = giver.linked(space, kept)
    found = []
    for number, score in near.items():
        memory = memories.get(number) or derived(versions[number], space.clock())
        found.append(replace(hit_of(memory, score, {"meaning": score}), project=giver.project))
    return found
