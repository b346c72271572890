"""Who a person is, from everything they said: collected once, then kept up to date.

Stored are only ids and slots. The text is read again each time, so that corrected and forgotten entries change the page.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from waypost.flows.journal_files.tally import journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal.roles import role_of
from waypost.journal.statements.corrections import in_context
from waypost.journal.statements.matters import (
    DatedSentence,
    ends_a_plan,
    is_milestone,
    is_minor,
    is_pending,
    outcome_of,
    outdated,
)
from waypost.journal.statements.profile import (
    LONGEST_TEXT,
    PersonalFact,
    SpokenText,
    facts_over_time,
    holding,
    is_lasting_care,
)
from waypost.journal.statements.recognise import main_statement, statements_of
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment

_READ_AGAIN = timedelta(days=60)  # what was said since then is read at each refresh
_KEPT = "journal_person"  # ids, by slot
_MOST_STORED = 400
_SURE_LANGUAGE = 60  # characters that show a language
_PASSING_SLOTS = ("family", "health", "preference", "news")  # of which sentences can lose their point
_SENTENCES = ("family", "health", "goal", "preference", "milestone", "status", "news")  # in the person's words
# How long they stay without news: an illness that is no lasting one, an expected event, a plan.
_LASTS = {"health": timedelta(days=45), "family": timedelta(days=300), "goal": timedelta(days=270)}


def person_of(space: OpenSpace) -> list[PersonalFact]:
    """The facts that hold, by slot: the newest of a single value, the newest few of a list, oldest first."""
    facts = _all_facts(space)
    _store(space, facts)
    current = holding(facts)
    today = space.journal.today(space.clock())
    news = {fact.about: fact.day for fact in current if fact.slot == "status"}
    return [fact for fact in current if not _is_stale(fact, news.get(fact.id, fact.day), today)]


def _is_stale(fact: PersonalFact, last: date, today: date) -> bool:
    is_lasting = fact.slot == "health" and is_lasting_care(fact.text)
    return fact.slot in _LASTS and not is_lasting and today - last > _LASTS[fact.slot]


def _all_facts(space: OpenSpace) -> list[PersonalFact]:
    now = space.clock()
    view = View(Moment(now), collections=("journal",), archived=True)
    with space.store.read() as reader:
        stored: list[str] | None = json.loads(reader.meta.get(journal_key(space, _KEPT)) or "null")
        first = now - _READ_AGAIN if stored is not None else now - timedelta(days=36_500)
        recent = reader.journal.entries_between(first, now + timedelta(microseconds=1), view)
        known_ids = {version.memory_id for version in recent}
        older = [reader.memories.version(ident, Moment(now)) for ident in stored or () if ident not in known_ids]
    versions = [version for version in older if version is not None and (version.time or version.valid_from) <= now]
    return _facts_of(space, [*versions, *recent])


def _facts_of(space: OpenSpace, versions: Iterable[Version]) -> list[PersonalFact]:
    in_order = sorted(versions, key=lambda version: (version.time or version.valid_from, version.memory_id))
    own = [version for version in in_order if role_of(version.speaker, version.kind) == "person"]
    main = Counter(version.language or "en" for version in own).most_common(1)
    texts = [
        SpokenText(
            version.text,
            _language(version, main[0][0]),
            version.memory_id,
            space.journal.today(version.time or version.valid_from),
        )
        for version in own
    ]
    return _holding_facts(texts, space.journal.today(space.clock()))


def _language(version: Version, main: str) -> str:
    """The language of a text. A few words look like another of the same script."""
    own = version.language or "en"
    is_doubtful = len(version.text) < _SURE_LANGUAGE and {own, main} <= {"en", "de"}
    return main if is_doubtful else own


def _holding_facts(texts: Sequence[SpokenText], today: date) -> list[PersonalFact]:
    """The facts of these texts and their milestones, without what no longer holds today. Goals keep their status."""
    sentences = [
        (said, statement, DatedSentence(statement.sentence, said.language, said.day))
        for said in texts
        if len(said.text) <= LONGEST_TEXT
        for statement in statements_of(said.text, said.language)
        if statement.is_real and statement.is_own and statement.kind != "remark"
    ]
    gone = outdated([sentence for _, _, sentence in sentences], today)
    gone_texts = {(sentences[place][0].id, sentences[place][2].text) for place in gone}
    languages = {said.id: said.language for said in texts}
    whole: dict[str, PersonalFact] = {}  # one line for each text
    for place, (said, statement, sentence) in enumerate(sentences):
        if place not in gone and statement.area != "health" and is_milestone(sentence.text, sentence.language):
            before = f"{whole[said.id].text} " if said.id in whole else ""
            whole[said.id] = PersonalFact("milestone", before + sentence.text, said.id, said.day)
    milestones = list(whole.values())
    outcomes = [
        PersonalFact("status", sentences[outcome][2].text, sentences[outcome][0].id, sentences[outcome][0].day, said.id)
        for place, (said, statement, _) in enumerate(sentences)
        if statement.kind == "goal"
        and (outcome := outcome_of([sentence for _, _, sentence in sentences], place)) is not None
    ]
    facts = (
        milestones
        + [
            fact
            for fact in facts_over_time(texts)
            if not (fact.slot in _PASSING_SLOTS and (fact.id, fact.text) in gone_texts)
            and not (fact.slot == "family" and fact.id in whole and fact.text in whole[fact.id].text)
            and not (fact.slot == "family" and is_minor(fact.text, languages.get(fact.id, "en")))
            and not (fact.slot == "news" and _is_expected(fact.text, languages.get(fact.id, "en")))
            and not (fact.slot == "goal" and ends_a_plan(fact.text, languages.get(fact.id, "en")))
        ]
        + outcomes
    )
    return list(_in_context(facts, {said.id: said for said in texts}))


def _in_context(facts: Iterable[PersonalFact], said: Mapping[str, SpokenText]) -> Iterator[PersonalFact]:
    """The facts with what corrects them right after, and without those that are retracted there."""
    for fact in facts:
        source = said.get(fact.id)
        is_sentence = source is not None and len(source.text) <= LONGEST_TEXT and fact.slot in _SENTENCES
        text = in_context(fact.text, source.text, source.language) if source and is_sentence else fact.text
        if text:
            yield fact if text == fact.text else replace(fact, text=text)


def _is_expected(text: str, language: str) -> bool:
    """Whether it is only planned or expected, and not decided."""
    statement = main_statement(text, language)
    return statement is not None and statement.kind != "decision" and is_pending(text, language)


def _store(space: OpenSpace, facts: Sequence[PersonalFact]) -> None:
    named = (ident for fact in facts for ident in (fact.id, fact.about) if ident)
    ids = list(dict.fromkeys(named))[-_MOST_STORED:]
    key, value = journal_key(space, _KEPT), json.dumps(ids)
    with space.store.read() as reader:
        if reader.meta.get(key) == value:
            return
    with space.store.write() as writer:
        writer.meta.set(key, value)
