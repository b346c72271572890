"""The normal form that makes different spellings of one text equal.

It ignores case, white space and invisible characters. It ignores compatibility forms (full width, mathematical letters,
ligatures), look-alike letters of other alphabets and digits of other scripts. It ignores the style of quotes and dashes
and punctuation at the end. It ignores marks that do not compose with their letter: strike-through, stress.
It keeps every visible letter, digit, accent and sign. `0`/`O` and `1`/`l`/`I` stay different, for real texts may differ
only there. So do `é`/`e`, `ä`/`ae`, `ё`/`е`, `a.b`/`ab`, and `1 5`/`15`: one space between digits is kept.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waypost.text.character_table import CharacterTable

_DATA = Path(__file__).with_name("data") / "confusables.txt"
_MOST_PASSES = 8  # one pass is nearly always enough; the others make the form stable under repetition
_END_PUNCTUATION = " .!?,;:"
_GAP_MARK = "\x00"  # stands for the kept space while all other spaces are removed

_SINGLE_QUOTES = "`´‘’‚‛′‵‹›ʹʻʼʽˈ＇❛❜"
_DOUBLE_QUOTES = "“”„‟″‶«»〝〞〟＂❝❞"
_DASHES = "‐‑‒–—―−﹘﹣－⁃˗➖⸺⸻"
_SLASHES = "⁄∕"
_BLANKS = "\u2800\u115f\u1160\u3164\uffa0"  # characters that take room but show nothing
_INVISIBLE_MARKS = frozenset("\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")

_WORD = re.compile(r"\w+")
_ENGLISH_LETTER = re.compile("[A-Za-z]")
_DIGIT_GAP = re.compile(r"(?<=[0-9])\s+(?=[0-9])")
_LOOSE_MARKS = re.compile(r"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_SUPERSCRIPTS = re.compile(r"(?<=[0-9])(?=[\u00b2\u00b3\u00b9\u2070\u2074-\u2079])")
_DIGIT_FORMS = (
    "\u00bc-\u00be\u2080-\u2089\u2150-\u215f\u2189\u2460-\u249b\u24ea\u3251-\u325f\u32b1-\u32bf"
    "\u32c0-\u32cb\u3358-\u3370\u33e0-\u33fe\U0001f100-\U0001f10a"
)
_JOINED_DIGITS = re.compile(rf"(?<=[0-9])(?=[{_DIGIT_FORMS}])|(?<=[{_DIGIT_FORMS}])(?=[0-9])")
_STRESS = re.compile("(?<=[аеиоуыэюя])[\u0300\u0301]")  # on decomposed, folded letters; й and ё are not affected
_ASCII_TABLE: dict[int, str | None] = {
    code: None for code in range(128) if not chr(code).isprintable() and not chr(code).isspace()
} | {ord("`"): "'"}


def fingerprint_text(text: str) -> str:
    """The normal form of a text. All its spellings share it, and normalising twice changes nothing."""
    if text.isascii():
        return _tidy(text.lower().translate(_ASCII_TABLE))
    for _ in range(_MOST_PASSES):
        before, text = text, _pass(text)
        if text == before:
            break
    return text


def look_alike(character: str) -> str:
    """The plain character that a character looks like, or itself. Always one character for one."""
    form = _visible_form(unicodedata.normalize("NFKD", character)[0]) or character
    tables = _look_alikes()
    folded = form.casefold() if len(form.casefold()) == 1 else form
    return tables.always.get(ord(folded)) or tables.beside_english.get(ord(folded)) or form


def _pass(text: str) -> str:
    look_alikes = _look_alikes()
    text = text.translate(_visible)
    text = _JOINED_DIGITS.sub(" ", _SUPERSCRIPTS.sub("^", text))
    text = unicodedata.normalize("NFKD", text)
    if look_alikes.doubtful.search(text):
        text = _WORD.sub(look_alikes.read_word, text)
    text = _STRESS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    text = unicodedata.normalize("NFC", text.translate(look_alikes.always))
    return _tidy(_LOOSE_MARKS.sub("", text))


def _tidy(text: str) -> str:
    text = "".join(_DIGIT_GAP.sub(_GAP_MARK, text).split()).replace(_GAP_MARK, " ")
    return text.rstrip(_END_PUNCTUATION) or text


def _visible_form(character: str) -> str:
    category = unicodedata.category(character)
    if character in _BLANKS:
        return " "
    if category == "Cf" or character in _INVISIBLE_MARKS or _is_selector(ord(character)):
        return ""
    if category == "Cc":
        return character if character.isspace() else ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    for alike, form in ((_SINGLE_QUOTES, "'"), (_DOUBLE_QUOTES, '"'), (_DASHES, "-"), (_SLASHES, "/")):
        if character in alike:
            return form
    return character


def _is_selector(code: int) -> bool:
    """Whether this is a variation selector or a code point reserved for further invisible characters."""
    return 0xFE00 <= code <= 0xFE0F or 0xE0000 <= code <= 0xE0FFF or code == 0x2065 or 0xFFF0 <= code <= 0xFFF8


_visible = CharacterTable(_visible_form)


@dataclass(frozen=True, slots=True)
class _LookAlikes:
    always: dict[int, str]
    beside_english: dict[int, str]  # applies in words that also have English letters
    doubtful: re.Pattern[str]  # matches the characters of `beside_english`

    def read_word(self, word: re.Match[str]) -> str:
        return word[0].translate(self.beside_english) if _ENGLISH_LETTER.search(word[0]) else word[0]


@cache
def _look_alikes() -> _LookAlikes:
    always: dict[int, str] = {ord(blank): " " for blank in _BLANKS}
    beside: dict[int, str] = {}
    for line in _DATA.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        letter, _, alikes = line.partition(" ")
        table = beside if letter.startswith("~") else always
        table.update(dict.fromkeys(map(ord, alikes), letter[-1]))
    return _LookAlikes(always, beside, re.compile(f"[{''.join(map(chr, beside))}]"))
