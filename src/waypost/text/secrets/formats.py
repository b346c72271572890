"""Secrets recognised by their own shape: tokens with a known prefix, tagged keys, webhook addresses.

The formats are data (`secrets.toml`). Nearly every token has an unbroken run of twenty or more token characters, and
ordinary text has few such runs. So the text is mapped to "token character or not", and a byte search finds the runs.
Only those are compared with the table. That takes a few milliseconds per megabyte.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from waypost.text.secrets.scan import Scan, Span
from waypost.text.secrets.table import data
from waypost.text.secrets.values import is_generated

_SHORTEST_RUN = 20
"""The shortest run of token characters that is examined: the length of an AWS key id, the shortest format."""
_REACH_BACK = 100
"""How far before a run a dotted or slashed literal may begin. Authress has the longest."""
_REACH = 2048
"""How much of one run is searched for literals. A longer run is a blob of data; this keeps the time linear."""
_MOST_TRIES = 16
"""Positions tried in one run, so that a text made only of prefixes does not take quadratic time."""
_LEAST_DISTINCT = 6
"""A real token of twenty characters has more distinct ones; `xxxxxxxx` and `00000000` have fewer."""

_TOKEN_CHAR = bytes(97 if chr(i) in "_-" or (i < 128 and chr(i).isalnum()) else 32 for i in range(256))
_DIGIT = re.compile(r"[0-9]")
_ESCAPES = {"\\": 1, "%": 2}
"""How many characters of a run belong to the escape before it: the n of `\\n`, the 3D of `%3D`."""
_SHORT_START = 2
"""Length of `s.`, the start of early Vault tokens. No other start with a dot allows a run without a digit."""
_JOINTS = "./:$~+=|%"
_ESCAPED = r"(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})"
_BLANKED = re.compile(r"(?i)example|redacted|placeholder|dummy|your[-_]|(?:x{5}|0{8}|\*{3}|\.{3}|1234567890ab)")
_EMPTIED = re.compile(r"(?i)example|redacted|placeholder|dummy|your[-_]|x{5}|0{8}|\*{3}|\.{3}")
_LEAD_REACH = 64
_ANCHOR_REACH = 5000
"""No token is longer. Text that one attempt has read is not read again from the next literal in it."""


@dataclass(frozen=True, slots=True)
class Format:
    """One known token format: literal starts, and what precedes (`lead`) and follows (`body`) them."""

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
        """The pattern of the whole format."""
        return self._patterns()[0]

    def lead_pattern(self) -> re.Pattern[str]:
        """What precedes a start, up to the end of what is searched."""
        return self._patterns()[1]

    def _patterns(self) -> list[re.Pattern[str]]:
        """Compiled when first needed: most formats never are."""
        if not self.compiled:
            literal = "|".join(re.escape(start) for start in self.starts)
            edge = rf"(?:(?<![\w.+/-])|{_ESCAPED})" if self.strict else ""
            value = f"(?P<lead>{self.lead})(?:{literal})(?P<body>{self.body})"
            whole, lead = rf"{edge}{value}(?![A-Za-z0-9])", rf"{edge}(?:{self.lead})\Z"
            self.compiled.extend(map(re.compile, (whole, lead)))
        return self.compiled

    def accepts(self, value: str) -> bool:
        """Whether the value varies as much as a generated secret."""
        if len(set(value)) < _LEAST_DISTINCT or (_EMPTIED if self.patterned else _BLANKED).search(value):
            return False
        if self.digit and not (_DIGIT.search(value) or is_generated(value)):
            return False
        return not self.mixed or (value != value.lower() and value != value.upper())


@dataclass(frozen=True, slots=True)
class FormatTable:
    """All formats, grouped by how they are searched."""

    by_start: dict[str, tuple[Format, ...]]
    heads: frozenset[str]
    led: tuple[Format, ...]
    anchored: tuple[tuple[bytes, str, Format], ...]


@cache
def table() -> FormatTable:
    """The formats of the data file."""
    formats = [Format(**{**row, "starts": tuple(row["starts"])}) for row in data()["format"]]
    plain = [kind for kind in formats if not kind.lead and not kind.anchor]
    starts = sorted({start for kind in plain for start in kind.starts}, key=len, reverse=True)
    by_start = {start: tuple(f for f in plain if start.startswith(f.starts)) for start in starts}
    return FormatTable(
        by_start=by_start,
        heads=frozenset(start[:2] for start in starts),
        led=tuple(kind for kind in formats if kind.lead and not kind.anchor),
        anchored=tuple(
            (start.encode("ascii"), start, kind) for kind in formats if kind.anchor for start in kind.starts
        ),
    )


@cache
def _literal(*, escaped: bool) -> re.Pattern[str]:
    """Matches any start, optionally after an escape. Compiled when first needed, which plain prose never does."""
    edge = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})" if escaped else "(?<![A-Za-z0-9])"
    literals = "|".join(re.escape(start) for start in table().by_start)  # longest first
    return re.compile(f"{edge}(?:{literals})")


def find_formats(scan: Scan) -> Iterator[Span]:
    """Every value in the text that has a known format."""
    formats = table()
    text = scan.text
    for encoded, start, kind in formats.anchored:
        if encoded in scan.raw:
            yield from _find_anchored(scan, start, kind)
    token_map = scan.raw.translate(_TOKEN_CHAR)
    needle = b"a" * _SHORTEST_RUN
    end = 0
    while (hit := token_map.find(needle, end)) >= 0:
        begin = token_map.rfind(b" ", end, hit) + 1 or end
        stop = token_map.find(b" ", hit)
        stop = len(text) if stop < 0 else stop
        yield from _find_in_run(text, begin, stop, formats)
        end = stop


def _find_anchored(scan: Scan, start: str, kind: Format) -> Iterator[Span]:
    done = 0
    for at in scan.places(start):
        if at < done:
            continue
        # Only what precedes this literal is searched: searching on from each literal would read the text again.
        lead = kind.lead_pattern().search(scan.text, max(done, at - _LEAD_REACH), at) if kind.lead else None
        if kind.lead and not lead:
            continue
        match = kind.pattern().match(scan.text, lead.start() if lead else at, at + _ANCHOR_REACH)
        done = match.end() if match else done
        edged = match and (kind.keep_start or _has_left_edge(scan.text, match.start()))  # a host name may precede it
        if match and edged and kind.accepts(match["body"]):
            yield match.start("body") if kind.keep_start else match.start(), match.end(), kind.name


def _find_in_run(text: str, begin: int, stop: int, formats: FormatTable) -> Iterator[Span]:
    before = text[begin - 1] if begin else " "
    if not _DIGIT.search(text, begin, min(stop, begin + _REACH)):
        # Nearly always a word or a name: only a literal right at its start makes it a token.
        at = begin + _ESCAPES.get(before, 0)
        at -= _SHORT_START if text[max(0, begin - _SHORT_START) : begin] == "s." else 0
        if text[at : at + 2] in formats.heads and (hit := _literal(escaped=True).match(text, at)):
            yield from _match_at(text, hit.start(), hit.group(), formats)
        return
    low = max(0, begin - _REACH_BACK) if before in _JOINTS else begin
    high = min(stop, begin + _REACH)
    window = text[max(0, low - 3) : high + 80]
    pattern = _literal(escaped="\\" in window or "%" in window)
    for hit in islice(pattern.finditer(text, low, high), _MOST_TRIES):
        yield from _match_at(text, hit.start(), hit.group(), formats)
    for kind in formats.led:
        if any(start in window for start in kind.starts):
            match = kind.pattern().search(text, low, high + 80)
            if match and _has_left_edge(text, match.start()) and kind.accepts(match.group()):
                yield match.start(), match.end(), kind.name


def _match_at(text: str, at: int, start: str, formats: FormatTable) -> Iterator[Span]:
    for kind in formats.by_start[start]:
        match = kind.pattern().match(text, at)
        if match and kind.accepts(match["body"]):
            yield match.start(), match.end(), kind.name
            return


def _has_left_edge(text: str, at: int) -> bool:
    """Whether a token can begin here: not inside a word, unless an escape (`\\n`, `%3D`) ends before it."""
    if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
        return True
    return text[max(0, at - 2) : at - 1] == "\\" or text[max(0, at - 3) : at - 2] == "%"
