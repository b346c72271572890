"""Dates, times and speakers at the beginning of lines in memory files.

    ## 2026-01-15                       ### Benutzer - 14:30:00             [2026-01-15 14:30] User: …
    - 2026-01-15 14:30: …               **User** (15.01.2026, 14:30): …     15. Januar 2026, 14:30 Uhr - Nutzer: …

A date inside a sentence does not count. Only signs and a name may precede a stamp, and a sign must follow it.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any

_HEAD = 160  # characters at the beginning of a line that may have a stamp
_LONGEST_NAME, _LONGEST_TITLE = 40, 120
_YEARS = range(1990, 2101)
_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,6})?)?(?!:?\d)"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?(?:\s?uhr\b)?(?P<zone>\s?z\b|\s?[+-]\d\d:?\d\d(?!\d))?"
)
_SIGNS = " \t*_~`>#[](){}-–—+•·:|,;.!<>\"'→"
_NAME = re.compile(rf"[^\W\d_][\w .'’&/-]{{0,{_LONGEST_NAME - 1}}}")
_NAMED = re.compile(
    r"[\s*_\[(<`]{0,6}(?P<name>[^\W\d_][\w .'’&-]{0,39}?)\s?[*_\])>`]{0,4}\s?(?P<sign>[:：|])\s?[*_`]{0,4}(?:\s+(?P<text>.*)|$)",
    re.DOTALL,
)
_KIND = re.compile(r"[\[(<`*_]{1,3}(?P<kind>[a-z_]{4,16})[\])>`*_]{1,3}:?", re.IGNORECASE)
_MARKED = re.compile(r"[\d:：]")
_NUMBERED = re.compile(r"^\s{0,12}\d{1,4}[.)]\s+(?=\S)")
_CLOSED = re.compile(r"\s{0,3}[*_`]{0,3}\s{0,3}(?:[\])}:|–—>-]|$)")


@dataclass(frozen=True, slots=True)
class TextStamp:
    day: date | None
    clock: time | None
    offset: timezone | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LineHead:
    """The date, time, speaker and kind at the beginning of a line, and its remaining text."""

    day: date | None
    clock: time | None
    offset: timezone | None
    speaker: str | None
    name: str | None  # a possible speaker, if it occurs often in the file
    kind: str | None
    text: str  # the remaining text
    named_text: str  # the remaining text without `name`


@dataclass(frozen=True, slots=True)
class StampLexicon:
    speakers: Mapping[str, str]
    bot_ends: tuple[str, ...]
    when: frozenset[str]
    sections: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, str]
    months: Mapping[str, int]
    titles: Mapping[str, str]
    stamp: re.Pattern[str]

    def speaker(self, name: str) -> str | None:
        """The standard name of a known speaker or bot, or None."""
        if len(name) > _LONGEST_TITLE:
            return None
        clean = " ".join(name.strip(_SIGNS).split())
        folded = clean.casefold()
        if folded in self.speakers:
            return self.speakers[folded]
        is_bot = len(clean.split()) == 1 and folded.endswith(self.bot_ends)
        return clean if is_bot and len(clean) <= _LONGEST_NAME else None

    def section(self, title: str) -> str | None:
        """The sort of section that a heading begins, or None."""
        if len(title) > _LONGEST_TITLE:
            return None
        words = " ".join(title.strip(_SIGNS).casefold().split())
        sections = (name for name, phrases in self.sections.items() for phrase in phrases if _is_about(words, phrase))
        return next(sections, None)


def _is_about(words: str, phrase: str) -> bool:
    """True for `Interessen & Präferenzen`, `Meine Vorlieben`, `Preferences (updated)`, but not for a sentence."""
    parts = re.split(r" ?(?:[&,/:(\[–—-]|\b(?:und|and|и)\b) ?", words, maxsplit=4)
    return any(part.strip(_SIGNS) == phrase for part in (words, *parts)) or (
        len(words.split()) <= 2 and words.endswith(f" {phrase}")
    )


@cache
def lexicon() -> StampLexicon:
    table = tomllib.loads(Path(__file__).with_name("timestamps.toml").read_text("utf-8"))
    months = {
        name: number
        for names in table["months"].values()
        for number, alternatives in enumerate(names, 1)
        for name in alternatives.split("|")
    }
    speakers = {word: name for name in ("user", "assistant", "tool") for word in table["speakers"][name].split()}
    return StampLexicon(
        speakers,
        tuple(table["speakers"]["bot_ends"]),
        frozenset(table["labels"]["when"].split()),
        {name: tuple(phrases) for name, phrases in table["sections"].items()},
        table["kinds"],
        months,
        table["titles"],
        _pattern(months),
    )


def _pattern(months: Mapping[str, int]) -> re.Pattern[str]:
    month = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    dates = "|".join(
        (
            r"(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?!\d)",
            r"(?P<d2>\d{1,2})\.\s?(?P<m2>\d{1,2})\.\s?(?P<y2>\d{4})(?!\d)",
            rf"(?P<d3>\d{{1,2}})(?:\.|st|nd|rd|th)?\s(?P<m3>{month})\.?,?\s(?P<y3>\d{{4}})(?!\d)",
            rf"(?P<m4>{month})\.?\s(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y4>\d{{4}})(?!\d)",
            r"(?P<y5>\d{4})(?P<m5>\d\d)(?P<d5>\d\d)(?!\d)",
        )
    )
    between = r"(?:t|\s?[,;|·–—-]?\s?(?:um\s|at\s|в\s|@\s?)?)"
    return re.compile(
        rf"(?<![\w.])(?:(?:{dates})(?:{between}{_TIME})?|{_TIME.replace('(?P<', '(?P<alone_')})", re.IGNORECASE
    )


def find_stamp(text: str) -> TextStamp | None:
    """The first date or time at the beginning of a text."""
    for match in lexicon().stamp.finditer(text[:_HEAD]):
        groups = match.groupdict()
        day = _day(groups)
        if day is None and groups["alone_hour"] is None:
            continue
        clock_groups = (
            groups
            if day is not None
            else {k.removeprefix("alone_"): v for k, v in groups.items() if k.startswith("alone_")}
        )
        clock = _clock(clock_groups)
        if day is None and clock is None:
            continue
        return TextStamp(day, clock, _offset(clock_groups.get("zone")), match.start(), match.end())
    return None


def read_head(line: str, *, is_heading: bool) -> LineHead | None:
    """The head of a line that begins with a date, a time or a known speaker, or None."""
    if not is_heading and not _MARKED.search(line[:_HEAD]):  # most lines
        return None
    words = lexicon()
    body = line.strip()
    body = body.lstrip("#").strip() if is_heading else _NUMBERED.sub("", body)
    stamp = find_stamp(body)
    if stamp is None or body.startswith("|"):  # a row of a table
        return _head_without_stamp(body, is_heading)
    before, behind = body[: stamp.start].strip(_SIGNS), body[stamp.end :]
    speaker = words.speaker(before)
    is_label = before.casefold() in words.when
    if not is_heading and before and not is_label and speaker is None and not _is_bold(body, stamp):
        return _head_without_stamp(body, is_heading)
    if not is_heading and speaker is None and not _stands_alone(body, stamp):
        return _head_without_stamp(body, is_heading)
    kind, rest = _kind(behind)
    rest = (
        rest.lstrip(_SIGNS.replace("(", "").replace("[", "").replace("`", ""))
        if before or kind
        else _strip_closing_signs(rest)
    )
    title = "" if speaker or is_label or not before else before
    if title and (not is_heading or (stamp.day is None and not has_words(rest))) and _NAME.fullmatch(title):
        speaker, title = title, ""  # **Raimund** (14:30): …, ### Raimund - 14:30:00
    text = body if title else rest
    name, named_text = None, text
    if speaker is None:
        named = _NAMED.match(text)
        known_speaker = words.speaker(named["name"] if named else text) if named or is_heading else None
        if known_speaker:
            speaker, text = known_speaker, (named["text"] or "") if named else ""
        elif named and not is_heading:
            name, named_text = named["name"].strip(), named["text"] or ""
    if not has_words(text):
        text = ""
    return LineHead(stamp.day, stamp.clock, stamp.offset, speaker, name, kind, text, named_text)


def instant(day: date, clock: time | None, offset: timezone | None) -> datetime:
    return datetime.combine(day, clock or time(), offset)


def _head_without_stamp(body: str, is_heading: bool) -> LineHead | None:
    words = lexicon()
    if is_heading:
        speaker = words.speaker(body)
        return LineHead(None, None, None, speaker, None, None, "", "") if speaker else None
    named = _NAMED.match(body[:_HEAD])
    speaker = words.speaker(named["name"]) if named and named["sign"] != "|" else None
    if named is None or speaker is None:
        return None
    text = (named["text"] or "") + body[_HEAD:]
    return LineHead(None, None, None, speaker, None, None, text, text)


def _stands_alone(body: str, stamp: TextStamp) -> bool:
    """Whether a date at the beginning of a line is not part of a sentence."""
    behind = body[stamp.end :]
    if _CLOSED.match(behind) or (stamp.day is not None and stamp.clock is not None):
        return True
    if body[stamp.start - 1 : stamp.start] in ("*", "_", "`") and behind[:1] in ("*", "_", "`"):
        return True
    named = _NAMED.match(behind)
    return bool(named and lexicon().speaker(named["name"]))


def _is_bold(body: str, stamp: TextStamp) -> bool:
    """Whether a bold name precedes the stamp, as in `**Raimund** (14:30)`. A colon would make it a label."""
    before = body[: stamp.start].strip()
    is_name = before.startswith(("**", "__")) and ":" not in before and _NAME.fullmatch(before.strip(_SIGNS))
    return bool(is_name) and stamp.clock is not None


def _kind(behind: str) -> tuple[str | None, str]:
    """The kind in `[preference]` or `(agent)`, and the text behind it."""
    match = _KIND.search(behind[:60])
    kind = lexicon().kinds.get(match["kind"].casefold()) if match else None
    if match is None or kind is None or behind[: match.start()].strip(_SIGNS):
        return None, behind
    return kind, behind[match.end() :]


def _strip_closing_signs(behind: str) -> str:
    """The text behind a stamp, without the signs that close the stamp."""
    return behind.lstrip(" \t])}>*_`").lstrip(" \t:–—-|,;·").lstrip(" \t")


def has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _day(groups: Mapping[str, Any]) -> date | None:
    for number in "12345":
        if groups[f"y{number}"] is None:
            continue
        month = groups[f"m{number}"]
        try:
            day = date(
                int(groups[f"y{number}"]),
                int(month) if month.isdigit() else lexicon().months[month.casefold()],
                int(groups[f"d{number}"]),
            )
        except ValueError:
            return None
        return day if day.year in _YEARS else None
    return None


def _clock(groups: Mapping[str, Any]) -> time | None:
    if groups.get("hour") is None:
        return None
    hour = int(groups["hour"])
    if groups["half"]:
        hour = hour % 12 + (12 if groups["half"] in "pP" else 0)
    try:
        return time(hour, int(groups["minute"]), int(groups["second"] or 0))
    except ValueError:
        return None


def _offset(zone: str | None) -> timezone | None:
    if not zone:
        return None
    sign = zone.strip()
    if sign in "zZ":
        return UTC
    hours, minutes = int(sign[1:3]), int(sign[-2:])
    delta = timedelta(hours=hours, minutes=minutes)
    return timezone(-delta if sign[0] == "-" else delta) if delta < timedelta(hours=24) else None
