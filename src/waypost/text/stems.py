"""Spellings and endings folded, so that the forms of a word meet in the keyword index."""

import threading
import unicodedata
from typing import Protocol

_ALGORITHMS = {"en": "english", "de": "german", "ru": "russian"}
_SPELLED_OUT = {
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ё": "е",
}  # fmt: skip


class _Folding(dict[int, str]):
    """For `str.translate`: umlauts spelled out as Germans do, other accents taken from Latin letters, ё as е."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = _SPELLED_OUT.get(character) or _without_accent(character)
        if len(self) < 20_000:
            self[code] = folded
        return folded


def _without_accent(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0]
    if "\u0300" <= base <= "\u036f":  # left over from İ
        return ""
    return base if base.isascii() else character


_folding = _Folding()


def fold(word: str) -> str:
    """The word without case and in one spelling: `Größe`, `GRÖSSE` and `groesse` are the same, so are ё and е."""
    return word.lower() if word.isascii() else word.casefold().translate(_folding)


class _Stemmer(Protocol):
    maxCacheSize: int

    def stemWord(self, word: str) -> str: ...


class _Stemmers(threading.local):
    """A stemmer keeps state while it works: each thread has its own."""

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
    import Stemmer  # type: ignore[import-not-found]  # a compiled library that not every command needs

    stemmer: _Stemmer = Stemmer.Stemmer(algorithm)
    stemmer.maxCacheSize = 0  # words.py remembers whole tokens
    return stemmer
