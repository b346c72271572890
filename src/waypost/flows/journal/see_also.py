"""Relations across days: links between related entries, similar conversations, topics over time."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from waypost.errors import InvalidInput, NotFound
from waypost.flows.journal.importance import scored
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.tally import day_entries
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import Month, Week, archived_path, day_path
from waypost.journal.memory_page.days import stands_alone
from waypost.journal.memory_page.lines import one_line
from waypost.journal.memory_page.tally import files_by_day
from waypost.journal.period_pages.text_rank import content_stems
from waypost.journal.roles import role_of
from waypost.journal.statements.recognise import main_statement
from waypost.model.journal import ScoredEntry
from waypost.model.json_row import json_row
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Edge, Filter, Reader
from waypost.text.keywords import query_terms

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

SEE_ALSO = "see_also"
MOST_LINKS = 3  # of an entry
LEAST_WORTH = 2  # importance of entries that are linked
# Cosines halfway between unrelated statements and paraphrases, as measured for topics. Within one topic, entries may
# be further apart.
ALIKE, ALIKE_IN_TOPIC = 0.55, 0.40
_SHORT = 3  # letters; texts share shorter stems by chance
SAME = 0.7  # below it, a page shows a link only between texts that share a word
_LOOKED_AT = 40  # neighbours of an entry
_WEIGHTS = (4, 2, 1)  # of the most similar entries: one match by chance is not enough
_WORDS_OF_A_CONVERSATION = 4000  # characters
_VERSIONS_AT_ONCE = 1000
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Similar:
    session: str
    score: float  # 0-1
    first: datetime
    entries: int  # similar ones
    id: str  # of the most similar entry
    text: str

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "first", score=round(self.score, 4), time=self.first.isoformat())


# -- links


def link_related(space: OpenSpace, items: Sequence[ScoredEntry], at: datetime) -> int:
    """Link entries with related ones of other days, as far as they have vectors. Returns the number of links.

    Links work in both directions. Must run outside of a transaction.
    """
    chosen = [item for item in items if item.entry.id and item.score.score >= LEAST_WORTH and stands_alone(item.entry)]
    with space.store.read() as reader:
        linking = _Linking(space, reader, at, {item.entry.id or "": item for item in chosen})
        for item in chosen:
            linking.link(item)
    edges = linking.edges
    if edges:
        with space.store.write() as writer:
            for edge in edges.values():
                if writer.memories.versions(edge.from_id) and writer.memories.versions(
                    edge.to_id
                ):  # else one was forgotten meanwhile
                    writer.edges.add(edge)
        note(space, "linked", links=len(edges))
    return len(edges)


@dataclass(slots=True)
class _Linking:
    space: OpenSpace
    reader: Reader
    at: datetime
    items: Mapping[str, ScoredEntry]
    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)
    _linked: dict[str, set[str]] = field(default_factory=dict)

    def link(self, item: ScoredEntry) -> None:
        now = self.space.clock()
        version = self.reader.memories.version(item.entry.id or "", Moment(now))
        if version is None or len(self._links(version.memory_id)) >= MOST_LINKS:
            return
        mine = self._links(version.memory_id)
        for other, cosine in _neighbours(self.space, self.reader, version, self.at):
            if cosine < ALIKE_IN_TOPIC or len(mine) >= MOST_LINKS:
                return
            theirs = self._links(other.memory_id)
            if other.memory_id in mine or len(theirs) >= MOST_LINKS or not _is_other_day(self.space, version, other):
                continue
            if cosine >= ALIKE or self._has_same_topic(item, other):
                first, second = sorted((version.memory_id, other.memory_id))
                self.edges[first, second] = Edge(SEE_ALSO, first, second, round(cosine, 3), now)
                mine.add(other.memory_id)
                theirs.add(version.memory_id)

    def _links(self, memory_id: str) -> set[str]:
        if memory_id not in self._linked:
            edges = [edge for edge in self.reader.edges.of_memory(memory_id) if edge.kind == SEE_ALSO]
            self._linked[memory_id] = {end for edge in edges for end in (edge.from_id, edge.to_id)} - {memory_id}
        return self._linked[memory_id]

    def _has_same_topic(self, item: ScoredEntry, other: Version) -> bool:
        theirs = self.items.get(other.memory_id)
        return theirs is not None and item.topic != 0 and theirs.topic == item.topic


class RelatedEntry(NamedTuple):
    id: str
    day: date
    cosine: float = 0.0


def related_to(space: OpenSpace, reader: Reader, memory_ids: Collection[str]) -> dict[str, list[RelatedEntry]]:
    """The entries linked with these that are current, most similar first."""
    edges = sorted(
        reader.edges.of_kinds(memory_ids, (SEE_ALSO,)), key=lambda edge: (-edge.strength, edge.from_id, edge.to_id)
    )
    ends = {end for edge in edges for end in (edge.from_id, edge.to_id)}
    now = Moment(space.clock())
    current = {
        memory_id: version for memory_id in ends if (version := reader.memories.version(memory_id, now)) is not None
    }
    related: dict[str, list[RelatedEntry]] = {}
    for edge in edges:
        for member, other in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id)):
            if member in memory_ids and other in current:
                said = current[other].time or current[other].valid_from
                related.setdefault(member, []).append(RelatedEntry(other, space.journal.today(said), edge.strength))
    return related


def see_also(space: OpenSpace, memory_ids: Iterable[str], before: date) -> dict[str, list[str]]:
    """For each entry the archived files of earlier days with related entries, for summaries."""
    with space.store.read() as reader:
        related = related_to(space, reader, list(dict.fromkeys(memory_ids)))
        ids = {other.id for row in related.values() for other in row} | set(related)
        texts = {ident: _stated(reader.memories.version(ident, Moment(space.clock()))) for ident in ids}
    stems = {ident: {stem for stem in content_stems(text) if len(stem) > _SHORT} for ident, text in texts.items()}
    earlier = {
        memory_id: [
            archived_path(day_path(other.day))
            for other in others
            if other.day < before and texts[other.id] and (other.cosine >= SAME or stems[memory_id] & stems[other.id])
        ]
        for memory_id, others in related.items()
    }
    return {memory_id: list(dict.fromkeys(paths)) for memory_id, paths in earlier.items() if paths}


def _stated(version: Version | None) -> str:
    """The text of an entry that states something. A question, a remark and small talk lead nowhere."""
    statement = main_statement(version.text, version.language or "en") if version is not None else None
    return version.text if version is not None and statement is not None and statement.kind != "remark" else ""


def _neighbours(space: OpenSpace, reader: Reader, version: Version, at: datetime) -> Iterator[tuple[Version, float]]:
    """Entries of people with a similar meaning, nearest first."""
    engine, vector = _vector(space, reader, version)
    if engine is None or vector is None:
        return
    until = replace(_view(space), moment=Moment(at, explicit=True))
    answer = reader.search.vectors(engine, vector, _LOOKED_AT, until)
    best: dict[int, float] = {}
    for passage in answer.hits:
        if passage.memory_id != version.memory_id:
            best[passage.number] = max(passage.score, best.get(passage.number, 0.0))
    versions = reader.memories.by_number(best)
    for number in sorted(best, key=lambda number: (-best[number], number)):
        other = versions.get(number)
        if other is not None and _stands_for_itself(other):
            yield other, best[number]


def _vector(space: OpenSpace, reader: Reader, version: Version) -> "tuple[str | None, Vector | None]":
    """The stored vector, by the engine for the entry's language."""
    passages = passages_of(version)
    engines = space.engines.active(reader)
    if passages and passages[0].language not in ("en", ""):
        engines = engines[::-1]
    for engine in engines[:1]:
        vectors = reader.vectors.get(engine.name, [passages[0].content_hash]) if passages else {}
        if vectors:
            return engine.name, next(iter(vectors.values()))
    return None, None


