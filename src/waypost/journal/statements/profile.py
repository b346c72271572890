"""What people say about themselves: name, home, work, family, health, goals and how they went.

Rules decide by patterns (`data/profile.toml`) and by what a sentence states.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from waypost.journal.importance.word_lists import LANGUAGES, sentences_of
from waypost.journal.statements.corrections import in_context
from waypost.journal.statements.people import (
    is_general,
    often_mentioned,
    parted_from,
    people_in,
    same_name,
    without_names,
)
from waypost.journal.statements.recognise import SpokenStatement, main_statement, statements_of
from waypost.journal.topics.similarity import topic_terms

Slot = Literal[
    "name",
    "home",
    "work",
    "side_work",
    "languages",
    "age",
    "birthday",
    "people",
    "pets",
    "mentioned",
    "family",
    "health",
    "diet",
    "goal",
    "preference",
    "milestone",
    "status",
    "news",
    "dropped",
]
MOST_OF_A_LIST = 8  # of family, health, goals and preferences, the newest
MOST_PEOPLE = 16
SINGLE: tuple[Slot, ...] = ("name", "home", "work", "languages", "age", "birthday", "diet")  # the newest value holds
_HAPPENED = ("event", "result", "progress", "decision")
_LISTS: tuple[Slot, ...] = ("people", "pets", "mentioned", "family", "health", "goal", "preference", "milestone")
_LISTS += ("status", "news", "dropped")
_NEWS = ("result", "decision", "fact")
_QUOTE = re.compile(r"[\"“„«»][^\"”“«»]{1,300}[\"”“«»]")
_OF_OTHERS = ("health", "family")  # areas in which a shared word is often chance
_NAME = re.compile(r"(?<=\w )[A-ZА-ЯЁ][a-zа-яё]+|^[A-ZА-ЯЁ][a-zа-яё]+(?= and | и | told | said )")
_DROPPED: tuple[Slot, ...] = (
    "home",
    "work",
    "side_work",
    "diet",
    "goal",
    "preference",
)  # what a later sentence can end
_LEAST_DROPPED, _DROPPED_SHARE = 4, 0.25  # letters of a shared term; share of the terms of what is dropped
_STRONG_TERM = 6  # letters; shorter stems are shared by chance
_LIST = re.compile(r",? (?:and|und|и|а) |, ")
_LISTED: tuple[Slot, ...] = ("age", "work", "home")
_MOST_PARTS = 8
LONGEST_TEXT = 1200  # characters of a text that is read


@dataclass(frozen=True, slots=True)
class PersonalFact:
    """A fact about a person.

    `about` is the goal of a status, the fact that was dropped, or the name in news.
    """

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
        for slot in SINGLE:
            is_valid = in_context(statement.sentence, text, language) == statement.sentence
            value = _value(slot, _QUOTE.sub(" ", statement.sentence), language) if is_valid else ""
            if value and not any(fact.slot == slot for fact in facts):
                facts.append(PersonalFact(slot, value, memory_id, day))
        other = _list_slot(statement, language)
        if other is not None:
            facts.append(PersonalFact(other, statement.sentence, memory_id, day))
        if _QUOTE.search(statement.sentence) is None:
            introduced = _listed(statement.sentence, language)
            slots = {fact.slot for fact in facts}
            facts += [PersonalFact(slot, value, memory_id, day) for slot, value in introduced if slot not in slots]
    people = people_in(text, language)
    return facts + [
        PersonalFact("pets" if person.is_pet else "people", person.line, memory_id, day) for person in people
    ]


def facts_over_time(texts: Iterable[SpokenText]) -> list[PersonalFact]:
    """The facts that a person's texts state, in order, with how goals went. What was dropped later is only that."""
    facts: list[PersonalFact] = []
    goals: list[PersonalFact] = []
    texts = list(texts)
    often = often_mentioned([(said.text, said.language, said.id) for said in texts])
    names = list(often)
    for said in texts:
        for name in parted_from(said.text, said.language):
            facts = [
                PersonalFact("dropped", fact.text, said.id, said.day, about=fact.id)
                if fact.slot == "people" and same_name(fact.text.rpartition(": ")[2], name)
                else fact
                for fact in facts
            ]
        dropped = _dropped_terms(said)
        if dropped:
            facts = [
                PersonalFact("dropped", fact.text, said.id, said.day, about=fact.id)
                if _is_dropped(fact, dropped, said.language)
                else fact
                for fact in facts
            ]
            goals = [goal for goal in goals if goal in facts]
        status = status_of(goals, said.text, said.language, names) if goals else None
        if status is not None:
            facts.append(PersonalFact("status", status[1], said.id, said.day, about=status[0]))
        own = personal_facts(said.text, said.language, said.id, said.day)
        has_work = any(fact.slot == "work" for fact in facts)
        is_side = has_work and _is_side_work(said)
        facts += [replace(fact, slot="side_work") if is_side and fact.slot == "work" else fact for fact in own]
        names += [fact.text.rpartition(": ")[2] for fact in own if fact.slot in ("people", "pets")]
        goals += [fact for fact in own if fact.slot == "goal"]
    introduced = [fact.text.rpartition(": ")[2] for fact in facts if fact.slot in ("people", "pets", "dropped")]
    by_id = {said.id: said for said in texts}
    facts += [
        PersonalFact("mentioned", name, id, by_id[id].day)
        for name, ids in often.items()
        if not any(same_name(name, other) for other in introduced)
        for id in ids
    ]
    return facts + list(_news(texts, names))


