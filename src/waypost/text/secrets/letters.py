"""A password of letters alone: `DB_PASSWORD=SIftRutOmelWagon`, `Passwort ist Regenbogen`, `password: hunterHunter`.

Such a value looks like a variable, a type or the next word of a sentence, and mostly is one. It is believed by where it
stands: a name in capitals is given data and no variable; a value with a capital inside is no word of prose, and one of
whose parts none is a word of code is no variable; a sentence that ends with the word says what the password is, unless
the word has the form of a predicate. Everywhere else it stays as it is.
"""

import re
from functools import cache

from waypost.text.identifiers import identifier_parts
from waypost.text.secrets.table import data
from waypost.text.secrets.values import is_word_password
from waypost.text.split import common_words

_SHORTEST_GIVEN = 6
"""Letters of a value in an assignment: below are `str`, `null`, `pass`, and the names of short variables."""
_SHORTEST_MIXED = 8
_LONGEST = 64
_SIGNS_OF_DATA = ("=", ": ")
"""Signs as environment files, YAML and shells write them; code puts blanks around the first."""

_VALUE = re.compile(r"[^\W\d_]{4,65}")
_END_OF_VALUE = re.compile(r"\.?(?:[\s&]|[\"'`]?\Z)|[,;)](?:\s|\Z)")
_END_OF_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?(?:[\r\n]|\Z)")
_END_OF_SENTENCE = re.compile(r"[ \t]*(?:[.!]+[ \t]*(?:[\r\n)]|\Z|(?=[ ]))|[\r\n]|\Z|,[ ])")
_INNER_CAPITAL = re.compile(r"[a-zß-öø-ÿа-яё][A-ZÀ-ÖØ-ÞА-ЯЁ]")
_NAME_LEAD = re.compile(r"(?<![\w.-])[\w.-]*+\Z")
_PLAIN_KEY = re.compile(r"[ \t]*(?:[-*>•][ \t]+)?(?:[^\W\d_]+[ ]){0,6}\Z")


def word_given(text: str, at: int, sign: tuple[int, int], line_lead: str | None) -> int:
    """Where the letters given to the name at `at` end, or 0 if they are no password.

    `sign` is the place of the sign with the blanks around it, `line_lead` the line before the name where it is short.
    """
    end = _value_end(text, sign[1])
    if not end or not _END_OF_VALUE.match(text, end):
        return 0
    value = text[sign[1] : end]
    if len(value) < _SHORTEST_GIVEN or value.isupper() or not is_word_password(value) or _has_word_of_code(value):
        return 0
    data_like = text[sign[0] : sign[1]] in _SIGNS_OF_DATA
    if _is_shouted(text, at, sign[0]):
        return end if data_like else _if_mixed(text, end, value)
    if line_lead is None or not _PLAIN_KEY.match(_NAME_LEAD.sub("", line_lead)):
        return 0
    return _if_mixed(text, end, value) or (_if_rare(text, end, value) if data_like else 0)


def word_quoted(value: str) -> bool:
    """Whether letters in quotes, given to a password's name, are believable: quoted is data, but a label more often."""
    return bool(len(value) >= _SHORTEST_MIXED and _INNER_CAPITAL.search(value) and is_word_password(value)) and (
        value.isalpha() and not _has_word_of_code(value)
    )


def word_said(text: str, begin: int, verb: str) -> int:
    """Where the one word ends that a sentence gives for the password, or 0: the words after "is" are seldom it."""
    end = _value_end(text, begin)
    if not end or not _END_OF_SENTENCE.match(text, end):
        return 0
    value = text[begin:end]
    if not is_word_password(value) or _has_word_of_code(value):
        return 0
    if len(value) >= _SHORTEST_MIXED and _INNER_CAPITAL.search(value):
        return end
    if value.lower() in common_words() or value.isupper():
        return 0
    telling = verb.lower().split()[0] in _telling_verbs() if verb else False
    return end if telling or not _is_predicate(value) else 0


def _if_mixed(text: str, end: int, value: str) -> int:
    """The end, if the value alone ends its line and has a capital inside, and no type's or variable's words."""
    mixed = len(value) >= _SHORTEST_MIXED and _INNER_CAPITAL.search(value)
    return end if mixed and _END_OF_LINE.match(text, end) else 0


def _if_rare(text: str, end: int, value: str) -> int:
    """The end, if the value alone ends its line and is small letters that neither prose nor code has as a word."""
    rare = value.islower() and value.isascii() and len(value) >= _SHORTEST_MIXED and value not in common_words()
    return end if rare and _END_OF_LINE.match(text, end) else 0


def _value_end(text: str, begin: int) -> int:
    found = _VALUE.match(text, begin)
    return found.end() if found and len(found[0]) <= _LONGEST else 0


def _is_shouted(text: str, at: int, end: int) -> bool:
    """Whether the whole name is in capitals: DB_PASSWORD, PGPASSWORD."""
    lead = _NAME_LEAD.search(text[max(0, at - 40) : at])
    name = (lead[0] if lead else "") + text[at:end]
    return name.isupper() and len(name) > 2


def _has_word_of_code(value: str) -> bool:
    """Whether the value is put together from words that name variables and types: newPassword, SecretStr."""
    return not _words_of_code().isdisjoint(part.lower() for part in identifier_parts(value))


def _is_predicate(word: str) -> bool:
    """Whether a word ends as what is said of a thing: required, gespeichert, обязателен. A capital makes it a noun."""
    if word[0].isupper() and word[0].isascii():
        return False
    return word.lower().endswith(_predicate_ends())


@cache
def _words_of_code() -> frozenset[str]:
    return frozenset(data()["letters"]["code"])


@cache
def _predicate_ends() -> tuple[str, ...]:
    return tuple(data()["letters"]["predicate_ends"])


@cache
def _telling_verbs() -> frozenset[str]:
    return frozenset(data()["letters"]["telling"])
