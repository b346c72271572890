"""A question and its answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.model.code_link import CodeLink
from waypost.model.json_row import json_row
from waypost.model.kinds import COLLECTIONS, LABELS
from waypost.model.memory import ValueConflict
from waypost.model.reference import CodeReference
from waypost.model.time import Moment, format_time

if TYPE_CHECKING:  # loaded only by projects that share
    from waypost.model.share import SharingProject


@dataclass(frozen=True, slots=True)
class View:
    """Which memories a reader sees: moment, collections, checkout, and whether archived memories count."""

    moment: Moment
    collections: tuple[str, ...] = COLLECTIONS
    checkout_id: str | None = None
    archived: bool = False
    domains: tuple[str, ...] | None = None  # only these; "" means memories without a domain
    levels: tuple[int, ...] | None = None  # only these
    journal: str | None = None  # of journal entries kept in repositories, only those of this checkout; None: all


@dataclass(frozen=True, slots=True)
class Hit:
    id: str
    score: float
    text: str
    kind: str
    collection: str
    source: str
    valid_from: datetime
    recorded_at: datetime
    valid_until: datetime | None = None
    key: str | None = None
    type: str | None = None  # within its kind: "method", "class", "section" …
    name: str | None = None
    path: str | None = None
    line: int | None = None
    end_line: int | None = None
    summary: str | None = None
    level: int | None = None
    category: str | None = None
    scope: str | None = None
    entity: str | None = None
    artifact_type: str | None = None
    artifact_ref: str | None = None
    access_entity: str | None = None
    domain: str = ""
    session: str | None = None
    speaker: str | None = None
    time: datetime | None = None
    page: str | None = None  # of a journal entry: its file, such as daily/2026-01-30.md
    heading: str | None = None  # of a journal entry: the time in its heading
    confidence: float | None = None
    is_stale: bool = False
    stale_reason: str | None = None
    links: tuple[CodeLink, ...] = ()  # its code in this checkout, with verdicts
    tags: Mapping[str, str] = field(default_factory=dict)
    why: Mapping[str, float] = field(default_factory=dict)  # the parts of the score
    conflict: ValueConflict | None = None  # memories that contradict it, undecided; they are not shown as hits
    newer_id: str | None = None  # of a newer memory about nearly the same, which is shown before it
    certainty: float | None = None  # probability that it answers the question
    evidence: Mapping[str, float] = field(default_factory=dict)  # what certainty was computed from
    project: "SharingProject | None" = None  # the project that shares it; None: this space's own

    @property
    def code_refs(self) -> tuple[CodeReference, ...]:
        """The current places of its code."""
        return tuple(link.reference for link in self.links)

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        row: dict[str, Any] = {
            "id": self.id,
            "key": self.key,
            "score": round(self.score, 4),
            "certainty": None if self.certainty is None else round(self.certainty, 4),
            "collection": self.collection,
            "kind": self.kind,
            "type": self.type or self.kind,
            "name": self.name,
            "path": self.path,
            "line": self.line,
            "end_line": self.end_line,
            "text": self.text,
            "summary": self.summary,
            "level": self.level,
            **{name: getattr(self, name) for name in LABELS},
            "domain": self.domain or None,
            "session": self.session,
            "speaker": self.speaker,
            "time": _format_optional(self.time),
            "page": self.page,
            "heading": self.heading,
            "confidence": self.confidence,
            "is_stale": self.is_stale,
            "stale_reason": self.stale_reason,
            "source": self.source,
            "valid_from": format_time(self.valid_from),
            "valid_until": _format_optional(self.valid_until),
            "recorded_at": format_time(self.recorded_at),
            "code_refs": [link.to_json() for link in self.links],
            "tags": dict(self.tags),
        }
        if self.conflict is not None:
            row["conflict"] = self.conflict.to_json()
        if self.newer_id is not None:
            row["newer_id"] = self.newer_id
        if self.project is not None:
            row["project"] = self.project.to_json()
        if explain:
            row["why"] = {name: round(part, 4) for name, part in self.why.items()}
            row["evidence"] = {name: round(part, 4) for name, part in self.evidence.items()}
        return row


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first, and notices about the search."""

    query: str
    hits: tuple[Hit, ...]
    notices: tuple[str, ...] = ()
    took_ms: float = 0.0
    nearest_names: tuple[str, ...] = ()  # of code, if the question names something that does not exist

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        hits = [hit.to_json(explain=explain) for hit in self.hits]
        return json_row(self, hits=hits, took_ms=round(self.took_ms, 1))


def _format_optional(value: datetime | None) -> str | None:
    return None if value is None else format_time(value)
