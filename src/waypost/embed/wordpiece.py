"""BERT's uncased WordPiece in pure Python: the same ids as the `tokenizers` library, without loading it.

The library has Unicode 8 tables, so newer code points may be in other categories here. The vocabulary has no such
character: they are unknown in both.
"""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from waypost.errors import EngineUnavailable, ModelCorrupt

_REMEDY = "Run `waypost model install`."
_LONGEST_WORD = 100  # longer words are unknown, as in BERT
_CACHE_LIMIT = 50_000  # entries of each cache
_CJK = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class _CharacterTable(dict[int, str]):
    """A table for `str.translate` that computes entries when first needed."""

    def __missing__(self, code: int) -> str:
        replacement = self.replacement(chr(code))
        if len(self) < _CACHE_LIMIT:
            self[code] = replacement
        return replacement

    def replacement(self, char: str) -> str:
        raise NotImplementedError


class _Clean(_CharacterTable):
    """Removes control characters, turns white space into blanks, puts blanks around ideographs."""

    def replacement(self, char: str) -> str:
        code = ord(char)
        if char in "\t\n\r":
            return " "
        if code in (0, 0xFFFD) or unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs"}:
            return ""
        if char.isspace():
            return " "
        return f" {char} " if any(first <= code <= last for first, last in _CJK) else char


class _Fold(_CharacterTable):
    """After decomposition: removes accents, folds to lower case, puts blanks around punctuation."""

    def replacement(self, char: str) -> str:
        if unicodedata.category(char) == "Mn":
            return ""
        return "".join(f" {c} " if _is_punctuation(c) else c for c in char.lower())


def _is_punctuation(char: str) -> bool:
    if char.isascii():
        return char.isprintable() and not char.isalnum() and char != " "
    return unicodedata.category(char).startswith("P")


_CLEAN = _Clean()
_FOLD = _Fold()


def words(text: str) -> list[str]:
    """The words and punctuation marks of a text as BERT sees them: folded to lower case without accents."""
    cleaned = text.translate(_CLEAN)
    if not cleaned.isascii():
        cleaned = unicodedata.normalize("NFD", cleaned)
    return cleaned.translate(_FOLD).split()


class WordPiece:
    """A vocabulary and the greedy split of words into its longest pieces."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        try:
            self._start, self._end = vocabulary["[CLS]"], vocabulary["[SEP]"]
            self._unknown = vocabulary["[UNK]"]
        except KeyError as error:
            raise ModelCorrupt(
                f"The vocabulary lacks {error.args[0]}.", "Use the vocab.txt that belongs to the model."
            ) from error
        self._vocabulary = vocabulary
        self._cache: dict[str, tuple[int, ...]] = {}

    @classmethod
    def load(cls, path: Path) -> "WordPiece":
        """Read a `vocab.txt`: one piece a line, the line's number is its id."""
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise EngineUnavailable(f"{path} cannot be read: {error.strerror}.", _REMEDY) from error
        except UnicodeDecodeError as error:
            raise ModelCorrupt(f"{path} is not UTF-8.", _REMEDY) from error
        if lines and not lines[-1]:
            lines.pop()
        return cls(dict(zip(lines, range(len(lines)), strict=True)))

    def encode(self, text: str, max_tokens: int) -> list[int]:
        """The ids of a text between [CLS] and [SEP], at most `max_tokens` with these two."""
        ids = [self._start]
        for pieces in self._pieces(text):
            ids.extend(pieces)
            if len(ids) >= max_tokens:
                break
        del ids[max_tokens - 1 :]
        ids.append(self._end)
        return ids

    def count_tokens(self, text: str) -> int:
        """How many pieces the whole text has, without [CLS] and [SEP]."""
        return sum(len(pieces) for pieces in self._pieces(text))

    def _pieces(self, text: str) -> Iterator[tuple[int, ...]]:
        cache = self._cache
        for word in words(text):
            pieces = cache.get(word)
            if pieces is None:
                pieces = self._split(word)
                if len(cache) >= _CACHE_LIMIT:
                    cache.clear()
                cache[word] = pieces
            yield pieces

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                piece = self._vocabulary.get(prefix + word[start:end])
                if piece is not None:
                    break
            else:
                return (self._unknown,)
            pieces.append(piece)
            start = end
        return tuple(pieces)
