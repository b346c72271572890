"""What ranking wants to know of a text beforehand, small enough to be stored beside it as one integer.

Compute `traits_of(text, language).packed` when a memory is written and keep it with its version; recall then needs
no texts to rank some hundreds of candidates.
"""

import re
from dataclasses import dataclass

from waypost.retrieve.lexicon import words_of

ASKS = 1  # the bit of `Traits.asks` in a packed integer
MOST_WORDS = 4095  # more make no difference to ranking

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d")
_ANNOTATION = re.compile(r"(?<!\s)\s*+\[[^\[\]]*\]\s*+$")  # "[shares an image: ...]" behind what was said
_QUESTION_MARKS = ("?", "？", "؟")


@dataclass(frozen=True, slots=True)
class Traits:
    words: int
    asks: bool = False  # it ends with a question
    dated: bool = False  # it names a time, absolute or relative
    counted: bool = False  # it names a number

    @property
    def packed(self) -> int:
        """The flags in the lowest bits, asks first, then the words. Stored: a new flag goes above the words' 12 bits."""
        return self.words << 3 | self.counted << 2 | self.dated << 1 | self.asks


def traits_of(text: str, language: str) -> Traits:
    words = words_of(language)
    low = text.lower()
    return Traits(
        words=min(sum(1 for _ in _WORD.finditer(text)), MOST_WORDS),
        asks=_ANNOTATION.sub("", text).rstrip(" \n\t\"'”»)*_").endswith(_QUESTION_MARKS),
        dated=words.dated.search(low) is not None,
        counted=_NUMBER.search(text) is not None or words.counted.search(low) is not None,
    )
