"""The word lists for comparing two facts, one data file per language.

A word is looked up as written first (closed lists: negations, modals, numbers, units, months …), then by its stem
(opposites and synonyms). These stemmers remove inflection only. A stemmer for search would merge `production` and
`product`, and so two facts.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from waypost.text.language import language_of

LANGUAGES = ("en", "de", "ru")

# Word lists whose words become keys of a kind: by default the list's name in the singular.
_CLOSED = (
    *("determiners", "auxiliaries", "neutral_prepositions", "conjunctions", "relations", "past", "future", "modals"),
    *("persons", "conditions", "quantifiers", "universals", "relative_dates", "negations"),
)
_KINDS = {"auxiliaries": "auxiliary", "neutral_prepositions": "preposition", "relative_dates": "date"}
_KINDS |= {"past": "tense", "future": "tense"}
# Tables of value = "words". The value becomes the key, so that `two`, `zwei` and `2` are equal.
_TABLES = {"numbers": "number", "ordinals": "ordinal", "months": "date", "weekdays": "date", "units": "unit"}
_PREFIX = {"months": "month ", "weekdays": "weekday ", "ordinals": "ordinal "}


@dataclass(frozen=True, slots=True)
class ComparisonLexicon:
    """One language: the meaning of a word for the comparison, as written (`closed`) or by stem (`opposite`, `synonym`).

    `passive` has the auxiliaries of the passive, `agents` the words that introduce who acts. `articles` maps articles
    to grammatical cases. Phrases after `mobile` words may move; `places` may replace each other.
    """

    language: str
    closed: Mapping[str, tuple[str, str]]
    opposite: Mapping[str, frozenset[str]]
    synonym: Mapping[str, str]
    passive: frozenset[str]
    articles: Mapping[str, str]
    participles: frozenset[str]
    places: frozenset[str]
    mobile: frozenset[str]
    agents: frozenset[str]
    months: Mapping[str, str]
    stem: Callable[[str], str]


@cache
def lexicon(language: str) -> ComparisonLexicon:
    """The word lists of `language`, one of `LANGUAGES`."""
    source = files("waypost.facts").joinpath("data", f"{language}.toml")
    data = tomllib.loads(source.read_text(encoding="utf-8"))
    irregular = dict(entry.split("=") for entry in data["stems"].split())
    inflection = _stemmer(language)

    @cache
    def stem(word: str) -> str:
        return inflection(irregular.get(word, word))

    synonym = {stem(word): stem(group.split()[0]) for group in data["synonyms"]["groups"] for word in group.split()}
    return ComparisonLexicon(
        language=language,
        closed=_closed(data),
        opposite=_opposites(data["opposites"]["pairs"], stem),
        synonym=synonym,
        passive=frozenset(data["passive"].split()),
        articles={word: group for group in data["articles"].split() for word in group.split("/")},
        participles=frozenset(irregular),
        places=frozenset(data["places"].split()),
        mobile=frozenset(data["mobile"].split()),
        agents=frozenset(data["agents"].split()),
        months={word: value for value, words in data["months"].items() for word in words.split()},
        stem=stem,
    )


@cache
def foreign_negations() -> Mapping[str, tuple[str, str]]:
    """The negations of all languages. Texts mix languages, and a `not` must never pass for an ordinary word."""
    return {
        word: key for language in LANGUAGES for word, key in lexicon(language).closed.items() if key[0] == "negation"
    }


def shared_lexicon(first: str, second: str) -> ComparisonLexicon:
    """The word lists for reading two texts. An unsupported language gets the nearest one by script."""
    both = " ".join(sorted((first, second)))  # sorted: the order of the two must not matter
    language = language_of(both)
    if language not in LANGUAGES:
        language = "ru" if _CYRILLIC.search(both) else "en"
    return lexicon(language)


_CYRILLIC = re.compile("[\u0400-\u04ff]")
_VOWEL = re.compile("[aeiouy]")
_UMLAUTS = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})


def _closed(data: Mapping[str, str | Mapping[str, str]]) -> dict[str, tuple[str, str]]:
    closed: dict[str, tuple[str, str]] = {}
    for name in _CLOSED:
        kind = _KINDS.get(name, name.removesuffix("s"))
        for group in str(data[name]).split():
            variants = group.split("/")
            closed.update((word, (kind, variants[0])) for word in variants)
    for name, kind in _TABLES.items():
        table = data[name]
        assert not isinstance(table, str)
        for value, words in table.items():
            closed.update((word, (kind, _PREFIX.get(name, "") + value)) for word in words.split())
    return closed


def _opposites(pairs: list[str], stem: Callable[[str], str]) -> dict[str, frozenset[str]]:
    opposite: dict[str, frozenset[str]] = {}
    for pair in pairs:
        left, right = ([stem(word) for word in side.split()] for side in pair.split("|"))
        for side, other in ((left, right), (right, left)):
            for word in side:
                opposite[word] = opposite.get(word, frozenset()) | frozenset(other)
    return opposite


def _english_stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 1 and _VOWEL.search(rest) and not word.endswith("eed"):
            word = rest[:-1] if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    if word.endswith("ied"):
        word = word[:-3] + "y"
    return word.removesuffix("e") if len(word) > 3 else word


def _german_stem(word: str) -> str:
    word = word.translate(_UMLAUTS)
    # -er stays: it separates the buyer from the purchase (Käufer, Kauf), and is not only a plural.
    for endings in (("en", "em", "es", "e", "n", "s"), ("t",)):
        ending = next((ending for ending in endings if word.endswith(ending)), "")
        if len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
    return word


def _stemmer(language: str) -> Callable[[str], str]:
    if language != "ru":
        return _english_stem if language == "en" else _german_stem
    import Stemmer  # type: ignore[import-not-found]  # a compiled library, needed only for Russian

    stem: Callable[[str], str] = Stemmer.Stemmer("russian").stemWord
    return stem
