"""Whether a newer fact contradicts an older one: the same subject with another value.

Facts of one subject are compared by what they state: numbers, dates, versions, paths, names, states and negation. If the
newer wording signals a change ("now", "moved to", "no longer"), it replaces the older fact. Otherwise the pair is
undecided. Facts do not contradict if they say the same, add something, describe the past, or have other subjects.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from waypost.facts.frames import frame_difference, same_word
from waypost.facts.lexicon import shared_lexicon
from waypost.facts.renewal import STATED, likelihood, wording_evidence
from waypost.facts.statements import (
    ASIDE,
    BE,
    CHANGE,
    CHANGES,
    FORMER,
    HAVE,
    LEAD,
    MOVE,
    PURPOSE,
    TAIL,
    TAKEOVER,
    WORD,
    Statement,
    StatementWords,
    Term,
    statement_words,
    statements,
)
from waypost.facts.wordings import wording_difference

# Cosine from which two facts are compared. By words alone, more likeness is needed than with a number or a path.
LEAST_SIMILARITY = 0.5
# Likelihood, learned from pairs of many authors, from which a difference is a contradiction: of statements whose sentences were read,
# and of facts that were only compared word by word. A newer fact that rejects the former value needs none.
LEAST_LIKELY, LEAST_WITHOUT_SENTENCE = 0.08, 0.23
_VERB_ENDING = re.compile(r"^[^\W\d_A-ZА-ЯÄÖÜ].*(?:s|ed|t|en|[еиюуая]тс?я?)$")
_WORDS = re.compile(r"\w+")
_LOOSE = 0.6  # for a subject that only one of them states in full
_SEVERAL = frozenset(("several", "use", HAVE, ""))  # verbs whose subject may have many values
_EXCLUSIVE = frozenset(("name", "prefer", "work", "drive", "role", "set"))  # verbs with one object at a time
_STANDING = frozenset(("locate", "run", "schedule"))  # verbs of one place or time
# Verbs that may say the same of a number, a path or a version.
_ALIKE = (
    frozenset(("limit", "last")),
    frozenset(("use", "limit", "run")),
    frozenset(("write", "locate")),
    _STANDING,
)
_NAMES = frozenset((WORD, "dotted", "identifier", "month"))
# What verbs of change may change: the verbs of the older statement. Without any: all.
_CHANGED = {
    MOVE: frozenset((BE, "", CHANGE, MOVE, "write", "send")) | _STANDING,
    TAKEOVER: frozenset(("role", "send", BE, HAVE, TAKEOVER)),
    CHANGE: frozenset[str](),
}
_AGENTS = frozenset(("by", "von", "vom", "durch"))

Terms = Sequence[Term]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A newer fact states another value for the subject of an older one."""

    replaces: bool  # its wording says that the older value no longer holds, and it surely means that one
    current: str  # the values, as written
    former: str
    is_exact: bool  # both state the subject in the same words


def contradiction(older: str, newer: str, similarity: float) -> Contradiction | None:
    """How `newer` contradicts `older`, or None. `similarity` is the cosine of their vectors."""
    if not similarity >= LEAST_SIMILARITY:
        return None
    if not _beginnings(older) & _beginnings(newer):
        return None
    language = shared_lexicon(older, newer).language
    likely = likelihood(wording_evidence(older, newer, language), STATED)
    before, after = statements(older, language), statements(newer, language)
    for old in before:
        if len(after) > 1 and any(_restates(old, new) for new in after):
            continue
        for new in after:
            comparison = _Comparison(old, new, similarity, statement_words(language))
            difference = comparison.contradiction()
            if difference is not None and (difference.replaces or likely >= LEAST_LIKELY):
                # The rest of a longer text may still hold.
                replaces = difference.replaces and len(before) == 1
                return Contradiction(replaces, difference.current, difference.former, difference.is_exact)
    by_words = _by_frame(before, after, older, newer, statement_words(language))
    by_words = by_words or _by_wording(before, after, older, newer, language)
    return by_words if by_words is not None and (by_words.replaces or likely >= LEAST_WITHOUT_SENTENCE) else None


