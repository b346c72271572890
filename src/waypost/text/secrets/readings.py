"""Other readings of a text, in which names and values are found that are written with look-alike letters, with invisible
characters among them, or escaped for an address. Each remembers where its characters stand in the text itself."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from waypost.text.normal import look_alike

_HIDDEN = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff"
    "\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
_ESCAPED = re.compile(r"%(?:25)?(?P<code>[2-7][0-9A-Fa-f])")
_TELLING_ESCAPE = re.compile(r"%(?:25)?(?:3[aAdD]|22)")  # a sign of giving or a quote: an address of data
_OTHER = r"[^\W\d_A-Za-zÀ-ſ]"  # letters with accents are of the same alphabet
_MIXED = re.compile(rf"[A-Za-z]{_OTHER}|{_OTHER}[A-Za-z]")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_WORD = 200
_LINES_AROUND = 3  # a name and its value stand no further apart
_CYRILLIC = str.maketrans("aAbBcCeEhHkKmMoOpPtTxXyYnu3", "аАвВсСеЕнНкКмМоОрРтТхХуУпиз")


@dataclass(frozen=True, slots=True)
class Reading:
    """A part of a text as it is read; `places` has where each character begins in the original, and where the last ends."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A part of this reading, in the original."""
        return self.places[start], self.places[end]


def readings(text: str) -> Iterator[Reading]:
    """The text itself, and the lines that read differently, with their neighbours."""
    own = Reading(text, range(len(text) + 1))
    whole = [own]
    if not text.isascii():
        shown = _without_hidden(own)
        plain = shown.text.translate(_plain)
        forms = dict.fromkeys((plain, _in_mixed_words(plain, _english), _in_mixed_words(plain, _cyrillic)))
        whole += [Reading(one, shown.places) for one in forms if one != text]
    whole += [_unescaped(one) for one in whole if _TELLING_ESCAPE.search(one.text)]
    yield own
    for other in whole[1:]:
        yield from _where_different(text, other)


def _where_different(text: str, other: Reading) -> Iterator[Reading]:
    """No reading adds or takes a line break. Lines that differ close to each other are read together."""
    lines, end = other.text.split("\n"), 0
    ends = [end := end + len(line) + 1 for line in lines]
    parts = list[tuple[int, int]]()
    for number, (mine, theirs) in enumerate(zip(text.split("\n"), lines, strict=True)):
        if mine != theirs:
            first, last = max(0, number - _LINES_AROUND), min(len(lines) - 1, number + _LINES_AROUND)
            if parts and first <= parts[-1][1] + 1:
                parts[-1] = parts[-1][0], last
            else:
                parts.append((first, last))
    for first, last in parts:
        start, stop = ends[first] - len(lines[first]) - 1, ends[last] - 1
        yield Reading(other.text[start:stop], other.places[start : stop + 1])


def _without_hidden(of: Reading) -> Reading:
    return _rewritten(of, _HIDDEN, lambda _: "")


def _unescaped(of: Reading) -> Reading:
    return _rewritten(of, _ESCAPED, lambda escape: chr(int(escape["code"], 16)))


def _rewritten(of: Reading, part: re.Pattern[str], form: Callable[[re.Match[str]], str]) -> Reading:
    """With each such part replaced by one character or none."""
    parts, places, done = list[str](), list[int](), 0
    for found in part.finditer(of.text):
        parts += [of.text[done : found.start()], one := form(found)]
        places += of.places[done : found.start() + len(one)]
        done = found.end()
    return Reading("".join([*parts, of.text[done:]]), [*places, *of.places[done:]]) if done else of


def _in_mixed_words(text: str, read: Callable[[str], str]) -> str:
    """The text with its words of two alphabets read in one of them."""
    if not _MIXED.search(text):
        return text
    return _WORD.sub(
        lambda word: read(word[0]) if len(word[0]) <= _LONGEST_WORD and _MIXED.search(word[0]) else word[0], text
    )


def _english(word: str) -> str:
    return "".join(one if one.isascii() else _cased(one) for one in word)


def _cased(character: str) -> str:
    alike = look_alike(character)
    return alike.upper() if character.isupper() and len(alike.upper()) == 1 else alike


def _cyrillic(word: str) -> str:
    return word.translate(_CYRILLIC)


class _Plain(dict[int, str]):
    """For `str.translate`: blanks of any width, full-width and other styled letters as the plain ones; a character each."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        form = " " if unicodedata.category(character) == "Zs" else unicodedata.normalize("NFKC", character)
        answer = form if len(form) == 1 else character
        if len(self) < 20_000:  # no text of people has more; a hostile one shall not fill the memory
            self[code] = answer
        return answer


_plain = _Plain()
