"""Secrets that show by their own shape: tokens with a known prefix, tagged keys, webhook addresses.

The formats are data (`data/secrets.toml`). An ordinary text has few unbroken runs of twenty or more token characters,
and nearly every token has one; so the text is first mapped to "token character or not", runs are found by a plain
byte search, and only there the table is asked. That costs a few milliseconds a megabyte.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from waypost.text.secrets.scan import Scan, Span
from waypost.text.secrets.table import data
from waypost.text.secrets.values import is_generated

_RUN = 20
"""The shortest run of token characters that is looked at: the length of an AWS key id, the shortest format."""
_BACK = 100
"""How far before a run a dotted or slashed literal may begin (that of Authress is the longest)."""
_REACH = 2048
"""Only so much of one run is searched for literals: what is longer is a blob of data, and time stays linear."""
_TRIES = 16
"""Places tried in one run: a text made of prefixes alone must not cost its square."""
_LEAST_DISTINCT = 6
"""A real token of twenty characters has more different ones; `xxxxxxxx` and `00000000` have fewer."""

_TOKEN_CHAR = bytes(97 if chr(i) in "_-" or (i < 128 and chr(i).isalnum()) else 32 for i in range(256))
_DIGIT = re.compile(r"[0-9]")
_ESCAPES = {"\\": 1, "%": 2}
"""How many characters of a run belong to the escape before it: the n of `\\n`, the 3D of `%3D`."""
_SHORT_START = 2
"""Of Vault's first tokens, the only start with a dot behind which a run without a digit may be a token."""
_JOINTS = "./:$~+=|%"
_ESCAPED = r"(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})"
_BLANKED = re.compile(r"(?i)example|redacted|placeholder|dummy|your[-_]|(?:x{5}|0{8}|\*{3}|\.{3}|1234567890ab)")
_EMPTIED = re.compile(r"(?i)example|redacted|placeholder|dummy|your[-_]|x{5}|0{8}|\*{3}|\.{3}")
_LEAD_REACH = 64
_ANCHOR_REACH = 5000
"""No token is longer; what an attempt has read is not read again from the next literal in it."""


@dataclass(frozen=True, slots=True)
class Format:
    """One well-known shape: literal starts, what precedes (`lead`) and follows (`body`) them."""

    name: str
    starts: tuple[str, ...]
    body: str
    lead: str = ""
    strict: bool = False
    digit: bool = False
    mixed: bool = False
    anchor: bool = False
    keep_start: bool = False
    patterned: bool = False
    compiled: list[re.Pattern[str]] = field(default_factory=list, compare=False)

    def pattern(self) -> re.Pattern[str]:
        """The whole shape, compiled when first needed: most formats never are."""
        if not self.compiled:
            literal = "|".join(re.escape(start) for start in self.starts)
            edge = rf"(?:(?<![\w.+/-])|{_ESCAPED})" if self.strict else ""
            value = f"(?P<lead>{self.lead})(?:{literal})(?P<body>{self.body})"
            self.compiled.append(re.compile(rf"{edge}{value}(?![A-Za-z0-9])"))
        return self.compiled[0]

    def accepts(self, value: str) -> bool:
        """Whether the value has the variety of characters that a generated secret has."""
        if len(set(value)) < _LEAST_DISTINCT or (_EMPTIED if self.patterned else _BLANKED).search(value):
            return False
        if self.digit and not (_DIGIT.search(value) or is_generated(value)):
            return False
        return not self.mixed or (value != value.lower() and value != value.upper())


@dataclass(frozen=True, slots=True)
class FormatTable:
    """All formats, arranged by how they are found."""

    by_start: dict[str, tuple[Format, ...]]
    heads: frozenset[str]
    led: tuple[Format, ...]
    anchored: tuple[Format, ...]


