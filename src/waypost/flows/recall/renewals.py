"""Which hits a newer memory may have made out of date, judged by the question.

Two facts that have the same words of a question and much else in common are about the same thing. They must also state values that
exclude each other: by the same verb, or as literals of one kind. Then Waypost shows the newer one first and marks the other as
earlier. That is no contradiction: both may hold. Facts with other verbs only add something: "wheels are built on Linux", "wheels are
signed by Marta".
"""

from collections.abc import Sequence
from dataclasses import replace

from waypost.facts.lexicon import LANGUAGES
from waypost.facts.statements import BE, PURPOSE, TAIL, WORD, Statement, statements
from waypost.facts.wordings import may_be_one_subject, signals_change
from waypost.flows.versions.authority import PERSON
from waypost.flows.versions.conflicts import COMPARED_KINDS
from waypost.model.recall import Hit
from waypost.retrieve.certainty import terms_of

LEAST_WORDS = 0.4  # share of the question's words that both have
SAME_WORDS = 0.05  # difference between shares that are the same
LEAST_COMMON = 0.34  # share of the shorter text's words that both have
LEAST_CERTAINTY = 0.05
MOST_BEHIND = 0.5  # of certainty, for a newer fact that does not say that something changed
NEARLY_AS_CERTAIN = 0.9  # a newer fact that says that something changed, beside the older one
_EXTRACTOR = "extractor"


def with_renewals(hits: Sequence[Hit], languages: Sequence[str]) -> list[Hit]:
    """The hits, each with the newest other one about the same. What says that something changed is nearly as certain."""
    marked, certainties = list[Hit](), dict[str, float]()
    for hit, language in zip(hits, languages, strict=True):
        newer = [other for other in hits if _is_later(other, hit) and _is_about_the_same(hit, other, language)]
        newest = max(newer, key=lambda other: (other.valid_from, other.recorded_at), default=None)
        marked.append(hit if newest is None else replace(hit, newer_id=newest.id))
        if newest is not None and signals_change(newest.text, _spoken(language)):
            certainty = NEARLY_AS_CERTAIN * (hit.certainty or 0.0)
            certainties[newest.id] = max(certainty, certainties.get(newest.id, 0.0))
    return [
        replace(hit, certainty=max(hit.certainty or 0.0, certainties[hit.id])) if hit.id in certainties else hit
        for hit in marked
    ]


def in_sight(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without marks that point to nothing before them."""
    seen, kept = set[str](), list[Hit]()
    for hit in hits:
        is_marked = hit.newer_id is not None and hit.newer_id not in seen
        kept.append(replace(hit, newer_id=None) if is_marked else hit)
        seen.add(hit.id)
    return kept


def _is_later(other: Hit, hit: Hit) -> bool:
    return (other.valid_from, other.recorded_at) > (hit.valid_from, hit.recorded_at)


def _is_about_the_same(hit: Hit, other: Hit, language: str) -> bool:
    for each in (hit, other):
        if each.kind not in COMPARED_KINDS or each.source == _EXTRACTOR or each.evidence["words"] < LEAST_WORDS:
            return False
    if (other.certainty or 0.0) < LEAST_CERTAINTY or (hit.source == PERSON and other.source != PERSON):
        return False
    spoken = _spoken(language)
    is_less = other.evidence["words"] < hit.evidence["words"] - SAME_WORDS
    is_doubtful = (hit.certainty or 0.0) - (other.certainty or 0.0) > MOST_BEHIND
    if (is_less or is_doubtful) and not signals_change(other.text, spoken):
        return False
    own, others = (terms_of(each.text, german=language == "de") for each in (hit, other))
    if len(own & others) < LEAST_COMMON * min(len(own), len(others)):
        return False
    if not may_be_one_subject(hit.text, other.text, spoken):
        return False
    return signals_change(other.text, spoken) or _state_one_thing(hit.text, other.text, spoken)


def _state_one_thing(first: str, second: str, language: str) -> bool:
    """Whether two facts state a value of the same kind, or something by the same verb. An unknown verb may be the same."""
    own, others = (statements(text, language) for text in (first, second))
    kinds, other_kinds = ({kind for each in side for kind in _literals(each)} for side in (own, others))
    if kinds & other_kinds:
        return True
    verbs, other_verbs = ({_verb(each) for each in side} for side in (own, others))
    return bool(verbs & other_verbs - {""}) or ({""} in (verbs, other_verbs) and not kinds | other_kinds)


def _literals(statement: Statement) -> set[str]:
    return {term.kind for term in statement.zone(TAIL, PURPOSE) if term.kind != WORD}


def _verb(statement: Statement) -> str:
    """The class of the verb. Of "is signed by": the word behind it, since its own verb is in no list."""
    if statement.verb != BE:
        return statement.verb
    first = next(iter(statement.zone(TAIL)), None)
    return f"{BE} {first.value}" if first is not None and first.text.islower() and first.kind == WORD else BE


def _spoken(language: str) -> str:
    return language if language in LANGUAGES else "en"
