"""Two facts that are the same word for word but for one place.

Words that signal a change are left out first. What differs is a value if both sides state a number, time
or name there. The same if the wording signals a change. At the beginning it is the subject: "room 4" and "room 5" are two rooms.
"""

from collections.abc import Sequence
from typing import NamedTuple

from waypost.facts.statements import StatementWords
from waypost.facts.tokens import tokens
from waypost.text.keywords import stop_words

_LONGEST = 4  # words of a value
_LEAST_SHARED = 0.6  # share of the shorter fact that both have
_LEAST_SUBJECT = 2  # telling words before a value
_FREQUENT = ("ly", "lich", "но")  # how adverbs of frequency end: weekly, täglich, ежедневно
_LITERALS = frozenset(("identifier", "quotation"))
_AMOUNTS = frozenset(("number", "ordinal", "unit", "date"))
_LEFT_OUT = frozenset(("signals", "fresh"))
_NEVER = frozenset(("past", "hedges", "additions", "ceasing", "former", "replaced", "asides"))


class AlignedWord(NamedTuple):
    group: str  # of the token
    text: str
    word: str  # lower case, with е for ё
    key: str  # its stem, by which words are compared


class Alignment(NamedTuple):
    """What differs between two facts, and the words before it."""

    before: tuple[AlignedWord, ...]
    former: tuple[AlignedWord, ...]
    current: tuple[AlignedWord, ...]
    is_last: bool  # nothing follows
    signal: bool  # the newer wording says that something changed


def aligned(older: str, newer: str, words: StatementWords) -> Alignment | None:
    """The one place where two facts differ, or None."""
    (old, _), (new, signal) = _read(older, words), _read(newer, words)
    first = _shared(old, new)
    last = _shared(old[first:][::-1], new[first:][::-1])
    former, current = old[first : len(old) - last], new[first : len(new) - last]
    if not 0 < len(former) <= _LONGEST or not 0 < len(current) <= _LONGEST:
        return None
    if {word.key for word in former} & {word.key for word in current}:
        return None  # two places differ
    if first + last < _LEAST_SHARED * min(len(old), len(new)):
        return None
    return Alignment(tuple(old[:first]), tuple(former), tuple(current), not last, signal)


def states_another_value(alignment: Alignment, words: StatementWords) -> bool:
    """Whether what differs is a value that a subject has one of."""
    language = words.lexicon.language
    stops = stop_words(language)
    if sum(word.word not in stops for word in alignment.before) < _LEAST_SUBJECT - alignment.is_last:
        return False
    sides = (alignment.former, alignment.current)
    if any(word.key in words.qualifiers or _role(word.word, words) in _NEVER for side in sides for word in side):
        return False
    if all(_is_amount(side, words) for side in sides):
        return True
    if any(words.verbs.get(form) in ("several", "use", "have") for word in alignment.before for form in word[2:]):
        return alignment.signal
    if all(_is_name(word) for side in sides for word in side) and len(alignment.former) == len(alignment.current):
        return True
    frequent = all(side[-1].word.endswith(_FREQUENT) and len(side) == 1 for side in sides)
    return alignment.signal or (alignment.is_last and (frequent or all(_is_person(side) for side in sides)))


def _read(text: str, words: StatementWords) -> tuple[list[AlignedWord], bool]:
    """The words of a text without those that signal a change, and whether there were some."""
    read = [
        AlignedWord(group, token, folded, words.lexicon.stem(folded) if group == "word" else folded)
        for group, token in tokens(text)
        if group not in ("punctuation", "stop")
        for folded in [token.lower().replace("ё", "е")]
    ]
    kept, at = list[AlignedWord](), 0
    while at < len(read):
        phrase = next(
            (
                parts
                for parts, role in words.phrases.get(read[at].word, ())
                if role in _LEFT_OUT and tuple(word.word for word in read[at : at + len(parts)]) == parts
            ),
            None,
        )
        if phrase is None:
            kept.append(read[at])
        at += len(phrase or (0,))
    return kept, len(kept) < len(read)


def _shared(old: Sequence[AlignedWord], new: Sequence[AlignedWord]) -> int:
    pairs = zip(old, new, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a.key != b.key), min(len(old), len(new)))


def _role(word: str, words: StatementWords) -> str:
    return next((role for parts, role in words.phrases.get(word, ()) if parts == (word,)), "")


def _is_amount(side: Sequence[AlignedWord], words: StatementWords) -> bool:
    """Whether it states a number, a time or a unit, and nothing else."""
    return all(
        word.group in ("number", "time", "iso") or words.lexicon.closed.get(word.word, ("", ""))[0] in _AMOUNTS
        for word in side
    )


def _is_name(word: AlignedWord) -> bool:
    """Whether it can only be a name: `NeTEx`, `GTFS`, `ovens.v2`."""
    return word.group in _LITERALS or word.text[1:].lower() != word.text[1:]


def _is_person(side: Sequence[AlignedWord]) -> bool:
    return all(word.text[:1].isupper() for word in side)
