"""Which hits a newer memory may have made out of date, judged by the question.

Two facts that have the same words of a question and much else in common are about the same thing. Waypost shows the newer one first
and marks the other as earlier. That is no contradiction: both may hold.
"""

from collections.abc import Sequence
from dataclasses import replace

from waypost.facts.lexicon import LANGUAGES
from waypost.facts.wordings import may_be_one_subject
from waypost.flows.versions.conflicts import COMPARED_KINDS
from waypost.model.recall import Hit
from waypost.retrieve.certainty import terms_of
from waypost.retrieve.merge import odds

LEAST_WORDS = 0.4  # share of the question's words that both have
LEAST_COMMON = 0.34  # share of the shorter text's words that both have
NEARLY = 3.5  # on the logistic scale: two facts about as certain
_EXTRACTOR = "extractor"


def with_renewals(hits: Sequence[Hit], words: Sequence[tuple[str, Sequence[bool]]]) -> list[Hit]:
    """The hits, each with the newest other one about the same. `words`: language, and which of the question's words it has."""
    marked = list[Hit]()
    for hit, of_hit in zip(hits, words, strict=True):
        newer = [
            other
            for other, of_other in zip(hits, words, strict=True)
            if _is_later(other, hit) and _is_about_the_same(hit, of_hit, other, of_other)
        ]
        newest = max(newer, key=lambda other: (other.valid_from, other.recorded_at), default=None)
        marked.append(hit if newest is None else replace(hit, newer_id=newest.id))
    return marked


def _is_later(other: Hit, hit: Hit) -> bool:
    return (other.valid_from, other.recorded_at) > (hit.valid_from, hit.recorded_at)


def _is_about_the_same(
    hit: Hit, of_hit: tuple[str, Sequence[bool]], other: Hit, of_other: tuple[str, Sequence[bool]]
) -> bool:
    for each in (hit, other):
        if each.kind not in COMPARED_KINDS or each.source == _EXTRACTOR or each.evidence["words"] < LEAST_WORDS:
            return False
    (language, had), (_, other_had) = of_hit, of_other
    if any(has and not also for has, also in zip(had, other_had, strict=True)):
        return False
    if odds(hit.certainty or 0.0) - odds(other.certainty or 0.0) > NEARLY:
        return False
    own, others = (terms_of(each.text, german=language == "de") for each in (hit, other))
    if len(own & others) < LEAST_COMMON * min(len(own), len(others)):
        return False
    return may_be_one_subject(hit.text, other.text, language if language in LANGUAGES else "en")
