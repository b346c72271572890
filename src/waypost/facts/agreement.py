"""Whether two texts that sound alike also agree: the guard between a likeness and the loss of a correction.

Sentence vectors put "the flag is enabled" and "the flag is disabled" side by side. So two facts count as the same only
where all their commitments are the same; one may add words to the other, but no word may stand in another's place, and
the words may not have changed roles. In doubt the answer is no: a fact kept twice costs a line, a correction lost costs
the truth.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from waypost.facts.commitments import STRICT, CommitmentKey, commitments
from waypost.facts.lexicon import ComparisonLexicon, lexicon, shared_lexicon
from waypost.facts.word_order import Voice, keeps_roles


class TextRelation(Enum):
    """How the second text stands to the first."""

    SAME = "same"  # the same commitments in other words
    LESS = "less"  # the second says a part of the first
    MORE = "more"  # the second says all of the first and more
    DIFFERENT = "different"  # one commitment stands against another: a correction, perhaps
    APART = "apart"  # too little in common to say


@dataclass(frozen=True, slots=True)
class Agreement:
    relation: TextRelation
    reason: str


# Below this share of common words two texts are not variants of one sentence, whatever their vectors say.
_SAME_FRAME = 0.4

_RUSSIAN_VERB = re.compile(r"(?:[еёиую]т|[аяую]т|[еи]м|ть)(?:ся)?$")

_AGREEING = frozenset(
    (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"), ("do", "does"), ("this", "these"))
)
_RUSSIAN_PLURALS = (("", "ы"), ("", "и"), ("а", "ы"), ("я", "и"), ("ь", "и"), ("й", "и"))
_WORD = re.compile(r"\w+")

_NAMING = ("number", "identifier", "quotation", "acronym", "opposite", "word")

_PLURAL = {
    "number": "numbers",
    "unit": "units",
    "ordinal": "ordinals",
    "date": "dates",
    "identifier": "identifiers",
    "quotation": "quoted strings",
    "symbol": "symbols",
    "negation": "negations",
    "opposite": "opposites",
    "modal": "modal verbs",
    "quantifier": "quantities",
    "condition": "conditions",
    "tense": "tenses",
    "person": "persons",
    "relation": "relations",
    "acronym": "names",
}


def compare(first: str, second: str) -> Agreement:
    """How `second` stands to `first`, judged by their commitments."""
    words = shared_lexicon(first, second)
    left, right = list(_read(first, words.language)), list(_read(second, words.language))
    if not left or not right:
        return Agreement(TextRelation.APART, "nothing to compare")
    left, right, voice = _without_agent(left, right, words)
    return (
        _number_difference(first, second)
        or _strict_difference(left, right)
        or _word_difference(left, right)
        or _form_difference(left, right, words)
        or _standing(left, right, words, voice)
    )


@lru_cache(maxsize=32)
def _read(text: str, language: str) -> tuple[CommitmentKey, ...]:
    """A new fact is compared with each of its neighbours, and a neighbour with one new fact after the other."""
    return tuple(commitments(text, lexicon(language)))


def _without_agent(
    left: list[CommitmentKey], right: list[CommitmentKey], words: ComparisonLexicon
) -> tuple[list[CommitmentKey], list[CommitmentKey], Voice | None]:
    """Both without the `by` of a passive that only one of them has, and where in which of them that was.

    "Anna owns billing" and "billing is owned by Anna" say the same in two voices, in another order of words.
    """
    agents = [[at for at, key in enumerate(keys) if key.text.lower() in words.agents] for keys in (left, right)]
    if len(agents[0]) == len(agents[1]) or max(map(len, agents)) != 1:
        return left, right, None
    at = (agents[0] or agents[1])[0]
    if agents[0]:
        return left[:at] + left[at + 1 :], right, Voice(left_is_passive=True, agent=at)
    return left, right[:at] + right[at + 1 :], Voice(left_is_passive=False, agent=at)


def _strict_difference(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey]) -> Agreement | None:
    """The first kind of commitment in which the two are not equal."""
    here, there = _by_kind(left), _by_kind(right)
    for kind in STRICT:
        if here.get(kind) != there.get(kind):
            return _different(f"{_PLURAL[kind]} differ", kind, left, right)
    if "negation" in here and _universals(left) != _universals(right):
        return Agreement(TextRelation.DIFFERENT, "a negation meets another quantity")
    return None


def _by_kind(keys: Iterable[CommitmentKey]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for key in keys:
        found.setdefault(key.kind, Counter())[key.value] += 1
    return found


def _universals(keys: Iterable[CommitmentKey]) -> list[str]:
    return sorted(key.value for key in keys if key.every)


def _different(what: str, kind: str, left: Sequence[CommitmentKey], right: Sequence[CommitmentKey]) -> Agreement:
    # What stands in the place of an S3 may be of another kind, a bucket.
    only_left = _only(left, right, kind) or _only(left, right, *_NAMING)
    only_right = _only(right, left, kind) or _only(right, left, *_NAMING)
    return Agreement(TextRelation.DIFFERENT, f"{what}: {_shown(only_left)} / {_shown(only_right)}")


def _only(keys: Sequence[CommitmentKey], others: Sequence[CommitmentKey], *kinds: str) -> list[CommitmentKey]:
    """The keys of these kinds that the others lack, each as often as it is lacking."""
    spare = Counter(key.identity for key in others)
    lacking = []
    for key in keys:
        if key.kind in kinds:
            if spare[key.identity]:
                spare[key.identity] -= 1
            else:
                lacking.append(key)
    return lacking


def _shown(keys: Sequence[CommitmentKey]) -> str:
    return ", ".join(key.text for key in keys[:4]) or "—"


def _word_difference(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey]) -> Agreement | None:
    """Words that stand in one another's place, or a name that only one of the two has."""
    only_left, only_right = _only(left, right, "word"), _only(right, left, "word")
    if only_left and only_right:
        common = len(left) - len(only_left)
        if common < _SAME_FRAME * min(len(left), len(right)):
            return Agreement(TextRelation.APART, f"other words: {_shown(only_left)} / {_shown(only_right)}")
        return Agreement(TextRelation.DIFFERENT, f"words differ: {_shown(only_left)} / {_shown(only_right)}")
    names = [key for key in (*only_left, *only_right) if key.capital]
    return Agreement(TextRelation.DIFFERENT, f"only one names {_shown(names)}") if names else None