@cache
def table() -> FormatTable:
    """The formats of the data file."""
    formats = [Format(**{**row, "starts": tuple(row["starts"])}) for row in data()["format"]]
    plain = [one for one in formats if not one.lead and not one.anchor]
    starts = sorted({start for one in plain for start in one.starts}, key=len, reverse=True)
    by_start = {start: tuple(f for f in plain if start.startswith(f.starts)) for start in starts}
    return FormatTable(
        by_start=by_start,
        heads=frozenset(start[:2] for start in starts),
        led=tuple(one for one in formats if one.lead and not one.anchor),
        anchored=tuple(one for one in formats if one.anchor),
    )


@cache
def _literal(*, escaped: bool) -> re.Pattern[str]:
    """Where any start stands, or also behind an escape. Compiled when first needed: in a text of plain words neither is."""
    edge = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})" if escaped else "(?<![A-Za-z0-9])"
    literals = "|".join(re.escape(start) for start in table().by_start)  # longest first
    return re.compile(f"{edge}(?:{literals})")


def find_formats(scan: Scan) -> Iterator[Span]:
    """Every value in the text that has a known shape."""
    known = table()
    text = scan.text
    for one in known.anchored:
        for start in one.starts:
            yield from _find_anchored(scan, start, one)
    shape = scan.raw.translate(_TOKEN_CHAR)
    needle = b"a" * _RUN
    end = 0
    while (hit := shape.find(needle, end)) >= 0:
        begin = shape.rfind(b" ", end, hit) + 1 or end
        stop = shape.find(b" ", hit)
        stop = len(text) if stop < 0 else stop
        yield from _find_in_run(text, begin, stop, known)
        end = stop


def _find_anchored(scan: Scan, start: str, one: Format) -> Iterator[Span]:
    done = 0
    for at in scan.places(start):
        low = max(done, at - _LEAD_REACH) if one.lead else at
        if at < done:
            continue
        found = (one.pattern().search if one.lead else one.pattern().match)(scan.text, low, at + _ANCHOR_REACH)
        done = found.end() if found else done
        edged = found and (one.keep_start or _has_left_edge(scan.text, found.start()))  # a host's name may go before
        if found and edged and one.accepts(found["body"]):
            yield found.start("body") if one.keep_start else found.start(), found.end(), one.name


def _find_in_run(text: str, begin: int, stop: int, known: FormatTable) -> Iterator[Span]:
    before = text[begin - 1] if begin else " "
    if not _DIGIT.search(text, begin, min(stop, begin + _REACH)):
        # A word or a name, nearly always: only a literal right at its start makes it a token.
        at = (
            begin
            + _ESCAPES.get(before, 0)
            - (_SHORT_START if text[max(0, begin - _SHORT_START) : begin] == "s." else 0)
        )
        if text[at : at + 2] in known.heads and (hit := _literal(escaped=True).match(text, at)):
            yield from _match_at(text, hit.start(), hit.group(), known)
        return
    low = max(0, begin - _BACK) if before in _JOINTS else begin
    high = min(stop, begin + _REACH)
    window = text[max(0, low - 3) : high + 80]
    pattern = _literal(escaped="\\" in window or "%" in window)
    for hit in islice(pattern.finditer(text, low, high), _TRIES):
        yield from _match_at(text, hit.start(), hit.group(), known)
    for one in known.led:
        if any(start in window for start in one.starts):
            found = one.pattern().search(text, low, high + 80)
            if found and _has_left_edge(text, found.start()) and one.accepts(found.group()):
                yield found.start(), found.end(), one.name


def _match_at(text: str, at: int, start: str, known: FormatTable) -> Iterator[Span]:
    for one in known.by_start[start]:
        found = one.pattern().match(text, at)
        if found and one.accepts(found["body"]):
            yield found.start(), found.end(), one.name
            return


def _has_left_edge(text: str, at: int) -> bool:
    """Whether a token can begin here: not inside a word, unless the letter before ends an escape (`\\n`, `%3D`)."""
    if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
        return True
    return text[max(0, at - 2) : at - 1] == "\\" or text[max(0, at - 3) : at - 2] == "%"
