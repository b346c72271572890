"""A memory's links into the code, as they are in this checkout."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.model.checkout import Checkout
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHECKED, CausingCommit, CodeVerdict
from waypost.model.json_row import json_row
from waypost.model.memory import State, ValueConflict, Version
from waypost.model.reference import CodeReference
from waypost.model.time import format_minute, format_time

if TYPE_CHECKING:  # loaded only by projects that share
    from waypost.model.share import SharingProject

CODE_CHANGED = "code_changed: "  # how a stored reason begins


def plain_reason(reason: str | None, otherwise: str = "the code has changed") -> str:
    """Why something is stale, for people and agents. JSON has the stored form."""
    if not reason:
        return otherwise
    place = reason.removeprefix(CODE_CHANGED)
    return reason if place == reason else f"code changed: {place}"


def problem_of(links: Iterable["CodeLink"]) -> str:
    """The references whose code was never seen, each with what is wrong; empty if all can be checked."""
    return "; ".join(f"{link.was}: {link.problem}" for link in links if link.problem)


@dataclass(frozen=True, slots=True)
class CodeLink:
    """A reference and the verdict on its code.

    `reference` says where the code is now, since when it is stale, and how sure that is.
    """

    reference: CodeReference
    was: CodeReference  # as pinned
    finding: CodeVerdict = field(default_factory=lambda: CodeVerdict(UNCHECKED))
    is_stale: bool = False
    checked_at: datetime | None = None
    checkout: str = ""  # where it was checked, if that is not this checkout
    cause: CausingCommit | None = None  # the commit that made it stale, if it is known
    symbol: str = ""  # the symbol that was pinned, if it was one

    @property
    def as_of(self) -> str:
        """When and in which other checkout this was checked, for people; empty if it was checked here."""
        if not self.checkout:
            return ""
        if self.checked_at is None:
            return f"unverified: never judged in the checkout {self.checkout}"
        return f"as of {format_minute(self.checked_at)}, checkout {self.checkout}"

    @property
    def has_moved(self) -> bool:
        """Whether the code is in another file or has another name. Shifted lines do not count."""
        return self.finding.path is not None and (
            self.finding.state == MOVED or self.finding.path != self.was.file_path
        )

    @property
    def reason(self) -> str:
        """Why the link is stale, as part of the memory's stale reason; empty if it is fresh."""
        if not self.is_stale:
            return ""
        verdict = self.finding
        if verdict.state == DELETED:
            return self._removal
        lines = self.reference.line_range
        place = f"{self.reference.file_path}:{lines.start}" if lines else self.reference.file_path
        if verdict.state == AMBIGUOUS:
            return f"{place} (could be {' or '.join(verdict.others[:3])})" if verdict.others else f"{place} (ambiguous)"
        if verdict.state != CHANGED:
            return place
        amount = f"{verdict.amount:.0%} changed" if verdict.amount else "changed"
        return f"{place} ({amount}{self.change})" if verdict.amount or self.cause else place

    @property
    def problem(self) -> str:
        """Why a change of the code can't be noticed, such as a missing file; empty if it can."""
        is_pinned = self.was.anchor or self.was.code_hash or self.was.repo_id
        if is_pinned or self.checked_at is None or self.finding.state != UNCHECKED:
            return ""
        if self.finding.path is None:
            return "file not found"
        return "no such code" if self.was.line_range or self.was.symbol_id else ""

    @property
    def change(self) -> str:
        """Which commit changed the code, such as " in 4d5e6f1 (2026-03-01, Ada): +3 −1"; empty if nobody knows."""
        return f" in {self.cause}: +{self.cause.added} −{self.cause.removed}" if self.cause is not None else ""

    @property
    def _removal(self) -> str:
        path = self.was.file_path
        if self.cause is None:
            return f"{path} (deleted)"
        what = f"symbol `{self.symbol}` was" if self.symbol else "lines were"
        return f"{what} removed from {path} in {self.cause}"

    def to_json(self) -> dict[str, Any]:
        row = {
            "last_verified_at": None,  # the default, for references that nobody has verified
            **self.reference.to_json(),
            "confidence_score": self.reference.confidence_score,
            "code_link": self.reference.uri,
            "is_stale": self.is_stale,
            "state": self.finding.state,
        }
        if self.problem:
            row["problem"] = self.problem
        if self.finding.amount:
            row["changed"] = round(self.finding.amount, 3)
        if self.has_moved:
            row["moved_from"] = str(self.was)
        if self.finding.name:
            row["symbol"] = self.finding.name
        if self.cause is not None:
            row["cause"] = self.cause.to_json()
        if self.finding.others:
            row["others"] = list(self.finding.others)
        if self.checked_at is not None:
            row["checked_at"] = format_time(self.checked_at)
        if self.checkout:
            row["checkout"] = self.checkout
        return row


@dataclass(frozen=True, slots=True)
class LinkedMemory:
    """A memory with its current links, and its state and confidence as they follow from them."""

    version: Version
    state: State  # stale if a link is
    links: tuple[CodeLink, ...]
    confidence: float
    stale_since: datetime | None = None
    project: "SharingProject | None" = None  # the project that shares it; None: this space's own
    conflict: ValueConflict | None = None  # with memories that contradict it
    seen_at: datetime | None = None  # when it last matched its code or was verified; its confidence depends on it

    @property
    def id(self) -> str:
        return self.version.memory_id

    def to_json(self) -> dict[str, Any]:
        version = self.version
        shared: dict[str, Any] = {} if self.project is None else {"project": self.project.to_json()}
        shared |= {} if self.conflict is None else {"conflict": self.conflict.to_json()}
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


CALLED, OVERRIDDEN = "called", "overridden"


@dataclass(frozen=True, slots=True)
class RelatedCode:
    """Code that a place calls or overrides."""

    relation: str  # CALLED or OVERRIDDEN
    symbol: str
    user: str = ""  # the symbol that calls or overrides it; empty for the line itself
    is_file: bool = False  # the place is a file

    @property
    def label(self) -> str:
        user = f"`{self.user}`" if self.user else f"this {'file' if self.is_file else 'line'}"
        return f"about `{self.symbol}`, which {user} {'calls' if self.relation == CALLED else 'overrides'}"


@dataclass(frozen=True, slots=True)
class AboutHit:
    """A memory about a place in the code, or about code that the place calls or overrides."""

    memory: LinkedMemory
    # "direct": it refers to the line; "symbol": to the symbol around the line; "file"; "called"; "overridden"
    relevance: str
    link: CodeLink
    related: RelatedCode | None = None

    def to_json(self) -> dict[str, Any]:
        label = {} if self.related is None else {"label": self.related.label}
        return {**self.memory.to_json(), "relevance": self.relevance, **label, "code_ref": self.link.to_json()}


@dataclass(frozen=True, slots=True)
class StaleReport:
    """The result of checking many memories. Counts include only memories that refer to code."""

    checked: int
    stale: int
    fresh: int
    errors: int  # not checkable: nothing was recorded to compare with, or the code cannot be read
    memories: tuple[LinkedMemory, ...] = ()  # the stale ones, longest stale first
    moved: tuple[LinkedMemory, ...] = ()  # fresh ones whose code has moved
    seen: Checkout | None = None  # the checkout they were last checked in, if it is not this one
    unfound: tuple[
        LinkedMemory, ...
    ] = ()  # those of `errors` that point at no code: at a folder, or what was never there

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "seen", **({} if self.seen is None else {"as_of": self.seen}))
