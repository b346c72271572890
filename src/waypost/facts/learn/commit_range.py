"""Candidates out of many commits: told as things are at the end of them, each thing once."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from waypost.facts.agreement import TextRelation, compare
from waypost.facts.domains import Layout
from waypost.facts.duplicates import normal_form
from waypost.facts.learn.change_context import Scene, Still
from waypost.facts.learn.change_tracker import Track
from waypost.facts.learn.message import read
from waypost.facts.learn.propose import propose
from waypost.facts.learn.skip_reasons import OVERTAKEN, REVERTED
from waypost.facts.learn.vocabulary import content
from waypost.model.candidate import Candidate
from waypost.model.change import ChangeSet

_MOST_EVIDENCE = 6
_ALIKE = 0.8  # of the words of two texts, before their commitments are compared


@dataclass(frozen=True, slots=True)
class Proposed:
    candidates: tuple[Candidate, ...]  # in the order of their commits
    commits: int
    skipped: Mapping[str, int]  # commits that gave nothing, by reason
    merged: int  # candidates that went into another one

    @property
    def certain(self) -> int:
        return sum(one.is_certain for one in self.candidates)


def over_range(changes: Iterable[ChangeSet], layout: Layout, *, still: Still | None = None) -> Proposed:
    """The candidates of commits, given oldest first.

    What a later commit removed, renamed or changed again is told as it is then, or not at all; of one topic the last
    stays; what nearly says the same becomes one, with the evidence of both.
    """
    given = list(changes)
    reverted = _reverted(given)
    track = Track.of(change for at, change in enumerate(given) if at not in reverted)
    skipped: Counter[str] = Counter()
    kept: dict[str, Candidate] = {}
    merged = 0
    for at, change in enumerate(given):
        if at in reverted:
            skipped[REVERTED] += 1
            continue
        found, _ = propose(Scene.of(track.at_the_end(change), layout, still))
        if not found:
            then = propose(Scene.of(change, layout))[1]
            skipped[then or OVERTAKEN] += 1
        for one in found:
            merged += _keep(kept, one)
    return Proposed(tuple(kept.values()), len(given), dict(skipped), merged)


def _keep(kept: dict[str, Candidate], new: Candidate) -> int:
    """Puts a candidate among the others; how many it took the place of."""
    old = kept.pop(new.topic, None)
    if old is not None:
        kept[new.topic] = replace(new, evidence=_both(old, new), time=new.time)
        return 1
    for topic, other in kept.items():
        if other.kind == new.kind and other.domain == new.domain and _says_the_same(other.text, new.text):
            longer = new if len(new.text) >= len(other.text) else other
            kept[topic] = replace(
                longer,
                topic=topic,
                evidence=_both(other, new),
                confidence=max(other.confidence, new.confidence),
                refs=tuple(dict.fromkeys((*longer.refs, *other.refs, *new.refs)))[:4],
            )
            return 1
    kept[new.topic] = new
    return 0


def _says_the_same(one: str, other: str) -> bool:
    if normal_form(one) == normal_form(other):
        return True
    first, second = set(content(one)), set(content(other))
    if len(first & second) < _ALIKE * max(len(first), len(second), 1):
        return False
    return compare(one, other).relation in (TextRelation.SAME, TextRelation.LESS, TextRelation.MORE)


def _both(old: Candidate, new: Candidate) -> tuple[str, ...]:
    joined = tuple(dict.fromkeys((*old.evidence, *new.evidence)))
    return joined if len(joined) <= _MOST_EVIDENCE else (*joined[:2], *joined[-(_MOST_EVIDENCE - 2) :])


def _reverted(changes: list[ChangeSet]) -> set[int]:
    """The places of the commits that revert another one of the range, and of those that they revert."""
    gone: set[int] = set()
    for at, change in enumerate(changes):
        target = read(change.subject, change.body).reverts
        if not target:
            continue
        for before in range(at - 1, -1, -1):
            one = changes[before]
            if before not in gone and (one.commit.startswith(target) or _subject(one.subject) == _subject(target)):
                gone |= {before, at}
                break
    return gone


def _subject(text: str) -> str:
    return " ".join(text.split())[:200].rstrip(".…")