def _is_side_work(said: SpokenText) -> bool:
    return any(pattern.search(said.text) for pattern in _patterns(said.language)["side"])


def _news(texts: Iterable[SpokenText], names: Sequence[str]) -> Iterator[PersonalFact]:
    """What texts report about people of these names: "Tom has decided to go freelance"."""
    for said in texts:
        for statement in statements_of(said.text, said.language) if len(said.text) <= LONGEST_TEXT else ():
            if statement.is_real and statement.is_own and (statement.is_milestone or statement.kind in _NEWS):
                name = next((name for name in names if statement.sentence.startswith(f"{name} ")), None)
                if name is not None:
                    yield PersonalFact("news", statement.sentence, said.id, said.day, about=name)


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
    for slot in (*SINGLE, *_LISTS):
        of_slot = list({(fact.text, fact.about): fact for fact in facts if fact.slot == slot}.values())
        if slot in ("people", "pets", "mentioned"):  # since when they are known, and the most exact relation
            of_slot = list({fact.text: fact for fact in reversed(facts) if fact.slot == slot}.values())[::-1]
            of_slot = _with_one_relation(of_slot)
        if slot in ("status", "news"):  # the latest of each goal or name
            of_slot = list({fact.about: fact for fact in of_slot}.values())
        if slot == "health":  # an allergy or a medicine outlasts what happened
            lasting = [fact for fact in of_slot if is_lasting_care(fact.text)][-MOST_OF_A_LIST:]
            events = [fact for fact in of_slot if fact not in lasting]
            newest = events[max(0, len(events) - MOST_OF_A_LIST + len(lasting)) :]
            of_slot = [fact for fact in of_slot if fact in lasting or fact in newest]
        most = {"people": MOST_PEOPLE}.get(slot, MOST_OF_A_LIST)
        whole = slot in ("milestone", "status", "news", "dropped")
        kept += of_slot[-1:] if slot in SINGLE else of_slot if whole else of_slot[-most:]
    return kept


def _with_one_relation(people: Sequence[PersonalFact]) -> list[PersonalFact]:
    """Without a general relation, like "Partner", of those who have another one too."""
    exact = {fact.text.rpartition(": ")[2] for fact in people if not is_general(fact.text)}
    return [fact for fact in people if not is_general(fact.text) or fact.text.rpartition(": ")[2] not in exact]


def is_lasting_care(text: str) -> bool:
    """Whether it names an allergy, a medicine or another need that outlasts what happened."""
    return any(pattern.search(text) for language in LANGUAGES for pattern in _patterns(language)["care"])


def _list_slot(statement: SpokenStatement, language: str) -> Slot | None:
    if statement.kind == "goal":
        return None if _has("not_goal", statement.sentence, language) else "goal"
    if statement.kind in ("fact", "preference", "promise") and is_lasting_care(statement.sentence):
        return "health"
    if statement.kind == "preference":
        return "preference" if is_own_preference(statement, language) else None
    if not statement.is_milestone and statement.kind != "fact":
        return None
    if statement.area == "family":
        return "family"
    is_known = _has("first", statement.sentence, language) or not _has("others", statement.sentence, language)
    return "health" if statement.is_milestone and statement.area == "health" and is_known else None


