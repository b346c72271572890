"""A memory as lists show it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.faces.dashboard.rank_explanation import RankPart, rank_parts
from waypost.model.kinds import KINDS
from waypost.model.recall import Hit
from waypost.model.reference import CodeReference
from waypost.model.time import parse_time


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
    confidence: float | None = None
    valid_until: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    places: tuple[LinkedPlace, ...] = ()
    score: float | None = None
    why: tuple[RankPart, ...] = ()
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
        confidence=hit.confidence,
        valid_until=hit.valid_until,
        tags=hit.tags,
        places=tuple(places),
        score=hit.score,
        why=rank_parts(hit.why),
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
        valid_until=parse_time(row["valid_until"]) if row["valid_until"] else None,
        tags=row["tags"],
        places=tuple(_place(CodeReference.from_json(ref), False) for ref in row["code_refs"]),
    )


def _place(reference: CodeReference, is_stale: bool) -> LinkedPlace:
    return LinkedPlace(reference.file_path, reference.line_range.start if reference.line_range else 0, is_stale)
