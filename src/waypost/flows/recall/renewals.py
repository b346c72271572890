"""Which hits a newer memory may have made out of date, judged by the question and by both texts.

Two facts may state two values for one subject in quite different words. `facts/renewal.py` says how likely that is. If it is
likely enough, Waypost shows the newer one first and marks the other as earlier. That is no contradiction: both may hold. The newer one
becomes nearly as certain as the older one. So it is not cut from the answer if it has few words of the question.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from waypost.facts.lexicon import LANGUAGES
from waypost.facts.renewal import ASKED, ends_another_value, likelihood, wording_evidence
from waypost.flows.versions.authority import PERSON
from waypost.flows.versions.conflicts import COMPARED_KINDS
from waypost.model.recall import Hit

LEAST = 0.3  # likelihood from which a newer fact renews an older one: a mark on a fact that holds costs more trust than a missing one
LEAST_LIKENESS = 0.2  # cosine of two facts that are compared
MOST_ASKED = 6  # of the most certain hits, one must be in a pair
MOST_NEWER = 2  # newer facts that each fact is compared with: the nearest, and the most certain without a vector
# Cosine of facts about different things. Among few facts, the nearest one says little: then it is as if one more were so near.
USUAL_LIKENESS, FEW = 0.45, 18
NEARLY_AS_CERTAIN = 0.9  # the newer one, beside the one that it renews
_EXTRACTOR = "extractor"

Likeness = Mapping[tuple[int, int], float]  # cosines of two hits, by (lower place, higher place)
_NONE: Likeness = {}


class ComparedPair(NamedTuple):
    """Two hits, by their places, and what speaks for a renewal."""

    older: int
    newer: int
    evidence: Mapping[str, float]


def with_renewals(hits: Sequence[Hit], languages: Sequence[str], likeness: Likeness = _NONE) -> list[Hit]:
    """The hits, each with the newest other one that renews it."""
    newest = dict[int, int]()
    for older, newer, evidence in compared_pairs(hits, languages, likeness):
        if likelihood(evidence, ASKED) >= LEAST:
            newest[older] = max(newest.get(older, newer), newer, key=lambda place: _when(hits[place]))
    if not newest:
        return list(hits)
    certainty = [hit.certainty or 0.0 for hit in hits]
    for older in sorted(newest, key=lambda place: _when(hits[place])):
        newer = newest[older]
        certainty[newer] = max(certainty[newer], NEARLY_AS_CERTAIN * certainty[older])
    return [
        replace(
            hit,
            newer_id=hits[newest[place]].id if place in newest else hit.newer_id,
            certainty=certainty[place] if hit.certainty is not None else None,
        )
        for place, hit in enumerate(hits)
    ]


def in_sight(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without marks that point to nothing before them."""
    seen, kept = set[str](), list[Hit]()
    for hit in hits:
        is_marked = hit.newer_id is not None and hit.newer_id not in seen
        kept.append(replace(hit, newer_id=None) if is_marked else hit)
        seen.add(hit.id)
    return kept


def may_be_renewed(hit: Hit) -> bool:
    return hit.kind in COMPARED_KINDS and hit.source != _EXTRACTOR


def compared_pairs(hits: Sequence[Hit], languages: Sequence[str], likeness: Likeness) -> Iterator[ComparedPair]:
    """The pairs of facts that one may renew the other of, with their evidence."""
    order = sorted(range(len(hits)), key=lambda place: -(hits[place].certainty or 0.0))
    rank = {place: at for at, place in enumerate(order)}
    facts = [place for place in order if may_be_renewed(hits[place])]
    nearness = _Nearness(facts, likeness)
    for older in facts:
        newer = [
            place
            for place in facts
            if _when(hits[place]) > _when(hits[older])
            and min(rank[older], rank[place]) < MOST_ASKED
            and _spoken(languages[place]) == _spoken(languages[older])
            and (hits[older].source != PERSON or hits[place].source == PERSON)
        ]
        measured = [place for place in newer if nearness.of(older, place) >= LEAST_LIKENESS]
        measured.sort(key=lambda place: -nearness.of(older, place))
        unmeasured = [place for place in newer if not nearness.knows(older, place)]
        for place in (*measured[:MOST_NEWER], *unmeasured[:MOST_NEWER]):
            first, other = hits[older], hits[place]
            if ends_another_value(first.text, other.text, _spoken(languages[older])):
                continue
            evidence = {
                **wording_evidence(first.text, other.text, _spoken(languages[older])),
                "first": float(min(rank[older], rank[place]) == 0),
                "words_more": max(0.0, other.evidence.get("words", 0.0) - first.evidence.get("words", 0.0)),
            }
            if nearness.knows(older, place):
                more = other.evidence.get("meaning", 0.0) - first.evidence.get("meaning", 0.0)
                evidence |= nearness.evidence(older, place, evidence) | {"meaning_more": max(0.0, more)}
            yield ComparedPair(older, place, evidence)


class _Nearness:
    """How near facts are to each other, among all of them."""

    def __init__(self, facts: Sequence[int], likeness: Likeness) -> None:
        self._likeness = likeness
        usual = USUAL_LIKENESS * max(0.0, 1 - len(facts) / FEW)
        self._nearest = {
            place: sorted((usual, *(self.of(place, other) for other in facts if other != place)), reverse=True)[:2]
            for place in facts
        }

    def of(self, first: int, other: int) -> float:
        return self._likeness.get((min(first, other), max(first, other)), 0.0)

    def knows(self, first: int, other: int) -> bool:
        return (min(first, other), max(first, other)) in self._likeness

    def evidence(self, older: int, newer: int, words: Mapping[str, float]) -> dict[str, float]:
        likeness = self.of(older, newer)
        leads = [self._lead(place, likeness) for place in (older, newer)]
        nearest_older, nearest_newer = (float(lead >= 0.0) for lead in leads)
        mutual = nearest_older * nearest_newer
        return {
            "likeness": likeness,
            "likeness_shared": likeness * words["shared_older"],
            "likeness_signal": likeness * words["signal"],
            "mutual": mutual,
            "mutual_likeness": mutual * likeness,
            "nearest_older": nearest_older,
            "nearest_newer": nearest_newer,
            "lead": min(leads),
            "lead_newer": leads[1],
        }

    def _lead(self, place: int, likeness: float) -> float:
        best, second = self._nearest[place]
        return likeness - (best if likeness < best else second)


def _when(hit: Hit) -> tuple[object, ...]:
    return hit.valid_from, hit.recorded_at


def _spoken(language: str) -> str:
    return language if language in LANGUAGES else "en"
