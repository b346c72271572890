"""Splitting a code identifier into words: `getUserById`, `HTTPServer2`, `user-table`, `v1.2.3`."""

import re

# In this order: a plural acronym (URLs), an acronym before a word (HTTP|Server), a word, an acronym, digits.
_ASCII_PARTS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HASH = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,64}", re.I)


def identifier_parts(name: str) -> list[str]:
    """The words of a name of letters, digits and underscores, as written. A single word returns itself."""
    if name.isascii():
        return _ASCII_PARTS.findall(name) if not _is_one_word(name) else [name]
    parts: list[str] = []
    for word in name.split("_"):
        parts += [word] if _is_one_word(word) else _parts_of_any_script(word)
    return [part for part in parts if part]


def is_hash(name: str) -> bool:
    """Whether the name is a hexadecimal digest or commit, which has no parts."""
    return _HASH.fullmatch(name) is not None


def _is_one_word(name: str) -> bool:
    return (name.isalpha() and (name.islower() or name[1:].islower() or name.isupper())) or name.isdecimal()


def _parts_of_any_script(word: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for position in range(1, len(word)):
        before, here, after = word[position - 1], word[position], word[position + 1 : position + 2]
        if (
            (here.isupper() and before.islower())
            or (here.isupper() and before.isupper() and after.islower())
            or (here.isdecimal() != before.isdecimal())
        ):
            parts.append(word[start:position])
            start = position
    parts.append(word[start:])
    return parts