def _form_difference(
    left: Sequence[CommitmentKey], right: Sequence[CommitmentKey], words: ComparisonLexicon
) -> Agreement | None:
    """Equal stems in forms that tell two things: go and Go, uses and used, Александр and Александра."""
    forms: dict[str, list[CommitmentKey]] = {}
    for key in reversed(right):
        if key.kind == "word":
            forms.setdefault(key.value, []).append(key)
    pairs = [(key, forms[key.value].pop()) for key in left if key.kind == "word" and forms.get(key.value)]
    for one, other in pairs:
        if {one.capital, other.capital} == {True, False}:
            return Agreement(TextRelation.DIFFERENT, f"name or word: {one.text} / {other.text}")
        if one.past != other.past:
            return Agreement(TextRelation.DIFFERENT, f"tenses differ: {one.text} / {other.text}")
    changed = [(one, other) for one, other in pairs if _folded(one.text) != _folded(other.text)]
    if len(changed) == 1 and all(key.text[0].isupper() for key in changed[0]):
        return Agreement(TextRelation.DIFFERENT, f"names differ: {changed[0][0].text} / {changed[0][1].text}")
    for one, other in pairs:
        if one.article and other.article and one.article != other.article:
            return Agreement(TextRelation.DIFFERENT, f"cases differ: {one.text} / {other.text}")
    if words.language == "ru" and changed and not _same_roles(changed):
        return Agreement(TextRelation.DIFFERENT, f"forms differ: {changed[0][0].text} / {changed[0][1].text}")
    return None


def _number_difference(first: str, second: str) -> Agreement | None:
    """Whether the texts are the same word for word but for one or several: "deletes the file", "deletes the files"."""
    one, other = _WORD.findall(_folded(first)), _WORD.findall(_folded(second))
    changed = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    if len(one) != len(other) or not changed or not all(_is_one_or_several(*pair) for pair in changed):
        return None
    return Agreement(TextRelation.DIFFERENT, f"one or several: {changed[0][0]} / {changed[0][1]}")


def _is_one_or_several(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if (short, long) in _AGREEING or long in (f"{short}s", f"{short}es"):
        return True
    if short.endswith("y") and long == f"{short[:-1]}ies":
        return True
    return len(short) > 2 and any(
        one.endswith(single) and other == f"{one.removesuffix(single)}{several}"
        for single, several in (*_RUSSIAN_PLURALS, *((plural, single) for single, plural in _RUSSIAN_PLURALS))
    )


def _folded(word: str) -> str:
    return word.lower().replace("ё", "е")


def _same_roles(changed: Sequence[tuple[CommitmentKey, CommitmentKey]]) -> bool:
    """Russian tells roles by endings: they may change behind a preposition, or where the verb changes with them."""
    if any(_RUSSIAN_VERB.search(_folded(one.text)) for one, _ in changed):
        return True
    return all(one.preposition and one.preposition == other.preposition for one, other in changed)


def _standing(
    left: Sequence[CommitmentKey], right: Sequence[CommitmentKey], words: ComparisonLexicon, voice: Voice | None
) -> Agreement:
    """Same, more or less, once nothing contradicts: by length, order and the way words were added."""
    if len(left) == len(right):
        if keeps_roles(left, right, words, voice):
            return Agreement(TextRelation.SAME, "the same commitments")
        return Agreement(TextRelation.DIFFERENT, "the same words in another order")
    short, long = (left, right) if len(left) < len(right) else (right, left)
    added = _added(short, long)
    if added is None or voice:
        return Agreement(TextRelation.DIFFERENT, "the same words in another order")
    if not _set_off(long, added):
        return Agreement(TextRelation.DIFFERENT, f"may narrow: {_shown([long[at] for at in added])}")
    reason = f"adds: {_shown([long[at] for at in added])}"
    return Agreement(TextRelation.MORE if long is right else TextRelation.LESS, reason)


def _added(short: Sequence[CommitmentKey], long: Sequence[CommitmentKey]) -> list[int] | None:
    """Where `long` has keys that `short` lacks; None where the common ones come in another order."""
    added, at = [], 0
    for place, key in enumerate(long):
        if at < len(short) and key.identity == short[at].identity:
            at += 1
        else:
            added.append(place)
    return added if at == len(short) else None


def _set_off(keys: Sequence[CommitmentKey], added: Sequence[int]) -> bool:
    """Whether the added words are phrases of their own ("on every host"), not part of another ("fake database")."""
    places = set(added)
    for at in added:
        begins, ends = at - 1 not in places, at + 1 not in places
        if begins and not (keys[at].opens and (at > 0 or keys[at].preposition)):
            return False
        if ends and at + 1 < len(keys) and not keys[at + 1].gap:
            return False
    return True
