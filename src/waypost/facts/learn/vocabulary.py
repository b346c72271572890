"""The vocabulary for reading messages and documentation. The lists are in data/words.toml."""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.text.identifiers import identifier_parts

_VOWELS = "aeiou"
_WORD = re.compile(r"[^\W\d_][\w'’-]*", re.UNICODE)
STEM = 5  # letters by which words are compared


@dataclass(frozen=True, slots=True)
class Verb:
    base: str
    third: str  # "returns"
    kind: str  # the list it belongs to


@dataclass(frozen=True, slots=True)
class MessageVocabulary:
    prefixes: Mapping[str, str]  # "feat" → "feature"
    signs: tuple[tuple[str, str], ...]
    verbs: Mapping[str, Verb]  # every form of an English verb
    bases: frozenset[str]
    thirds: frozenset[str]
    nouns: frozenset[str]  # bases that are nouns as often
    foreign: Mapping[str, str]  # a word, or its beginning with a star
    cues: Mapping[str, tuple[str, ...]]
    noise: Mapping[str, str]
    everyday: frozenset[str]  # common method names
    filler: frozenset[str]  # of documentation
    helpers: frozenset[str]  # parts of names of test files
    stop: frozenset[str]

    def foreign_kind(self, word: str) -> str:
        """The kind of work of a German or Russian word, or an empty string."""
        if word in self.foreign:
            return self.foreign[word]
        beginnings = (word[:length] + "*" for length in range(len(word), 2, -1))
        return next((self.foreign[beginning] for beginning in beginnings if beginning in self.foreign), "")


@cache
def word_data() -> dict[str, Any]:
    return tomllib.loads(files("waypost.facts.learn").joinpath("data", "words.toml").read_text(encoding="utf-8"))


@cache
def vocabulary() -> MessageVocabulary:
    data = word_data()
    verbs = _verbs(data["verbs"], data["irregular"])
    return MessageVocabulary(
        prefixes=_by_word(data["prefixes"]),
        signs=tuple((sign, kind) for kind, signs in data["signs"].items() for sign in signs.split()),
        verbs=verbs,
        bases=frozenset(verb.base for verb in verbs.values()),
        thirds=frozenset(verb.third for verb in verbs.values()),
        nouns=frozenset(data["nouns"]["words"].split()),
        foreign=_by_word(data["foreign"]),
        cues={name: tuple(cues) for name, cues in data["cues"].items()},
        noise=_by_word(data["noise"]),
        everyday=frozenset(data["everyday"]["names"].lower().split()),
        filler=frozenset(data["filler"]["words"].split()),
        stop=frozenset(data["stop"]["words"].split()),
        helpers=frozenset(data["helpers"]["words"].split()),
    )


def words_in(text: str) -> list[str]:
    """The words of a text in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """The words with content, each once, in order."""
    stop = vocabulary().stop
    return list(dict.fromkeys(word for word in words_in(text) if len(word) > 2 and word not in stop))


def name_stems(name: str, longer_than: int = 0) -> set[str]:
    """The beginnings of the words in a name, for comparing it with prose."""
    parts = identifier_parts(re.sub(r"\W+", "_", name))
    return {part.lower()[:STEM] for part in parts if len(part) > longer_than}


def subject_key(subject: str) -> str:
    """The same key for all spellings of a subject, so that a change on another branch is recognised."""
    return hashlib.blake2b(" ".join(words_in(subject)).encode(), digest_size=6).hexdigest()


def has_cue(text: str, name: str) -> bool:
    """Whether the text contains a phrase of this list, as whole words."""
    return _cue_pattern(name).search(text) is not None


@cache
def _cue_pattern(name: str) -> re.Pattern[str]:
    # Longer ones first. Word beginnings are enough, as words are inflected ("fail", "fails", "failed").
    cues = sorted(vocabulary().cues[name], key=len, reverse=True)
    end = r"\b" if name == "reason" else ""
    names = r"\b\w{2,40}(?-i:Error|Exception)\b|" if name == "error" else ""  # of exceptions
    return re.compile(
        names + "|".join((r"\b" if cue[0].isalpha() else "") + re.escape(cue) + end for cue in cues), re.I
    )


def _by_word(lists: Mapping[str, str]) -> dict[str, str]:
    return {word: kind for kind, word_list in lists.items() for word in word_list.split()}


def _verbs(lists: Mapping[str, str], irregular: Mapping[str, str]) -> dict[str, Verb]:
    forms: dict[str, Verb] = {}
    for kind, word_list in lists.items():
        for base in word_list.split():
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
    """The past and -ing forms. In doubt both spellings, as nobody writes the wrong one."""
    stem = base.removesuffix("e")
    yield stem + "ed"
    yield stem + "ing"
    if base.endswith("y"):
        yield base[:-1] + "ied"
    if base[-1] not in _VOWELS + "wxy":
        yield base + base[-1] + "ed"
        yield base + base[-1] + "ing"
