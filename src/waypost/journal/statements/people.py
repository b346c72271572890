"""Who is around a person: relatives, partners, friends, colleagues and animals, and names they often mention.

Rules decide by patterns (`data/people.toml`).
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.journal.importance.word_lists import LANGUAGES
from waypost.journal.statements.recognise import statements_of

LEAST_MENTIONS, LEAST_DEEDS = 3, 2  # texts in which a name stands, and in which it does what people do
_FOLLOWING = 2  # sentences after an arrival in which a name may stand
_QUOTE = re.compile(r"[\"“„«»][^\"”“«»]{1,300}[\"”“«»]")
_LEAST_STEM = 3  # letters of a name that stay in all cases


@dataclass(frozen=True, slots=True)
class Person:
    relation: str
    name: str
    is_pet: bool = False

    @property
    def line(self) -> str:
        return f"{self.relation[:1].upper()}{self.relation[1:]}: {self.name}"


@dataclass(frozen=True, slots=True)
class _Words:
    patterns: Mapping[str, tuple[re.Pattern[str], ...]]
    fiction: re.Pattern[str]
    of_another: re.Pattern[str]
    no_name: re.Pattern[str]
    deed: re.Pattern[str]
    born: re.Pattern[str]
    table: Mapping[str, Any]


def people_in(text: str, language: str) -> list[Person]:
    """People and animals that a text introduces with their relation to the person."""
    words = _words(language)
    sentences = _own_sentences(text, language)
    people: list[Person] = []
    for place, sentence in enumerate(sentences):
        if words.fiction.search(sentence):
            continue
        people += _introduced(sentence, words)
        for match in _matches("arrived", sentence, words):
            relation = _relation(match["relation"])
            name = _name_after(match, sentences[place : place + _FOLLOWING + 1], words)
            people += [Person(relation, name, _is_pet(relation, words))] if name else []
        for match in _matches("born", sentence, words):
            relation = _of(match["other"], words.table["child_label"], words)
            name = _name_after(match, sentences[place : place + _FOLLOWING + 1], words)
            people += [Person(relation, name)] if name else []
        people += [
            Person(words.table["partner_label"], _nominative(match["value"], words))
            for match in _matches("partner", sentence, words)
        ]
    return list(dict.fromkeys(people))


def parted_from(text: str, language: str) -> list[str]:
    """The names of those with whom a text ends a love."""
    words = _words(language)
    sentences = _own_sentences(text, language)
    return [
        _nominative(match["value"], words) for sentence in sentences for match in _matches("ended", sentence, words)
    ]


def subject_of(text: str, language: str) -> str:
    """The name with which a sentence begins, if it is that of somebody who does something."""
    words = _words(language)
    match = words.deed.match(text) or words.born.match(text)
    return "" if match is None or words.no_name.match(match[1]) else match[1]


def same_name(name: str, other: str) -> bool:
    """Whether two names are the same, perhaps in different cases: Антоном, Антон."""
    stem = max(_LEAST_STEM, min(len(name), len(other)) - 1)
    return name[:stem] == other[:stem] and abs(len(name) - len(other)) <= _FOLLOWING


def is_general(line: str) -> bool:
    """Whether a line names somebody with a relation that others make more exact: "Partner: Tom"."""
    relation = line.partition(": ")[0].casefold()
    return any(relation == _words(language).table["partner_label"].casefold() for language in LANGUAGES)


def often_mentioned(texts: Iterable[tuple[str, str, str]]) -> dict[str, list[str]]:
    """Names of people that texts (text, language, id) mention again and again, with these ids, most often first.

    A name counts if it does what people do: it says, wants, laughs.
    """
    deeds: dict[str, set[str]] = defaultdict(set)
    said = list(texts)
    for text, language, id in said:
        words = _words(language)
        for match in words.deed.finditer(text):
            if not words.no_name.match(match["value"]):
                deeds[match["value"]].add(id)
    names = [name for name, ids in deeds.items() if len(ids) >= LEAST_DEEDS]
    if not names:
        return {}
    mentions: dict[str, dict[str, None]] = {name: {} for name in names}
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    for text, _, id in said:
        for match in pattern.finditer(text):
            mentions[match[0]][id] = None
    often = [(name, list(ids)) for name, ids in mentions.items() if len(ids) >= LEAST_MENTIONS]
    return dict(sorted(often, key=lambda pair: -len(pair[1])))


def _own_sentences(text: str, language: str) -> list[str]:
    """What somebody states themselves, without quotes."""
    statements = (statement for statement in statements_of(text, language) if statement.is_real and statement.is_own)
    return [_QUOTE.sub(" ", statement.sentence) for statement in statements]


def _introduced(sentence: str, words: _Words) -> Iterator[Person]:
    for match in _matches("introduced", sentence, words):
        if not words.of_another.search(sentence[: match.start()]) and _is_nominative(match, words):
            relation = _relation(match["relation"])
            yield Person(relation, match["value"], _is_pet(relation, words))
    for match in _matches("spouse_of", sentence, words):
        yield Person(_of(match["other"], _relation(match["relation"]), words), match["value"])
    for match in _matches("lives", sentence, words):
        yield Person(_relation(match["relation"]), words.table["lives_label"].format(place=match["value"]))


def _name_after(match: re.Match[str], sentences: Sequence[str], words: _Words) -> str:
    """The name that a sentence gives after a match, or one of the next sentences."""
    rests = (sentences[0][match.end() :], *sentences[1:])
    return next((name["value"] for rest in rests for name in _matches("named", rest, words)), "")


def _of(other: str, relation: str, words: _Words) -> str:
    return str(words.table["spouse_label"].format(relation=relation, other=other))


def _nominative(name: str, words: _Words) -> str:
    """A name as pages show it: Антон for Антоном, Анна for Анной."""
    if "oblique" not in words.table or not re.search(words.table["oblique"] + "|а$|я$", name):
        return name
    for man in (*words.table["men"].split("|"), *words.table["short_men"].split("|")):
        if same_name(man, name):
            return str(man)
    return re.sub("(?:ой|у|ы|е)$", "а", re.sub("(?:ей|ю)$", "я", name))


def _matches(list_: str, sentence: str, words: _Words) -> Iterator[re.Match[str]]:
    matches = (match for pattern in words.patterns[list_] for match in pattern.finditer(sentence))
    return (match for match in matches if not words.no_name.match(match.groupdict().get("value", "")))


def _is_nominative(match: re.Match[str], words: _Words) -> bool:
    """Whether a name is the relation's, not its owner's: "сестра Анна", not "сестра Антона"."""
    oblique, name = words.table.get("oblique"), match["value"].split()[0]
    if oblique is None or name in words.table["men"].split("|") or name in words.table["short_men"].split("|"):
        return True
    if re.search(oblique, name):
        return False
    if not name.endswith(("а", "я")):
        return True
    if re.search(words.table["men_relation"], match["relation"]):
        return False
    return not any(man.removesuffix("й").removesuffix("ь") == name[:-1] for man in words.table["men"].split("|"))


def _is_pet(relation: str, words: _Words) -> bool:
    return relation.casefold() in words.table["pet"].casefold().split("|")


def _relation(said: str) -> str:
    return str(_table()["cases"].get(said) or _table()["cases"].get(said.casefold(), said.strip()))


@cache
def _words(language: str) -> _Words:
    table = _table()[language if language in LANGUAGES else "en"]
    parts = {name: table[name] for name in ("relation", "pet", "own", "name")}

    def filled(pattern: str) -> re.Pattern[str]:
        for name, value in parts.items():
            pattern = pattern.replace(f"{{{name}}}", value if name == "name" else f"(?:{value})")
        return re.compile(pattern)

    lists = {
        name: tuple(map(filled, table[name]))
        for name in ("introduced", "spouse_of", "partner", "ended", "arrived", "born", "lives", "named")
    }
    start = r"(?:^|(?<=[.!?,;:] )|(?<=und )|(?<=dass ))" if language == "de" else r"(?<![\w-])"
    return _Words(
        lists,
        re.compile(table["fiction"]),
        re.compile(table["of_another"]),
        re.compile(table["no_name"]),
        re.compile(rf"{start}(?P<value>[A-ZÄÖÜА-ЯЁ][a-zäöüßа-яё]+) (?:{table['does']})(?!\w)"),
        re.compile("|".join(pattern.pattern for pattern in lists["born"]) or "(?!)"),
        table,
    )


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("waypost.journal") / "data" / "people.toml").read_text("utf-8"))


def without_names(text: str, names: Sequence[str]) -> str:
    """The text without these names, also in other cases of the same beginning."""
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}\w{{0,3}}(?!\w)", " ", text)
    return text