def _is_other_day(space: OpenSpace, version: Version, other: Version) -> bool:
    if version.session is not None and version.session == other.session:
        return False
    return space.journal.today(_said_at(version)) != space.journal.today(_said_at(other))


# -- conversations


def similar_conversations(space: OpenSpace, session_or_id: str, k: int = 5) -> list[Similar]:
    """Conversations similar to this session or entry, most similar first."""
    with space.store.read() as reader:
        own = _conversation(space, reader, session_or_id)
        scores = _by_meaning(space, reader, own) or _by_words(space, reader, own)
        mine = {version.session for version in own}
        groups: dict[str, list[tuple[float, Version]]] = {}
        for number, version in reader.memories.by_number(scores).items():
            if version.session and version.session not in mine and _stands_for_itself(version):
                groups.setdefault(version.session, []).append((scores[number], version))
    similar = []
    for session, members in groups.items():
        members.sort(key=lambda pair: (-pair[0], pair[1].number))
        score = sum(weight * likeness for weight, (likeness, _) in zip(_WEIGHTS, members, strict=False)) / sum(_WEIGHTS)
        first = min(_said_at(version) for _, version in members)
        top = members[0][1]
        similar.append(Similar(session, score, first, len(members), top.memory_id, one_line(top.text, _SHOWN)))
    similar.sort(key=lambda conversation: (-conversation.score, conversation.session))
    return similar[: max(0, k)]


