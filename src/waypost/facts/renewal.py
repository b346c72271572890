"""How likely a newer fact states another value for the subject of an older one: learned, not ruled.

People state changed facts in words that no list has. So both facts are compared by features from 0 to 1 or nearly so. A logistic
model adds them up. Of their words:

    shared          share of the words that both have, of the shorter one; verbs count less
    shared_older    the same, of the older one
    words           how many words both have
    signal          the newer wording says that something changed
    signal_older    the older one says so
    contrast        before a common word, each has a word that the other lacks: "backend standup", "data standup"
    beginnings      each begins with a word that the other lacks
    ends            both end with words that the other has
    one_apart       both have the same form, and one word or value differs
    two_apart       the same with two: mostly a subject and its value
    qualifiers      each has a qualifier that the other lacks: staging and production
    qualifier       only one has
    amounts         two amounts of one unit, times, versions or paths differ, or the newer one counts what the older one names
    same_literal    they share a literal, and no two of one type differ: the newer one may only add something
    amount_apart    only one states an amount of its own
    one_thing       they state a value of the same kind, or something by the same verb; or by a verb that is in no list
    added           words that only the newer one has

Of their vectors:

    likeness        cosine of the two facts, 0 without
    likeness_shared, likeness_signal    the same, as far as words are shared or a change is signalled
    mutual          each is the nearest to the other among all facts that were looked at
    mutual_likeness the same, times likeness
    nearest_older, nearest_newer    only the older, or the newer one, has no nearer fact
    lead, lead_newer    how far they are ahead of the next nearest: of the worse side, and for the newer one

Of a model that reads both (`embed/renewal_model.py`):

    read            its logit, from -1 to 1

Of the question, if there is one:

    first           one of the two is the best answer by itself
    words_more      how much more of the question's words the newer one has
    meaning_more    how much nearer to the question the newer one is: then the older one is about something else

`benchmarks/current_values_fit.py` fits the coefficients in `data/renewal.toml`.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from waypost.facts.frames import same_word
from waypost.facts.statements import BE, FORMER, PURPOSE, TAIL, WORD, Statement, statement_words, statements
from waypost.facts.wordings import Item, comparable, fact_wording, is_in

ASKED, STATED = "asked", "stated"  # the models: with a question, and without one when a fact is written
_LIGHT = 0.4  # what a verb counts, beside other words
_MOST_WORDS = 3  # that count, of those that both have
_MOST_ADDED = 6
_WORDS = frozenset(("word", "name"))
_ALL_ALIKE = "number"  # the only type of which two values may count different things


@lru_cache(maxsize=4096)
def wording_evidence(older: str, newer: str, language: str) -> Mapping[str, float]:
    """The features of the words of two facts."""
    before, after = fact_wording(older, language), fact_wording(newer, language)
    ours, theirs = _Side(before.items, after.items), _Side(after.items, before.items)
    weights = [(_weight(side.common), _weight(side.items) or 1.0) for side in (ours, theirs)]
    qualifiers = statement_words(language).qualifiers
    own, others = ({item.value for item in each.items} & qualifiers for each in (before, after))
    differing = [(a, b) for a in _literals(ours.apart) for b in _literals(theirs.apart) if comparable(a, b)]
    counts = not _literals(ours.apart) and any(_is_counted(number, theirs.common) for number in _literals(theirs.apart))
    is_as_long = len(ours.items) == len(theirs.items) and len(ours.apart) == len(theirs.apart)
    telling = [[item for item in side.items if not item.is_light] for side in (ours, theirs)]
    first = [bool(some) and some[0] in side.apart for some, side in zip(telling, (ours, theirs), strict=True)]
    last = [bool(some) and some[-1] in side.common for some, side in zip(telling, (ours, theirs), strict=True)]
    return {
        "shared": weights[0][0] / min(weights[0][1], weights[1][1]),
        "shared_older": weights[0][0] / weights[0][1],
        "words": min(_MOST_WORDS, weights[0][0]) / _MOST_WORDS,
        "signal": float(after.signal),
        "signal_older": float(before.signal),
        "contrast": float(_has_contrast(ours, theirs)),
        "beginnings": float(all(first)),
        "ends": float(all(last)),
        "one_apart": float(is_as_long and len(ours.apart) == 1),
        "two_apart": float(is_as_long and len(ours.apart) == 2),
        "qualifiers": float(bool(own - others) and bool(others - own)),
        "qualifier": float(own != others and not (own - others and others - own)),
        "amounts": float(counts or any(a.kind == b.kind != _ALL_ALIKE or (a.unit and b.unit) for a, b in differing)),
        "same_literal": float(bool(_literals(ours.common)) and not differing),
        "amount_apart": float(not counts and bool(_literals(ours.apart)) != bool(_literals(theirs.apart))),
        "one_thing": float(_state_one_thing(older, newer, language)),
        "added": min(_MOST_ADDED, sum(item.kind == "word" and not item.is_light for item in theirs.apart))
        / _MOST_ADDED,
    }


def ends_another_value(older: str, newer: str, language: str, *, of_one_kind: bool = False) -> bool:
    """Whether the newer fact says which value no longer holds, and the older one does not have it.

    "21 days, no longer 14 days" renews nothing about 30 days. `of_one_kind`: only if the older one has another value of this kind.
    """
    former = [term for each in statements(newer, language) for term in each.zone(FORMER) if term.kind != WORD]
    if not former or any(term.text in older for term in former):
        return False
    values = [term for each in statements(older, language) for term in each.terms]
    if of_one_kind and {term.kind for term in values}.isdisjoint(term.kind for term in former):
        return False
    return {term.identity for term in values}.isdisjoint(term.identity for term in former)


def likelihood(evidence: Mapping[str, float], of: str) -> float:
    """The probability that the newer fact renews the older one. `of` is the model: `asked` or `stated`."""
    model = _models()[f"{of}_read" if "read" in evidence else of if "likeness" in evidence else f"{of}_by_words"]
    total = model["constant"] + sum([model.get(name, 0.0) * value for name, value in evidence.items()])
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


class _Side:
    """The items of a fact, and which of them the other one has."""

    __slots__ = ("apart", "common", "items")

    def __init__(self, items: Sequence[Item], others: Sequence[Item]) -> None:
        self.items = items
        self.common = [item for item in items if is_in(item, others)]
        self.apart = [item for item in items if item not in self.common]


def _state_one_thing(first: str, second: str, language: str) -> bool:
    own, others = (statements(text, language) for text in (first, second))
    kinds, other_kinds = ({kind for each in side for kind in _kinds(each)} for side in (own, others))
    if kinds & other_kinds:
        return True
    verbs, other_verbs = ({_verb(each) for each in side} for side in (own, others))
    return bool(verbs & other_verbs - {""}) or ({""} in (verbs, other_verbs) and not kinds | other_kinds)


def _kinds(statement: Statement) -> set[str]:
    return {term.kind for term in statement.zone(TAIL, PURPOSE) if term.kind != WORD}


def _verb(statement: Statement) -> str:
    """The class of the verb. Of "is signed by": the word behind it, since its own verb is in no list."""
    if statement.verb != BE:
        return statement.verb
    first = next(iter(statement.zone(TAIL)), None)
    return f"{BE} {first.value}" if first is not None and first.text.islower() and first.kind == WORD else BE


def _weight(items: Sequence[Item]) -> float:
    return sum(_LIGHT if item.is_light else 1.0 for item in items)


def _literals(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if item.kind not in _WORDS]


def _is_counted(number: Item, common: Sequence[Item]) -> bool:
    """Whether it counts what the other fact names without a number: "an approval", "two approvals"."""
    return bool(number.unit) and any(item.kind == "word" and same_word(number.unit, item.value) for item in common)


def _has_contrast(ours: _Side, theirs: _Side) -> bool:
    before = [
        (item, word)
        for side in (ours, theirs)
        for item in side.common
        for word in side.apart
        if word.place + 1 == item.place and word.kind in _WORDS and not word.is_light
    ]
    own = [item for item, word in before if word in ours.apart]
    return any(is_in(item, own) for item, word in before if word in theirs.apart)


@cache
def _models() -> Mapping[str, Mapping[str, float]]:
    source = files("waypost.facts").joinpath("data", "renewal.toml").read_text(encoding="utf-8")
    models: Mapping[str, Mapping[str, float]] = tomllib.loads(source)
    return models