def _restates(old: Statement, new: Statement) -> bool:
    """Whether the newer statement affirms all that the older one states. Another clause then only adds to it."""
    if old.negated != new.negated or old.past or new.past or new.zone(FORMER):
        return False
    return {term.identity for term in old.terms} <= {term.identity for term in new.terms}


def _by_wording(
    before: Sequence[Statement], after: Sequence[Statement], older: str, newer: str, language: str
) -> Contradiction | None:
    difference = wording_difference(older, newer, language)
    if difference is None or not before or not after:
        return None
    replaces = difference.is_rejected and difference.is_exact and len(before) == 1
    return Contradiction(replaces, difference.current, difference.former, difference.is_exact)


def _by_frame(
    before: Sequence[Statement], after: Sequence[Statement], older: str, newer: str, words: StatementWords
) -> Contradiction | None:
    difference = frame_difference(before, after, older, newer, words)
    if difference is None:
        return None
    replaces = difference.is_rejected and difference.is_exact and len(before) == 1
    return Contradiction(replaces, _written(difference.current), _written(difference.former), difference.is_exact)


@lru_cache(maxsize=1024)
def _beginnings(text: str) -> frozenset[str]:
    """The beginnings of its words. Two texts without a common one are about different things."""
    return frozenset(word[:4] for word in _WORDS.findall(text.lower()))