def _conversation(space: OpenSpace, reader: Reader, session_or_id: str) -> list[Version]:
    version = reader.memories.version(session_or_id.strip().lower(), Moment(space.clock()))
    session = version.session if version is not None else session_or_id
    versions = (
        reader.memories.listing(_view(space), Filter(session=session), limit=_VERSIONS_AT_ONCE) if session else []
    )
    if version is not None and not versions:
        versions = [version]
    if not versions:
        raise NotFound(f"There is no conversation {session_or_id[:60]!r}.", "`waypost journal timeline` shows them.")
    return [version for version in versions if _stands_for_itself(version)] or versions


def _by_meaning(space: OpenSpace, reader: Reader, own: Sequence[Version]) -> dict[int, float]:
    """How near other entries are to the mean of these, by the engine that understands most of them."""
    by_engine: dict[str, list[Vector]] = {}
    for version in own:
        engine, vector = _vector(space, reader, version)
        if engine is not None and vector is not None:
            by_engine.setdefault(engine, []).append(vector)
    if not by_engine:
        return {}
    import numpy as np  # heavy, and without a model there are no vectors

    engine = max(by_engine, key=lambda name: len(by_engine[name]))
    middle = np.mean(by_engine[engine], axis=0)
    length = float(np.linalg.norm(middle))
    if not length:
        return {}
    answer = reader.search.vectors(engine, (middle / length).astype(np.float32), 10 * _LOOKED_AT, _view(space))
    scores: dict[int, float] = {}
    for passage in answer.hits:
        scores[passage.number] = max(passage.score, scores.get(passage.number, 0.0))
    return scores


def _by_words(space: OpenSpace, reader: Reader, own: Sequence[Version]) -> dict[int, float]:
    terms = query_terms(" ".join(version.text for version in own)[:_WORDS_OF_A_CONVERSATION])
    passages = reader.search.keywords(terms, 10 * _LOOKED_AT, _view(space)) if terms else []
    highest = max((passage.score for passage in passages), default=1.0) or 1.0
    return {passage.number: passage.score / highest for passage in passages}


# -- topics


def topics_over_time(space: OpenSpace, by: str = "month", most: int = 5) -> dict[str, list[tuple[str, int]]]:
    """Topics of each month (week, year) with counts; periods oldest first, most frequent topics first."""
    if by not in _PERIODS:
        raise InvalidInput(f"There is no period {by[:40]!r}.", f"Periods: {', '.join(_PERIODS)}.")
    days = files_by_day(space.journal.scan())
    entries = [entry for paths in days.values() for entry in day_entries(space, paths) if entry.held is not None]
    counts: dict[str, Counter[str]] = {}
    for item in scored(space, entries, space.clock()):
        if item.topic and item.label:
            period = _PERIODS[by](space.journal.local(item.entry.at).date())
            counts.setdefault(period, Counter())[one_line(item.label, _SHOWN)] += 1
    return {
        period: sorted(counts[period].items(), key=lambda pair: (-pair[1], pair[0]))[:most] for period in sorted(counts)
    }


_PERIODS: Mapping[str, Callable[[date], str]] = {
    "week": lambda day: str(Week.of(day)),
    "month": lambda day: str(Month(day.year, day.month)),
    "year": lambda day: f"{day.year:04}",
}


def _view(space: OpenSpace) -> View:
    return View(Moment(space.clock()), collections=("journal",), checkout_id=space.identity.checkout_id)


def _stands_for_itself(version: Version) -> bool:
    """Answers and tool output are similar in every conversation, so they do not count."""
    return version.kind != "conversation" or role_of(version.speaker, version.kind) == "person"


def _said_at(version: Version) -> datetime:
    return version.time or version.valid_from