def is_own_preference(statement: SpokenStatement, language: str) -> bool:
    """Whether a sentence says what its speaker likes, needs or wants, and not what is quoted from others."""
    plain = main_statement(_QUOTE.sub(" ", statement.sentence), language)
    is_kind = plain is not None and plain.kind == "preference"
    return is_kind and (_has("first", statement.sentence, language) or not _has("others", statement.sentence, language))


def needs_in(text: str, language: str) -> list[str]:
    """The sentences of a text that say what its speaker likes, needs or eats, and how to answer them."""
    facts = personal_facts(text, language, "", date.min)
    slots = {
        fact.text
        for fact in facts
        if fact.slot == "preference" or (fact.slot == "health" and _has("first", fact.text, language))
    }
    diets = [fact.text for fact in facts if fact.slot == "diet"]
    return [
        statement.sentence
        for statement in statements_of(text, language)
        if (statement.sentence in slots and not _is_illness(statement))
        or any(diet in statement.sentence for diet in diets)
    ]


def _is_illness(statement: SpokenStatement) -> bool:
    return statement.is_milestone and not is_lasting_care(statement.sentence)


def _has(list_: str, text: str, language: str) -> bool:
    return any(pattern.search(text) for pattern in _patterns(language)[list_])


def status_of(
    goals: Sequence[PersonalFact], text: str, language: str, names: Sequence[str] = ()
) -> tuple[str, str] | None:
    """The newest goal that a text reports on, and the sentence that does. None if it reports on none."""
    for statement in statements_of(text, language) if len(text) <= LONGEST_TEXT else ():
        if statement.kind not in _HAPPENED:
            continue
        terms = sentence_terms(without_names(statement.sentence, names), language)
        for goal in reversed(goals):
            fits = statement.area not in _OF_OTHERS or statement.area == _area_of(goal.text, language)
            if fits and terms & sentence_terms(without_names(goal.text, names), language):
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
    for pattern in _patterns(language).get(slot, ()):
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


def _listed(sentence: str, language: str) -> Iterator[tuple[Slot, str]]:
    """What people list when they introduce themselves: "I'm Tom, 41, a teacher from Leeds"."""
    patterns = _patterns(language)
    start = patterns["list_start"][0].match(sentence)
    if start is None:
        return
    first, age = start["name"], start["age"]
    values_by_slot: dict[Slot, str] = {"age": age} if age else {}
    parts = [*_LIST.split(sentence[start.end() :].rstrip(" .!"))[:_MOST_PARTS]]
    if first and any(word.fullmatch(first) for word in patterns.get("no_plain", ())):
        parts.append(first)  # "Ich bin Bäcker, 38, aus Husum"
    elif first:
        values_by_slot["name"] = first
    for part in parts:
        match = next((match for of_part in patterns["list_part"] if (match := of_part.fullmatch(part))), None)
        values = match.groupdict() if match else {}
        if values.get("work") and any(no.match(values["work"]) for no in patterns["list_no_work"]):
            continue
        for slot in _LISTED:
            if (value := values.get(slot)) and not _is_nonsense(value, slot, language):
                values_by_slot.setdefault(slot, value)
    if {"home", "age"} & values_by_slot.keys() and len(
        values_by_slot
    ) > 1:  # else they may be names, or numbers of something else
        yield from values_by_slot.items()


def _is_nonsense(value: str, slot: str, language: str) -> bool:
    """Whether it only looks like a name, a place or work: a day of the week, a program, "for free"."""
    patterns = _patterns(language)
    return any(pattern.match(value) for pattern in (*patterns["nonsense"], *patterns.get(f"no_{slot}", ())))


def _is_negated(match: re.Match[str], language: str) -> bool:
    """Whether the word before, or the beginning of the value, turns it around: "не работаю врачом"."""
    before = match.string[: match.start()].split()[-1:]
    value = match["value"]
    return any(no.match(value) or any(map(no.fullmatch, before)) for no in _patterns(language)["negated"])


@cache
def _patterns(language: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    own = _table().get(language, _table()["en"])
    return {slot: tuple(re.compile(pattern) for pattern in patterns) for slot, patterns in own.items()}


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("waypost.journal") / "data" / "profile.toml").read_text("utf-8"))
