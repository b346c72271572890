"""Two facts about the same in different wordings, compared without grammar.

`contradictions` and `frames` read sentences. Here only words count: both facts are cut at commas, and words that say nothing are left out.
If nearly all other words of a part are in the other one, the two have one subject. Then they may differ in a
number, a time or a name. Verbs may differ. A noun that each has by itself makes two subjects: "X-ray images" and "ultrasound images".
A newer fact that names the former value in another part ("Gardena was too expensive") says that it changed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from waypost.facts.frames import same_word
from waypost.facts.statements import CHANGES, SECONDS, StatementWords, statement_words
from waypost.facts.tokens import literal, tokens
from waypost.text.keywords import stop_words

_SECONDS = SECONDS | {"year": 31_557_600}
_LEAST_COMPOUND = 5  # letters of a word that is a part of another: "dauern", "Standarddauer"
_LEAST_SHARED = 0.6  # share of the words of the shorter part that both have
_MOST_APART = 2  # words that only one part has
_MOST_VALUE = 3  # words of a value
_MOST_PARTS = 6
_INSIDE = "-–—'’`\""  # marks that don't end a part
_CONJUNCTIONS = frozenset(("and", "und", "и"))
_NEVER = frozenset(("hedges", "additions", "past"))
_SIGNALS = frozenset(("signals", "fresh", "ceasing", "former", "replaced"))
_IGNORED = frozenset(("signals", "fresh", "times", "since"))
_RUSSIAN_VERB = re.compile(r"(?:[еи]т|[юуая]т)(?:ся)?$|(?:ся|сь)$")
_ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)")


class Item(NamedTuple):
    kind: str  # "word", "name", or the type of a literal
    value: str
    text: str
    place: int  # among the tokens of its part
    unit: str = ""
    is_light: bool = False  # a verb or another word that may differ

    def is_same(self, other: "Item") -> bool:
        if self.kind not in ("word", "name") or other.kind not in ("word", "name"):
            return self.kind == other.kind and self.value == other.value
        if same_word(self.value, other.value):
            return True
        short, long = sorted((self.value, other.value), key=len)
        stem = short[: max(_LEAST_COMPOUND, len(short) - 2)]
        return len(short) >= _LEAST_COMPOUND and stem in long and "name" not in (self.kind, other.kind)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a fact between commas."""

    items: tuple[Item, ...]
    signal: bool
    changes: bool  # it has a verb of change
    ceases: bool  # "no longer", or denied
    negated: bool

    @property
    def words(self) -> list[Item]:
        return [item for item in self.items if item.kind in ("word", "name")]


@dataclass(frozen=True, slots=True)
class FactWording:
    """All items of a fact, and the roles of its phrases."""

    items: tuple[Item, ...]
    roles: frozenset[str]
    changes: bool  # it has a verb of change

    @property
    def signal(self) -> bool:
        """Whether the wording says that something changed."""
        return self.changes or not _SIGNALS.isdisjoint(self.roles)


@lru_cache(maxsize=2048)
def fact_wording(text: str, language: str) -> FactWording:
    """A text of any length and form, read word by word. Places of items are those in the whole text."""
    words = statement_words(language)
    items, roles, start = list[Item](), set[str](), 0
    for part in _cut(text, words):
        part_roles, kept = _roles(part, words)
        roles |= part_roles
        items += [item._replace(place=item.place + start) for item in _items(kept, words, language)]
        start += len(kept) + 2  # words on both sides of a comma are not next to each other
    return FactWording(tuple(items), frozenset(roles), any(_changes(item, words) for item in items))


@dataclass(frozen=True, slots=True)
class WordingDifference:
    """The values that two facts give for one subject, as written."""

    former: str
    current: str
    is_exact: bool
    is_rejected: bool  # the newer fact names the former value beside its own


def wording_difference(older: str, newer: str, language: str) -> WordingDifference | None:
    """How the newer fact changes what the older one says, or None."""
    before, after = _parts(older, language), _parts(newer, language)
    if not before or not after or len(before) > 1:
        return None
    for part in after:
        others = [item for other in after if other is not part for item in other.items]
        if part.ceases and others and all(is_in(item, part.items) for item in before[0].items if not item.is_light):
            value = [item for item in others if not item.is_light and not is_in(item, part.items)]
            if 0 < len(value) <= _MOST_VALUE:
                former, current = before[0].items[-1].text, " ".join(item.text for item in value)
                return WordingDifference(former, current, is_exact=True, is_rejected=True)
        difference = _Pair(before[0], part, others, statement_words(language)).difference()
        if difference is not None:
            return difference
    return None


