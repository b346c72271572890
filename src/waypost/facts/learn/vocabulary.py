"""The words by which messages and documentation are read; the lists are in data/words.toml."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_VOWELS = "aeiou"
_WORD = re.compile(r"[^\W\d_][\w'’-]*", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Verb:
    base: str
    third: str  # "returns"
    kind: str  # the list that it stands in


@dataclass(frozen=True, slots=True)
class MessageWords:
    prefixes: Mapping[str, str]  # "feat" → "feature"
    signs: tuple[tuple[str, str], ...]
    verbs: Mapping[str, Verb]  # every form of an English verb
    bases: frozenset[str]
    thirds: frozenset[str]
    nouns: frozenset[str]  # bases that are as often nouns
    foreign: Mapping[str, str]  # a word, or its beginning with a star
    cues: Mapping[str, tuple[str, ...]]
    noise: Mapping[str, str]
    everyday: frozenset[str]  # names of methods
    filler: frozenset[str]  # of documentation
    folders: frozenset[str]  # names that say nothing of what is inside
    helpers: frozenset[str]  # parts of names of files for tests
    stop: frozenset[str]

    def foreign_kind(self, word: str) -> str:
        """The kind of work that a German or Russian word tells, "" for none."""
        if word in self.foreign:
            return self.foreign[word]
        beginnings = (word[:length] + "*" for length in range(len(word), 2, -1))
        return next((self.foreign[one] for one in beginnings if one in self.foreign), "")


@cache
def words() -> MessageWords:
    told: dict[str, Any] = tomllib.loads(
        files("waypost.facts.learn").joinpath("data", "words.toml").read_text(encoding="utf-8")
    )
    verbs = _verbs(told["verbs"], told["irregular"])
    return MessageWords(
        prefixes=_by_word(told["prefixes"]),
        signs=tuple((sign, kind) for kind, signs in told["signs"].items() for sign in signs.split()),
        verbs=verbs,
        bases=frozenset(verb.base for verb in verbs.values()),
        thirds=frozenset(verb.third for verb in verbs.values()),
        nouns=frozenset(told["nouns"]["words"].split()),
        foreign=_by_word(told["foreign"]),
        cues={name: tuple(cues) for name, cues in told["cues"].items()},
        noise=_by_word(told["noise"]),
        everyday=frozenset(told["everyday"]["names"].lower().split()),
        filler=frozenset(told["filler"]["words"].split()),
        stop=frozenset(told["stop"]["words"].split()),
        folders=frozenset(told["folders"]["words"].split()),
        helpers=frozenset(told["helpers"]["words"].split()),
    )


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def content(text: str) -> list[str]:
    """The words that tell something, each once, in their order."""
    stop = words().stop
    return list(dict.fromkeys(word for word in words_of(text) if len(word) > 2 and word not in stop))


def has_cue(text: str, name: str) -> bool:
    """Whether one of the phrases of this list is in the text, as words and not inside of one."""
    return cue_at(text, name) is not None


def cue_at(text: str, name: str) -> tuple[int, int] | None:
    """Where the first of these phrases begins and ends."""
    found = _cue_pattern(name).search(text)
    return (found.start(), found.end()) if found else None


@cache
def _cue_pattern(name: str) -> re.Pattern[str]:
    # Longer ones first. Beginnings of words suffice, for they bend ("fail", "fails", "failed").
    cues = sorted(words().cues[name], key=len, reverse=True)
    end = r"\b" if name in ("by", "against", "reason") else ""
    names = r"\b\w{2,40}(?-i:Error|Exception)\b|" if name == "error" else ""  # of exceptions
    return re.compile(
        names + "|".join((r"\b" if cue[0].isalpha() else "") + re.escape(cue) + end for cue in cues), re.I
    )


def _by_word(lists: Mapping[str, str]) -> dict[str, str]:
    return {word: kind for kind, listed in lists.items() for word in listed.split()}


def _verbs(lists: Mapping[str, str], irregular: Mapping[str, str]) -> dict[str, Verb]:
    forms: dict[str, Verb] = {}
    for kind, listed in lists.items():
        for base in listed.split():
            other = irregular.get(base, "").split()
            verb = Verb(base, other[0] if other else _third(base), kind)
            for form in (base, verb.third, *other, *_endings(base)):
                forms.setdefault(form, verb)
    return forms


def _third(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2] not in _VOWELS else base + "s"


def _endings(base: str) -> Iterable[str]:
    """The past and the -ing form; where a rule doubts, both spellings, for nobody writes the wrong one."""
    stem = base.removesuffix("e")
    yield stem + "ed"
    yield stem + "ing"
    if base.endswith("y"):
        yield base[:-1] + "ied"
    if base[-1] not in _VOWELS + "wxy":
        yield base + base[-1] + "ed"
        yield base + base[-1] + "ing"
