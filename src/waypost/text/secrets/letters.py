"""Passwords of letters only: `DB_PASSWORD=SIftRutOmelWagon`, `Passwort ist Regenbogen`, `password: hunterHunter`.

Such a value usually is a variable, a type or the next word of a sentence. It counts as a password only by its context:
a name in capitals gets data, not a variable. A capital inside means it is not a word of prose. Without a part that is
a word of code it is not a variable. A sentence that ends with the word names the password, unless the word
has the form of a predicate. In all other places the value stays.
"""

import re
from functools import cache

from waypost.text.identifiers import identifier_parts
from waypost.text.secrets.table import data
from waypost.text.secrets.values import is_word_password
from waypost.text.split import common_words

_SHORTEST_GIVEN = 6
"""Letters of an assigned value. Shorter ones are `str`, `null`, `pass` and names of short variables."""
_SHORTEST_MIXED = 8
_LONGEST = 64
_SIGNS_OF_DATA = ("=", ": ")
"""Signs as in environment files, YAML and shells. Code puts blanks around `=`."""

_VALUE = re.compile(r"[^\W\d_]{4,65}")
_END_OF_VALUE = re.compile(r"\.?(?:[\s&]|[\"'`]?\Z)|[,;)](?:\s|\Z)")
_END_OF_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?(?:[\r\n]|\Z)")
_END_OF_SENTENCE = re.compile(r"[ \t]*(?:[.!]+[ \t]*(?:[\r\n)]|\Z|(?=[ ]))|[\r\n]|\Z|,[ ])")
_INNER_CAPITAL = re.compile(r"[a-zß-öø-ÿа-яё][A-ZÀ-ÖØ-ÞА-ЯЁ]")
_NAME_LEAD = re.compile(r"(?<![\w.-])[\w.-]*+\Z")
_PLAIN_KEY = re.compile(r"[ \t]*(?:[-*>•][ \t]+)?(?:[^\W\d_]+[ ]){0,6}\Z")


def end_of_assigned_word(text: str, at: int, sign: tuple[int, int], line_lead: str | None) -> int:
    """Where the letters assigned to the name at `at` end, or 0 if they are not a password.

    `sign` spans the sign and the blanks around it. `line_lead` is the line before the name, or None if it is long.
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


def is_quoted_word_password(value: str) -> bool:
    """Whether quoted letters assigned to a password's name are believable. Most quoted words are labels."""
    return bool(len(value) >= _SHORTEST_MIXED and _INNER_CAPITAL.search(value) and is_word_password(value)) and (
        value.isalpha() and not _has_word_of_code(value)
    )


def end_of_stated_word(text: str, begin: int, verb: str) -> int:
    """Where the word ends that a sentence states as the password, or 0. The word after "is" seldom is one."""
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
    is_announced = verb.lower().split()[0] in _word_set("telling") if verb else False
    return end if is_announced or not _is_predicate(value) else 0


def _if_mixed(text: str, end: int, value: str) -> int:
    mixed = len(value) >= _SHORTEST_MIXED and _INNER_CAPITAL.search(value)
    return end if mixed and _END_OF_LINE.match(text, end) else 0


def _if_rare(text: str, end: int, value: str) -> int:
    rare = value.islower() and value.isascii() and len(value) >= _SHORTEST_MIXED and value not in common_words()
    return end if rare and _END_OF_LINE.match(text, end) else 0


def _value_end(text: str, begin: int) -> int:
    value = _VALUE.match(text, begin)
    return value.end() if value and len(value[0]) <= _LONGEST else 0


def _is_shouted(text: str, at: int, end: int) -> bool:
    """Whether the whole name is in capitals: DB_PASSWORD, PGPASSWORD."""
    lead = _NAME_LEAD.search(text[max(0, at - 40) : at])
    name = (lead[0] if lead else "") + text[at:end]
    return name.isupper() and len(name) > 2


def _has_word_of_code(value: str) -> bool:
    """Whether the value contains words that name variables and types: newPassword, SecretStr."""
    return not _word_set("code").isdisjoint(part.lower() for part in identifier_parts(value))


def _is_predicate(word: str) -> bool:
    """Whether a word has the ending of a predicate: required, gespeichert, обязателен. A capital makes it a noun."""
    if word[0].isupper() and word[0].isascii():
        return False
    return word.lower().endswith(tuple(_word_set("predicate_ends")))


@cache
def _word_set(name: str) -> frozenset[str]:
    return frozenset(data()["letters"][name])
