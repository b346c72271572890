"""Importance of journal entries, by rules or by a language model, given everything said before."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, timedelta

from waypost.errors import LlmError, LlmLimit, LlmUnavailable
from waypost.flows.open_space import OpenSpace
from waypost.journal.importance.history import EntryWorth, JudgedTurn, TopicMentions, in_order, judge_turns, subject_of
from waypost.journal.importance.model import AT_ONCE, JudgedUtterance, ModelJudgement, answers_from_json, prompt_fields
from waypost.journal.importance.utterance import UtteranceReading
from waypost.journal.period_pages.topic_names import label_fits
from waypost.journal.roles import role_of
from waypost.journal.topics.groups import find_topics
from waypost.journal.topics.similarity import Meaning, Subject
from waypost.llm.answer import complete_json
from waypost.llm.prompt import template
from waypost.llm.protocol import Llm
from waypost.model.journal import Entry, ScoredEntry
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Reader
from waypost.text.language import language_of

_LOOK_BACK = timedelta(days=120)  # mentions count by week and month: older ones do not matter
_REMEMBERED = 50_000
_EMBEDDED_AT_ONCE = 256  # texts without a vector that are embedded at once; a worker embeds more
_ASKED_FOR = timedelta(days=7)  # older entries are not sent to a model: their day was judged before
_ANSWER_TOKENS = 200  # for each utterance
DayOf = Callable[[datetime], date]
_JUDGED = "importance:"  # in the table `meta`, by the memory's id: mark of the text, points, model


def scored(
    space: OpenSpace,
    entries: Sequence[Entry],
    at: datetime,
    *,
    llm: Llm | None = None,
    notices: list[str] | None = None,
) -> list[ScoredEntry]:
    """The importance of each entry as of `at`, in the order given, with its topic.

    What was said until then counts: these entries, and all others in the journal. A model judges recent statements of
    people, once each; its answers are stored. `notices` collects what failed.
    """
    idents = [entry.id or f"entry {place}" for place, entry in enumerate(entries)]
    with space.store.read() as reader:
        versions = {version.memory_id: version for version in _journal(reader, entries, at)}
    day_of = space.journal.today
    own = {
        ident: _turn_of_entry(ident, entry, versions.get(ident), day_of)
        for ident, entry in zip(idents, entries, strict=True)
    }
    others = [_turn_of_version(version, day_of) for ident, version in versions.items() if ident not in own]
    turns = in_order([*own.values(), *(turn for turn in others if turn.at <= at)])
    topics = _topics(space, turns, own.keys(), versions)
    turns_to_judge = [turn for turn in own.values() if turn.role == "person" and turn.ident in versions and turn.text]
    readings = _judged_by_model(space, turns_to_judge, topics, at, llm, notices if notices is not None else [])
    judged = judge_turns(turns, own.keys(), topics, at, readings)
    return [_named(entry, judged[ident]) for ident, entry in zip(idents, entries, strict=True)]


def _named(entry: Entry, worth: EntryWorth) -> ScoredEntry:
    """The entry with its topic, named only if it mentions it: pages count and list what has a name.

    Entries near in meaning, answers and follow-ups share the topic's number all the same.
    """
    label = worth.label if worth.label and label_fits(worth.label, entry.held or "") else ""
    return ScoredEntry(entry, worth.score, worth.topic, label)


# -- turns


def _turn_of_entry(ident: str, entry: Entry, version: Version | None, day_of: DayOf) -> JudgedTurn:
    text, role = entry.held or "", role_of(entry.speaker, entry.kind)
    if role != "person":
        language = ""  # only what people say is read
    else:
        language = (version.language if version is not None and version.text == text else language_of(text)) or "en"
    return JudgedTurn(ident, text, entry.at, day_of(entry.at), role, entry.kind, entry.session, language)


def _turn_of_version(version: Version, day_of: DayOf) -> JudgedTurn:
    said_at, role = version.time or version.valid_from, role_of(version.speaker, version.kind)
    language = version.language or "en"
    return JudgedTurn(
        version.memory_id, version.text, said_at, day_of(said_at), role, version.kind, version.session, language
    )


def _journal(reader: Reader, entries: Sequence[Entry], at: datetime) -> list[Version]:
    """What the journal holds of the time in which mentions count, archived entries included."""
    view = View(Moment(at), collections=("journal",), archived=True)
    first = min([entry.at for entry in entries if entry.at > at - _LOOK_BACK] or [at]) - _LOOK_BACK
    return reader.journal.entries_between(first, at + timedelta(microseconds=1), view)


# -- topics


def _topics(
    space: OpenSpace, turns: Sequence[JudgedTurn], own: Collection[str], versions: Mapping[str, Version]
) -> TopicMentions:
    subjects = [(turn, subject) for turn in turns if (subject := subject_of(turn)) is not None]
    meanings = _meanings(space, [turn for turn, _ in subjects], versions)
    topics = find_topics([subject for _, subject in subjects], meanings, _places_of(own, turns, subjects))
    return TopicMentions(
        turns, {turn.ident: number for (turn, _), number in zip(subjects, topics.of, strict=True)}, topics
    )


def _places_of(
    own: Collection[str], turns: Sequence[JudgedTurn], subjects: Sequence[tuple[JudgedTurn, Subject]]
) -> set[int]:
    """Indices of subjects whose topics are needed: the given entries, and what they answer."""
    sessions = {turn.session for turn in turns if turn.ident in own and turn.session}
    days = {turn.day for turn in turns if turn.ident in own and not turn.session}
    return {
        place
        for place, (turn, _) in enumerate(subjects)
        if turn.ident in own or turn.session in sessions or (not turn.session and turn.day in days)
    }


def _meanings(space: OpenSpace, turns: Sequence[JudgedTurn], versions: Mapping[str, Version]) -> list[Meaning]:
    import numpy as np

    hashes = [_hash_of(turn, versions.get(turn.ident)) for turn in turns]
    made: list[Meaning] = []
    with space.store.read() as reader:
        engines = space.engines.active(reader)
        stored_vectors = {
            engine.name: reader.vectors.get(engine.name, [mark for mark in hashes if mark]) for engine in engines
        }
    for engine in engines:
        vectors = stored_vectors[engine.name]
        missing = [place for place, mark in enumerate(hashes) if mark not in vectors]
        texts = [turns[place].text for place in missing]
        fresh = space.engines.embed(engine, texts) if 0 < len(texts) <= _EMBEDDED_AT_ONCE else None
        if not vectors and fresh is None:
            continue  # only keywords are available
        size = len(fresh[0]) if fresh is not None else len(next(iter(vectors.values())))
        table = np.zeros((len(turns), size), np.float32)
        for place, mark in enumerate(hashes):
            if mark in vectors:
                table[place] = vectors[mark]
        if fresh is not None:
            table[missing] = fresh
        made.append(Meaning(table, beside=bool(made)))
    return made


_hashes: dict[tuple[str, int], bytes] = {}  # of a version's first passage, which never changes


def _hash_of(turn: JudgedTurn, version: Version | None) -> bytes:
    if version is None or version.text != turn.text:
        return b""
    key = (version.memory_id, version.number)
    if key not in _hashes:
        if len(_hashes) > _REMEMBERED:
            _hashes.clear()
        passages = passages_of(version)
        _hashes[key] = passages[0].content_hash if passages else b""
    return _hashes[key]


# -- by a language model


def _judged_by_model(
    space: OpenSpace,
    turns: Sequence[JudgedTurn],
    topics: TopicMentions,
    at: datetime,
    llm: Llm | None,
    notices: list[str],
) -> dict[str, UtteranceReading]:
    if space.settings.llm is None and llm is None:
        return {}
    key = space.tombstone_key()
    with space.store.read() as reader:
        kept = {turn.ident: _stored_reading(reader.meta.get(_JUDGED + turn.ident), turn, key) for turn in turns}
    readings = {turn.ident: reading for turn in turns if (reading := kept[turn.ident]) is not None}
    new = in_order([turn for turn in turns if turn.ident not in readings and at - _ASKED_FOR <= turn.at <= at])
    for start in range(0, len(new) if llm is not None else 0, AT_ONCE):
        some = new[start : start + AT_ONCE]
        assert llm is not None
        try:
            judged = _model_judgements(llm, some, topics)
        except LlmError as error:
            notices.append(f"Judged by rules, because the model did not: {error.what}")
            if isinstance(error, (LlmUnavailable, LlmLimit)):  # the next one would fail too
                break
            continue
        with space.store.write() as writer:
            for place, judgement in judged.items():
                turn = some[place]
                value = f"{_mark(turn.text, key)} {judgement.explicit} {judgement.relevance} {llm.name}"
                writer.meta.set(_JUDGED + turn.ident, value)
                readings[turn.ident] = judgement.reading(turn.text, turn.language, llm.name)
    return readings


def _stored_reading(value: str | None, turn: JudgedTurn, key: bytes) -> UtteranceReading | None:
    """A model's earlier judgement of the same text. Its reasons are not stored: they might repeat forgotten text."""
    mark, explicit, relevance, name = (value or "   ").split(" ", 3)
    if mark != _mark(turn.text, key):
        return None
    return ModelJudgement(int(explicit), int(relevance)).reading(turn.text, turn.language, name)


def _mark(text: str, key: bytes) -> str:
    """A keyed hash that shows whether a text is the same, without revealing it."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=8).hexdigest()


def _model_judgements(llm: Llm, turns: Sequence[JudgedTurn], topics: TopicMentions) -> dict[int, ModelJudgement]:
    candidates = [
        JudgedUtterance(
            turn.text,
            turn.day,
            len({(mention.day, mention.conversation) for mention in mentions}),
            min(mention.day for mention in mentions),
        )
        for turn in turns
        for mentions in (topics.mentions(turn),)
    ]
    prompt = template("importance").fill(prompt_fields(candidates))
    return complete_json(
        llm, prompt, lambda answer: answers_from_json(answer, len(turns)), max_tokens=_ANSWER_TOKENS * len(turns)
    )
