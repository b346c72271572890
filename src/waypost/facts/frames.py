"""Two facts of the same form that differ in one value, whatever their verbs are.

`contradictions` reads verbs that it knows. Here all terms of two facts are compared: if they agree but for one number, name or
other value, the newer one changes it. A value must be at the same kind of place: not at the beginning, where the subject is.
If the wording signals a change, the newer fact may add or leave out a little. A former value that the newer fact rejects
("instead of X", "X left") is recognised anywhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from waypost.facts.statements import ASIDE, CHANGES, FORMER, PURPOSE, TAIL, WORD, Statement, StatementWords, Term

_LEAST_PREFIX = 4  # letters that two forms of a word share at least
_MOST_APART = 2  # words that only one fact has, if a change is signalled
_LONGEST_RUN = 2  # words of a value
_COVERED = 0.6  # share of an older fact, without the rejected value, that the newer one must repeat
_NEAR = r"\W{1,3}(?:\w+\W{1,3}){0,2}"
_NAMES = frozenset((WORD, "identifier", "dotted", "channel", "path"))
_SEVERAL = frozenset(("several", "use", "have"))  # verbs whose subject may have many values


@dataclass(frozen=True, slots=True)
class FrameDifference:
    """What two facts state differently."""

    former: tuple[Term, ...]
    current: tuple[Term, ...]
    is_rejected: bool = False  # the newer fact says that the former value no longer holds
    is_exact: bool = False  # nothing else differs


def frame_difference(
    before: Sequence[Statement], after: Sequence[Statement], older: str, newer: str, words: StatementWords
) -> FrameDifference | None:
    """How the newer fact differs from the older one in a single value, or None."""
    if not before or not after or any(s.past or s.hedged or s.adds for s in (*before, *after)):
        return None
    frames = _Frames(before, after, older, newer, words)
    difference = frames.by_rejection()
    if difference is None and frames.is_comparable():
        difference = frames.by_literal() or frames.by_count() or frames.by_word()
    return difference


class _Frames:
    def __init__(
        self, before: Sequence[Statement], after: Sequence[Statement], older: str, newer: str, words: StatementWords
    ) -> None:
        self._before, self._after, self._words = before, after, words
        self._older, self._newer = older, newer
        self._old, self._new = ([term for s in side for term in s.terms] for side in (before, after))
        self._signal = any(s.signal or s.verb in CHANGES for s in after)
        left = [term for term in self._old if not _is_among(term, self._new)]
        right = [term for term in self._new if not _is_among(term, self._old)]
        relations = {term.preposition for term in left}
        since = [
            term
            for term in right
            if term.kind == WORD and term.preposition in words.events and term.preposition not in relations
        ]
        self._signal |= bool(since) or any(word in _words(newer) - _words(older) for word in words.events)
        self._left = [term for term in left if not self._is_light(term)]
        self._added = [term for term in right if not self._is_light(term)]
        self._right = [term for term in self._added if term not in since]

    def is_comparable(self) -> bool:
        """Whether both affirm or both deny, of the same thing: staging and production are two."""
        old, new = ({term.value for term in side} & self._words.qualifiers for side in (self._old, self._new))
        return old == new and any(s.negated for s in self._before) == any(s.negated for s in self._after)

    def by_count(self) -> FrameDifference | None:
        """A number where the older fact has one of it: "an approval", "two approvals"."""
        if self._left or len(self._right) != 1 or self._right[0].kind != "number":
            return None
        (number,) = self._right
        counted = next((t for t in self._old if t.kind == WORD and t.value == number.unit), None)
        ones = _alternatives(self._words.ones)
        if counted is None or not re.search(rf"\b(?:{ones})\W{{1,3}}{re.escape(counted.text)}", self._older, re.I):
            return None
        return FrameDifference((counted,), (number,), is_exact=True)

    def by_literal(self) -> FrameDifference | None:
        """Another number, date or version, and otherwise the same."""
        ours, theirs = ([term for term in side if term.kind != WORD] for side in (self._left, self._right))
        kinds = [term.kind for term in ours]
        if not ours or kinds != [term.kind for term in theirs] or len(set(kinds)) < len(kinds):
            return None
        if any(self._is_subject(term, self._old) for term in ours) or any(
            a.unit and b.unit and a.unit != b.unit for a, b in zip(ours, theirs, strict=True)
        ):
            return None
        if not self._signal and self._may_have_both(frozenset(("several",))):
            return None
        missing, extra = (sum(term.kind == WORD for term in side) for side in (self._left, self._right))
        if (missing or extra) and not (self._signal and not (missing and extra) and missing + extra <= _MOST_APART):
            return None
        return FrameDifference(tuple(ours), tuple(theirs), is_exact=not missing and not extra)

    def by_word(self) -> FrameDifference | None:
        """Another name or word at the same place, and otherwise the same."""
        ours, theirs = self._left, self._right
        if not _is_run(ours, self._old) or not _is_run(theirs, self._new):
            return None
        if any(term.kind not in _NAMES for term in (*ours, *theirs)):
            return None
        if any(len({term.preposition for term in run} - {""}) > 1 for run in (ours, theirs)):
            return None
        first, other = ours[0], theirs[0]
        same_relation = first.preposition == other.preposition
        if self._signal:
            if not same_relation and first.preposition and other.preposition in self._words.events:
                return None
        elif (
            not same_relation
            or first.preposition not in self._words.goals
            or not self._is_last(ours)
            or self._may_have_both(_SEVERAL)
        ):
            return None
        return FrameDifference(tuple(ours), tuple(theirs), is_exact=True)

    def by_rejection(self) -> FrameDifference | None:
        """The newer fact names the former value, and says that it no longer holds. What the older one denies is no value."""
        if any(statement.negated for statement in self._before):
            return None
        rejected = [term for term in self._old[1:] or self._old if self._is_rejected(term)]
        if not rejected or not self._added:
            return None
        rest = [term for term in self._old if term not in rejected and not self._is_light(term)]
        covered = sum(_is_among(term, self._new) for term in rest)
        if not rest or covered < _COVERED * len(rest):
            return None
        return FrameDifference(tuple(rejected), tuple(self._added), is_rejected=True, is_exact=covered == len(rest))

    def _is_light(self, term: Term) -> bool:
        return term.kind == WORD and (
            term.value in self._words.generic or self._words.verbs.get(term.value, "") in CHANGES
        )

    def _is_subject(self, term: Term, terms: Sequence[Term]) -> bool:
        """Whether a number says which thing is meant: "room 4"."""
        return term.zone not in (TAIL, PURPOSE, ASIDE) and terms.index(term) < 2

    def _may_have_both(self, verbs: frozenset[str]) -> bool:
        """Whether a verb of the older fact allows many values: "handles", "depends on"."""
        listed = self._words.verbs
        classes = {listed.get(form, "") for term in self._old for form in (term.value, term.text.lower())}
        return bool(verbs & (classes | {statement.verb for statement in self._before}))

    def _is_last(self, run: Sequence[Term]) -> bool:
        return self._old[-1] in run

    def _is_rejected(self, term: Term) -> bool:
        if any(same_term(term, other) and other.zone == FORMER for other in self._new):
            return True
        mention = next((other for other in self._new if same_term(term, other) and other.kind != "number"), None)
        return mention is not None and _rejects(mention.text, self._newer, self._words)


def _rejects(value: str, text: str, words: StatementWords) -> bool:
    low = text.lower().replace("ё", "е")
    before, after, sources, goals = _patterns(words)
    if not _any_word(frozenset((before, after, sources))).search(low):  # soon said, and without patterns of the value
        return False
    named = re.escape(value.lower().replace("ё", "е"))
    return bool(
        re.search(rf"\b(?:{before}){_NEAR}{named}\b", low)
        or re.search(rf"\b{named}{_NEAR}(?:{after})\b", low)
        or re.search(rf"\b(?:{sources})\W{{1,3}}{named}{_NEAR}(?:{goals})\b", low)
    )


@lru_cache(maxsize=8)
def _any_word(alternatives: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(alternatives))})(?!\w)")


@lru_cache(maxsize=8)
def _alternatives(entries: frozenset[str]) -> str:
    return "|".join(map(re.escape, sorted(entries, key=len, reverse=True)))


def _patterns(words: StatementWords) -> tuple[str, str, str, str]:
    before, after, sources, goals = map(
        _alternatives, (words.rejects_before, words.rejects_after, words.sources, words.goals)
    )
    return before, after, sources, goals


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _is_run(run: Sequence[Term], terms: Sequence[Term]) -> bool:
    """Whether these are one or two words next to each other, behind the first one."""
    if not 0 < len(run) <= _LONGEST_RUN:
        return False
    start = terms.index(run[0])
    return start > 0 and terms[start : start + len(run)] == list(run)


def _is_among(term: Term, terms: Sequence[Term]) -> bool:
    return any(same_term(term, other) for other in terms)


def same_term(term: Term, other: Term) -> bool:
    if term.kind != other.kind:
        return False
    if term.value == other.value:
        return True
    return term.kind == WORD and same_word(term.value, other.value)


def same_word(word: str, other: str) -> bool:
    """Whether these are probably two forms of a word."""
    letters = max(_LEAST_PREFIX, min(len(word), len(other)) - 1)
    return word[:letters].lower() == other[:letters].lower()
