"""Which hits a newer memory may have made out of date, judged by the question and by both texts.

Two facts may state two values for one subject in quite different words. `facts/renewal.py` says how likely that is. If it is
likely enough, Waypost shows the newer one first and marks the other as earlier. That is no contradiction: both may hold. The newer one
becomes nearly as certain as the older one. So it is not cut from the answer if it has few words of the question.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from waypost.facts.lexicon import LANGUAGES
from waypost.facts.renewal import ASKED, ends_another_value, likelihood, wording_evidence
from waypost.flows.versions.authority import PERSON
from waypost.flows.versions.conflicts import COMPARED_KINDS
from waypost.model.recall import Hit
from waypost.retrieve.calibration import ServingEngines
from waypost.store.protocol import Reader, VersionSketch

LEAST = 0.2  # likelihood from which a newer fact renews an older one: a mark on a fact that holds costs more trust than a missing one
LEAST_UNREAD = 0.3  # the same for a pair that the renewal model did not read: the judgement is less sure
LEAST_LIKENESS = 0.2  # cosine of two facts that are compared
MOST_ASKED = 6  # of the most certain hits, one must be in a pair
MOST_OTHERS = 2  # facts that each fact is compared with: the nearest, and the most certain without a vector
BEST, MOST_OTHERS_OF_BEST = 4, 5  # the same for the most certain facts: a renewal of these changes the answer
BEST_FOLLOWED, MOST_FOLLOWED = 2, 2  # best facts, and newer ones near each that are looked at, however far behind
MOST_BEHIND = 60  # places in the ranking behind those that are looked at anyway
LEAST_NEAR = 0.35  # cosine of such a newer fact
MOST_CERTAIN = 2  # other facts that each of the best is compared with, those that answer best, near or not
# Cosine of facts about different things. Among few facts, the nearest one says little: then it is as if one more were so near.
USUAL_LIKENESS, FEW = 0.45, 18
NEARLY_AS_CERTAIN = 0.9  # the newer one, beside the one that it renews
MOST_READ = 4  # pairs that the renewal model reads, the likeliest first: each takes 0.6 ms, and 4 ms for a new text
LEAST_READ = 0.03  # likelihood without the model from which on it reads a pair
STRONG = 6.0  # logit of the model that counts as 1; more counts no more
_EXTRACTOR = "extractor"

Likeness = Mapping[tuple[int, int], float]  # cosines of two hits, by (lower place, higher place)
# The logit of the model for an older and a newer text and the evidence of their words; None without a model.
RenewalScore = Callable[[str, str, Mapping[str, float]], float | None]
_NONE: Likeness = {}


class ComparedPair(NamedTuple):
    """Two hits, by their places, and what speaks for a renewal."""

    older: int
    newer: int
    evidence: Mapping[str, float]


def no_model(_: str, __: str, ___: Mapping[str, float]) -> None:
    return None


def with_renewals(
    hits: Sequence[Hit], languages: Sequence[str], likeness: Likeness = _NONE, score: RenewalScore = no_model
) -> list[Hit]:
    """The hits, each with the newest other one that renews it."""
    newest = dict[int, int]()
    for older, newer, evidence in read_pairs(hits, list(compared_pairs(hits, languages, likeness)), score):
        texts = hits[older].text, hits[newer].text
        is_read = "read" in evidence
        if likelihood(evidence, ASKED) >= (LEAST if is_read else LEAST_UNREAD) and not ends_another_value(
            *texts, _spoken(languages[older]), of_one_kind=is_read
        ):
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


def read_pairs(hits: Sequence[Hit], pairs: Sequence[ComparedPair], score: RenewalScore) -> list[ComparedPair]:
    """The pairs, the likeliest of them with what the model says."""
    likely = sorted(((likelihood(pair.evidence, ASKED), at) for at, pair in enumerate(pairs)), reverse=True)
    read = list(pairs)
    for _, at in [each for each in likely if each[0] >= LEAST_READ][:MOST_READ]:
        pair = pairs[at]
        logit = score(hits[pair.older].text, hits[pair.newer].text, pair.evidence)
        if logit is not None:
            read[at] = pair._replace(evidence={**pair.evidence, "read": max(-1.0, min(1.0, logit / STRONG))})
    return read


def maybe_renewing(reader: Reader, order: Sequence[VersionSketch], engines: ServingEngines, most: int) -> list[int]:
    """Versions behind the first `most` of a ranking that are near the best facts: they may state newer values in other words."""
    facts = [sketch for sketch in order if sketch.kind in COMPARED_KINDS]
    behind = {sketch.number for sketch in order[most : most + MOST_BEHIND]} & {sketch.number for sketch in facts}
    newer_ones = list[int]()
    for best in facts[:BEST_FOLLOWED] if behind else ():
        engine = next(filter(None, engines.by_preference(best.language, best.language)), None)
        if engine is not None:
            later = [each.number for each in facts if each.micros > best.micros and each.number in behind]
            cosines = reader.search.cosines_between(engine, [best.number, *later])
            near = {number: cosines.get((min(best.number, number), max(best.number, number)), 0.0) for number in later}
            nearest = sorted(
                (number for number in later if near[number] >= LEAST_NEAR), key=lambda number: -near[number]
            )
            newer_ones += nearest[:MOST_FOLLOWED]
    return newer_ones


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
    newer_of = {
        older: [
            place
            for place in facts
            if _when(hits[place]) > _when(hits[older])
            and min(rank[older], rank[place]) < MOST_ASKED
            and _spoken(languages[place]) == _spoken(languages[older])
            and (hits[older].source != PERSON or hits[place].source == PERSON)
        ]
        for older in facts
    }
    best = frozenset(facts[:BEST])
    chosen = {
        (older, newer) for older in facts for newer in nearness.nearest(older, newer_of[older], is_best=older in best)
    }
    for newer in best:
        earlier = [older for older in facts if newer in newer_of[older]]
        chosen |= {(older, newer) for older in nearness.nearest(newer, earlier, is_best=True)}
    for older in facts:
        for place in newer_of[older]:
            if (older, place) not in chosen:
                continue
            first, other = hits[older], hits[place]
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

    def nearest(self, fact: int, others: Sequence[int], *, is_best: bool) -> list[int]:
        """The others to compare a fact with. `others` are in order of certainty."""
        most = MOST_OTHERS_OF_BEST if is_best else MOST_OTHERS
        measured = [other for other in others if self.of(fact, other) >= LEAST_LIKENESS]
        measured.sort(key=lambda other: -self.of(fact, other))
        unmeasured = [other for other in others if not self.knows(fact, other)]
        return [*measured[:most], *unmeasured[:most], *(others[:MOST_CERTAIN] if is_best else ())]

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