class _Comparison:
    """Two statements, the older first."""

    def __init__(self, old: Statement, new: Statement, similarity: float, words: StatementWords) -> None:
        self._old, self._new, self._similarity, self._words = old, new, similarity, words
        self._may_add = False  # the older value may hold beside the newer one
        self._signal = new.signal or (new.fresh and not old.fresh)

    def contradiction(self) -> Contradiction | None:
        old, new = self._old, self._new
        if old.past or new.past or old.hedged or new.hedged or new.adds:
            return None
        if self._qualifiers(old, LEAD, PURPOSE) != self._qualifiers(new, LEAD, PURPOSE) and not self._same_qualifiers():
            return None
        if _literals(old.zone(LEAD, PURPOSE)) != _literals(new.zone(LEAD, PURPOSE)) and self._literal_subjects_differ():
            return None
        if self._tails_are_qualified():
            return None
        difference = self._by_state() or self._by_negation()
        return difference or (None if old.adds else self._by_literal() or self._by_name())

    # -- subjects

    def _qualifiers(self, statement: Statement, *zones: str) -> set[str]:
        return {term.value for term in statement.zone(*zones) if term.value in self._words.qualifiers}

    def _same_qualifiers(self) -> bool:
        """A qualifier of the subject may stand after the verb in the other statement."""
        old, new = (self._qualifiers(statement, LEAD, PURPOSE, TAIL) for statement in (self._old, self._new))
        return old == new

    def _tails_are_qualified(self) -> bool:
        """Whether each value has a qualifier that the other lacks: "20 minutes on production"."""
        old, new = (self._qualifiers(statement, TAIL) for statement in (self._old, self._new))
        return bool(old - new) and bool(new - old) and any(term.kind != WORD for term in self._old.zone(TAIL))

    def _literal_subjects_differ(self) -> bool:
        """Whether a number or name in one subject is absent from the other statement."""
        every = [_literals(statement.zone(LEAD, PURPOSE, TAIL, FORMER)) for statement in (self._old, self._new)]
        subjects = [_literals(statement.zone(LEAD, PURPOSE)) for statement in (self._old, self._new)]
        return bool(subjects[0] - every[1]) or bool(subjects[1] - every[0])

    def _specific(self, terms: Terms) -> set[str]:
        return {term.value for term in terms if term.kind == WORD and term.value not in self._words.generic}

    # -- what they state

    def _by_state(self) -> Contradiction | None:
        """Enabled and disabled, allowed and forbidden."""
        opposite = self._words.lexicon.opposite
        for ours in self._old.zone(TAIL):
            for theirs in self._new.zone(TAIL):
                if ours.value not in self._words.states or theirs.value not in self._words.states:
                    continue
                differ = theirs.value in opposite.get(ours.value, ())
                same = self._same_state(ours.value, theirs.value)
                if not (differ or same):
                    continue
                if differ == (self._old.negated == self._new.negated):
                    return self._of_equal_subjects([ours], [theirs])
                return None
        return None

    def _same_state(self, first: str, second: str) -> bool:
        opposite, none = self._words.lexicon.opposite, frozenset[str]()
        return first == second or bool(opposite.get(first, none) & opposite.get(second, none))

    def _of_equal_subjects(self, ours: Terms, theirs: Terms) -> Contradiction | None:
        """A contradiction if all other words of one statement are in the other."""
        old, new = (
            self._specific([term for term in statement.zone(LEAD, TAIL, PURPOSE) if term not in (*ours, *theirs)])
            for statement in (self._old, self._new)
        )
        if not old & new and not _literals(self._old.zone(LEAD)) & _literals(self._new.zone(LEAD)):
            return None
        if old - new and new - old:
            return None
        if new - old and not self._signal:
            return None
        return self._found(ours, theirs, is_exact=old == new)

    def _by_negation(self) -> Contradiction | None:
        """The same words, and one of the two is denied."""
        old, new = self._old, self._new
        if old.negated == new.negated or old.verb != new.verb:
            return None
        if not self._signal and old.negated:
            return None
        ours, theirs = (statement.zone(LEAD, TAIL, PURPOSE) for statement in (old, new))
        same = self._specific(ours) == self._specific(theirs) and _literals(ours) == _literals(theirs)
        if not same or len(ours) < 2:
            return None
        return self._found(old.zone(TAIL) or ours, new.zone(TAIL) or theirs, is_exact=True)

    def _by_literal(self) -> Contradiction | None:
        """Another number, date, version, path or address for the same subject."""
        old, new = self._old, self._new
        if old.negated != new.negated:
            return None
        ours = [term for term in old.zone(TAIL) if term.kind != WORD]
        theirs = [term for term in new.zone(TAIL) if term.kind != WORD]
        common = _literals(ours) & _literals(theirs)
        ours, theirs = ([term for term in side if term.identity not in common] for side in (ours, theirs))
        if not ours or not theirs or not _comparable(ours, theirs, self._words):
            return None
        if old.verb == new.verb == "several" and not self._signal:
            return None  # it may expose two paths
        mentions = bool(_literals(new.zone(FORMER)) & _literals(ours))
        before, after = (self._specific(statement.zone(LEAD, TAIL, PURPOSE)) for statement in (old, new))
        units = {term.unit for term in (*ours, *theirs)}
        missing, extra = before - after - units, after - before - units
        if not mentions and not (self._verbs_agree() and self._same_frame(before & after, missing, extra)):
            return None
        return self._found(ours, theirs, is_exact=not missing and not extra, mentions=mentions)

    def _same_frame(self, common: set[str], missing: set[str], extra: set[str]) -> bool:
        """Whether two statements that differ in a number or name are otherwise about the same."""
        if not common or (missing and extra) or (extra and not self._only_adds(extra)):
            return False
        return not missing or self._signal

    def _only_adds(self, extra: set[str]) -> bool:
        """Whether words that only the newer statement has leave its subject as it is."""
        places = [term for term in self._new.zone(LEAD, TAIL, PURPOSE) if term.value in extra]
        if any(term.zone != TAIL for term in places):
            # "The cluster was upgraded to Kubernetes 1.30" is about the version of Kubernetes.
            return self._new.verb in CHANGES and bool(self._specific(self._new.zone(TAIL)))
        return self._signal and not self._qualifiers(self._new, TAIL) - self._qualifiers(self._old, LEAD, TAIL, PURPOSE)

    def _verbs_agree(self) -> bool:
        verbs = {self._old.verb, self._new.verb}
        open_verbs = {BE, HAVE, "", *CHANGES}
        return len(verbs) == 1 or bool(verbs & open_verbs) or any(verbs <= group for group in _ALIKE)

    # -- names and other words

    def _by_name(self) -> Contradiction | None:
        if self._old.negated != self._new.negated or self._numbers_differ():
            return None
        for (subject, value), (new_subject, new_value) in self._orientations():
            difference = self._between(subject, value, new_subject, new_value)
            if difference is not None:
                return difference
        return None

    def _numbers_differ(self) -> bool:
        """Whether each states a number of its own. Other words that differ then make two subjects."""
        ours, theirs = ([t for t in s.zone(TAIL) if t.kind == "number"] for s in (self._old, self._new))
        return bool(ours and theirs) and not _literals(ours) & _literals(theirs) and not self._signal

    def _orientations(self) -> Iterator[tuple[tuple[Terms, Terms], tuple[Terms, Terms]]]:
        """Which side is the subject. "Anna owns billing" is about billing, and so is "Ben took it over"."""
        old, new = _sides(self._old), _sides(self._new)
        for ours in old:
            for theirs in new:
                yield ours, theirs

    def _between(self, subject: Terms, value: Terms, new_subject: Terms, new_value: Terms) -> Contradiction | None:
        """The contradiction if these subjects are the same, and the values are not."""
        ours, theirs = self._specific(subject), self._specific(new_subject)
        former = _identities(self._new.zone(FORMER))
        mentions = bool(former & _identities(value))
        # "The frontend keeps its state in X" and "the frontend state" have one subject.
        if theirs - ours <= self._specific(value):
            value = [term for term in value if term.value not in theirs - ours]
            ours |= theirs
        if ours - theirs <= self._specific(new_value):
            new_value = [term for term in new_value if term.value not in ours - theirs]
            theirs |= ours
        every = self._specific(self._new.zone(LEAD, TAIL, PURPOSE))
        if mentions and ours and ours <= every:
            new_value = [term for term in self._new.zone(TAIL, LEAD) if term.value not in ours]
        elif not self._same_subject(ours, theirs, mentions):
            return None
        shared = _identities(self._stated(value)) & _identities(self._stated(new_value))
        left = [term for term in value if term.identity not in shared]
        right = [term for term in new_value if term.identity not in shared and term.identity not in former]
        left, right = (self._stated(side) for side in (left, right))
        if not left or not right or self._same_state(left[0].value, right[0].value):
            return None
        if any(same_word(term.text, other.text) for term in left for other in right):
            return None  # a name in another case
        if not mentions and not self._is_one_value(left, right, bool(shared)):
            return None
        whole = mentions and _identities(left) <= former
        return self._found(left, right, is_exact=ours == theirs, mentions=whole)

    def _stated(self, terms: Terms) -> list[Term]:
        return [term for term in terms if term.kind != WORD or term.value not in self._words.generic]

    def _same_subject(self, ours: set[str], theirs: set[str], mentions: bool) -> bool:
        if ours == theirs and (ours or mentions):
            return True
        if mentions and (ours & theirs or not theirs):
            return True
        # The newer statement may name it in short: "the gateway" for "the API gateway".
        return bool(theirs) and theirs < ours and self._signal and self._similarity >= _LOOSE

    def _is_one_value(self, left: Terms, right: Terms, shared: bool) -> bool:
        """Whether the subject has only one such value."""
        old, new = self._old.verb, self._new.verb
        if not self._may_be_mixed() and not all(term.kind in _NAMES for term in (*left, *right)):
            return False
        if shared:  # window seats and aisle seats, but not "likes to sit at the window"
            return old == new and len(left) == len(right) == 1 and old not in _SEVERAL
        for name, others in _CHANGED.items():
            if name in (old, new):
                other = old if new == name else new
                return bool(self._old.zone(LEAD, PURPOSE)) and (not others or other in others)
        if old != new and BE not in (old, new) and "" not in (old, new):
            return False
        return self._same_relation(left[0], right[0]) and self._has_one_value(left, right)

    def _may_be_mixed(self) -> bool:
        """Whether a name may follow a number, as in "the licence changed to Apache 2.0"."""
        lead = self._old.zone(LEAD)
        return self._new.verb in CHANGES or bool(lead and lead[-1].value in self._words.attributes)

    def _same_relation(self, left: Term, right: Term) -> bool:
        """Whether both values follow the same preposition, or two of a place: "in CI", but not "with pytest"."""
        if left.preposition == right.preposition or self._old.verb == self._new.verb == BE:
            return True
        if BE in (self._old.verb, self._new.verb):  # "is MIT" and "is in LICENSE" state two things
            return self._signal or (bool(left.preposition) == bool(right.preposition)) or right.text.count("-") > 1
        same_verb = self._old.verb == self._new.verb != "work"
        return same_verb and {left.preposition, right.preposition} <= self._words.places

    def _has_one_value(self, left: Terms, right: Terms) -> bool:
        """The same for two statements whose verbs agree."""
        old, new = self._old, self._new
        if old.verb == new.verb == "use" and old.zone(PURPOSE) and new.zone(PURPOSE):
            return True
        if old.verb == new.verb == "":
            named = all(term.preposition in self._words.goals for term in (left[0], right[0]))
            self._may_add = self._has_unknown_verb()
            return (named and not self._may_add) or self._signal
        if old.verb in _SEVERAL or new.verb in _SEVERAL:
            self._may_add = True
            return old.verb == new.verb and self._signal
        if BE in (old.verb, new.verb):
            return self._is_identity(left) and self._is_identity(right)
        if old.verb in _EXCLUSIVE or (left[0].preposition and right[0].preposition):
            return True
        self._may_add = True
        # Russian has the agent last: "Отчёт готовит Анна".
        return self._signal or (new.language == "ru" and left[0].capital and right[0].capital)

    def _has_unknown_verb(self) -> bool:
        """Whether the subject ends in what looks like a verb that is not listed."""
        lead = self._old.zone(LEAD)
        return len(lead) > 1 and lead[-1].kind == WORD and bool(_VERB_ENDING.search(lead[-1].text))

    def _is_identity(self, terms: Terms) -> bool:
        """Whether a value after "is" is a name, a place or a thing, not one of many properties."""
        first = terms[0]
        if first.zone == LEAD or first.kind != WORD or first.preposition or first.definite or first.text.count("-") > 1:
            return True
        lead = self._new.zone(LEAD)
        if lead and lead[-1].value in self._words.attributes:
            return True
        if first.capital if self._words.lexicon.language != "de" else first.text[0].isupper():
            return True
        self._may_add = True
        return self._signal

    def _found(self, ours: Terms, theirs: Terms, *, is_exact: bool, mentions: bool = False) -> Contradiction:
        replaces = (self._signal and is_exact and not self._may_add) or mentions
        return Contradiction(replaces, _written(theirs), _written(ours), is_exact)


