"""Candidates to scores: the evidence of keywords, of meaning, and of the place in a conversation, added up.

What the caller fetches, in one read:
1. the best `DEPTH` passages by keywords (BM25 of the question's `keywords`) and the best `DEPTH` of each engine that
   serves: for English pairs one, for pairs where either side is not English the other. A memory counts by its best
   passage;
2. the followers of what keywords found: the turns at most `REACH` places behind it in its session. An answer often
   shares no word with the question, because its own question comes before it;
3. where the question names a time of at most a month, what was said then (of a subject too: within three days);
4. for all of them the cosine of every serving engine, and each engine's `Population` by language: how its cosines for
   this question spread over all passages.

A score is a sum of named parts, so it explains itself:

    keywords  BM25 / best BM25, at most 1; less in a space of several languages, where words only find their own
    meaning   cosine, as deviations from the mean of its engine and language
    answer    the turn before it, or the one before that, matches: a short turn speaks through them
    session   the best evidence in the same session
    speaker   said by the one person whom the question names
    role      a question about the asker is not answered by the assistant
    telling   long enough to tell something, opens its session, does not merely ask
    type      names a time where the question asks when, a number where it asks how many
    time      said in the time that the question names
    recency   a little, for what is new
    repeat    if the question asks for several things: less for every better turn of the same session

A memory outside of sessions, such as a fact, counts as a session of one long turn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from math import exp, log
from typing import TYPE_CHECKING

from waypost.model.time import from_micros, to_micros
from waypost.retrieve.calibration import ServingEngines, Spreads, keyword_weight
from waypost.retrieve.question import ASSISTANTS, Question
from waypost.store.protocol import Population, VersionSketch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DEPTH = 100  # 50 costs .011 on LoCoMo, 200 gains nothing
REACH = 1

# Weights are relative to a full keyword match and rounded. Every one lies on a plateau: half or double of it moves no
# measure by more than .03 (benchmarks/retrieval_ablation.md, with what each part is worth).
MEANING = 0.15
ASKED_BEFORE = 0.8  # keywords of the turn before, where that turn is a question
SAID_BEFORE = 0.2  # keywords of the turn two before: mostly the same speaker
MEANT_BEFORE = 0.05  # meaning of the turn before
SHORT_WORDS = 30  # turns up to this length take all of their context, longer ones in proportion less
SESSION_KEYWORDS = 0.4
SESSION_MEANING = 0.15
SPEAKER = 0.2
ASSISTANT_ON_SELF = -1.2
ASSISTANT = -0.3  # on other questions; none where the question is about what the assistant said
LENGTH = 0.25  # for the logarithm of the number of words ...
ENOUGH_WORDS = 40  # ... up to this number
OPENING = 0.25
ASKING = -0.2
WHEN = 0.4
HOW_MANY = 0.2
EXACT_TIME = 0.9
VAGUE_TIME = 0.4
VERY_DAY = 0.1  # beside what was said on the day before or after it
ONLY_TIME = 4.0  # where nothing but a time is asked for: more than all other parts can differ by
RECENCY = 0.2
RECENCY_HALF_LIFE_DAYS = 30.0
REPEAT = -0.1  # the parts of a list were mostly said at different times

# The scale of scores, from totals to 0 to 1; MIDDLE is shown as 0.5. In all sets evidence has a total of 3.0 to 4.1
# in the median, the fiftieth candidate 0.8 to 2.2. For code: what is looked for 2.7 to 3.1, the tenth candidate 1.0 to 1.8.
MIDDLE, CODE_MIDDLE, WIDTH = 2.2, 2.0, 0.6


@dataclass(frozen=True, slots=True)
class RankCandidates:
    """Memories that may answer. Scores are those of their best passages, by version number."""

    sketches: Sequence[VersionSketch]
    keyword: Mapping[int, float]  # BM25, higher is better; missing where the keyword search did not bring it
    similarity: Mapping[str, Mapping[int, float]]  # cosines by engine


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    memory_id: str
    score: float  # 0 to 1, rising with the total
    total: float
    why: Mapping[str, float]  # the parts that are not 0; their sum is the total


@dataclass(frozen=True, slots=True)
class Ranking:
    """The order of candidates. Only those that are looked at get a score with its parts."""

    sketches: Sequence[VersionSketch]
    order: Sequence[int]  # positions of the sketches, best first
    totals: Sequence[float]
    parts: Mapping[str, "Floats"]

    def scored(self, at: int) -> ScoredMemory:
        """The candidate at this position of the sketches."""
        why = {name: part for name, values in self.parts.items() if (part := float(values[at]))}
        total = self.totals[at]
        return ScoredMemory(self.sketches[at].memory_id, shown_score(total), total, why)

    def __iter__(self) -> Iterator[ScoredMemory]:
        return map(self.scored, self.order)


def fuse(
    question: Question,
    candidates: RankCandidates,
    populations: Mapping[str, Mapping[str, Population]],
    engines: ServingEngines,
    *,
    now: datetime,
) -> Ranking:
    """All candidates, best first; equal ones newest first, then by id. `populations` is by engine and language."""
    import numpy as np  # heavy; only recall pays for it

    sketches = candidates.sketches
    if not sketches:
        return Ranking((), (), (), {})
    parts = _parts(question, candidates, populations, engines, now)
    sums = np.stack(list(parts.values())).sum(axis=0).round(9)
    if question.asks_several:
        parts["repeat"] = REPEAT * _better_in_session(sums, candidates.sketches)
        sums = (sums + parts["repeat"]).round(9)
    totals: list[float] = sums.tolist()
    order: list[int] = np.argsort(-sums).tolist()
    if len(set(totals)) < len(totals):
        order.sort(key=lambda at: (-totals[at], -sketches[at].micros, sketches[at].memory_id))
    return Ranking(sketches, order, totals, parts)


def shown_score(total: float, middle: float = MIDDLE) -> float:
    """0 to 1, rising with the total."""
    return 1 / (1 + exp(min(700.0, (middle - total) / WIDTH)))


def total_of(score: float, middle: float = MIDDLE) -> float:
    """The total that is shown as this score."""
    inside = min(max(score, 1e-12), 1 - 1e-12)
    return middle + WIDTH * log(inside / (1 - inside))


def _parts(
    question: Question,
    candidates: RankCandidates,
    populations: Mapping[str, Mapping[str, Population]],
    engines: ServingEngines,
    now: datetime,
) -> dict[str, "Floats"]:
    import numpy as np

    numbers, memory_ids, _, _, _, sessions, positions, spoken_by, languages, packed_traits, micros = zip(
        *candidates.sketches, strict=True
    )
    keyword = np.array(list(map(candidates.keyword.get, numbers, repeat(0.0))))
    keyword *= keyword_weight(question.language, populations) / max(float(keyword.max()), 1e-9)
    meaning = _meanings(question.language, numbers, languages, candidates.similarity, populations, engines)
    lower = {speaker: (speaker or "").lower() for speaker in set(spoken_by)}
    assistants = {speaker for speaker, name in lower.items() if name in ASSISTANTS}
    assistant = np.array(list(map(assistants.__contains__, spoken_by)))
    traits = np.array(packed_traits, np.int64)  # as `traits.Traits.packed` lays them out
    by_others = np.where(assistant, 0, traits)
    asks = (by_others & 1).astype(bool)
    alone = np.array([name is None for name in sessions])
    words = np.where(alone, ENOUGH_WORDS, traits >> 3)
    position = np.array(positions, np.int64)  # from 1
    opens = alone | (position == 1)
    session = _sessions(sessions, memory_ids)
    before = _from_before(session, position, keyword, meaning, asks)
    return {
        "keywords": keyword,
        "meaning": MEANING * meaning,
        "answer": before * np.minimum(1, SHORT_WORDS / np.maximum(words, 1)),
        "session": SESSION_KEYWORDS * _best(keyword, session) + SESSION_MEANING * _best(meaning, session),
        "speaker": SPEAKER * _said_by(question, spoken_by, lower),
        "role": _role(question) * assistant,
        "telling": LENGTH * np.log1p(np.minimum(words, ENOUGH_WORDS)) + OPENING * opens + ASKING * asks,
        "type": WHEN * question.asks_when * (by_others >> 1 & 1)
        + HOW_MANY * question.asks_how_many * (by_others >> 2 & 1),
        "time": _time(question, micros, now),
        "recency": _recency(micros, now),
    }


def _meanings(
    language: str,
    numbers: Sequence[int],
    languages: Sequence[str],
    similarity: Mapping[str, Mapping[int, float]],
    populations: Mapping[str, Mapping[str, Population]],
    engines: ServingEngines,
) -> "Floats":
    """Cosines in deviations from the mean; 0, the mean, where no engine has read the text."""
    import numpy as np

    spreads = {engine: Spreads(by_language) for engine, by_language in populations.items()}
    scales = {
        text: [
            (similarity[engine], *spreads[engine].scale(text))
            for engine in engines.by_preference(language, text)
            if engine in spreads and engine in similarity
        ]
        for text in set(languages)
    }
    if len(scales) == 1 and len(scales[languages[0]]) == 1:
        ((cosines, mean, deviation),) = scales[languages[0]]
        measured = np.array(list(map(cosines.get, numbers, repeat(mean))))
        return (measured - mean) / deviation if deviation > 0 else np.zeros(len(numbers))
    meanings = []
    for number, text in zip(numbers, languages, strict=True):
        for cosines, mean, deviation in scales[text]:
            if number in cosines:
                meanings.append((cosines[number] - mean) / deviation if deviation > 0 else 0.0)
                break
        else:
            meanings.append(0.0)
    return np.array(meanings)


def _from_before(
    session: "NDArray[np.int64]",
    position: "NDArray[np.int64]",
    keyword: "Floats",
    meaning: "Floats",
    asks: "NDArray[np.bool_]",
) -> "Floats":
    """What the turn before and the one before that say for a turn."""
    import numpy as np

    places = (session << 32) + position
    order = np.argsort(places, kind="stable")
    ordered = places[order]

    def turn_before(by: int) -> "NDArray[np.int64]":
        """Where the turn so many places before is; -1 if it is no candidate."""
        at = np.searchsorted(ordered, places - by, "right") - 1
        is_candidate = (at >= 0) & (ordered[at] == places - by)
        return np.where(is_candidate, order[at], -1)

    near = np.append(ASKED_BEFORE * keyword * asks + MEANT_BEFORE * meaning, 0.0)  # the last stands for "not here"
    far = np.append(SAID_BEFORE * keyword, 0.0)
    before: Floats = near[turn_before(1)] + far[turn_before(2)]
    return before


def _sessions(sessions: Sequence[str | None], memory_ids: Sequence[str]) -> "NDArray[np.int64]":
    """A number for each session; a memory outside of sessions is one by itself."""
    import numpy as np

    keys = [
        (memory_id,) if session is None else session for session, memory_id in zip(sessions, memory_ids, strict=True)
    ]
    indexes = {key: index for index, key in enumerate(dict.fromkeys(keys))}
    return np.array(list(map(indexes.__getitem__, keys)), np.int64)


def _best(values: "Floats", session: "NDArray[np.int64]") -> "Floats":
    import numpy as np

    best = np.full(int(session.max()) + 1, -np.inf)
    np.maximum.at(best, session, values)
    return best[session]


def _better_in_session(sums: "Floats", sketches: Sequence[VersionSketch]) -> "Floats":
    """How many turns of the same session have more."""
    import numpy as np

    session = _sessions([sketch.session for sketch in sketches], [sketch.memory_id for sketch in sketches])
    order = np.lexsort((-sums, session))
    ordered = session[order]
    better = np.empty(len(sums))
    better[order] = np.arange(len(sums)) - np.searchsorted(ordered, ordered)
    return better


def _said_by(question: Question, speakers: Sequence[str | None], lower: Mapping[str | None, str]) -> "Floats":
    import numpy as np

    if len(question.speakers) != 1:  # about two people, either may know
        return np.zeros(len(speakers))
    return np.array([lower[speaker] in question.speakers for speaker in speakers], np.float64)


def _role(question: Question) -> float:
    if question.about_answers:
        return 0.0
    return ASSISTANT_ON_SELF if question.about_self else ASSISTANT


def _time(question: Question, micros: Sequence[int], now: datetime) -> "Floats":
    """By the days of the asker's clock, which `now` has."""
    import numpy as np

    total = np.zeros(len(micros))
    if not question.spans and not question.only_time:
        return total
    for at, said in enumerate(micros):
        day = from_micros(said).astimezone(now.tzinfo).date()
        named = any(span.first <= day <= span.last for span in question.days)
        if question.only_time:
            total[at] = ONLY_TIME * named
        else:
            near = max((EXACT_TIME if s.exact else VAGUE_TIME) * s.match(day) for s in question.spans)
            total[at] = near + VERY_DAY * named
    return total


def _recency(micros: Sequence[int], now: datetime) -> "Floats":
    import numpy as np

    days = (to_micros(now) - np.array(micros, np.int64)) / 1_000_000 / 86_400
    recent: Floats = RECENCY * 0.5 ** (np.maximum(days, 0.0) / RECENCY_HALF_LIFE_DAYS)
    return recent
