"""A memory as lists show it, with an explanation of its rank."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.model.code_link import problem_of
from waypost.model.kinds import KINDS
from waypost.model.recall import Hit
from waypost.model.reference import CodeReference
from waypost.model.time import parse_time

_TEXTS: Mapping[str, tuple[str, str]] = {  # title and explanation of each part
    "keywords": ("Words", "rare words it shares with the query"),
    "meaning": ("Meaning", "how close it is in meaning, compared with everything else"),
    "answer": ("Answer", "what was said just before it matches the query"),
    "session": ("Around it", "the best match of its conversation"),
    "speaker": ("Speaker", "it was said by the person the query names"),
    "role": ("Role", "whether this kind of text answers such queries"),
    "telling": ("Content", "how much it says"),
    "type": ("Kind of answer", "the query asks for a time or a number, and it has one"),
    "time": ("Time", "it is from the time the query names"),
    "recency": ("Recency", "how new it is"),
    "freshness": ("Freshness", "whether its code is unchanged"),
    "others": ("Compared", "compared with memories and code of all kinds"),
    "reach": ("Among projects", "how many of the words its project has, compared with the others"),
    "name": ("Name", "the query names it"),
    "file": ("File", "its file matches too"),
    "place": ("Place", "the query names its path"),
    "weight": ("Weight", "how much code uses it"),
    "repeat": ("Repetition", "better places in the same file or conversation rank before it"),
    "near": ("Domain", "how near its domain is to the task"),
    "beside": ("Next to a hit", "it was said next to a match"),
}

_USUAL = frozenset({"telling", "session", "role", "weight", "recency", "others"})


@dataclass(frozen=True, slots=True)
class RankPart:
    """A part of a score. `share` is its size relative to the largest part, 0 to 1. It counts for or against."""

    name: str
    says: str
    value: float
    share: float
    is_usual: bool = False  # common to most memories, so it says little about this one

    @property
    def speaks_for(self) -> bool:
        return self.value >= 0


def rank_parts(why: Mapping[str, float]) -> tuple[RankPart, ...]:
    largest = max((abs(value) for value in why.values()), default=0.0) or 1.0
    ordered = sorted(why.items(), key=lambda part: -abs(part[1]))
    return tuple(RankPart(*_texts(name), value, abs(value) / largest, name in _USUAL) for name, value in ordered)


def main_reasons(parts: tuple[RankPart, ...]) -> str:
    """The parts that distinguish this memory, in a few words."""
    distinctive = [part for part in parts if not part.is_usual] or list(parts)
    return ", ".join(part.name.lower() if part.speaks_for else f"not {part.name.lower()}" for part in distinctive[:2])


def _texts(name: str) -> tuple[str, str]:
    return _TEXTS.get(name, (name.replace("_", " ").capitalize(), ""))


@dataclass(frozen=True, slots=True)
class LinkedPlace:
    """A place in the code. `is_stale`: the code has changed."""

    path: str
    line: int = 0
    is_stale: bool = False

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class MemoryRow:
    id: str
    text: str
    kind: str
    source: str
    when: datetime  # said or recorded
    level: int | None = None
    domain: str = ""
    session: str | None = None
    speaker: str | None = None
    name: str | None = None
    is_stale: bool = False
    stale_reason: str = ""
    conflict: str = ""  # with memories that contradict it
    confidence: float | None = None
    valid_until: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    places: tuple[LinkedPlace, ...] = ()
    score: float | None = None
    why: tuple[RankPart, ...] = ()
    problem: str = ""  # references whose code was never found
    as_of: str = ""  # when and in which checkout its code was last checked, if that is not here
    project: str = ""  # the project that shares it; empty for this memory's own

    @property
    def is_derived(self) -> bool:
        """Derived from the code, so it cannot be edited."""
        return KINDS[self.kind].derived


def of_hit(hit: Hit) -> MemoryRow:
    places = [_place(link.reference, link.is_stale) for link in hit.links]
    if not places and hit.path:
        places = [LinkedPlace(hit.path, hit.line or 0)]
    return MemoryRow(
        hit.id,
        hit.text,
        hit.kind,
        hit.source,
        hit.time or hit.recorded_at,
        level=hit.level,
        domain=hit.domain,
        session=hit.session,
        speaker=hit.speaker,
        name=hit.name,
        is_stale=hit.is_stale,
        stale_reason=hit.stale_reason or "",
        conflict="" if hit.conflict is None else hit.conflict.line,
        confidence=hit.confidence,
        valid_until=hit.valid_until,
        tags=hit.tags,
        places=tuple(places),
        score=hit.score,
        why=rank_parts(hit.why),
        problem=problem_of(hit.links),
        as_of=next((link.as_of for link in hit.links), ""),
        project="" if hit.project is None else hit.project.name,
    )


def of_row(row: Mapping[str, Any]) -> MemoryRow:
    return MemoryRow(
        row["id"],
        row["text"],
        row["kind"],
        row["source"],
        parse_time(row["time"] or row["recorded_at"]),
        level=row["level"],
        domain=row["domain"] or "",
        session=row["session"],
        speaker=row["speaker"],
        name=row["name"],
        is_stale=row["is_stale"],
        stale_reason=row["stale_reason"] or "",
        conflict=row.get("conflict", {}).get("line", ""),
        valid_until=parse_time(row["valid_until"]) if row["valid_until"] else None,
        tags=row["tags"],
        places=tuple(_place(CodeReference.from_json(ref), False) for ref in row["code_refs"]),
    )


def _place(reference: CodeReference, is_stale: bool) -> LinkedPlace:
    return LinkedPlace(reference.file_path, reference.line_range.start if reference.line_range else 0, is_stale)
