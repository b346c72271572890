"""Candidate facts from many commits: described as things are after the last commit, each thing once."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from waypost.facts.agreement import TextRelation, compare
from waypost.facts.domains import Layout
from waypost.facts.duplicates import normal_form
from waypost.facts.learn.change_context import ChangeContext, ExistsToday
from waypost.facts.learn.change_tracker import ChangeTracker
from waypost.facts.learn.message import read_message
from waypost.facts.learn.propose import propose
from waypost.facts.learn.skip_reasons import OVERTAKEN, REVERTED
from waypost.facts.learn.vocabulary import content_words
from waypost.model.candidate import Candidate
from waypost.model.change import ChangeSet

_MOST_EVIDENCE = 6
_ALIKE = 0.8  # share of common words required before commitments are compared


@dataclass(frozen=True, slots=True)
class RangeProposals:
    candidates: tuple[Candidate, ...]  # in the order of their commits
    commits: int
    skipped: Mapping[str, int]  # commits without candidates, by reason
    merged: int  # candidates merged into another one

    @property
    def certain(self) -> int:
        return sum(candidate.is_certain for candidate in self.candidates)


def propose_for_range(
    changes: Iterable[ChangeSet], layout: Layout, *, exists_today: ExistsToday | None = None
) -> RangeProposals:
    """The candidates of commits that are given oldest first.

    What a later commit removed, renamed or changed is described as it is then, or left out. Of one topic the last
    candidate stays. Candidates that say nearly the same are merged, with the evidence of both.
    """
    all_changes = list(changes)
    reverted = _reverted_indices(all_changes)
    track = ChangeTracker.of(change for index, change in enumerate(all_changes) if index not in reverted)
    skipped: Counter[str] = Counter()
    by_topic: dict[str, Candidate] = {}
    merged = 0
    for index, change in enumerate(all_changes):
        if index in reverted:
            skipped[REVERTED] += 1
            continue
        proposals, _ = propose(ChangeContext.of(track.at_the_end(change), layout, exists_today))
        if not proposals:
            reason = propose(ChangeContext.of(change, layout))[1]
            skipped[reason or OVERTAKEN] += 1
        for candidate in proposals:
            merged += _add(by_topic, candidate)
    return RangeProposals(tuple(by_topic.values()), len(all_changes), dict(skipped), merged)


def _add(by_topic: dict[str, Candidate], new: Candidate) -> int:
    """Adds a candidate and returns the number of others that it replaced."""
    old = by_topic.pop(new.topic, None)
    if old is not None:
        by_topic[new.topic] = replace(new, evidence=_joined_evidence(old, new), time=new.time)
        return 1
    for topic, other in by_topic.items():
        if other.kind == new.kind and other.domain == new.domain and _says_the_same(other.text, new.text):
            longer = new if len(new.text) >= len(other.text) else other
            by_topic[topic] = replace(
                longer,
                topic=topic,
                evidence=_joined_evidence(other, new),
                confidence=max(other.confidence, new.confidence),
                refs=tuple(dict.fromkeys((*longer.refs, *other.refs, *new.refs)))[:4],
            )
            return 1
    by_topic[new.topic] = new
    return 0


def _says_the_same(text: str, other_text: str) -> bool:
    if normal_form(text) == normal_form(other_text):
        return True
    first_words, second_words = set(content_words(text)), set(content_words(other_text))
    if len(first_words & second_words) < _ALIKE * max(len(first_words), len(second_words), 1):
        return False
    return compare(text, other_text).relation in (TextRelation.SAME, TextRelation.LESS, TextRelation.MORE)


def _joined_evidence(old: Candidate, new: Candidate) -> tuple[str, ...]:
    evidence = tuple(dict.fromkeys((*old.evidence, *new.evidence)))
    return evidence if len(evidence) <= _MOST_EVIDENCE else (*evidence[:2], *evidence[-(_MOST_EVIDENCE - 2) :])


def _reverted_indices(changes: list[ChangeSet]) -> set[int]:
    reverted: set[int] = set()
    for index, change in enumerate(changes):
        target = read_message(change.subject, change.body).reverts
        if not target:
            continue
        for earlier in range(index - 1, -1, -1):
            candidate_change = changes[earlier]
            if earlier not in reverted and (
                candidate_change.commit.startswith(target) or _subject(candidate_change.subject) == _subject(target)
            ):
                reverted |= {earlier, index}
                break
    return reverted


def _subject(text: str) -> str:
    return " ".join(text.split())[:200].rstrip(".…")
