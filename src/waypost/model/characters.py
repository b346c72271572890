"""Characters that act on a reader without being visible: terminal escapes, invisible characters, direction overrides.

A text is stored without terminal escapes. `visible_text` removes what a person could not see, before a person or a
language model reads it. Unicode's tag characters can spell sentences that only a model reads. Variation selectors
behind one emoji can hold any bytes. Joiners stay where a script needs them.
"""

import json
import re
import unicodedata
from collections.abc import Callable

MARK = "\ufffd"  # replaces hidden characters, so that a reader knows there were some
# ECMA-48: control sequences, strings (titles, links), character sets, single functions, a bare escape.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,100}[ -/]{0,20}[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]{1,3}[0-~]?"
    r"|\x1b[0-9=><cDEHMNOZ]?"
    r"|[\x80-\x9f]"
)
# Removed without a mark: joiners, soft hyphens and selectors are common in pasted text.
_COSMETIC = "\u00ad\u034f\u180b-\u180d\u180f\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
_ACTING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2061-\u206f\u3164\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_SUBDIVISION_FLAGS = "|".join(  # England, Scotland, Wales: the only tags that Unicode recommends
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_HIDDEN = re.compile(f"(?P<flag>{_SUBDIVISION_FLAGS})|[{_COSMETIC}{_ACTING}]+")
_ONLY_COSMETIC = re.compile(f"[{_COSMETIC}]+")
_SEPARATORS = {0x2028: " ", 0x2029: " "}
_BLANKS = frozenset("\u2800")  # the empty Braille pattern
_JOINER, _NON_JOINER, _AS_PICTURE, _AS_TEXT = "\u200d", "\u200c", "\ufe0f", "\ufe0e"
_SYMBOLS = frozenset({"So", "Sk", "Sm", "Po", "Pd"})
_LETTERS = frozenset({"Lo", "Mn", "Mc"})
_JOINED_SCRIPTS = ((0x0600, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x18AF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC))


def without_escapes(text: str) -> str:
    """The text without terminal escape sequences and overstruck characters."""
    if "\x08" in text:
        text = _without_overstruck(text)
    return text if text.isascii() and "\x1b" not in text else _ESCAPES.sub("", text.replace("\x85", "\n"))


def _without_overstruck(text: str) -> str:
    """Backspaces as a terminal shows them: manual pages print `_\\bx` and `x\\bx`, progress bars `10%\\b\\b\\b20%`."""
    kept = list[str]()
    for character in text:
        if character != "\x08":
            kept.append(character)
        elif kept and kept[-1] != "\n":
            kept.pop()
    return "".join(kept)


def is_invisible(text: str) -> bool:
    """Whether the text has no visible character."""
    return all(character.isspace() or character in _BLANKS for character in _HIDDEN.sub("", text))


def visible_text(text: str) -> str:
    """The text as a person sees it. A hidden run becomes one mark; a cosmetic run is removed."""
    if text.isascii() and text.isprintable():
        return text
    return _replace_hidden(text, lambda run: "" if _ONLY_COSMETIC.fullmatch(run) else MARK).translate(_SEPARATORS)


def escape_hidden(line: str) -> str:
    """A line of JSON with its hidden characters escaped as `\\u200b`: the same value, but harmless to show."""
    return _replace_hidden(line, lambda run: json.dumps(run)[1:-1])


def _replace_hidden(text: str, replacement: Callable[[str], str]) -> str:
    def replace(match: re.Match[str]) -> str:
        before, after = text[max(match.start() - 1, 0) : match.start()], text[match.end() : match.end() + 1]
        return match[0] if match["flag"] or _is_needed(match[0], before, after) else replacement(match[0])

    return _HIDDEN.sub(replace, text)


def _is_needed(run: str, before: str, after: str) -> bool:
    """Whether a run belongs to an emoji, or stands between letters of a script that joins them."""
    if not before or len(run) > 2:
        return False
    kind, next_kind = unicodedata.category(before), unicodedata.category(after) if after else ""
    if run in (_AS_PICTURE, _AS_TEXT):
        return (not before.isascii() and kind in _SYMBOLS) or after == "\u20e3"
    if run in (_JOINER, _AS_PICTURE + _JOINER) and kind in ("So", "Sk"):
        return next_kind == "So"
    if run in (_JOINER, _NON_JOINER) and any(low <= ord(before) <= high for low, high in _JOINED_SCRIPTS):
        return kind in _LETTERS and (next_kind in _LETTERS or unicodedata.combining(before) == 9)
    return False
