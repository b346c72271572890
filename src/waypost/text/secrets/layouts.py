"""Secrets set apart from their name: on the next line, in the next table cell, between emphasis, after a comma.

Layout is weaker evidence than a sign, so the value must prove more: letters and digits together. If its position is the
only evidence, it must not look like a word with a number either. Each pattern reads a bounded stretch of text.
"""

import re
from collections.abc import Iterator

from waypost.text.secrets.sentences import is_believable, is_strong, stands_out
from waypost.text.secrets.values import is_generated, is_token

_MOST_ROWS, _LONGEST_ROW = 100, 500

_GIVES = r"(?:[:=→⇒⟶➜➔➡]|=>|->|:=)"
_GIVEN = re.compile(
    rf"[ \t]{{0,20}}{_GIVES}(?P<closing>\*{{1,3}}|_{{1,3}}|~~)?[ \t]{{0,20}}(?:[|>][-+]?\d?[ \t]{{0,20}}(?=\r?\n))?"
    r"(?P<break>(?:\r?\n[ \t]{0,40}){1,2}(?:[-*•>][ \t]{1,4})?)?(?P<open>\*{1,3}|_{1,3}|~~|\|\||`{1,3})?"
)
_CELL = re.compile(
    r"[ \t]{0,20}(?:(?:\*{1,3}|_{1,3}|`)[ \t]{0,20})?"
    r"(?:(?P<bar>\|)[ \t]{0,20}|\t[ \t]{0,20}|[ ]{2,20}|</\w{1,8}>\s{0,40}(?:<\w{1,8}[^<>\n]{0,80}>\s{0,8}){1,2})"
    r"(?:\*{1,3}|_{1,3}|`{1,3})?"
)
_END_OF_CELL = re.compile(r"[*_`~]{0,3}[ \t]{0,20}(?:[|\t\r\n<]|[ ]{2}|\Z)")
_END_OF_LINE = re.compile(r"[*_`~|\"',;]{0,4}[ \t]{0,20}(?:[\r\n]|\Z)")
_COMMA = re.compile(r"[ ]?(?:,|—|–|-{1,2}|\()[ ]?")
_END_OF_ASIDE = re.compile(r"[ ]?(?:,|—|–|-{1,2}|\))(?:\s|\Z)")
_OWNER = re.compile(
    r"\b(?:my|our|your|his|her|their|the|mein|dein|unser|euer|ihr|das|mein\w{1,2}|мой|наш|твой|ваш|его|её|их)"
    r"(?:[ ][\w-]{1,20}){0,2}[ ][\w-]{0,20}\Z",
    re.I,
)
_BARE = re.compile(r"[\"'`«„“‘]?(?P<value>[^\s\"'`«»„“”<>]{4,512})")
_BESIDE = re.compile(r"[ ]{1,4}")
_PLAIN_SIGN = re.compile(r"[ \t]{0,4}[:=][ \t]{0,4}")
_SEPARATOR_ROW = re.compile(r"[ \t]{0,8}\|?[ \t:|-]{0,300}-[ \t:|-]{0,300}")
_TRAILING = ".,;:)]}>*_|~`"

ValueSpan = tuple[int, int]


def find_apart(text: str, at: int, after: int, *, password: bool) -> Iterator[ValueSpan]:
    """Spans of the values that the layout assigns to the name from `at` to `after`."""
    span = _after_sign(text, after, password) or _in_cell(text, after, password) or _beside(text, at, after, password)
    if span:
        yield span
    else:
        yield from _in_column(text, at, after, password)


def find_plain_pass(text: str, at: int, leads: tuple[str, ...]) -> ValueSpan | None:
    """The value of `pass=…` or `root pass: …`.

    Code uses the word `pass` for much else. So the value must look generated, unless the word before says whose it is.
    """
    sign = _PLAIN_SIGN.match(text, at + len("pass"))
    if not sign or (at and (text[at - 1].isalnum() or text[at - 1] in "._$")):
        return None
    span = _value(text, sign.end())
    if span is None:
        return None
    value, owned = text[slice(*span)], text[max(0, at - 20) : at].lower().rstrip("- ").endswith(leads)
    return span if (is_strong(value) if owned else stands_out(value) and is_generated(value)) else None


def _after_sign(text: str, after: int, password: bool) -> ValueSpan | None:
    """A value after a sign, with emphasis or a line break between. Values right after the sign were judged before."""
    sign = _GIVEN.match(text, after)
    is_arrow = sign is not None and not sign[0].strip()[:1].isascii()
    if not sign or not (sign["closing"] or sign["break"] or sign["open"] or is_arrow):
        return None
    span = _value(text, sign.end())
    if span is None or (sign["break"] and not _END_OF_LINE.match(text, span[1])):
        return None
    sure = sign["break"] or len(sign["open"] or sign["closing"] or "**") > 1
    return span if is_believable(text[slice(*span)], password, aside=not sure) else None


def _in_cell(text: str, after: int, password: bool) -> ValueSpan | None:
    """`| password | … |`, a tab, several blanks, `<td>password</td><td>…`."""
    cell = _CELL.match(text, after)
    span = _value(text, cell.end()) if cell else None
    if span is None or not _END_OF_CELL.match(text, span[1]):
        return None
    return span if is_believable(text[slice(*span)], password, aside=True) else None


def _beside(text: str, at: int, after: int, password: bool) -> ValueSpan | None:
    """`My password, …, must not leak`; `api key …`."""
    if not password:
        beside = _BESIDE.match(text, after)
        span = _value(text, beside.end()) if beside else None
        value = text[slice(*span)] if span else ""
        return span if is_token(value) and value[0].isalnum() and "=" not in value.rstrip("=") else None
    comma = _COMMA.match(text, after)
    span = _value(text, comma.end()) if comma else None
    if span is None or not stands_out(text[slice(*span)]) or not _END_OF_ASIDE.match(text, span[1]):
        return None
    owned = _OWNER.search(text[max(0, at - 60) : at].rpartition("\n")[2])
    return span if owned or is_token(text[slice(*span)]) else None


def _in_column(text: str, at: int, after: int, password: bool) -> Iterator[ValueSpan]:
    start = text.rfind("\n", max(0, at - _LONGEST_ROW), at) + 1
    end = text.find("\n", after, after + _LONGEST_ROW)
    if end < 0 or "|" not in text[start:end]:
        return
    column = text[start:at].count("|")
    for row_number in range(_MOST_ROWS):
        begin, end = end + 1, text.find("\n", end + 1, end + 2 + _LONGEST_ROW)
        row = text[begin : end if end >= 0 else begin + _LONGEST_ROW]
        if bool(_SEPARATOR_ROW.fullmatch(row.rstrip())) is not (row_number == 0) or "|" not in row:
            return
        cells = row.split("|")
        if row_number and column < len(cells):
            cell = cells[column].strip(" \t\r*_`~")
            if cell and (is_strong(cell) if password else is_token(cell)):
                place = begin + len("|".join(cells[:column])) + bool(column)
                place += cells[column].index(cell)
                yield place, place + len(cell)
        if end < 0:
            return


def _value(text: str, begin: int) -> ValueSpan | None:
    bare = _BARE.match(text, begin)
    value = bare["value"].rstrip(_TRAILING) if bare else ""
    return (bare.start("value"), bare.start("value") + len(value)) if bare and value else None