def _sides(statement: Statement) -> list[tuple[Terms, Terms]]:
    """(subject, value) of a statement. Verbs of responsibility have the value before them."""
    lead, tail, purpose = (statement.zone(zone) for zone in (LEAD, TAIL, PURPOSE))
    usual, other = ((*lead, *purpose), tail), ((*tail, *purpose), lead)
    if statement.verb == TAKEOVER:
        return [other, usual]
    if statement.verb == "role":
        by_agent = any(term.preposition in _AGENTS for term in tail)
        return [usual] if by_agent or not lead or (statement.language == "ru" and tail and tail[0].capital) else [other]
    if statement.verb == BE and tail and tail[0].definite and not any(term.definite for term in lead):
        return [usual, other]
    return [usual]


def _comparable(ours: Terms, theirs: Terms, words: StatementWords) -> bool:
    """Whether the literals are of one type, and numbers count the same thing."""
    for term in ours:
        for other in theirs:
            if term.kind == other.kind or {term.kind, other.kind} <= {"number", "version"}:
                same_unit = term.unit == other.unit or not term.unit or not other.unit
                if same_unit or {term.unit, other.unit} <= words.generic:
                    return True
    return False


def _literals(terms: Terms) -> set[tuple[str, str]]:
    return {term.identity for term in terms if term.kind != WORD}


def _identities(terms: Terms) -> set[tuple[str, str]]:
    return {term.identity for term in terms}


def _written(terms: Terms) -> str:
    return " ".join(term.text for term in terms if term.zone != ASIDE)
