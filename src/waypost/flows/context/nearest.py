"""The memories that match a message, by engines and by words."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.relevance import nearness, words_shared
from waypost.store.protocol import Reader
from waypost.text.keywords import query_terms

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

DEPTH = 100  # passages that each engine searches
_WORDED = 30  # memories whose words are compared: the nearest, and as many that keywords find

_LONGEST_QUESTION = 500  # characters; a longer text also states something
_STATEMENT = re.compile(r"[.!…:;]\s|\n")

IsKnown = Callable[[Version | Hit], bool]  # whether the agent has seen this already


@dataclass(frozen=True, slots=True)
class PromptQuery:
    """A message as engines and keywords see it, and what its sender knows already."""

    text: str
    language: str
    vectors: "dict[str, Vector]"
    roles: ServingEngines
    is_known: IsKnown
    most: int  # hits


def nearest(reader: Reader, query: PromptQuery, view: View) -> dict[int, float]:
    """The versions that match a message, nearest first, and how near each is."""
    cosines: dict[int, dict[str, float]] = {}
    for engine, vector in query.vectors.items():
        for passage in reader.search.vectors(engine, vector, DEPTH, view).hits:
            best = cosines.setdefault(passage.number, {})
            best[engine] = max(passage.score, best.get(engine, -1.0))
    terms = query_terms(query.text)
    worded = [passage.number for passage in reader.search.keywords(terms, _WORDED, view)]
    if unseen := [number for number in dict.fromkeys(worded) if number not in cosines]:
        for engine, vector in query.vectors.items():
            for number, score in reader.search.vector_scores(engine, vector, unseen).items():
                cosines.setdefault(number, {})[engine] = score
    versions = {
        number: version
        for number, version in reader.memories.by_number([*cosines, *unseen]).items()
        if not (query.is_known(version) or only_asks(version))
    }
    shared = words_shared(terms, _readable_words(versions, cosines, worded))
    near = {
        number: nearness(
            cosines.get(number, {}), query.roles, query.language, version.language, shared.get(number, 0.0)
        )
        for number, version in versions.items()
    }
    chosen = sorted((number for number in near if near[number] >= 0), key=lambda number: -near[number])[: query.most]
    return {number: near[number] for number in chosen}


def only_asks(memory: Version | Hit) -> bool:
    """Whether it is only a question: its answer is worth showing, not the question."""
    return memory.kind == "conversation" and is_only_question(memory.text)


def _readable_words(
    versions: Mapping[int, Version], cosines: Mapping[int, Mapping[str, float]], worded: Collection[int]
) -> dict[int, tuple[str, str]]:
    """The texts whose words count: the nearest ones and those that keywords find. Code has many words that say little."""
    best = sorted(versions, key=lambda number: -max(cosines.get(number, {}).values(), default=0.0))[:_WORDED]
    return {
        number: (versions[number].text, versions[number].language)
        for number in {*best, *worded}
        if number in versions and not KINDS[versions[number].kind].derived
    }


def is_only_question(text: str) -> bool:
    """Whether every sentence is a question. A greeting or a reason makes it more than that."""
    stripped = text.strip()
    ends_as_question = stripped.rstrip(" \"'»“”)").endswith("?")
    return len(stripped) <= _LONGEST_QUESTION and ends_as_question and not _STATEMENT.search(stripped)
