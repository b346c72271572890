"""Keyword index terms: one analysis for stored text and for questions, on every database.

A term has only letters, digits and underscores. A plain tokenizer (FTS5's unicode61 with `_` as a letter) keeps it
whole. A compound such as `v1.2.3`, `user-table` or `a@b.org` becomes one term with `_` between its parts.
"""

import re
import unicodedata
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waypost.text.identifiers import identifier_parts, is_hash
from waypost.text.language import language_of
from waypost.text.split import read_words
from waypost.text.stems import fold, stem

LONGEST_TERM = 64
MOST_TERMS = 4096  # per list of one passage; 256 tokens give a few hundred
MOST_QUERY_TERMS = 64  # a longer OR takes more time for the same hits
SHORT_HASH = 7  # git's abbreviation: the short form finds the long one
MOST_CODE_TOKENS = 50_000  # of one piece of source
_REMEMBERED_TOKENS = 50_000
_REMEMBERED_CODE_TOKENS = 100_000
_LONGEST_REMEMBERED = 80

_DATA = Path(__file__).with_name("data")
# What they look for comes first and what is before it second, so that a search skips all other characters.
_APOSTROPHE = re.compile(r"['’ʼ](?<=[^\W\d_].)(?=[^\W\d_])")
_POSSESSIVE = re.compile(r"['’ʼ](?<=[^\W\d_].)[sS]\b")
_LOOSE_MARKS = re.compile("[\u0300-\u036f]+")  # Russian stress, and accents that NFKC could not compose
_THOUSANDS = re.compile(r"\d(?<![\d,.]\d)\d{0,2}(?:,\d{3})+(?![\d,])")
_TOKEN = re.compile(r"\w+(?:[.:@+/\\-]{1,2}\w+)*")
_SEPARATORS = re.compile(r"[.:@+/\\-]+")
_VERSION = re.compile(r"v\d+_\w+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_CYRILLIC = re.compile("[\u0400-\u052f]")


@dataclass(frozen=True, slots=True)
class Terms:
    words: list[str]  # whole tokens, folded in case and spelling
    stems: list[str]  # stems of words and of identifier parts, and identifiers without separators

    def __bool__(self) -> bool:
        return bool(self.words)


def keyword_terms(text: str, language: str) -> Terms:
    """The terms that index a text in `language` (a result of `language_of`), repetitions included."""
    languages = ("de",) if language == "de" else ("en",)
    analyses = _analyses[languages]
    words: list[str] = []
    stems: list[str] = []
    for token in _tokens(text):
        whole, stemmed = analyses.get(token) or _analyse(token, languages)
        words += whole
        stems += stemmed
        if len(stems) > MOST_TERMS:
            break
    return Terms(words[:MOST_TERMS], stems[:MOST_TERMS])


def code_terms(text: str) -> str:
    """The terms that index source code, joined by spaces: like `keyword_terms`, in a third of the time."""
    cache = _code_tokens
    parts: list[str] = []
    for token in _tokens(text)[:MOST_CODE_TOKENS]:
        terms = cache.get(token)
        if terms is None:
            terms = _code_token(token)
        parts.append(terms)
    return " ".join(parts)


_code_tokens: dict[str, str] = {}


def _code_token(token: str) -> str:
    """Stems, plus the whole token if it is more than a plain word, which would only add length."""
    pieces = [piece for piece in _SEPARATORS.split(token) if piece.strip("_")]
    if len(pieces) > 1:  # compounds are mostly new, their pieces mostly cached
        whole, joined = _compound(pieces)
        terms = " ".join([*(_code_tokens.get(piece) or _code_token(piece) for piece in pieces), *joined, whole])
    else:
        words, stems = _analyse_compound(token, ("en",))
        terms = " ".join([*stems, *(word for word in words if not word.isalpha() and word not in stems)])
    if len(token) <= _LONGEST_REMEMBERED:
        if len(_code_tokens) >= _REMEMBERED_CODE_TOKENS:
            _code_tokens.clear()
        _code_tokens[token] = terms
    return terms


def query_terms(question: str) -> list[str]:
    """The terms to search for, without repetitions. Stop words are left out if anything else remains.

    A few words do not show their language reliably, so Latin words are stemmed as English and as German.
    """
    language = language_of(question)
    languages = (language,) if language in {"en", "de"} else ("en", "de")
    stops = stop_words("ru").union(*map(stop_words, languages))
    specific: dict[str, None] = {}
    every: dict[str, None] = {}
    for token in _tokens(question):
        terms = dict.fromkeys(term for group in _analyse(token, ("en", "de")) for term in group)
        every |= terms
        if fold(token) not in stops:
            specific |= {term: None for term in terms if term not in stops}
    return list(specific or every)[:MOST_QUERY_TERMS]


def has_only_terms(text: str, terms: AbstractSet[str]) -> bool:
    """Whether all query terms of a text are among these. Most texts are known by one of their first words."""
    if len(terms) < MOST_QUERY_TERMS:
        stops = _all_stop_words()
        for token in _each_token(text):
            if fold(token) not in stops and any(
                term not in terms and term not in stops for group in _analyse(token, ("en", "de")) for term in group
            ):
                return False
    return terms >= set(query_terms(text))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Stop words of `en`, `de` or `ru`, folded. Empty for other languages."""
    return read_words(_DATA / f"stopwords-{language}.txt") if language in {"en", "de", "ru"} else frozenset()


@cache
def _all_stop_words() -> frozenset[str]:
    return stop_words("en") | stop_words("de") | stop_words("ru")


def _tokens(text: str) -> list[str]:
    """Words, names and compounds as written. `don't` loses its apostrophe, `user's` its ending."""
    return _TOKEN.findall(_plain(text))


def _each_token(text: str) -> Iterator[str]:
    """The same one by one, for those who need only the first."""
    return (match[0] for match in _TOKEN.finditer(_plain(text)))


def _plain(text: str) -> str:
    if not text.isascii():
        text = _LOOSE_MARKS.sub("", unicodedata.normalize("NFKC", text))
    if "'" in text or "’" in text or "ʼ" in text:
        text = _APOSTROPHE.sub("", _POSSESSIVE.sub("", text))
    if "," in text:
        text = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)
    return text


_Analysis = tuple[tuple[str, ...], tuple[str, ...]]
_analyses: dict[tuple[str, ...], dict[str, _Analysis]] = {
    languages: {} for languages in (("en",), ("de",), ("en", "de"))
}


def _analyse(token: str, languages: tuple[str, ...]) -> _Analysis:
    """(whole terms, stems) of one token, cached because most tokens repeat."""
    if len(token) > _LONGEST_REMEMBERED:
        return _analyse_compound(token, languages)
    analyses = _analyses[languages]
    analysis = analyses.get(token)
    if analysis is None:
        if len(analyses) >= _REMEMBERED_TOKENS:
            analyses.clear()
        analysis = analyses[token] = _analyse_compound(token, languages)
    return analysis


def _analyse_compound(token: str, languages: tuple[str, ...]) -> _Analysis:
    pieces = [piece for piece in _SEPARATORS.split(token) if piece.strip("_")]
    if not pieces:
        return (), ()
    if len(pieces) == 1:
        only = _analyse_name(pieces[0], languages)
        return tuple(only[0]), tuple(only[1])
    words: list[str] = []
    stems: list[str] = []
    for piece in pieces:
        of_piece = _analyse_name(piece, languages)
        words += of_piece[0]
        stems += of_piece[1]
    whole, joined = _compound(pieces)
    words.append(whole)
    if _VERSION.fullmatch(whole):
        words.append(whole[1:])
    return tuple(dict.fromkeys(words)), (*stems, *joined)


def _compound(pieces: list[str]) -> tuple[str, list[str]]:
    """The whole compound, and its one-word spelling if it can have one."""
    folded = [fold(piece) for piece in pieces]
    is_word = len(pieces) <= 6 and not any(piece.isdecimal() for piece in pieces)
    return _shorten("_".join(folded)), [_shorten("".join(folded).replace("_", ""))] if is_word else []


def _analyse_name(name: str, languages: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """(whole terms, stems) of a token without separators. A name adds its parts and itself without underscores."""
    folded = fold(name)
    whole = _shorten(folded.strip("_"))
    if len(folded) > LONGEST_TERM:
        return [whole], [whole]
    if is_hash(folded):
        short = [folded[:SHORT_HASH]] if len(folded) > SHORT_HASH else []
        return [folded, *short], [folded]
    if _UNSPACED.search(folded):
        return _analyse_unspaced(folded, languages)
    parts = [fold(part) for part in identifier_parts(name)]
    if len(parts) <= 1:
        return [whole], _stems(whole, languages)
    stems = [stemmed for part in parts for stemmed in _stems(part, languages)]
    return [whole], [*stems, "".join(parts)]


def _analyse_unspaced(folded: str, languages: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """(whole terms, stems) in a script without spaces: each pair of neighbouring characters is a term."""
    words: list[str] = []
    stems: list[str] = []
    for run in _UNSPACED.findall(folded):
        words += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    for rest in _UNSPACED.split(folded):
        if rest.strip("_"):
            words.append(rest.strip("_"))
            stems += _stems(rest.strip("_"), languages)
    return words, stems


def _stems(folded: str, languages: tuple[str, ...]) -> list[str]:
    if not folded.isalpha():
        return [folded]
    if _CYRILLIC.match(folded):
        return [stem(folded, "ru")]
    return list(dict.fromkeys(stem(folded, language) for language in languages))


def _shorten(term: str) -> str:
    return term[:LONGEST_TERM]
