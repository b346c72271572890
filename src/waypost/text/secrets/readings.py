"""Other readings of a text, without look-alike letters, invisible characters and URL escapes.

Names and values hidden by these are found there. Each reading maps its characters to positions in the original text.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from waypost.text.character_table import CharacterTable
from waypost.text.normal import look_alike

_HIDDEN = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff"
    "\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
_ESCAPED = re.compile(r"%(?:25)?(?P<code>[2-7][0-9A-Fa-f])")
_TELLING_ESCAPE = re.compile(r"%(?:25)?(?:3[aAdD]|22)")  # an escaped sign or quote: the URL carries data
_OTHER = r"[^\W\d_A-Za-zÀ-ſ]"  # accented letters belong to the same alphabet
_MIXED = re.compile(rf"[A-Za-z]{_OTHER}|{_OTHER}[A-Za-z]")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_WORD = 200
_LINES_AROUND = 3  # a name and its value are no further apart
_CYRILLIC = str.maketrans("aAbBcCeEhHkKmMoOpPtTxXyYnu3", "аАвВсСеЕнНкКмМоОрРтТхХуУпиз")


@dataclass(frozen=True, slots=True)
class Reading:
    """Part of a text in one reading. `places` has the original start of each character, and the end of the last."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original position of a span of this reading."""
        return self.places[start], self.places[end]


def readings(text: str) -> Iterator[Reading]:
    """The text itself, then the lines that read differently, with their neighbours."""
    own = Reading(text, range(len(text) + 1))
    whole = [own]
    if not text.isascii():
        visible = _replace(own, _HIDDEN, lambda _: "")
        plain = visible.text.translate(_plain_forms)
        forms = dict.fromkeys(
            (plain, _in_mixed_words(plain, _english), _in_mixed_words(plain, lambda word: word.translate(_CYRILLIC)))
        )
        whole += [Reading(form, visible.places) for form in forms if form != text]
    escaped = [reading for reading in whole if _TELLING_ESCAPE.search(reading.text)]
    whole += [_replace(reading, _ESCAPED, lambda escape: chr(int(escape["code"], 16))) for reading in escaped]
    yield own
    for other in whole[1:]:
        yield from _differing_parts(text, other)


def _differing_parts(text: str, other: Reading) -> Iterator[Reading]:
    """The differing lines with their neighbours; nearby ones are joined. No reading adds or removes a line break."""
    lines, end = other.text.split("\n"), 0
    ends = [end := end + len(line) + 1 for line in lines]
    parts = list[tuple[int, int]]()
    for number, (original, changed) in enumerate(zip(text.split("\n"), lines, strict=True)):
        if original != changed:
            first, last = max(0, number - _LINES_AROUND), min(len(lines) - 1, number + _LINES_AROUND)
            if parts and first <= parts[-1][1] + 1:
                parts[-1] = parts[-1][0], last
            else:
                parts.append((first, last))
    for first, last in parts:
        start, stop = ends[first] - len(lines[first]) - 1, ends[last] - 1
        yield Reading(other.text[start:stop], other.places[start : stop + 1])


def _replace(reading: Reading, part: re.Pattern[str], form: Callable[[re.Match[str]], str]) -> Reading:
    parts, places, done = list[str](), list[int](), 0
    for match in part.finditer(reading.text):
        parts += [reading.text[done : match.start()], replacement := form(match)]
        places += reading.places[done : match.start() + len(replacement)]
        done = match.end()
    return Reading("".join([*parts, reading.text[done:]]), [*places, *reading.places[done:]]) if done else reading


def _in_mixed_words(text: str, read: Callable[[str], str]) -> str:
    """The text with each word of mixed alphabets read in one alphabet."""
    if not _MIXED.search(text):
        return text
    return _WORD.sub(
        lambda word: read(word[0]) if len(word[0]) <= _LONGEST_WORD and _MIXED.search(word[0]) else word[0], text
    )


def _english(word: str) -> str:
    return "".join(letter if letter.isascii() else _look_alike_in_case(letter) for letter in word)


def _look_alike_in_case(character: str) -> str:
    alike = look_alike(character)
    return alike.upper() if character.isupper() and len(alike.upper()) == 1 else alike


def _plain_form(character: str) -> str:
    """A styled letter as a plain one, any blank as a space: one character for one."""
    form = " " if unicodedata.category(character) == "Zs" else unicodedata.normalize("NFKC", character)
    return form if len(form) == 1 else character


_plain_forms = CharacterTable(_plain_form)
