"""Memories of other projects beside one's own, ranked as if all were in one space.

Cosines of one engine can be compared. They are measured against the spread over all passages of all projects
(`together`). BM25 can't: it only knows how rare a word is in its own project, and among three facts every word is common.
So the best match of a project counts in full. Projects are compared by how many of the question's words it has (`reach`).

685 facts dealt out to four projects of uneven sizes, 76 questions, three times (benchmarks/sharing.py): the right one is first in
.645, among the first five in .904; in one space .658 and .908; without `reach` .605 and .917.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from waypost.model.recall import Hit
from waypost.retrieve import score as fuse
from waypost.retrieve.relevance import words_shared
from waypost.store.protocol import Population
from waypost.text.language import language_of

Populations = Mapping[str, Mapping[str, Population]]  # by engine and language

_COMPARED = 10  # hits of a project whose words are looked at: the best by their words
WORDED = 1 + fuse.SESSION_KEYWORDS  # what a full match of words is worth to a memory outside of sessions
REACH = "reach"  # the part of a score that comes from here


def together(sides: Sequence[Populations]) -> dict[str, dict[str, Population]]:
    """How cosines spread over the passages of all sides, as though they were one space."""
    by_engine: dict[str, dict[str, list[Population]]] = {}
    for side in sides:
        for engine, by_language in side.items():
            for language, population in by_language.items():
                by_engine.setdefault(engine, {}).setdefault(language, []).append(population)
    return {
        engine: {language: _pooled(some) for language, some in by_language.items()}
        for engine, by_language in by_engine.items()
    }


def _pooled(some: Sequence[Population]) -> Population:
    count = sum(population.count for population in some)
    if len(some) == 1 or not count:
        return some[0]
    mean = sum(population.count * population.mean for population in some) / count
    square = (
        sum(population.count * (population.deviation**2 + (population.mean - mean) ** 2) for population in some) / count
    )
    return Population(count, mean, float(square**0.5))


def ranked_as_one(own: Sequence[Hit], others: Sequence[Sequence[Hit]], terms: Collection[str]) -> list[Hit]:
    """All hits, best first. Others' hits with the same text or id as one's own are left out."""
    sides = [list(own), *only_news(own, others)]
    reaches = _reaches(sides, terms)
    most = max(reaches, default=0.0)
    hits = [
        _reached(hit, reach / most) if most else hit for side, reach in zip(sides, reaches, strict=True) for hit in side
    ]
    return sorted(hits, key=lambda hit: -hit.score)  # stable: of equal ones one's own come first


def only_news(own: Sequence[Hit], others: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
    ids, texts = {hit.id for hit in own}, {_said(hit) for hit in own}
    news: list[list[Hit]] = []
    for side in others:
        new = [hit for hit in side if hit.id not in ids and _said(hit) not in texts]
        ids |= {hit.id for hit in new}
        texts |= {_said(hit) for hit in new}
        news.append(new)
    return news


def _said(hit: Hit) -> str:
    return " ".join(hit.text.casefold().split())


def _reaches(sides: Sequence[Sequence[Hit]], terms: Collection[str]) -> list[float]:
    """Of each side: how much of the words the hit has that has most of them."""
    looked: dict[int, tuple[int, Hit]] = {}
    for place, side in enumerate(sides):
        worded = sorted((hit for hit in side if hit.why.get("keywords")), key=lambda hit: -hit.why["keywords"])
        for hit in worded[:_COMPARED]:
            looked[len(looked)] = (place, hit)
    shared = words_shared(terms, {key: (hit.text, language_of(hit.text)) for key, (_, hit) in looked.items()})
    best = [0.0] * len(sides)
    for key, (place, _) in looked.items():
        best[place] = max(best[place], shared[key])
    return best


def _reached(hit: Hit, share: float) -> Hit:
    worth = hit.why.get("keywords", 0.0) * WORDED * (share - 1)
    if not worth:
        return hit
    return replace(hit, score=fuse.shown_score(fuse.total_of(hit.score) + worth), why={**hit.why, REACH: worth})
