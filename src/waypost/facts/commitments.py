"""The commitments of a fact, as a sequence of keys to compare with another fact's.

Two texts with the same keys agree in numbers, dates, identifiers, quotations, names, negations and opposites.
Weightless words (articles, auxiliaries, common prepositions) have no key. They give the next key its preposition, and
show whether a phrase may begin there.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from waypost.facts.lexicon import ComparisonLexicon, foreign_negations
from waypost.facts.tokens import literal, tokens


class CommitmentKey(NamedTuple):
    """One commitment: its kind, canonical value, source text and position in the sentence."""

    kind: str
    value: str
    text: str
    preposition: str  # the preposition before it, or ""
    gap: bool  # weightless words or punctuation separate it from the key before
    opens: bool  # a phrase begins here: after a preposition, conjunction or punctuation mark
    clause: bool  # a clause may begin here: after a conjunction or punctuation mark
    every: bool  # after a universal: all, every, each
    capital: bool | None  # has the capital of a name; None if capitals mean nothing: sentence starts, German nouns
    past: bool  # a verb in a past tense, by its ending
    passive: bool  # a verb in the passive, by an auxiliary or its ending
    article: str  # the grammatical case of its German article

    @property
    def identity(self) -> tuple[str, str]:
        return self.kind, self.value


Keys = Sequence[CommitmentKey]

# Kinds that must not differ at all. A `word` may be added, never replaced.
STRICT = (
    "number", "unit", "ordinal", "date", "identifier", "quotation", "symbol", "negation", "opposite", "modal",
    "quantifier", "condition", "tense", "person", "relation", "acronym",
)  # fmt: skip
_WEIGHTLESS = frozenset(("determiner", "auxiliary", "preposition", "conjunction", "universal"))
_OPENERS = frozenset(("preposition", "conjunction", "universal"))
_EMPHATIC = frozenset(("negation", "modal", "quantifier", "universal", "unit"))  # NOT, MUST, ONLY; EUR
_STANDS_OFF = frozenset(("relation", "number", "date"))  # never part of the compound before them

_CONTRACTION = re.compile(r"^(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m))$")
_IRREGULAR_CONTRACTION = {"wo": "will", "ca": "can", "sha": "shall"}
_RUSSIAN_PAST = re.compile(r"(?:л|ла|ло|ли)(?:сь|ся)?$")
_GERMAN_PAST = re.compile(r"te(?:n|t|st)?$")


def commitments(text: str, lexicon: ComparisonLexicon) -> list[CommitmentKey]:
    """The keys of `text` in order, read with the word lists of `lexicon`."""
    reader = _Reader(lexicon)
    for group, token in tokens(text):
        reader.read(group, token)
    return _join_dates(reader.keys)


class _Reader:
    """Walks the tokens of one text and tracks what stands before the next key."""

    __slots__ = ("_auxiliary", "_before_negation", "_begins", "_lead", "_lexicon", "_marks", "keys")

    def __init__(self, lexicon: ComparisonLexicon) -> None:
        self._lexicon = lexicon
        self._lead: list[tuple[str, str]] = []  # weightless words since the last key: kind and word
        self._marks = False  # punctuation since the last key
        self._begins = True  # the next word begins a sentence
        self._auxiliary = False  # an auxiliary of the passive occurred in this sentence
        self._before_negation = False  # it stood right before the last negation: "is not used"
        self.keys: list[CommitmentKey] = []

    def read(self, group: str, token: str) -> None:
        if group in ("stop", "punctuation"):
            self._marks = True
            if group == "stop":
                self._begins, self._auxiliary = True, False
        elif group == "word":
            self._word(token)
        else:
            kind, value = literal(group, token, self._lexicon.language)
            self._add(*self._lexicon.closed.get(token, (kind, value)) if kind == "symbol" else (kind, value), token)

    def _word(self, token: str) -> None:
        contraction = _CONTRACTION.match(token)
        if contraction and self._lexicon.language == "en":
            base, rest = contraction[1], contraction[2].replace("’", "'").lower()
            self._word(_IRREGULAR_CONTRACTION.get(base.lower(), base))
            if rest == "'s" and not self._lead:
                self._lead.append(("possessive", "'s"))
            elif rest != "'m":
                self._word("not" if rest == "n't" else rest)
            return
        lower = token.lower().replace("ё", "е")
        kind, value = self._lookup(token, lower)
        if kind in _WEIGHTLESS:
            self._lead.append((kind, lower))
            self._auxiliary = self._auxiliary or lower in self._lexicon.passive
            self._begins = False
        else:
            self._add(kind, value, token)

    def _lookup(self, token: str, lower: str) -> tuple[str, str]:
        lexicon = self._lexicon
        if len(token) > 1 and token.isupper():
            entry = lexicon.closed.get(lower)
            return entry if entry and entry[0] in _EMPHATIC else ("acronym", token)
        if lower == "may" and token[0] == "M" and not self._begins:
            return "date", "month 5"
        listed = lexicon.closed.get(lower) or foreign_negations().get(lower)
        if listed:
            return listed
        stem = lexicon.stem(lower)
        stem = lexicon.synonym.get(stem, stem)
        if stem in lexicon.opposite:
            return "opposite", stem
        return "word", stem

    def _add(self, kind: str, value: str, token: str) -> None:
        lead = self._lead
        if kind == "negation":
            self._before_negation = self._led_by_passive()
        prepositions = [word for kind_, word in lead if kind_ in ("preposition", "possessive")]
        before = self.keys[-1] if self.keys else None
        if kind == "relation":
            prepositions.append(value)
        elif before and before.kind == "relation":
            prepositions.append(before.value)
        self.keys.append(
            CommitmentKey(
                kind=kind,
                value=value,
                text=token,
                preposition=prepositions[-1] if prepositions else "",
                gap=any(kind_ != "possessive" for kind_, _ in lead)
                or self._marks
                or before is None
                or kind in _STANDS_OFF
                or before.kind == "relation",
                opens=self._marks or kind == "relation" or any(kind_ in _OPENERS for kind_, _ in lead),
                clause=self._marks or any(kind_ == "conjunction" for kind_, _ in lead),
                every=any(kind_ == "universal" for kind_, _ in lead),
                capital=None if self._begins or self._lexicon.language == "de" else token[0].isupper(),
                past=self._past(token),
                passive=self._passive(token),
                article=next((self._lexicon.articles[word] for _, word in lead if word in self._lexicon.articles), ""),
            )
        )
        self._lead, self._marks, self._begins = [], False, False

    def _past(self, word: str) -> bool:
        language = self._lexicon.language
        if language == "de":
            return word[0].islower() and bool(_GERMAN_PAST.search(word))  # nouns have such endings too
        word = word.lower()
        if language == "en":
            has_auxiliary = self.keys and self.keys[-1].kind in ("tense", "negation", "modal")
            return word.endswith("ed") and not has_auxiliary and not self._led_by_passive()
        return bool(_RUSSIAN_PAST.search(word))

    def _passive(self, word: str) -> bool:
        language = self._lexicon.language
        if language == "de":
            return self._auxiliary and word[0].islower() and word.endswith(("t", "en"))
        word = word.lower()
        if language == "en":
            return (word.endswith("ed") or word in self._lexicon.participles) and self._led_by_passive()
        return word.endswith(("ся", "сь"))

    def _led_by_passive(self) -> bool:
        """Whether a form of `be` comes before, with nothing but a negation between."""
        if any(word in self._lexicon.passive for _, word in self._lead):
            return True
        before = self.keys[-1] if self.keys else None
        if before is None:
            return False
        return before.text.lower() in self._lexicon.passive or (before.kind == "negation" and self._before_negation)


def _join_dates(keys: list[CommitmentKey]) -> list[CommitmentKey]:
    """The keys with `15 December 2024` and `December 15, 2024` joined to one date each."""
    for index, key in enumerate(keys):
        if not key.value.startswith("month ") or key.kind != "date":
            continue
        before = keys[index - 1] if index else None
        after = keys[index + 1] if index + 1 < len(keys) else None
        later = keys[index + 2] if index + 2 < len(keys) else None
        if before and after and _is_day(before) and _is_year(after):
            return _join_dates(_join_date(keys, index - 1, index + 2, after, key, before))
        if after and later and _is_day(after) and _is_year(later):
            return _join_dates(_join_date(keys, index, index + 3, later, key, after))
    return keys


def _join_date(
    keys: list[CommitmentKey], start: int, end: int, year: CommitmentKey, month: CommitmentKey, day: CommitmentKey
) -> list[CommitmentKey]:
    value = f"{year.value}-{int(month.value[6:]):02}-{int(day.value):02}"
    first = keys[start]._replace(kind="date", value=value, text=" ".join(key.text for key in keys[start:end]))
    return [*keys[:start], first, *keys[end:]]


def _is_day(key: CommitmentKey) -> bool:
    return key.kind == "number" and key.value.isdecimal() and 1 <= int(key.value) <= 31


def _is_year(key: CommitmentKey) -> bool:
    return key.kind == "number" and key.value.isdecimal() and len(key.value) == 4
