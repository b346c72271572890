"""What a fact commits itself to, as a sequence of keys that can be compared with another fact's.

Two texts with the same keys say the same as far as numbers, dates, identifiers, quotations, names, negations and
opposites go. Words without weight (articles, auxiliaries, common prepositions) make no key of their own; they mark the
next key with its preposition and with whether a phrase may begin there.
"""

import re
from typing import NamedTuple

from waypost.facts.lexicon import Lexicon, foreign_negations


class Key(NamedTuple):
    """One commitment: its kind, its canonical value, the text it came from and its place in the sentence."""

    kind: str
    value: str
    text: str
    preposition: str  # the preposition in front of it, "" where there is none
    gap: bool  # weightless words or punctuation stand between it and the key before
    opens: bool  # a phrase begins here: a preposition, conjunction or punctuation mark leads to it
    every: bool  # led by a universal: all, every, each
    capital: bool | None  # a capital that tells a name; None where it tells nothing: sentence starts, German nouns
    past: bool  # an English -ed form that no form of `be` makes a passive, or a Russian past tense

    @property
    def identity(self) -> tuple[str, str]:
        return self.kind, self.value


# Kinds that may not differ at all. A `word` may be added, never replaced.
STRICT = (
    "number",
    "unit",
    "ordinal",
    "date",
    "identifier",
    "quotation",
    "symbol",
    "negation",
    "opposite",
    "modal",
    "quantifier",
    "condition",
    "tense",
    "person",
    "relation",
    "acronym",
)
_WEIGHTLESS = frozenset(("determiner", "auxiliary", "preposition", "conjunction", "universal"))
_OPENERS = frozenset(("preposition", "conjunction", "universal"))

_TOKEN = re.compile(
    r"""
    (?P<quotation> "[^"\n]+" | “[^”\n]+” | „[^“”\n]+[“”] | «[^»\n]+» | ‘[^’\n]+’ | `[^`\n]+` | (?<!\w)'[^'\n]+'(?!\w) )
  | (?P<identifier>
        \w+://[^\s<>"]*[^\s<>".,;:!?)\]] | [\w.+-]+@[\w-]+(?:\.[\w-]+)+ | --?[A-Za-z][\w-]*(?:=\S*\w)?
      | \#\w+ | @\w[\w.-]*\w | (?:~|\.{1,2})?/[\w.@*~+-]*\w(?:/[\w.@*~+-]*\w)*/?
      | [^\W\d][\w.-]*(?:/[\w.@*+-]*\w)+/? | \.[A-Za-z][\w.-]*\w
      | \w+(?:(?:::|->|\.)[^\W\d]\w*)+(?:\(\))? | [^\W\d]\w*\(\) | \w*[^\W_]_\w+ | _+\w+
      | [^\W\d_]+-\d+ | \d+(?:\.\d+){2,}(?:[-+][\w.]+)? | v\d+(?:\.\d+)*\b
      | \b(?=\w*\d)(?=\w*[^\W\d_])(?!\d+(?:st|nd|rd|th|[^\W\d_]{1,3})\b)\w+
      | [^\W\d_]*[^\W\d_A-ZА-ЯÄÖÜ][A-ZА-ЯÄÖÜ]\w* )
  | (?P<time> \d{1,2}:\d{2}(?::\d{2})? | \d{1,2}\ ?[ap]\.?m\b )
  | (?P<iso> \d{4}-\d{2}(?:-\d{2})? )
  | (?P<number> (?<![\w.])[-−]?\d[\d.,]*\d | (?<![\w.])[-−]?\d | \d )
  | (?P<word> [^\W\d_]+(?:['’-][^\W\d_]+)* | \w+ )
  | (?P<stop> [.!…;:]+(?=\s|$) | \n+ )
  | (?P<punctuation> [,()\[\]—–"“”„«»‘’'`;:.!…-] )
  | (?P<symbol> \S )
    """,
    re.VERBOSE,
)
_GROUPED_SPACES = re.compile(r"(?<![\d.,])(\d{1,3})((?:[   ]\d{3})+)(?![\d])")
_DOTTED_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})$")
_CONTRACTION = re.compile(r"^(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m))$")
_IRREGULAR_CONTRACTION = {"wo": "will", "ca": "can", "sha": "shall"}
_RUSSIAN_PAST = re.compile(r"(?:л|ла|ло|ли)(?:сь|ся)?$")
_COMMA_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DOT_GROUPS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")


def commitments(text: str, lexicon: Lexicon) -> list[Key]:
    """The keys of `text` in their order, read with the word lists of `lexicon`."""
    text = _GROUPED_SPACES.sub(lambda found: found[0].translate(_NO_SPACE), text)
    reader = _Reader(lexicon)
    for found in _TOKEN.finditer(text):
        reader.read(found.lastgroup or "symbol", found[0])
    return _dated(reader.keys)


_NO_SPACE = str.maketrans("", "", "   ")


