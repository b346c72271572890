"""Lines of MEMORY.md: entry text on one line, made harmless, with the ids of its source entries."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.journal.memory_page.content import SourcedLine
from waypost.journal.period_pages.lines import source_comment
from waypost.journal.statements.corrections import corrects

CUT = "…"
_COMMENT_MARKS = re.compile(r"<!(?=-)|--(?=!?>)")  # opens or closes a comment, and with it Waypost's marks
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)
_LIST_MARK = re.compile(r"(?:#{1,6}|[-*+>]|\d{1,9}[.)])(?=\s)\s*")
_SENTENCE_END = re.compile(r"(?<!\b\w)(?<!\d)[.!?…][\"”»“)]?(?=\s|$)")
_NOTE = re.compile(r"\([^()]{0,120}\)$")
_FROM = re.compile(r"[ \t]?<!-- from ([^<>\n]{0,9000}) -->[ \t\r]*$")


def one_line(text: str, longest: int) -> str:
    """One line of at most `longest` characters, cut at a word, that cannot begin or end a comment."""
    start = text[: 6 * longest]
    line = _ACTING.sub("\ufffd", " ".join(start.split()))
    mark = _LIST_MARK.match(line)
    line = line[mark.end() :] if mark else line
    line = _COMMENT_MARKS.sub(lambda match: "‹!" if match[0] == "<!" else "––", line)
    if len(line) <= longest and len(start) == len(text):
        return line
    cut = line[: longest - len(CUT)]
    at = cut.rfind(" ")
    return (cut[:at] if at > longest // 2 else cut).rstrip(" ,;:") + CUT


def whole_sentences(text: str, longest: int) -> str:
    """One line of at most `longest` characters, cut after a sentence if that leaves a third of it.

    A day or link in parentheses at the end stays. What a later sentence corrects stays with the correction in up to
    twice the length, else neither stays: the line can become empty.
    """
    line = one_line(text, 6 * longest)
    if len(line) <= longest:
        return line
    note = _NOTE.search(line)
    end = f" {note[0]}" if note else ""
    body = line[: note.start()].rstrip() if note else line
    room = longest - len(end)
    at = max((match.end() for match in _SENTENCE_END.finditer(body[: room + 1])), default=0)
    ends = [match.end() for match in _SENTENCE_END.finditer(body)]
    kept = ends.index(at) + 1 if at > longest // 3 and at in ends else 0
    kept = _with_corrections(body, ends, kept, 2 * longest)
    if kept < 0:
        return ""
    return body[: ends[kept - 1]].rstrip() + end if kept else one_line(body, room) + end


def _with_corrections(body: str, ends: Sequence[int], kept: int, longest: int) -> int:
    """How many of the sentences with these ends can stay: none without what corrects it. Negative for none at all."""
    starts = [0, *ends]
    corrections = [
        place
        for place, (start, end) in enumerate(zip(starts, ends, strict=False))
        if place >= max(kept, 1) and corrects(body[start:end].lstrip())
    ]
    kept = max((place + 1 for place in corrections if ends[place] <= longest), default=kept)
    if kept == 0:
        return -1 if 1 in corrections else 0
    while kept in corrections:
        kept -= 1
    return kept or -1


def with_sources(line: str, ids: Iterable[str]) -> str:
    """The line with its source ids in a comment, which readers of the page do not see."""
    sources = [id for id in ids if id]
    return f"{line} {source_comment(sources)}" if sources else line


def sources_of(line: str) -> tuple[str, ...]:
    """The ids that `with_sources` added."""
    comment = _FROM.search(line)
    return tuple(comment[1].split()) if comment else ()


def without_sources(line: str) -> str:
    return _FROM.sub("", line)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The page's phrases in one language."""

    language: str
    table: dict[str, Any]

    def __getitem__(self, name: str) -> str:
        return str(self.table[name])

    def fill(self, name: str, **values: object) -> str:
        return self[name].format(**values)

    def level(self, score: int) -> str:
        """The level of a score in words, which decides how long an entry stays."""
        return str(self.table["levels"][(score >= 2) + (score >= 5) + (score >= 8)])

    def month(self, number: int) -> str:
        return str(self.table["months"][number - 1])


@cache
def phrases(language: str) -> Phrases:
    """The phrases of `en`, `de` or `ru`, or English ones for other languages."""
    with files("waypost.journal.data").joinpath("index_phrases.toml").open("rb") as file:
        tables = tomllib.load(file)
    supported = language if language in tables else "en"
    return Phrases(supported, tables[supported])


@cache
def in_all_languages(name: str) -> frozenset[str]:
    """The forms that a phrase may have on a page."""
    return frozenset(phrases(language)[name] for language in ("en", "de", "ru"))


def bullet(line: SourcedLine) -> str:
    return with_sources(f"- {line.text}", line.ids)


def bold(text: str) -> str:
    return text.replace("*", "").strip() or "?"