def signals_change(text: str, language: str) -> bool:
    """Whether the wording says that something changed."""
    return any(part.signal for part in _parts(text, language))


class _Pair:
    def __init__(self, old: _Part, new: _Part, others: Sequence[Item], words: StatementWords) -> None:
        self._old, self._new, self._words = old, new, words
        self._left = [item for item in old.items if not is_in(item, new.items)]
        self._right = [item for item in new.items if not is_in(item, old.items)]
        self._rejected = [item for item in self._left if not item.is_light and is_in(item, others)]
        self._signal = new.signal or bool(self._rejected)

    def difference(self) -> WordingDifference | None:
        old, new = self._old, self._new
        if old.negated != new.negated or self._qualifiers(old) != self._qualifiers(new) or not self._same_subject():
            return None
        return self._by_literal() or self._by_name() or self._by_change()

    def _qualifiers(self, part: _Part) -> set[str]:
        return {item.value for item in part.words} & self._words.qualifiers

    def _same_subject(self) -> bool:
        ours, theirs = ([item for item in part.words if not item.is_light] for part in (self._old, self._new))
        common = sum(is_in(item, theirs) for item in ours)
        values = len([item for item in (*self._left, *self._right) if item.kind == "name"])
        least = min(len(ours), len(theirs)) - (values > 0)
        return common > 0 and common >= _LEAST_SHARED * least

    def _by_literal(self) -> WordingDifference | None:
        """Another number, time, version or path."""
        ours, theirs = (
            [item for item in side if item.kind not in ("word", "name")] for side in (self._left, self._right)
        )
        if not ours or not theirs or not any(comparable(a, b) for a in ours for b in theirs):
            return None
        if not len(ours) == len(theirs) == 1 and not self._signal:
            return None  # one of them may say which thing is meant
        if any(self._is_subject(item, self._old) for item in ours):
            return None
        left, right = (self._apart(side) for side in (self._left, self._right))
        if (left and right) or not self._may_be_apart(left, right):
            return None
        return self._found(ours, theirs, is_exact=not left and not right)

    def _by_name(self) -> WordingDifference | None:
        """Another name or word at the end, where the wording says that something changed."""
        left, right = (self._apart(side) for side in (self._left, self._right))
        if self._new.changes:  # names are values, and another word may be the verb as a noun
            left, right = (_names_of(side) for side in (left, right))
        if not self._signal or not 0 < len(left) <= _MOST_VALUE or not 0 < len(right) <= _MOST_VALUE:
            return None
        if any(item.kind not in ("word", "name") for item in (*self._left, *self._right)) and not self._rejected:
            return None
        if not (self._is_behind(left, self._old) and self._is_behind(right, self._new)) and not self._rejected:
            return None
        return self._found(left, right, is_exact=True)

    def _by_change(self) -> WordingDifference | None:
        """The newer part names both values: "we replaced RabbitMQ by NATS"."""
        left, right = (self._apart(side) for side in (self._left, self._right))
        value = next((item for item in reversed(self._old.items) if not item.is_light), None)
        if not self._new.changes or left or not 0 < len(right) <= _MOST_VALUE or value is None or value.kind == "word":
            return None
        return self._found([value], right, is_exact=True) if self._is_behind(right, self._new) else None

    def _apart(self, side: Sequence[Item]) -> list[Item]:
        return [item for item in side if not item.is_light and item.kind in ("word", "name")]

    def _may_be_apart(self, left: Sequence[Item], right: Sequence[Item]) -> bool:
        if self._signal:
            return len(left) + len(right) <= _MOST_APART and not self._modifies(right, self._new)
        return (
            len(left) + len(right) <= 1 and not self._modifies(left, self._old) and not self._modifies(right, self._new)
        )

    def _modifies(self, items: Sequence[Item], part: _Part) -> bool:
        """Whether one of these may make it another subject: it stands first, or right before a common word."""
        common = {item.place for item in part.items if item not in items}
        return any(item.place + 1 in common or item.place - 1 in common or item == part.items[0] for item in items)

    def _is_subject(self, item: Item, part: _Part) -> bool:
        """Whether a number says which thing is meant: "tour 7 starts"."""
        at = part.items.index(item)
        before = part.items[at - 1] if at else None
        follows = before is None or (at == 1 and before.place + 1 == item.place)
        return follows and item.kind == "number" and item is not part.items[-1]

    def _is_behind(self, items: Sequence[Item], part: _Part) -> bool:
        """Whether these are the last words that are no verbs, behind others."""
        telling = [item for item in part.items if not item.is_light]
        return len(items) < len(telling) and telling[-len(items) :] == list(items)

    def _found(self, ours: Sequence[Item], theirs: Sequence[Item], *, is_exact: bool) -> WordingDifference:
        former, current = (" ".join(item.text for item in side) for side in (ours, theirs))
        return WordingDifference(former, current, is_exact, bool(self._rejected))


