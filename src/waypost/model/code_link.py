"""A memory's links into the code, as they are in the tree at hand."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.model.checkout import Checkout, minute
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHECKED, CodeVerdict
from waypost.model.memory import State, Version
from waypost.model.reference import CodeReference
from waypost.model.time import format_time

if TYPE_CHECKING:  # who shares nothing does not load it
    from waypost.model.share import SharingProject

CODE_CHANGED = "code_changed: "


@dataclass(frozen=True, slots=True)
class CodeLink:
    """A reference and what became of it. `reference` says where the code is now, since when it is stale, how sure."""

    reference: CodeReference
    was: CodeReference  # as it was pinned
    finding: CodeVerdict = field(default_factory=lambda: CodeVerdict(UNCHECKED))
    is_stale: bool = False
    checked_at: datetime | None = None
    checkout: str = ""  # the tree that it was looked for in, where that is not at hand

    @property
    def as_of(self) -> str:
        """For people, where the tree is not at hand: when this was found, and in which checkout."""
        if not self.checkout:
            return ""
        if self.checked_at is None:
            return f"unverified: never judged in the checkout {self.checkout}"
        return f"as of {minute(self.checked_at)}, checkout {self.checkout}"

    @property
    def has_moved(self) -> bool:
        """Whether it is in another file, or under another name; lines that shifted are no news."""
        return self.finding.path is not None and (
            self.finding.state == MOVED or self.finding.path != self.was.file_path
        )

    @property
    def reason(self) -> str:
        """What is wrong with it, as a part of the memory's reason; empty when nothing is."""
        if not self.is_stale:
            return ""
        found = self.finding
        if found.state == DELETED:
            return f"{self.was.file_path} (deleted)"
        place = (
            f"{self.reference.file_path}:{self.reference.line_range.start}"
            if self.reference.line_range
            else (self.reference.file_path)
        )
        if found.state == AMBIGUOUS:
            return f"{place} (could be {' or '.join(found.others[:3])})" if found.others else f"{place} (ambiguous)"
        return f"{place} ({found.amount:.0%} changed)" if found.state == CHANGED and found.amount else place

    def to_json(self) -> dict[str, Any]:
        row = {
            "last_verified_at": None,  # unless somebody has verified it
            **self.reference.to_json(),
            "confidence_score": self.reference.confidence_score,
            "code_link": self.reference.uri,
            "is_stale": self.is_stale,
            "state": self.finding.state,
        }
        if self.finding.amount:
            row["changed"] = round(self.finding.amount, 3)
        if self.has_moved:
            row["moved_from"] = str(self.was)
        if self.finding.name:
            row["symbol"] = self.finding.name
        if self.finding.others:
            row["others"] = list(self.finding.others)
        if self.checked_at is not None:
            row["checked_at"] = format_time(self.checked_at)
        if self.checkout:
            row["checkout"] = self.checkout
        return row


@dataclass(frozen=True, slots=True)
class LinkedMemory:
    """A memory with its links as they are now, and what follows from them for the memory."""

    version: Version
    state: State  # stale where a link is
    links: tuple[CodeLink, ...]
    confidence: float
    stale_since: datetime | None = None
    project: "SharingProject | None" = None  # that shares it; None: it is this space's own
    seen_at: datetime | None = None  # when it was last seen to fit its code, or verified: what its confidence rests on

    @property
    def id(self) -> str:
        return self.version.memory_id

    def to_json(self) -> dict[str, Any]:
        version = self.version
        shared = {} if self.project is None else {"project": self.project.to_json()}
        return shared | {
            "id": version.memory_id,
            "memory": version.text,
            "text": version.text,
            "kind": version.kind,
            "source": version.source,
            "confidence": self.confidence,
            "is_stale": self.state.is_stale,
            "stale_reason": self.state.stale_reason,
            "stale_since": None if self.stale_since is None else format_time(self.stale_since),
            "recorded_at": format_time(version.recorded_at),
            "code_refs": [link.to_json() for link in self.links],
        }


@dataclass(frozen=True, slots=True)
class AboutHit:
    """A memory about a place in the code."""

    memory: LinkedMemory
    relevance: str  # "direct": the line is inside; "symbol": it is about the symbol around the line; "file"
    link: CodeLink

    def to_json(self) -> dict[str, Any]:
        return {**self.memory.to_json(), "relevance": self.relevance, "code_ref": self.link.to_json()}


@dataclass(frozen=True, slots=True)
class StaleReport:
    """What a check of many memories found. Counts are of memories that point at code."""

    checked: int
    stale: int
    fresh: int
    errors: int  # that nobody can tell of: nothing was noted, or the code cannot be read
    memories: tuple[LinkedMemory, ...] = ()  # the stale ones, longest stale first
    moved: tuple[LinkedMemory, ...] = ()  # fresh ones whose code is in another place
    seen: Checkout | None = None  # as of when, and in which checkout, where the tree is not at hand

    def to_json(self) -> dict[str, Any]:
        as_of = {} if self.seen is None else {"as_of": self.seen.to_json()}
        return as_of | {
            "checked": self.checked,
            "stale": self.stale,
            "fresh": self.fresh,
            "errors": self.errors,
            "memories": [one.to_json() for one in self.memories],
            "moved": [one.to_json() for one in self.moved],
        }