class _Reader:
    """Walks the tokens of one text and remembers what stands in front of the next key."""

    __slots__ = ("_begins", "_lexicon", "_lead", "_marks", "keys")

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._lead: list[tuple[str, str]] = []  # weightless words since the last key: kind and word
        self._marks = False  # punctuation since the last key
        self._begins = True  # the next word begins a sentence
        self.keys: list[Key] = []

    def read(self, group: str, token: str) -> None:
        if group in ("stop", "punctuation"):
            self._marks = True
            self._begins = self._begins or group == "stop"
        elif group == "word":
            self._word(token)
        else:
            self._add(*_literal(group, token, self._lexicon.language), token)

    def _word(self, token: str) -> None:
        contracted = _CONTRACTION.match(token)
        if contracted and self._lexicon.language == "en":
            base, rest = contracted[1], contracted[2].replace("’", "'").lower()
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
            self._begins = False
        else:
            self._add(kind, value, token)

    def _lookup(self, token: str, lower: str) -> tuple[str, str]:
        lexicon = self._lexicon
        if len(token) > 1 and token.isupper():
            unit = lexicon.closed.get(lower)
            return unit if unit and unit[0] == "unit" else ("acronym", token)
        if lower == "may" and token == "May" and not self._begins:
            return "date", "month 5"
        found = lexicon.closed.get(lower) or foreign_negations().get(lower)
        if found:
            return found
        stem = lexicon.stem(lower)
        stem = lexicon.synonym.get(stem, stem)
        if stem in lexicon.opposite:
            return "opposite", stem
        return "word", stem

    def _add(self, kind: str, value: str, token: str) -> None:
        lead = self._lead
        prepositions = [word for kind_, word in lead if kind_ in ("preposition", "possessive")]
        before = self.keys[-1] if self.keys else None
        if before and before.kind == "relation":
            prepositions.append(before.value)
        self.keys.append(
            Key(
                kind=kind,
                value=value,
                text=token,
                preposition=prepositions[-1] if prepositions else "",
                gap=bool(lead) or self._marks or before is None or "relation" in (kind, before.kind),
                opens=self._marks or kind == "relation" or any(kind_ in _OPENERS for kind_, _ in lead),
                every=any(kind_ == "universal" for kind_, _ in lead),
                capital=None if self._begins or self._lexicon.language == "de" else token[0].isupper(),
                past=self._past(token),
            )
        )
        self._lead, self._marks, self._begins = [], False, False

    def _past(self, token: str) -> bool:
        lexicon, lower = self._lexicon, token.lower()
        if lexicon.language == "en":
            was = self.keys and self.keys[-1].kind in ("tense", "negation", "modal")
            return lower.endswith("ed") and not was and not any(word in lexicon.passive for _, word in self._lead)
        return lexicon.language == "ru" and bool(_RUSSIAN_PAST.search(lower))


def _literal(group: str, token: str, language: str) -> tuple[str, str]:
    """Kind and value of a token that is not a word."""
    if group == "quotation":
        inner = token[1:-1].strip()
        found = _TOKEN.fullmatch(inner)
        return ("identifier" if found and found.lastgroup == "identifier" else "quotation"), inner
    if group == "time":
        return "date", _clock(token)
    if group == "iso":
        return "date", token
    if group == "identifier":
        dotted = _DOTTED_DATE.match(token)
        if dotted:
            return "date", f"{dotted[3]}-{int(dotted[2]):02}-{int(dotted[1]):02}"
        return "identifier", token
    if group == "number":
        return "number", _number(token, language)
    return "symbol", token


def _number(token: str, language: str) -> str:
    """`token` without grouping and with a decimal point: 1,000 in English, 1.000 in German, 0,5 in German and Russian.

    Trailing zeros stay: 3.1 and 3.10 are two versions.
    """
    token = token.replace("−", "-")
    if language == "en":
        return token.replace(",", "") if _COMMA_GROUPS.fullmatch(token.lstrip("-")) else token
    if language == "de" and _DOT_GROUPS.fullmatch(token.lstrip("-")):
        token = token.replace(".", "")
    return token.replace(",", ".")


def _clock(token: str) -> str:
    """Hours and minutes of a day: 9:30, 09:30, 2 pm."""
    half = token.lower().replace(".", "").replace(" ", "")
    if half[-1] == "m":
        hour = int(half[:-2]) % 12 + (12 if half[-2] == "p" else 0)
        return f"{hour:02}:00"
    return token.zfill(5) if token.count(":") == 1 else token.zfill(8)


def _dated(keys: list[Key]) -> list[Key]:
    """`keys` with `15 December 2024` and `December 15, 2024` become one date each."""
    for at, key in enumerate(keys):
        if not key.value.startswith("month ") or key.kind != "date":
            continue
        before = keys[at - 1] if at else None
        after = keys[at + 1] if at + 1 < len(keys) else None
        later = keys[at + 2] if at + 2 < len(keys) else None
        if before and after and _is_day(before) and _is_year(after):
            return _dated(_joined(keys, at - 1, at + 2, after, key, before))
        if after and later and _is_day(after) and _is_year(later):
            return _dated(_joined(keys, at, at + 3, later, key, after))
    return keys


def _joined(keys: list[Key], start: int, end: int, year: Key, month: Key, day: Key) -> list[Key]:
    value = f"{year.value}-{int(month.value[6:]):02}-{int(day.value):02}"
    first = keys[start]._replace(kind="date", value=value, text=" ".join(key.text for key in keys[start:end]))
    return keys[:start] + [first] + keys[end:]


def _is_day(key: Key) -> bool:
    return key.kind == "number" and key.value.isdecimal() and 1 <= int(key.value) <= 31


def _is_year(key: Key) -> bool:
    return key.kind == "number" and key.value.isdecimal() and len(key.value) == 4