def _names_of(items: list[Item]) -> list[Item]:
    names = [item for item in items if item.kind == "name"]
    return names if names and len(items) - len(names) <= 1 else items


def is_in(item: Item, items: Sequence[Item]) -> bool:
    return any(item.is_same(other) for other in items)


def comparable(ours: Item, theirs: Item) -> bool:
    if ours.kind == theirs.kind:
        return not ours.unit or not theirs.unit or same_word(ours.unit, theirs.unit)
    return {ours.kind, theirs.kind} <= {"number", "version"}


@lru_cache(maxsize=1024)
def _parts(text: str, language: str) -> tuple[_Part, ...]:
    """The parts of a text; none if it guesses, plans, adds or is about the past."""
    words = statement_words(language)
    parts = list[_Part]()
    for part in _cut(text, words):
        if len(parts) >= _MOST_PARTS:
            return ()
        roles, kept = _roles(part, words)
        if roles & _NEVER and not parts:
            return ()
        items = tuple(_items(kept, words, language))
        if items and not roles & _NEVER:
            changes = any(_changes(item, words) for item in items)
            ceases, signal = "ceasing" in roles, bool(roles & {"signals", "ceasing"})
            parts.append(_Part(items, signal or changes, changes, ceases, _is_negated(kept, words)))
    return tuple(parts)


def _changes(item: Item, words: StatementWords) -> bool:
    return any(words.verbs.get(form) in CHANGES for form in (item.value, item.text.lower()))


def _cut(text: str, words: StatementWords) -> Iterator[list[tuple[str, str]]]:
    """The tokens between commas, and before a conjunction that a verb follows."""
    part = list[tuple[str, str]]()
    listed = list(tokens(text))
    for at, (group, token) in enumerate(listed):
        following = listed[at + 1][1].lower() if at + 1 < len(listed) else ""
        joins = token.lower() in _CONJUNCTIONS and words.verbs.keys() & {following, words.lexicon.stem(following)}
        if joins or (group in ("stop", "punctuation") and token not in _INSIDE):
            yield part
            part = []
        else:
            part.append((group, token))
    yield part


def _roles(part: list[tuple[str, str]], words: StatementWords) -> tuple[set[str], list[tuple[str, str]]]:
    """The roles of phrases in a part, and its tokens without those that only signal a change. It ends where a reason begins."""
    roles, kept, at = set[str](), list[tuple[str, str]](), 0
    folded = [token.lower().replace("ё", "е") for _, token in part]
    while at < len(part):
        if kept and _is_month(folded[at], words) and kept[-1][1].lower() in words.sources | words.events:
            kept.pop()  # "from May on"
            roles.add("signals")
            at += 1 + (folded[at + 1 : at + 2] == ["on"])
            continue
        for phrase, role in words.phrases.get(folded[at], ()):
            if tuple(folded[at : at + len(phrase)]) == phrase and not role.startswith("verb:"):
                break
        else:
            kept.append(part[at])
            at += 1
            continue
        if role == "asides":
            break
        roles.add(role)
        if role not in _IGNORED and role != "ceasing":
            kept += part[at : at + len(phrase)]
        at += len(phrase)
    return roles, kept


