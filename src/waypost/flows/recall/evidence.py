"""The evidence that a hit answers its question, gathered while candidates are at hand."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from waypost.flows.links.hits import hit_of
from waypost.flows.recall.candidates import Gathered, RankedMemory
from waypost.flows.recall.renewals import Likeness, RenewalScore, may_be_renewed, no_model, with_renewals
from waypost.model.code_link import LinkedMemory
from waypost.model.kinds import CODE_COLLECTIONS, KINDS
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.refs.links.spelling import similar_names
from waypost.retrieve.answer_order import Populations
from waypost.retrieve.calibration import ServingEngines, Spreads, is_english
from waypost.retrieve.certainty import (
    LEAST_MEANING,
    STANDING,
    TOTAL,
    Rarity,
    certainty,
    is_fitted_for,
    question_words,
    spoken,
    topic_shares,
)
from waypost.retrieve.code_question import CodeQuestion
from waypost.retrieve.nearest_names import nearest_names
from waypost.retrieve.relevance import measured_nearness
from waypost.retrieve.score import ONLY_TIME, ScoredMemory, total_of
from waypost.retrieve.traits import ASKS
from waypost.store.protocol import CodeSketch, Reader, VersionSketch

FIRST_FACT = ("origin", "cold_start")  # the tag of what `init` writes
PROJECT_KEY = "learned:project:"  # how keys of first facts begin; they end with the topic
ENOUGH_TOPIC = 0.5  # share of a question's words from which on first facts of a topic are looked at
WHOLE_TOPIC = 0.99
ASKED_FOR = 0.85  # certainty of a first fact if every word of the question asks for its topic
UNRELATED = -0.6  # nearness of a text that has nothing to do with a question, for a hit without others
SAID_THEN = 0.9  # certainty of what was said on the day that a question asks for
_MOST_COMPARED = 50_000  # names of code
_MOST_NAMES = 8
_SHORTEST_MISSPELT = 4  # letters: shorter words resemble too many names
_WORD = re.compile(r"[A-Za-z_]\w*")
_OTHER_KINDS = "overview"  # derived, but no symbol: files, tables, architecture


@dataclass(frozen=True, slots=True)
class EvidenceReader:
    """What a question is compared by, for all hits."""

    language: str
    rarity: Rarity
    question: CodeQuestion
    absent: tuple[str, ...]  # names in the question that no code has
    topics: Mapping[str, float]  # of first facts that the question asks for

    @classmethod
    def of(cls, reader: Reader, question: CodeQuestion, view: View) -> "EvidenceReader":
        words = question_words(question.subject, question.language)
        rarity = Rarity.of(words, reader.search.term_counts(words.terms))
        code_view = replace(view, collections=CODE_COLLECTIONS)
        names = dict.fromkeys(named.name for named in question.names[:_MOST_NAMES] if _is_identifier(named.name))
        absent = tuple(name for name in names if not reader.code.symbols_named([name], 1, code_view))
        topics = topic_shares(question.subject, question.language)
        return cls(question.language, rarity, question, absent, topics)

    def first_facts(self, reader: Reader, view: View) -> list[int]:
        """Versions of first facts that the question asks for, whatever words and meaning say."""
        versions = [
            reader.memories.with_key(f"{PROJECT_KEY}{topic}")
            for topic, share in self.topics.items()
            if share >= ENOUGH_TOPIC
        ]
        ids = [version.memory_id for version in versions if version is not None]
        return [version.number for version in reader.memories.visible(ids, view).values()] if ids else []

    def prose(
        self,
        reader: Reader,
        memories: Sequence[RankedMemory],
        gathered: Gathered[VersionSketch],
        spread: Populations,
        engines: ServingEngines,
        renewal_score: RenewalScore = no_model,
    ) -> list[Hit]:
        """Hits of what people and agents wrote, with evidence and certainty. `reader` is the one that found them."""
        spreads = {name: Spreads(some) for name, some in spread.items()}
        sessions = {memory.version.session for _, memory in memories} - {None}
        places = {
            (sketch.session, sketch.position): number
            for number, sketch in gathered.sketches.items()
            if sketch.session in sessions
        }

        def nearness(number: int) -> float | None:
            language = gathered.sketches[number].language
            for engine in engines.by_preference(self.language, language):
                if engine in spreads and number in gathered.similarity.get(engine, {}):
                    return _nearness(engine, gathered.similarity[engine][number], spreads[engine], language)
            return None

        evidences, nearness_of_all = list[dict[str, float]](), list[float | None]()
        languages = list[str]()
        for scored, memory in memories:
            version = memory.version
            sketch = gathered.sketches[version.number]
            near = nearness(version.number)
            evidence = self._words(f"{version.speaker or ''} {version.text}", sketch.language)
            evidence["rank"] = scored.score
            if near is not None:
                evidence["meaning"] = max(LEAST_MEANING, near)
            if spoken(self.language) != spoken(sketch.language):
                evidence |= {"abroad": 1.0, "words_abroad": evidence["words"]}
                if "meaning" in evidence:
                    evidence["meaning_abroad"] = evidence["meaning"]
            before = places.get((sketch.session, sketch.position - 1)) if sketch.session else None
            if before is not None and gathered.sketches[before].traits & ASKS:
                evidence["before"] = max(0.0, nearness(before) or 0.0)
            evidence[_kind_of(version)] = 1.0
            if FIRST_FACT in version.tags.items():
                evidence["topic"] = self.topics.get((version.key or "").removeprefix(PROJECT_KEY), 0.0)
            evidences.append(evidence)
            languages.append(sketch.language)
            nearness_of_all.append(None if sketch.traits & ASKS else near)
        if is_fitted_for(spreads):
            add_lead(evidences, nearness_of_all)
        by_topic = not self._names_code
        weighed = [
            _hit(*ranked, evidence, "prose", by_topic=by_topic)
            for ranked, evidence in zip(memories, evidences, strict=True)
        ]
        if not is_fitted_for(spreads):
            return weighed
        numbers = [memory.version.number for _, memory in memories]
        likeness = _likeness(reader, weighed, numbers, languages, engines)
        return with_renewals(weighed, languages, likeness, renewal_score)

    def code(
        self, memories: Sequence[RankedMemory], gathered: Gathered[CodeSketch], engines: ServingEngines
    ) -> list[Hit]:
        """Hits from code, with evidence and certainty."""
        spreads = {name: Spreads(some) for name, some in gathered.populations.items()}
        serving = (engines.english,) if is_english(self.language) else (engines.english, engines.multilingual)
        names = {named.name for named in self.question.names}
        hits = []
        for scored, memory in memories:
            version, number = memory.version, memory.version.number
            path = memory.links[0].reference.file_path if memory.links else None
            text = " ".join(filter(None, (version.name, path, version.text)))
            evidence = self._words(text, "en", is_code=True)
            meanings = [
                _nearness(engine, gathered.similarity[engine][number], spreads[engine], "")
                for engine in serving
                if engine in spreads and number in gathered.similarity.get(engine, {})
            ]
            if meanings:
                evidence["meaning"] = max(LEAST_MEANING, *meanings)
            last = (version.name or "").rpartition(".")[2]
            evidence["named"] = float(version.kind == "symbol" and last in names)
            evidence["role"] = min(1.0, -scored.why.get("role", 0.0))
            evidence["total"] = total_of(scored.score, 0.0) / TOTAL
            evidence[_kind_of(version)] = 1.0
            hits.append(_hit(scored, memory, evidence, "code"))
        return hits

    @property
    def _names_code(self) -> bool:
        """Whether the question uses a name that code has: then it does not ask for the project as a whole."""
        return any(_is_identifier(named.name) and named.name not in self.absent for named in self.question.names)

    def _words(self, text: str, language: str, *, is_code: bool = False) -> dict[str, float]:
        low = text.lower() if self.absent else ""
        return {
            "words": self.rarity.share(text, language, is_code=is_code),
            "misses": float(any(name.lower() not in low for name in self.absent)),
            "foreign": float(not is_english(self.language)),
        }


def names_like(reader: Reader, evidence: EvidenceReader, view: View) -> tuple[str, ...]:
    """Names of code like the first unknown name in the question, or else like a word that no text has."""
    wanted = next(iter(evidence.absent), "")
    misspelt = [] if wanted else _unknown_words(reader, evidence.question)
    if not wanted and not misspelt:
        return ()
    names = reader.code.symbol_names(_MOST_COMPARED, replace(view, collections=CODE_COLLECTIONS))
    if wanted:
        return tuple(nearest_names(wanted, names))
    by_last = {name.rpartition(".")[2]: name for name in sorted(names, key=len, reverse=True)}  # the shortest stays
    for word in misspelt:
        if like := similar_names(word, by_last):
            return tuple(nearest_names(word, [by_last[last] for last in like]))
    return ()


def _unknown_words(reader: Reader, question: CodeQuestion) -> list[str]:
    """The words of a question that nothing here has, in any form: maybe a typo. A word may be a name of code."""
    written = dict.fromkeys(_WORD.findall(question.subject))
    terms = {word: question_words(word, question.language).terms for word in written if len(word) >= _SHORTEST_MISSPELT}
    counts = reader.search.term_counts(sorted({term for some in terms.values() for term in some})).counts
    return [word for word, some in terms.items() if some and not any(counts.get(term) for term in some)]


def said_at_that_time(memories: Sequence[RankedMemory]) -> list[Hit]:
    """Hits of a question that only names a time: its day answers it."""
    certain = {True: SAID_THEN, False: 0.0}
    return [
        hit_of(memory, scored.score, scored.why, certainty=certain[scored.why.get("time", 0.0) >= ONLY_TIME])
        for scored, memory in memories
    ]


def _likeness(
    reader: Reader, hits: Sequence[Hit], numbers: Sequence[int], languages: Sequence[str], engines: ServingEngines
) -> Likeness:
    """The cosines of the facts among the hits with each other."""
    facts = [place for place, hit in enumerate(hits) if may_be_renewed(hit)]
    if len(facts) < 2:
        return {}
    likeness = dict[tuple[int, int], float]()
    for is_in_english in (True, False):
        some = {numbers[place]: place for place in facts if is_english(languages[place]) == is_in_english}
        language = "en" if is_in_english else "other"
        engine = next(filter(None, engines.by_preference(language, language)), None)
        if engine is not None and len(some) > 1:
            for (first, other), cosine in reader.search.cosines_between(engine, list(some)).items():
                low, high = sorted((some[first], some[other]))
                likeness[low, high] = cosine
    return likeness


def _nearness(engine: str, cosine: float, spread: Spreads, language: str) -> float:
    return measured_nearness(engine, cosine, spread.deviations(cosine, language) / STANDING)


def add_lead(evidences: Sequence[dict[str, float]], nearness: Sequence[float | None]) -> None:
    """How far the meaning of each hit is ahead of the best other one, or behind it. Questions take no part.

    Code takes no part either: another engine may have compared it, with the question in English.
    """
    measured = sorted((near for near in nearness if near is not None), reverse=True)
    for evidence, near in zip(evidences, nearness, strict=True):
        if near is not None:
            others = measured[1:] if near == measured[0] else measured
            evidence["lead"] = near - (others[0] if others else UNRELATED)


def _is_identifier(name: str) -> bool:
    """Whether it can only be a name of code: `snake_case`, `camelCase`. A plain word is also asked for as a word."""
    return "_" in name.strip("_") or (name[1:].lower() != name[1:] and name.upper() != name)


def _kind_of(version: Version) -> str:
    """Where a memory belongs, for what its evidence is worth there."""
    kind = KINDS[version.kind]
    if kind.derived:
        return "symbol" if version.kind == "symbol" else _OTHER_KINDS
    if FIRST_FACT in version.tags.items():
        return "first_fact"
    return "journal" if kind.is_journal else "fact"


def _hit(
    scored: ScoredMemory, memory: LinkedMemory, evidence: Mapping[str, float], of: str, *, by_topic: bool = False
) -> Hit:
    """`by_topic`: a first fact is an answer if every word of the question asks for its topic. Its own words don't count."""
    likely = certainty(evidence, of)
    if by_topic and evidence.get("topic", 0.0) >= WHOLE_TOPIC:
        likely = max(likely, ASKED_FOR)
    return hit_of(memory, scored.score, scored.why, certainty=likely, evidence=evidence)
