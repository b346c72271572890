"""The sentences of a message, without what it only shows: code, quotations, tables, headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from waypost.facts.learn.wording import printable

MOST_READ = 20_000  # characters of a turn
_LONGEST = 500  # characters; lessons are shorter
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})")
_NO_PROSE = re.compile(r"^[ \t]{0,3}(?:>|\||#{1,6}\s|(?:[-=_*~]\s?){3,}$|(?:\t| {4,})(?![-*•\d]))")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•–—]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_WRAPPED = 60  # characters: a line of this length without an end continues on the next
_ENDS = (".", "!", "?", ":", ";", "…")
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_CODE = re.compile(r"`[^`\n]{1,300}`")
_QUOTED = re.compile('"[^"\n]{1,400}"|“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|«[^«»\n]{1,400}»|‹[^‹›\n]{1,200}›')
_BOUNDARY = re.compile("(?<=[.!?…])[\"'”»)]{0,2}\\s+(?=[\"'`(«„“A-ZА-ЯЁÄÖÜ])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|z\.\s?b|d\.\s?h|u\.\s?a|bzw|ca|nr|no|incl|approx|т\.\s?е|т\.\s?д|т\.\s?п|напр)\.$",
    re.I,
)
_BLOT = "x"


@dataclass(frozen=True, slots=True)
class LessonSentence:
    text: str
    bare: str  # the same length, with code and quotations blanked


def sentences_of(text: str) -> Iterator[LessonSentence]:
    """The sentences of a message. Overlong ones are left out."""
    for part in _paragraphs(text[:MOST_READ]):
        plain = printable(_EMPHASIS.sub("", part))
        bare = _blank_quotes(plain)
        for start, end in _spans(bare):
            if end - start <= _LONGEST:
                yield LessonSentence(plain[start:end], bare[start:end])


def _paragraphs(text: str) -> Iterator[str]:
    fence, part = "", ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        is_fence = mark is not None and (not fence or mark[1].startswith(fence))
        if mark is not None and is_fence:
            fence = "" if fence else mark[1]
        if fence or is_fence or not line.strip() or _NO_PROSE.match(line):
            yield part
            part = ""
            continue
        bullet = _BULLET.match(line)
        if part and not bullet and len(part.rpartition("\n")[2]) >= _WRAPPED and not part.rstrip().endswith(_ENDS):
            part += "\n" + line
        else:
            yield part
            part = line[bullet.end() :] if bullet else line
    yield part


def _blank_quotes(text: str) -> str:
    text = text.replace("’", "'")
    for pattern in (_CODE, _QUOTED):
        text = pattern.sub(lambda quote: quote[0][0] + _BLOT * (len(quote[0]) - 2) + quote[0][-1], text)
    return text


def _spans(bare: str) -> Iterator[tuple[int, int]]:
    start = 0
    for boundary in _BOUNDARY.finditer(bare):
        if not _ABBREVIATION.search(bare[max(start, boundary.start() - 12) : boundary.start()]):
            yield start, boundary.start()
            start = boundary.end()
    if bare[start:].strip():
        yield start, len(bare.rstrip())
