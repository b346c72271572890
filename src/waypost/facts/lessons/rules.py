"""The rules that recognise lasting statements. Their word lists are in data/lessons.toml."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.facts.lessons.sentences import LessonSentence
from waypost.model.session_turn import USER

FIX = "fix"
_WORD = re.compile(r"[\w'-]+")
_TEMPLATE = re.compile(r"[\s,:]*[\[<{]")  # an unfilled placeholder


@dataclass(frozen=True, slots=True)
class LessonRule:
    name: str
    kind: str
    find: Callable[[str], re.Match[str] | None]  # the cue in a sentence without code and quotations
    sure: float
    least: int  # informative words required after the cue
    only_user: bool
    binding: bool  # the sentence must say that something must or must not be
    wide: bool  # the cue includes words that may express doubt


@dataclass(frozen=True, slots=True)
class Language:
    rules: tuple[LessonRule, ...]
    letters: re.Pattern[str]  # a sentence without one of these is in another language
    fillers: re.Pattern[str]  # at the beginning of a sentence
    doubt: re.Pattern[str]
    open: re.Pattern[str]
    hedge: re.Pattern[str]
    own: re.Pattern[str]
    binding: re.Pattern[str]
    error: re.Pattern[str]
    empty: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """A sentence that matches a rule."""

    rule: LessonRule
    text: str  # without leading filler words
    sentence: LessonSentence


@cache
def languages() -> tuple[Language, ...]:
    data = tomllib.loads(files("waypost.facts").joinpath("data", "lessons.toml").read_text(encoding="utf-8"))
    return tuple(_language(table) for table in data.values())


def matching_rules(sentence: LessonSentence, speaker: str) -> Iterator[RuleMatch]:
    """Every rule that the sentence matches, in file order. A question matches none."""
    bare = sentence.bare
    if bare.rstrip("\"'”») ").endswith("?"):
        return
    for language in languages():
        if not language.letters.search(bare) or language.open.search(bare):
            continue
        for rule in language.rules:
            cue = None if rule.only_user and speaker != USER else rule.find(bare)
            if cue is not None and _applies(language, rule, bare, cue):
                yield RuleMatch(rule, _without_fillers(language, sentence), sentence)


def _applies(language: Language, rule: LessonRule, bare: str, cue: re.Match[str]) -> bool:
    before, after = bare[: cue.end() if rule.wide else cue.start()], bare[cue.end() :]
    if language.doubt.search(before) or language.own.match(after) or language.hedge.match(after):
        return False
    if _TEMPLATE.match(after) or (rule.binding and not language.binding.search(after)):
        return False
    informative = [word for word in _WORD.findall(after) if word.lower() not in language.empty]
    return len(informative) >= rule.least


def _without_fillers(language: Language, sentence: LessonSentence) -> str:
    fillers = language.fillers.match(sentence.bare)
    rest = sentence.text[fillers.end() :] if fillers else sentence.text
    return rest[:1].upper() + rest[1:]


def _finder(cue: str, fillers: str) -> Callable[[str], re.Match[str] | None]:
    """Cues for the beginning of a sentence are only searched there: most sentences match no rule."""
    pattern = re.compile(cue.replace("{start}", fillers), re.I)
    return pattern.match if cue.startswith(("^", "{start}")) and "|^" not in cue else pattern.search


def _language(data: Mapping[str, Any]) -> Language:
    fillers = rf"^(?:{data['fillers']}[,.:;!—–-]*\s+){{0,3}}"
    rules = tuple(
        LessonRule(
            row["name"],
            row["kind"],
            _finder(row["cue"], fillers),
            row["sure"],
            row.get("least", 2),
            row.get("who") == USER,
            row.get("binding", False),
            row.get("wide", False),
        )
        for row in data["rules"]
    )
    names = ("letters", "doubt", "open", "hedge", "own", "binding", "error")
    patterns = {name: re.compile(data[name], re.I) for name in names} | {"fillers": re.compile(fillers, re.I)}
    return Language(rules, empty=frozenset(data["empty"].split()), **patterns)
