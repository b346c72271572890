"""What people say about themselves: name, home, work, family, health, goals and how they went.

Rules decide by patterns (`data/profile.toml`) and by what a sentence states.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from waypost.journal.importance.word_lists import sentences_of
from waypost.journal.statements.recognise import SpokenStatement, main_statement, statements_of
from waypost.journal.topics.similarity import topic_terms

Slot = Literal[
    "name",
    "home",
    "work",
    "languages",
    "birthday",
    "people",
    "family",
    "health",
    "goal",
    "preference",
    "milestone",
    "status",
    "dropped",
]
MOST_OF_A_LIST = 8  # of people, family, health, goals and preferences, the newest
SINGLE: tuple[Slot, ...] = ("name", "home", "work", "languages", "birthday")  # the newest value holds
_HAPPENED = ("event", "result", "progress", "decision")
_CARE = re.compile(
    r"(?i)allerg|аллерг|vertrage|unverträglich|intoleran|tablet|таблетк|medik|medicat|insulin|инсулин|принимаю|asthma|астма"
    r"|diabet|диабет"
)
_OF_OTHERS = ("health", "family")  # areas in which a shared word is often chance
_NAME = re.compile(r"(?<=\w )[A-ZА-ЯЁ][a-zа-яё]+|^[A-ZА-ЯЁ][a-zа-яё]+(?= and | и | told | said )")
_DROPPED: tuple[Slot, ...] = ("home", "work", "goal", "preference")  # what a later sentence can end
_LEAST_DROPPED, _DROPPED_SHARE = 4, 0.25  # letters of a shared term; share of the terms of what is dropped
_STRONG_TERM = 6  # letters; shorter stems are shared by chance
LONGEST_TEXT = 1200  # characters of a text that is read


@dataclass(frozen=True, slots=True)
class PersonalFact:
    """A fact about a person. `about` is the id of the goal that a status belongs to, or of the fact that was dropped."""

    slot: Slot
    text: str
    id: str
    day: date
    about: str = ""


@dataclass(frozen=True, slots=True)
class SpokenText:
    text: str
    language: str
    id: str
    day: date


def personal_facts(text: str, language: str, memory_id: str, day: date) -> list[PersonalFact]:
    """The facts that one text of a person states."""
    if len(text) > LONGEST_TEXT:
        return []
    statements = statements_of(text, language)
    facts: list[PersonalFact] = []
    if all(statement.is_real for statement in statements):
        facts += [PersonalFact(slot, value, memory_id, day) for slot, value in _introduction(text, language)]
    for statement in statements:
        if not (statement.is_real and statement.is_own):
            continue
        sentence = statement.sentence
        for slot in SINGLE:
            value = _value(slot, sentence, language)
            if value and not any(fact.slot == slot for fact in facts):
                facts.append(PersonalFact(slot, value, memory_id, day))
        facts += [PersonalFact("people", value, memory_id, day) for value in _people(sentence, language)]
        other = _list_slot(statement)
        if other is not None:
            facts.append(PersonalFact(other, sentence, memory_id, day))
    return facts


def facts_over_time(texts: Iterable[SpokenText]) -> list[PersonalFact]:
    """The facts that a person's texts state, in order, with how goals went. What was dropped later is only that."""
    facts: list[PersonalFact] = []
    goals: list[PersonalFact] = []
    for said in texts:
        dropped = _dropped_terms(said)
        if dropped:
            facts = [
                PersonalFact("dropped", fact.text, said.id, said.day, about=fact.id)
                if _is_dropped(fact, dropped, said.language)
                else fact
                for fact in facts
            ]
            goals = [goal for goal in goals if goal in facts]
        status = status_of(goals, said.text, said.language) if goals else None
        if status is not None:
            facts.append(PersonalFact("status", status[1], said.id, said.day, about=status[0]))
        own = personal_facts(said.text, said.language, said.id, said.day)
        facts += own
        goals += [fact for fact in own if fact.slot == "goal"]
    return facts


def _dropped_terms(said: SpokenText) -> frozenset[str]:
    """What a text is about that ends something earlier: "I gave up on Spanish"."""
    patterns = _patterns(said.language)
    terms: set[str] = set()
    for sentence in sentences_of(said.text[:LONGEST_TEXT], said.language):
        cue = next((cue for pattern in patterns["dropped"] if (cue := pattern.search(sentence.text))), None)
        if cue and not sentence.asks:
            reason = patterns["reason"][0].search(sentence.text, cue.end())
            terms |= topic_terms(sentence.text[: reason.start()] if reason else sentence.text, said.language)
    return frozenset(term for term in terms if len(term) >= _LEAST_DROPPED)


def _is_dropped(fact: PersonalFact, terms: frozenset[str], language: str) -> bool:
    own = topic_terms(fact.text.lower(), language)
    return fact.slot in _DROPPED and len(terms & own) >= max(1, _DROPPED_SHARE * len(own))


