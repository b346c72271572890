"""Folding and stemming, so that all forms of a word meet in the keyword index."""

import threading
import unicodedata
from typing import Protocol

from waypost.text.character_table import CharacterTable

_ALGORITHMS = {"en": "english", "de": "german", "ru": "russian"}
_SPELLED_OUT = {
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ё": "е",
}  # fmt: skip


def _fold_character(character: str) -> str:
    """Spells out umlauts as Germans do, drops other accents of Latin letters, and turns ё into е."""
    if character in _SPELLED_OUT:
        return _SPELLED_OUT[character]
    base = unicodedata.normalize("NFD", character)[0]
    if "\u0300" <= base <= "\u036f":  # left over from İ
        return ""
    return base if base.isascii() else character


_folding = CharacterTable(_fold_character)


def fold(word: str) -> str:
    """The word in lower case and one spelling: `Größe`, `GRÖSSE` and `groesse` are equal, so are ё and е."""
    return word.lower() if word.isascii() else word.casefold().translate(_folding)


class _Stemmer(Protocol):
    maxCacheSize: int

    def stemWord(self, word: str) -> str: ...


class _Stemmers(threading.local):
    """Stemmers of one thread, since a stemmer keeps state while it works."""

    def __init__(self) -> None:
        self.by_language: dict[str, _Stemmer] = {}


_stemmers = _Stemmers()


def stem(folded: str, language: str) -> str:
    """The stem of a folded word by the rules of `en`, `de` or `ru`."""
    stemmer = _stemmers.by_language.get(language)
    if stemmer is None:
        stemmer = _stemmers.by_language[language] = _new_stemmer(_ALGORITHMS[language])
    return fold(stemmer.stemWord(folded))


def _new_stemmer(algorithm: str) -> _Stemmer:
    import Stemmer  # type: ignore[import-not-found]  # a compiled library that few commands need

    stemmer: _Stemmer = Stemmer.Stemmer(algorithm)
    stemmer.maxCacheSize = 0  # waypost.text.keywords caches whole tokens
    return stemmer
