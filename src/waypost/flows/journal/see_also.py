"""What belongs together across days: links between related entries, conversations alike, topics over time (CM-13)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from waypost.errors import InvalidInput, NotFound
from waypost.flows.journal.importance import scored
from waypost.flows.journal.log import note
from waypost.flows.journal.tally import day_entries
from waypost.flows.open_space import OpenSpace
from waypost.journal.index_page.days import is_told
from waypost.journal.index_page.lines import one_line
from waypost.journal.index_page.tally import days_of
from waypost.journal.layout import Month, Week, archived_path, day_path
from waypost.journal.roles import role_of
from waypost.model.journal import ScoredEntry
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
LEAST_WORTH = 2  # of an entry that is linked: what passes within a day is not
# Cosines halfway between unrelated utterances and the same in other words, as they were measured for topics; entries of
# one topic may be further apart.
ALIKE, ALIKE_IN_TOPIC = 0.55, 0.40
_LOOKED_AT = 40  # neighbours of an entry
_WEIGHTS = (4, 2, 1)  # of the entries most alike: a conversation is not like another by one chance
_WORDS_OF_A_CONVERSATION = 4000  # characters
_VERSIONS_AT_ONCE = 1000
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Similar:
    """A conversation like another one."""

    session: str
    score: float  # 0-1
    first: datetime
    entries: int  # that are alike
    id: str  # of the entry that is most alike
    text: str

    def to_json(self) -> dict[str, Any]:
        return {
            "session": self.session,
            "score": round(self.score, 4),
            "time": self.first.isoformat(),
            "entries": self.entries,
            "id": self.id,
            "text": self.text,
        }


# -- links


def link_related(space: OpenSpace, items: Sequence[ScoredEntry], at: datetime) -> int:
    """Link entries with related ones of other days that were said until then, as far as they have vectors; how many links
    were made.

    Both of a pair see each other. To be called outside of a transaction.
    """
    chosen = [item for item in items if item.entry.id and item.score.score >= LEAST_WORTH and is_told(item.entry)]
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
                ):  # nobody has forgotten one meanwhile
                    writer.edges.add(edge)
        note(space, "linked", links=len(edges))
    return len(edges)


@dataclass(slots=True)
class _Linking:
    """Links one entry after the other, no entry more often than it may be."""

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
            if cosine >= ALIKE or self._is_of_the_topic(item, other):
                first, second = sorted((version.memory_id, other.memory_id))
                self.edges[first, second] = Edge(SEE_ALSO, first, second, round(cosine, 3), now)
                mine.add(other.memory_id)
                theirs.add(version.memory_id)

    def _links(self, memory_id: str) -> set[str]:
        if memory_id not in self._linked:
            known = [edge for edge in self.reader.edges.of_memory(memory_id) if edge.kind == SEE_ALSO]
            self._linked[memory_id] = {end for edge in known for end in (edge.from_id, edge.to_id)} - {memory_id}
        return self._linked[memory_id]

    def _is_of_the_topic(self, item: ScoredEntry, other: Version) -> bool:
        theirs = self.items.get(other.memory_id)
        return theirs is not None and item.topic != 0 and theirs.topic == item.topic


class RelatedEntry(NamedTuple):
    """An entry of another day about the same."""

    id: str
    day: date


def related_to(space: OpenSpace, reader: Reader, memory_ids: Collection[str]) -> dict[str, list[RelatedEntry]]:
    """The entries that these are linked with, most alike first, as far as they are held."""
    edges = sorted(
        reader.edges.of_kinds(memory_ids, (SEE_ALSO,)), key=lambda one: (-one.strength, one.from_id, one.to_id)
    )
    ends = {end for edge in edges for end in (edge.from_id, edge.to_id)}
    now = Moment(space.clock())
    held = {one: version for one in ends if (version := reader.memories.version(one, now)) is not None}
    found: dict[str, list[RelatedEntry]] = {}
    for edge in edges:
        for one, other in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id)):
            if one in memory_ids and other in held:
                said = held[other].time or held[other].valid_from
                found.setdefault(one, []).append(RelatedEntry(other, space.journal.today(said)))
    return found


def see_also(space: OpenSpace, memory_ids: Iterable[str], before: date) -> dict[str, list[str]]:
    """For each entry the days before that one on which related things were said, as their files in the archive; for
    summaries."""
    with space.store.read() as reader:
        related = related_to(space, reader, list(dict.fromkeys(memory_ids)))
    earlier = {
        memory_id: [archived_path(day_path(other.day)) for other in others if other.day < before]
        for memory_id, others in related.items()
    }
    return {memory_id: list(dict.fromkeys(paths)) for memory_id, paths in earlier.items() if paths}


def _neighbours(space: OpenSpace, reader: Reader, version: Version, at: datetime) -> Iterator[tuple[Version, float]]:
    """What people said that is near in meaning, nearest first."""
    engine, vector = _vector(space, reader, version)
    if engine is None or vector is None:
        return
    until = replace(_view(space), moment=Moment(at, explicit=True))
    answer = reader.search.vectors(engine, vector, _LOOKED_AT, until)
    best: dict[int, float] = {}
    for found in answer.hits:
        if found.memory_id != version.memory_id:
            best[found.number] = max(found.score, best.get(found.number, 0.0))
    versions = reader.memories.by_number(best)
    for number in sorted(best, key=lambda one: (-best[one], one)):
        other = versions.get(number)
        if other is not None and _stands_for_itself(other):
            yield other, best[number]


def _vector(space: OpenSpace, reader: Reader, version: Version) -> "tuple[str | None, Vector | None]":
    """By the engine that understands its language."""
    passages = passages_of(version)
    engines = space.engines.active(reader)
    if passages and passages[0].language not in ("en", ""):
        engines = engines[::-1]
    for engine in engines[:1]:
        known = reader.vectors.get(engine.name, [passages[0].content_hash]) if passages else {}
        if known:
            return engine.name, next(iter(known.values()))
    return None, None


def _is_other_day(space: OpenSpace, one: Version, other: Version) -> bool:
    if one.session is not None and one.session == other.session:
        return False
    return space.journal.today(_said_at(one)) != space.journal.today(_said_at(other))


# -- conversations


def similar_conversations(space: OpenSpace, session_or_id: str, k: int = 5) -> list[Similar]:
    """Conversations like the one with this name, or like this entry; most alike first."""
    with space.store.read() as reader:
        own = _conversation(space, reader, session_or_id)
        scores = _by_meaning(space, reader, own) or _by_words(space, reader, own)
        mine = {version.session for version in own}
        groups: dict[str, list[tuple[float, Version]]] = {}
        for number, version in reader.memories.by_number(scores).items():
            if version.session and version.session not in mine and _stands_for_itself(version):
                groups.setdefault(version.session, []).append((scores[number], version))
    found = []
    for session, members in groups.items():
        members.sort(key=lambda pair: (-pair[0], pair[1].number))
        score = sum(weight * one for weight, (one, _) in zip(_WEIGHTS, members, strict=False)) / sum(_WEIGHTS)
        first = min(_said_at(version) for _, version in members)
        top = members[0][1]
        found.append(Similar(session, score, first, len(members), top.memory_id, one_line(top.text, _SHOWN)))
    found.sort(key=lambda one: (-one.score, one.session))
    return found[: max(0, k)]


def _conversation(space: OpenSpace, reader: Reader, session_or_id: str) -> list[Version]:
    """The entries of a session, or the one with this id and the rest of its session."""
    version = reader.memories.version(session_or_id.strip().lower(), Moment(space.clock()))
    session = version.session if version is not None else session_or_id
    found = reader.memories.listing(_view(space), Filter(session=session), limit=_VERSIONS_AT_ONCE) if session else []
    if version is not None and not found:
        found = [version]
    if not found:
        raise NotFound(f"There is no conversation {session_or_id[:60]!r}.", "`waypost journal timeline` shows them.")
    return [version for version in found if _stands_for_itself(version)] or found


def _by_meaning(space: OpenSpace, reader: Reader, own: Sequence[Version]) -> dict[int, float]:
    """How near other entries are to the middle of these; by the engine that understands most of them."""
    by_engine: dict[str, list[Vector]] = {}
    for version in own:
        engine, vector = _vector(space, reader, version)
        if engine is not None and vector is not None:
            by_engine.setdefault(engine, []).append(vector)
    if not by_engine:
        return {}
    import numpy as np  # only where vectors are

    engine = max(by_engine, key=lambda name: len(by_engine[name]))
    middle = np.mean(by_engine[engine], axis=0)
    length = float(np.linalg.norm(middle))
    if not length:
        return {}
    answer = reader.search.vectors(engine, (middle / length).astype(np.float32), 10 * _LOOKED_AT, _view(space))
    scores: dict[int, float] = {}
    for found in answer.hits:
        scores[found.number] = max(found.score, scores.get(found.number, 0.0))
    return scores


def _by_words(space: OpenSpace, reader: Reader, own: Sequence[Version]) -> dict[int, float]:
    terms = query_terms(" ".join(version.text for version in own)[:_WORDS_OF_A_CONVERSATION])
    found = reader.search.keywords(terms, 10 * _LOOKED_AT, _view(space)) if terms else []
    highest = max((one.score for one in found), default=1.0) or 1.0
    return {one.number: one.score / highest for one in found}


# -- topics


def topics_over_time(space: OpenSpace, by: str = "month", most: int = 5) -> dict[str, list[tuple[str, int]]]:
    """What was spoken about in each month (week, year), with how often; periods from the oldest, topics from the most
    frequent."""
    if by not in _PERIODS:
        raise InvalidInput(f"There is no period {by[:40]!r}.", f"Periods: {', '.join(_PERIODS)}.")
    days = days_of(space.journal.scan())
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
    """Answers and what tools put out are alike in every conversation."""
    return version.kind != "conversation" or role_of(version.speaker, version.kind) == "person"


def _said_at(version: Version) -> datetime:
    return version.time or version.valid_from