def _is_month(word: str, words: StatementWords) -> bool:
    return words.lexicon.closed.get(word, ("", ""))[1].startswith("month")


def negates(text: str, language: str) -> bool:
    """Whether a text has a word such as "not" or "never"."""
    closed = statement_words(language).lexicon.closed
    return any(closed.get(token.lower(), ("", ""))[0] == "negation" for _, token in tokens(text))


def _is_negated(part: Sequence[tuple[str, str]], words: StatementWords) -> bool:
    closed = words.lexicon.closed
    return sum(closed.get(token.lower(), ("", ""))[0] == "negation" for _, token in part) % 2 == 1


def _items(part: Sequence[tuple[str, str]], words: StatementWords, language: str) -> Iterator[Item]:
    lexicon, stops = words.lexicon, stop_words(language)
    at = 0
    while at < len(part):
        group, token = part[at]
        low = token.lower().replace("ё", "е")
        kind, value = lexicon.closed.get(low, ("", ""))
        following = part[at + 1][1].lower().replace("ё", "е") if at + 1 < len(part) else ""
        if group in ("number", "time", "iso") or (kind == "number" and low not in words.ones):
            literal_kind, number = literal(group, token, language) if group != "word" else ("number", value)
            item, taken = _amount(literal_kind, number, token, following, at, words)
            yield item
            at += taken
            continue
        if group in ("identifier", "quotation"):
            shape = "path" if "/" in token else "version" if re.fullmatch(r"v?\d[\d.]*", token) else "name"
            yield Item(shape, low, token, at)
        elif kind == "unit" and low not in stops:
            seconds = _SECONDS.get(value.removesuffix("ly"))
            if seconds:
                yield Item("duration", f"{float(seconds):g}", token, at)
        elif kind == "ordinal" or _ORDINAL.fullmatch(low):
            yield Item("ordinal", (value or low).removeprefix("ordinal ").rstrip("sthndr"), token, at)
        elif kind == "date" and value.startswith(("month", "weekday")):
            yield Item(value.split()[0], value, token, at)
        elif group == "word" and not (
            low in stops or low in words.goals or kind in ("determiner", "auxiliary", "quantifier", "universal")
        ):
            stem = lexicon.stem(low)
            if (stem not in words.generic or stem in words.qualifiers) and low not in words.pronouns:
                yield Item(
                    _word_kind(token, at, language), stem, token, at, is_light=_is_light(token, low, stem, words)
                )
        at += 1


def _amount(kind: str, value: str, token: str, following: str, at: int, words: StatementWords) -> tuple[Item, int]:
    if kind == "date":
        return Item("clock" if ":" in value else "date", value, token, at), 1
    unit_kind, unit = words.lexicon.closed.get(following, ("", ""))
    seconds = _SECONDS.get(unit) if unit_kind == "unit" else None
    if seconds is not None:
        try:
            return Item("duration", f"{float(value) * seconds:g}", f"{token} {following}", at), 2
        except ValueError:
            pass
    if unit_kind == "unit":
        return Item("number", value, f"{token} {following}", at, unit), 2
    if unit_kind == "date":
        return Item("month", f"{unit} {value}", f"{token} {following}", at), 2
    is_noun = following.isalpha() and following not in words.goals and unit_kind == ""
    return Item("number", value, token, at, words.lexicon.stem(following) if is_noun else ""), 1


def _word_kind(token: str, at: int, language: str) -> str:
    inner_capital = token[1:].lower() != token[1:]
    is_latin = token.isascii()
    if inner_capital or (language == "ru" and is_latin) or (language == "en" and at > 0 and token[0].isupper()):
        return "name"
    return "name" if language == "ru" and at > 0 and token[0].isupper() else "word"


def _is_light(token: str, low: str, stem: str, words: StatementWords) -> bool:
    """Whether a word may differ between two wordings: a verb, or a German word that is no noun."""
    language = words.lexicon.language
    if stem in words.qualifiers or stem in words.states or token[1:].lower() != token[1:]:
        return False
    if language == "de":
        return token[0].islower()
    if low in words.verbs or (stem in words.verbs and language != "en"):
        return True
    if language == "ru":
        return bool(_RUSSIAN_VERB.search(low)) and token.islower()
    return low.endswith("ed") and len(low) > 4