def holding(facts: Sequence[PersonalFact]) -> list[PersonalFact]:
    """The facts that hold, by slot: the newest of a single value, the newest few of a list, oldest first."""
    kept: list[PersonalFact] = []
    for slot in (*SINGLE, "people", "family", "health", "goal", "preference", "milestone", "status", "dropped"):
        of_slot = list({(fact.text, fact.about): fact for fact in facts if fact.slot == slot}.values())
        if slot == "people":  # since when they are known
            of_slot = list({fact.text: fact for fact in reversed(facts) if fact.slot == slot}.values())[::-1]
        if slot == "status":  # the latest of each goal
            of_slot = list({fact.about: fact for fact in of_slot}.values())
        if slot == "health":  # an allergy or a medicine outlasts what happened
            lasting = [fact for fact in of_slot if _CARE.search(fact.text)][-MOST_OF_A_LIST:]
            events = [fact for fact in of_slot if fact not in lasting]
            newest = events[max(0, len(events) - MOST_OF_A_LIST + len(lasting)) :]
            of_slot = [fact for fact in of_slot if fact in lasting or fact in newest]
        whole = slot in ("milestone", "status", "dropped")
        kept += of_slot[-1:] if slot in SINGLE else of_slot if whole else of_slot[-MOST_OF_A_LIST:]
    return kept


def _list_slot(statement: SpokenStatement) -> Slot | None:
    if statement.kind == "goal":
        return "goal"
    if statement.kind == "preference" and not _CARE.search(statement.sentence):
        return "preference"
    if statement.kind in ("fact", "preference", "promise") and _CARE.search(statement.sentence):
        return "health"
    lasting = statement.is_milestone or statement.kind == "fact"
    if lasting and statement.area == "family":
        return "family"
    return "health" if statement.is_milestone and statement.area == "health" else None


def status_of(goals: Sequence[PersonalFact], text: str, language: str) -> tuple[str, str] | None:
    """The newest goal that a text reports on, and the sentence that does. None if it reports on none."""
    for statement in statements_of(text, language) if len(text) <= LONGEST_TEXT else ():
        if statement.kind not in _HAPPENED:
            continue
        terms = sentence_terms(statement.sentence, language)
        for goal in reversed(goals):
            fits = statement.area not in _OF_OTHERS or statement.area == _area_of(goal.text, language)
            if fits and terms & sentence_terms(goal.text, language):
                return goal.id, statement.sentence
    return None


def _area_of(text: str, language: str) -> str | None:
    statement = main_statement(text, language)
    return statement.area if statement else None


def sentence_terms(text: str, language: str) -> frozenset[str]:
    """Terms that two texts rarely share by chance. A shared name says little; in German all nouns look like names."""
    plain = text if language == "de" else _NAME.sub(" ", text)
    return frozenset(term for term in topic_terms(plain, language) if len(term) >= _STRONG_TERM)


def _value(slot: str, sentence: str, language: str) -> str:
    for pattern in _patterns(language)[slot]:
        for match in pattern.finditer(sentence):
            if not _is_negated(match, language) and not _is_nonsense(match["value"], slot, language):
                return match["value"].strip(" .")
    return ""


def _introduction(text: str, language: str) -> Iterator[tuple[Slot, str]]:
    """The name, home and work with which people begin: "Hi, Jonas here", "Kira, from Kiel"."""
    patterns = _patterns(language)
    matches = (pattern.match(text.strip()) for pattern in patterns["introduction"])
    match = next((match for match in matches if match), None)
    if match is None:
        return
    values = match.groupdict()
    plain = values.get("plain")
    if plain and any(word.fullmatch(plain) for word in patterns["no_plain"]):
        return
    name = values.get("name") or plain or ""
    if not _is_nonsense(name, "name", language):
        yield "name", name
        for slot in SINGLE:
            if slot != "name" and (value := values.get(slot)) and not _is_nonsense(value, slot, language):
                yield slot, value


def _is_nonsense(value: str, slot: str, language: str) -> bool:
    """Whether it only looks like a name, a place or work: a day of the week, a program, "for free"."""
    patterns = _patterns(language)
    return any(pattern.match(value) for pattern in (*patterns["nonsense"], *patterns.get(f"no_{slot}", ())))


def _is_negated(match: re.Match[str], language: str) -> bool:
    """Whether the word before, or the beginning of the value, turns it around: "не работаю врачом"."""
    before = match.string[: match.start()].split()[-1:]
    value = match["value"]
    return any(no.match(value) or any(map(no.fullmatch, before)) for no in _patterns(language)["negated"])


def _people(sentence: str, language: str) -> list[str]:
    """People that a sentence introduces: "Husband: Dieter"."""
    matches = (match for pattern in _patterns(language)["people"] for match in pattern.finditer(sentence))
    matches = (match for match in matches if not _is_nonsense(match["value"], "people", language))
    cases = _table()["relations"]
    pairs = ((match["relation"].casefold(), match["value"]) for match in matches)
    return list(dict.fromkeys(f"{cases.get(relation, relation).capitalize()}: {name}" for relation, name in pairs))


@cache
def _patterns(language: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    own = _table().get(language, _table()["en"])
    return {slot: tuple(re.compile(pattern) for pattern in patterns) for slot, patterns in own.items()}


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("waypost.journal") / "data" / "profile.toml").read_text("utf-8"))
