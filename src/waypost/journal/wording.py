"""Words for summaries and trimmed answers in three languages, and cutting texts at natural places."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from pathlib import Path

from waypost.text.language import language_of
from waypost.text.stems import fold

LANGUAGES = ("en", "de", "ru")
MARK_OF_A_CUT = "…"
MOST_SENTENCES = 400  # of one text; a longer one is a document
_READ_CHARACTERS = 60_000  # of one text, for the same reason
_LANGUAGE_CHARACTERS = 400  # enough to recognise the language
_ENOUGH_TEXT = 400  # characters that decide for a page; a quiet month has less
_DATA = Path(__file__).with_name("data")

_FENCED = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,1000}+(?:[ \t]\"[^\"\n]{0,200}\")?\)")
_BARE_URL = re.compile(r"<?\bhttps?://[^\s<>]+>?")
_STRONG = re.compile(r"(\*\*|~~)(?=\S)([^*~\n]{1,500})(?<=\S)\1|__(?=\S)([^_\n]{1,250} [^_\n]{1,250})(?<=\S)__")
_EMPHASIS = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_\n]{1,500})(?<=\S)\1(?![\w*])")
_LINE_LEAD = re.compile(r"^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+|[-*+•–][ \t]+|\d{1,3}[.)][ \t]+|\[[ xX]\][ \t]+)*")
_TABLE_RULE = re.compile(r"^[|\s:=_*-]+$")
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'»«”“’)\]]{0,9}(?=\s)|(?<=[。！？])")
_CLAUSE = re.compile(r"(?<![;:,.!?–—])[;:,.!?–—]+\s")
_LAST_WORD = re.compile(r"(\S{1,12})$")
_CLAUSE_END = re.compile(r"[;:,–—](?=\s)|\s(?=\()")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class SummaryWords:
    language: str
    date_format: str
    months: tuple[str, ...]
    headings: Mapping[str, str]
    phrases: Mapping[str, str]
    relative: tuple[tuple[re.Pattern[str], int | None], ...]  # longest first; days from today, None for a span
    weekday: re.Pattern[str]  # "on Friday"; its group is the day
    weekdays: tuple[str, ...]  # what the group can be, from Monday
    past: re.Pattern[str]  # words of a clause whose weekday may lie behind, or comes again
    time: frozenset[str]
    month_names: frozenset[str]  # folded
    articles: frozenset[str]
    negations: frozenset[str]
    abbreviations: frozenset[str]
    auxiliaries: frozenset[str]
    praise: re.Pattern[str]
    openers: re.Pattern[str]  # phrases with which an assistant begins
    greetings: re.Pattern[str]  # phrases with which people answer each other

    def say(self, phrase: str, **fields: object) -> str:
        return self.phrases[phrase].format(**fields)

    def day(self, day: date) -> str:
        return day.strftime(self.date_format)

    def month(self, number: int) -> str:
        return self.months[number - 1]


@cache
def summary_words(language: str) -> SummaryWords:
    """The words of `en`, `de` or `ru`, or English ones for any other language."""
    supported = language if language in LANGUAGES else "en"
    table = tomllib.loads((_DATA / f"summary_{supported}.toml").read_text("utf-8"))
    lists = {name: frozenset(fold(word) for word in words.split()) for name, words in table["words"].items()}
    return SummaryWords(
        language=supported,
        date_format=table["date"],
        months=tuple(table["months"].split()),
        headings=table["headings"],
        phrases=table["phrases"],
        relative=_relative(table["relative"]),
        weekday=re.compile(rf"\b{table['relative']['weekdays']}\b", re.I),
        weekdays=tuple(table["relative"]["weekdays"].rpartition("(")[2].partition(")")[0].split("|")),
        past=re.compile(rf"\b(?:{table['relative']['past']})\b", re.I),
        month_names=frozenset(map(fold, table["months"].split())),
        abbreviations=frozenset(table["words"]["abbreviations"].split()),
        **{name: lists[name] for name in ("time", "articles", "negations", "auxiliaries")},
        praise=re.compile(table["words"]["praise"], re.I),
        openers=_openings(table["words"]["openers"]),
        greetings=_openings(table["words"]["greetings"]),
    )


@cache
def nameless_speakers() -> frozenset[str]:
    """Words for speakers without a name, in all languages, folded."""
    tables = [tomllib.loads((_DATA / f"summary_{language}.toml").read_text("utf-8")) for language in LANGUAGES]
    return frozenset(fold(word) for table in tables for word in table["words"]["speakers"].split())


@cache
def topic_headings() -> frozenset[str]:
    """The headings of summaries that list topics, in all languages."""
    return frozenset(
        summary_words(language).headings[name] for language in LANGUAGES for name in ("topics", "recurring")
    )


def _openings(alternatives: str) -> re.Pattern[str]:
    phrases = [re.escape(phrase.strip()) for phrase in alternatives.split("|") if phrase.strip()]
    return re.compile(rf"\W{{0,9}}(?:{'|'.join(phrases)})\b", re.I)


def _relative(table: Mapping[str, str]) -> tuple[tuple[re.Pattern[str], int | None], ...]:
    """`nouns` mean a day only in lower case, or at the start of a sentence: "am Morgen" is not tomorrow."""
    nouns = table["nouns"].split("|")
    phrases = [
        (p, None if days == "said" else int(days))
        for days in table
        if days not in ("nouns", "weekdays", "past")
        for p in table[days].split("|")
    ]
    phrases.sort(key=lambda row: (-len(row[0]), row[0]))
    patterns = []
    for phrase, days in phrases:
        form = f"(?i:{phrase})"
        if phrase in nouns:
            form = rf"(?:{phrase}|(?:(?<=^)|(?<=[.!?]\s)){phrase.capitalize()}(?=\s[a-zäöü]))"
        patterns.append((re.compile(rf"\b{form}\b"), days))
    return tuple(patterns)


def language_at_start(text: str) -> str:
    """The language of a text by its beginning. Empty if it has none."""
    return _language_at_start(text[:_LANGUAGE_CHARACTERS])


@lru_cache(maxsize=16_384)
def _language_at_start(beginning: str) -> str:
    return language_of(beginning)


def main_language(texts: Iterable[str], otherwise: str = "") -> str:
    """The language of most of the text, by characters. `otherwise` counts if there is little text; else English."""
    amounts = dict.fromkeys(LANGUAGES, 0)
    for text in texts:
        language = language_at_start(text)
        if language in amounts:
            amounts[language] += min(len(text), 2000)  # one pasted document must not decide for a week
    if otherwise and sum(amounts.values()) < _ENOUGH_TEXT:
        return otherwise
    return max(LANGUAGES, key=lambda language: amounts[language])


def _relative_matches(text: str, words: SummaryWords) -> Iterator[tuple[str, int | None]]:
    """Words such as "tomorrow" in a text, with the days from today. None for "this week" and the like."""
    for pattern, days in words.relative:
        if (match := pattern.search(text)) is not None:
            text = pattern.sub(" ", text)  # "heute morgen" is not also a tomorrow
            yield match[0], days


def relative_days(text: str, said_on: date, words: SummaryWords) -> list[date | None]:
    """The days that words such as "tomorrow" refer to, each once. None for "this week" and the like."""
    distances = [days for _, days in _relative_matches(text, words)]
    return list(dict.fromkeys(None if days is None else said_on + timedelta(days=days) for days in distances))


def relative_words(text: str, said_on: date, words: SummaryWords) -> list[tuple[str, date]]:
    """Words such as "yesterday" in a text, with the day each refers to. The day it was said is left out."""
    spoken_words = summary_words(language_at_start(text) or words.language)
    words_by_day: dict[date, str] = {}
    for word, days in _relative_matches(text, spoken_words):
        if days:
            words_by_day.setdefault(said_on + timedelta(days=days), word[:1].lower() + word[1:])
    for word, day in _coming_weekdays(text, said_on, spoken_words):
        words_by_day.setdefault(day, word[:1].lower() + word[1:])
    return sorted(((word, day) for day, word in words_by_day.items()), key=lambda pair: pair[1])


def _coming_weekdays(text: str, said_on: date, words: SummaryWords) -> Iterator[tuple[str, date]]:
    """Words such as "on Friday" that look forward, with their days. What may lie behind has none: no date is better."""
    for clause in _CLAUSE.split(text):
        match = words.weekday.search(clause)
        if match is None or words.past.search(clause.replace("’", "'")):
            continue
        days = (words.weekdays.index(match[1].lower()) - said_on.weekday()) % 7
        if days:
            yield match[0], said_on + timedelta(days=days)


def with_date(text: str, said_on: date, words: SummaryWords, *, context: str = "") -> str:
    """The text, followed by the date that "today" or the like refers to in it or in its question (`context`)."""
    days = relative_days(text, said_on, words) or relative_days(context, said_on, words)
    if not days or any(_mentions(text, day or said_on, words) for day in days):
        return text
    day = days[0]
    note = words.day(day) if len(days) == 1 and day is not None else words.say("said", date=words.day(said_on))
    return f"{text.rstrip(' .')} ({note})"


def _mentions(text: str, day: date, words: SummaryWords) -> bool:
    return any(form in text for form in (day.isoformat(), words.day(day), f"{day.day}. {words.month(day.month)}"))


def sentences(text: str, words: SummaryWords) -> list[str]:
    """The sentences of a text without Markdown. Each list item and heading is a sentence; code is left out."""
    result: list[str] = []
    for line in plain_lines(text):
        result += _sentences_of(line, words)
        if len(result) >= MOST_SENTENCES:
            break
    return result[:MOST_SENTENCES]


def plain_lines(text: str) -> list[str]:
    """Paragraphs and items without Markdown, one line each, without code and table rules."""
    text = _FENCED.sub("\n\n", text[:_READ_CHARACTERS])
    lines: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        lead = _LINE_LEAD.match(line)
        own_line = lead is not None and lead.end() > len(line) - len(line.lstrip())
        words = without_markdown(line[lead.end() :] if lead else line)
        if not words or _TABLE_RULE.match(words):
            goes_on = False
        elif goes_on and not own_line:
            lines[-1] += f" {words}"
        else:
            lines.append(words)
            goes_on = not line.lstrip().startswith("#")
    return lines


def without_markdown(line: str) -> str:
    """One line without links, emphasis, code marks and control characters."""
    line = _LINK.sub(r"\1", line)
    line = _BARE_URL.sub("", line)
    line = _EMPHASIS.sub(r"\2", _STRONG.sub(r"\2\3", line)).replace("`", "")
    line = line.strip().strip("|").replace(" | ", ", ")
    return " ".join(_CONTROL.sub("", line).split())


def _sentences_of(line: str, words: SummaryWords) -> list[str]:
    parts: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(line):
        if _is_end(line, end, words):
            parts.append(line[start : end.end()].strip())
            start = end.end()
    parts.append(line[start:].strip())
    return [sentence for sentence in parts if any(map(str.isalnum, sentence))]


def _is_end(line: str, end: "re.Match[str]", words: SummaryWords) -> bool:
    if line[end.end() :].lstrip()[:1].islower():  # an abbreviation missing from the list
        return False
    if end[0] != ".":
        return True
    last = _LAST_WORD.search(line, max(0, end.start() - 12), end.start())
    word = fold(last[1]).lstrip("(\"'„«“") if last else ""
    if word.isdecimal() and len(word) <= 2 and words.language == "de":  # "am 30. Januar"
        return False
    return not (word in words.abbreviations or (len(word) == 1 and word.isalpha()))


def clip(sentence: str, longest: int) -> str:
    """The sentence, or its beginning up to the end of a clause or word, in at most `longest` characters."""
    if len(sentence) <= longest:
        return sentence
    room = longest - len(MARK_OF_A_CUT) - 1
    clauses = [end.start() for end in _CLAUSE_END.finditer(sentence, room // 2, room + 1)]
    if clauses:
        return sentence[: clauses[-1]].rstrip() + f" {MARK_OF_A_CUT}"
    space = sentence.rfind(" ", room // 2, room + 1)
    end = space if space > 0 else safe_cut(sentence, room)
    return sentence[:end].rstrip(" ,;:–—-(") + f" {MARK_OF_A_CUT}"


def safe_cut(text: str, at: int) -> int:
    """The nearest position at or before `at` that does not split a character."""
    while 0 < at < len(text) and _belongs_to_last(text, at):
        at -= 1
    return at


def _belongs_to_last(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if before == "\r" and after == "\n":
        return True
    if before == "\u200d" or after in "\u200c\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if "\U0001f1e6" <= after <= "\U0001f1ff":  # two of these are one flag
        start = at
        while start > 0 and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff":
            start -= 1
        return (at - start) % 2 == 1
    return unicodedata.category(after).startswith("M") or "\u1160" <= after <= "\u11ff"
