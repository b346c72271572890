"""Whether two similar texts also agree. This keeps a correction from being dropped as a duplicate.

Sentence vectors put "the flag is enabled" next to "the flag is disabled". So two facts count as the same only if all
their commitments are equal. One may add words, but it may not replace a word, and no word may change its role. In doubt
the answer is no: a fact stored twice costs a line, a lost correction costs the truth.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from waypost.facts.commitments import STRICT, CommitmentKey, Keys, commitments
from waypost.facts.lexicon import ComparisonLexicon, lexicon, shared_lexicon
from waypost.facts.word_order import Voice, keeps_roles


class TextRelation(Enum):
    """How the second text relates to the first."""

    SAME = "same"  # the same commitments in other words
    LESS = "less"  # the second says part of the first
    MORE = "more"  # the second says all of the first and more
    DIFFERENT = "different"  # commitments contradict each other: perhaps a correction
    APART = "apart"  # too little in common


@dataclass(frozen=True, slots=True)
class Agreement:
    relation: TextRelation
    reason: str


# Below this share of common words, two texts are not variants of one sentence, whatever their vectors say.
_SAME_FRAME = 0.4

_RUSSIAN_VERB = re.compile(r"(?:[еёиую]т|[аяую]т|[еи]м|ть)(?:ся)?$")

_AGREEING = frozenset(
    (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"), ("do", "does"), ("this", "these"))
)
_RUSSIAN_PLURALS = (("", "ы"), ("", "и"), ("а", "ы"), ("я", "и"), ("ь", "и"), ("й", "и"))
_WORD = re.compile(r"\w+")

_NAMING = ("number", "identifier", "quotation", "acronym", "opposite", "word")

_PLURAL = {"quotation": "quoted strings", "modal": "modal verbs", "quantifier": "quantities", "acronym": "names"}


def compare(first: str, second: str) -> Agreement:
    """How `second` relates to `first`, judged by their commitments."""
    words = shared_lexicon(first, second)
    keys = _read(first, words.language), _read(second, words.language)
    if not all(keys):
        return Agreement(TextRelation.APART, "nothing to compare")
    left, right, voice = _without_agent(*keys, words)
    return (
        _number_difference(first, second)
        or _strict_difference(left, right)
        or _word_difference(left, right)
        or _form_difference(left, right, words)
        or _length_relation(left, right, words, voice)
    )


@lru_cache(maxsize=32)
def _read(text: str, language: str) -> tuple[CommitmentKey, ...]:
    """Cached, since a new fact is compared with each neighbour, and a neighbour with several new facts."""
    return tuple(commitments(text, lexicon(language)))


def _without_agent(left: Keys, right: Keys, words: ComparisonLexicon) -> tuple[Keys, Keys, Voice | None]:
    """Both without the `by` of a passive that only one of them has, and its position.

    "Anna owns billing" and "billing is owned by Anna" say the same in two voices and word orders.
    """
    ours, theirs = ([at for at, key in enumerate(keys) if key.text.lower() in words.agents] for keys in (left, right))
    if (len(ours), len(theirs)) not in ((1, 0), (0, 1)):
        return left, right, None
    at = (ours or theirs)[0]
    if ours:
        return [*left[:at], *left[at + 1 :]], right, Voice(left_is_passive=True, agent=at)
    return left, [*right[:at], *right[at + 1 :]], Voice(left_is_passive=False, agent=at)


def _strict_difference(left: Keys, right: Keys) -> Agreement | None:
    """The difference in the first kind of commitment that is not equal, or None."""
    left_counts, right_counts = _by_kind(left), _by_kind(right)
    for kind in STRICT:
        if left_counts.get(kind) != right_counts.get(kind):
            return _different(f"{_PLURAL.get(kind, f'{kind}s')} differ", kind, left, right)
    if "negation" in left_counts and _universals(left) != _universals(right):
        return Agreement(TextRelation.DIFFERENT, "a negation meets another quantity")
    return None


def _by_kind(keys: Iterable[CommitmentKey]) -> dict[str, Counter[str]]:
    counters: dict[str, Counter[str]] = {}
    for key in keys:
        counters.setdefault(key.kind, Counter())[key.value] += 1
    return counters


def _universals(keys: Iterable[CommitmentKey]) -> list[str]:
    return sorted(key.value for key in keys if key.every)


def _different(difference: str, kind: str, left: Keys, right: Keys) -> Agreement:
    # An S3 may be replaced by a key of another kind, such as a bucket.
    only_left = _only(left, right, kind) or _only(left, right, *_NAMING)
    only_right = _only(right, left, kind) or _only(right, left, *_NAMING)
    return Agreement(TextRelation.DIFFERENT, f"{difference}: {_listing(only_left)} / {_listing(only_right)}")


def _only(keys: Keys, others: Keys, *kinds: str) -> list[CommitmentKey]:
    """The keys of these kinds that the others lack, as often as they lack them."""
    spare = Counter(key.identity for key in others)
    lacking = []
    for key in keys:
        if key.kind in kinds:
            if spare[key.identity]:
                spare[key.identity] -= 1
            else:
                lacking.append(key)
    return lacking


def _listing(keys: Keys) -> str:
    return ", ".join(key.text for key in keys[:4]) or "—"


def _word_difference(left: Keys, right: Keys) -> Agreement | None:
    """The difference if words replace each other, or if only one text has a name."""
    only_left, only_right = _only(left, right, "word"), _only(right, left, "word")
    if only_left and only_right:
        common = len(left) - len(only_left)
        if common < _SAME_FRAME * min(len(left), len(right)):
            return Agreement(TextRelation.APART, f"other words: {_listing(only_left)} / {_listing(only_right)}")
        return Agreement(TextRelation.DIFFERENT, f"words differ: {_listing(only_left)} / {_listing(only_right)}")
    names = [key for key in (*only_left, *only_right) if key.capital]
    return Agreement(TextRelation.DIFFERENT, f"only one names {_listing(names)}") if names else None


def _form_difference(left: Keys, right: Keys, words: ComparisonLexicon) -> Agreement | None:
    """The difference if forms of one stem differ in meaning: go and Go, uses and used, Александр and Александра."""
    forms: dict[str, list[CommitmentKey]] = {}
    for key in reversed(right):
        if key.kind == "word":
            forms.setdefault(key.value, []).append(key)
    pairs = [(key, forms[key.value].pop()) for key in left if key.kind == "word" and forms.get(key.value)]
    for ours, theirs in pairs:
        if {ours.capital, theirs.capital} == {True, False}:
            return Agreement(TextRelation.DIFFERENT, f"name or word: {ours.text} / {theirs.text}")
        if ours.past != theirs.past:
            return Agreement(TextRelation.DIFFERENT, f"tenses differ: {ours.text} / {theirs.text}")
    changed = [(ours, theirs) for ours, theirs in pairs if _fold(ours.text) != _fold(theirs.text)]
    if len(changed) == 1 and all(key.text[0].isupper() for key in changed[0]):
        return Agreement(TextRelation.DIFFERENT, f"names differ: {changed[0][0].text} / {changed[0][1].text}")
    for ours, theirs in pairs:
        if ours.article and theirs.article and ours.article != theirs.article:
            return Agreement(TextRelation.DIFFERENT, f"cases differ: {ours.text} / {theirs.text}")
    if words.language == "ru" and changed and not _same_roles(changed):
        return Agreement(TextRelation.DIFFERENT, f"forms differ: {changed[0][0].text} / {changed[0][1].text}")
    return None


def _number_difference(first: str, second: str) -> Agreement | None:
    """The difference if the texts differ only in grammatical number: "deletes the file", "deletes the files"."""
    first_words, second_words = _WORD.findall(_fold(first)), _WORD.findall(_fold(second))
    changed = [pair for pair in zip(first_words, second_words, strict=False) if pair[0] != pair[1]]
    if len(first_words) != len(second_words) or not changed or not all(_differ_in_number(*pair) for pair in changed):
        return None
    return Agreement(TextRelation.DIFFERENT, f"one or several: {changed[0][0]} / {changed[0][1]}")


def _differ_in_number(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    if (short, long) in _AGREEING or long in (f"{short}s", f"{short}es"):
        return True
    if short.endswith("y") and long == f"{short[:-1]}ies":
        return True
    return len(short) > 2 and any(
        first.endswith(single) and second == f"{first.removesuffix(single)}{several}"
        for single, several in (*_RUSSIAN_PLURALS, *((plural, single) for single, plural in _RUSSIAN_PLURALS))
    )


def _fold(word: str) -> str:
    return word.lower().replace("ё", "е")


def _same_roles(changed: Sequence[tuple[CommitmentKey, CommitmentKey]]) -> bool:
    """Russian endings show roles. They may change after a preposition, or together with the verb."""
    if any(_RUSSIAN_VERB.search(_fold(ours.text)) for ours, _ in changed):
        return True
    return all(ours.preposition and ours.preposition == theirs.preposition for ours, theirs in changed)


def _length_relation(left: Keys, right: Keys, words: ComparisonLexicon, voice: Voice | None) -> Agreement:
    """Same, more or less, if nothing contradicts: by length, order and the way words were added."""
    if len(left) == len(right):
        if keeps_roles(left, right, words, voice):
            return Agreement(TextRelation.SAME, "the same commitments")
        return Agreement(TextRelation.DIFFERENT, "the same words in another order")
    short, long = (left, right) if len(left) < len(right) else (right, left)
    added = _added_positions(short, long)
    if added is None or voice:
        return Agreement(TextRelation.DIFFERENT, "the same words in another order")
    if not _is_set_off(long, added):
        return Agreement(TextRelation.DIFFERENT, f"may narrow: {_listing([long[at] for at in added])}")
    reason = f"adds: {_listing([long[at] for at in added])}"
    return Agreement(TextRelation.MORE if long is right else TextRelation.LESS, reason)


def _added_positions(short: Keys, long: Keys) -> list[int] | None:
    """Positions of keys that `short` lacks, or None if the common keys come in another order."""
    added, matched = [], 0
    for position, key in enumerate(long):
        if matched < len(short) and key.identity == short[matched].identity:
            matched += 1
        else:
            added.append(position)
    return added if matched == len(short) else None


def _is_set_off(keys: Keys, added: Sequence[int]) -> bool:
    """Whether the added words are phrases of their own ("on every host"), not part of another ("fake database")."""
    positions = set(added)
    for position in added:
        begins, ends = position - 1 not in positions, position + 1 not in positions
        if begins and not (keys[position].opens and (position > 0 or keys[position].preposition)):
            return False
        if ends and position + 1 < len(keys) and not keys[position + 1].gap:
            return False
    return True
