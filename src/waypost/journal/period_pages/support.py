"""Whether the entries that a model's sentence names as its sources say what it says.

Numbers and names must occur in the sources. In the language of the sources, so must half of its other words. It may not
deny what they say, nor say what they deny. A translation is only checked for numbers and names.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files

from waypost.journal.importance.word_lists import LANGUAGES
from waypost.journal.wording import sentences, summary_words
from waypost.text.keywords import keyword_terms, stop_words
from waypost.text.language import language_of
from waypost.text.stems import fold

_NUMBER = re.compile(r"\d[\d.,:]*\d")  # a single digit may be the model's own count
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LEAST_COVERED = 0.5  # of the sentence's words; a paraphrase keeps more, another statement about the same topic less
_SAME_START = 3  # letters: inflected names
_FEWEST_WORDS = 2  # content words of a sentence that can be compared


def is_supported(text: str, source: str) -> bool:
    if not is_grounded(text, source) or not _has_names(text, source):
        return False
    language = language_of(text)
    if language not in LANGUAGES or language_of(source) != language:
        denials = [sum(_denials(part, spoken) for spoken in LANGUAGES) for part in (text, source)]
        return denials[0] == 0 or denials[1] > 0
    parts = sentences(text, summary_words(language)) or [text]
    return all(_is_stated(part, source, language) for part in parts)


def _is_stated(sentence: str, source: str, language: str) -> bool:
    said = _content(sentence, language) - _reporting(language)
    if len(said) < _FEWEST_WORDS:
        return True
    if len(said & _content(source, language)) < _LEAST_COVERED * len(said):
        return False
    denials = _denials(sentence, language)
    if denials > _denials(source, language):  # "it is not true that nobody came" denies once more
        return False
    return (denials > 0) in {count > 0 for count in _denials_of_nearest(source, said, language)}


def is_grounded(text: str, source: str) -> bool:
    """Whether every number of a text (each part of a date separately) occurs in its source."""
    source_numbers = {
        part.lstrip("0") for number in _NUMBER.findall(source) for part in (number, *re.split("[.,:]", number))
    }
    source_numbers |= {part.lstrip("0") for part in re.findall(r"\d+", source)}
    parts = [part for number in _NUMBER.findall(text) for part in re.split("[.,:]", number) if part]
    return source_numbers.issuperset(part.lstrip("0") for part in parts)


def _has_names(sentence: str, source: str) -> bool:
    """Whether names inside the sentence occur in the source. German nouns look like names, so they are words there."""
    if language_of(sentence) == "de":
        return True
    starts = {fold(word)[:_SAME_START] for word in _WORD.findall(source)}
    is_same_script = any("а" <= letter <= "я" for letter in sentence.lower()) == any(
        "а" <= letter <= "я" for letter in source.lower()
    )
    names = [match for match in _WORD.finditer(sentence) if match[0][0].isupper() and not _begins(sentence, match)]
    return not is_same_script or all(fold(match[0])[:_SAME_START] in starts or _is_date(match[0]) for match in names)


def _begins(sentence: str, word: re.Match[str]) -> bool:
    before = sentence[: word.start()].rstrip(" \"'«„“(")
    return not before or before[-1] in ".!?:…"


def _is_date(word: str) -> bool:
    """Weekdays and months may be written out for a date."""
    return any(fold(word) in {fold(name) for name in summary_words(language).month_names} for language in ("en", "ru"))


def _content(text: str, language: str) -> set[str]:
    stops = stop_words(language)
    terms = keyword_terms(text, language)
    return {stem for stem in terms.stems if stem not in stops and len(stem) > 1 and not stem.isdigit()}


def _denials_of_nearest(source: str, said: set[str], language: str) -> set[int]:
    """How often the sentences of the source that share most words with the statement deny something."""
    parts = sentences(source, summary_words(language)) or [source]
    shared = [len(said & _content(part, language)) for part in parts]
    return {_denials(part, language) for part, count in zip(parts, shared, strict=True) if count == max(shared)}


def _denials(text: str, language: str) -> int:
    words = [fold(word).replace("'", "").replace("’", "") for word in _WORD.findall(text)]
    return sum(word in _words(language, "denials") for word in words)


@cache
def _reporting(language: str) -> frozenset[str]:
    return frozenset(_content(" ".join(_words(language, "reporting")), language))


@cache
def _words(language: str, name: str) -> frozenset[str]:
    table = tomllib.loads((files("waypost.journal") / "data" / "support.toml").read_text("utf-8"))
    return frozenset(table[language][name].split())
