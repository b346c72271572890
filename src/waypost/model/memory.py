"""A memory: its versions, and the state beside them.

A memory has a stable `memory_id`. Its text is in a `Version`, which is never overwritten. At most one version is
current at a valid instant. Staleness, access and protection belong to `State`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.model.json_row import json_row
from waypost.model.kinds import KINDS
from waypost.model.reference import CodeReference
from waypost.model.time import Moment, format_time

PARENT = "parent"  # in a version's details: the memory that contains it
SAID_BY = "said_by"  # in a version's details: source and actor of the proposal that a person approved
IMPORT = "import"  # in a version's details: id of the import that added it
HEADING = "journal"  # in a version's details: other fields from the heading of a journal entry


@dataclass(frozen=True, slots=True)
class Caller:
    """Who writes, as determined by the face. A payload can claim another author, but not set one."""

    source: str
    actor: str
    owners_word: bool = False  # `--yes` without a terminal: acts with owner rights, and is audited so

    @property
    def decides(self) -> bool:
        """Whether this caller may decide what only a person may."""
        return self.source == "person" or self.owners_word


@dataclass(frozen=True, slots=True)
class Version:
    memory_id: str
    kind: str
    text: str
    recorded_at: datetime
    valid_from: datetime
    source: str
    actor: str
    valid_until: datetime | None = None
    superseded_at: datetime | None = None
    number: int = 0  # assigned by the store, increasing with every version
    level: int | None = None
    domain: str = ""
    module: str = ""
    key: str | None = None
    session: str | None = None
    position: int = 0  # in the session
    speaker: str | None = None
    time: datetime | None = None  # when it was said or observed, if the caller knows
    checkout_id: str | None = None
    name: str | None = None
    language: str = ""
    traits: int = 0  # packed features of the text for ranking (retrieve.traits)
    fingerprint: bytes = b""
    evidence: tuple[str, ...] = ()
    refs: tuple[CodeReference, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)  # fields of only some kinds, and the caller's claims

    @property
    def collection(self) -> str:
        return KINDS[self.kind].collection

    @property
    def parent(self) -> str | None:
        """The memory that contains it."""
        return self.details.get(PARENT)

    @property
    def period(self) -> tuple[datetime, datetime | None]:
        return self.valid_from, self.valid_until

    def visible(self, moment: Moment) -> bool:
        """Whether the version is current at this moment. The stores have the same rule in SQL."""
        if moment.known_at is None:
            is_current = self.superseded_at is None
        else:
            is_current = self.recorded_at <= moment.known_at and (
                self.superseded_at is None or self.superseded_at > moment.known_at
            )
        has_begun = self.valid_from <= moment.as_of
        if not moment.explicit:  # our clock may have stepped back, or the speaker's clock may be ahead of ours
            has_begun = has_begun or self.valid_from <= self.recorded_at
            has_begun = has_begun or (KINDS[self.kind].is_journal and self.valid_from == self.time)
        return is_current and has_begun and (self.valid_until is None or moment.as_of < self.valid_until)


@dataclass(frozen=True, slots=True)
class State:
    """What changes about a memory while its text stays the same."""

    protected: bool = False
    is_stale: bool = False
    stale_reason: str | None = None
    verified_at: datetime | None = None
    archived_at: datetime | None = None
    expires_at: datetime | None = None
    on_expire: str | None = None
    importance: float | None = None
    ttl_seconds: int | None = None  # the lifetime to restart with
    ttl_class: str | None = None
    refresh: tuple[str, ...] = ()  # globs of files whose change restarts the lifetime
    accessed_at: datetime | None = None  # the day it was last part of an answer; recorded for journal entries


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    version: Version
    state: State = field(default_factory=State)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what to which memory, and when. It never contains a memory's text."""

    at: datetime
    action: str
    memory_id: str | None
    source: str
    actor: str
    details: Mapping[str, Any]
    number: int = 0

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "memory_id", id=self.memory_id)


@dataclass(frozen=True, slots=True)
class EarlierValue:
    """A memory that an undecided conflict puts behind another one."""

    id: str
    value: str
    text: str
    since: datetime
    source: str

    def to_json(self) -> dict[str, Any]:
        row = {"id": self.id, "value": self.value, "text": self.text}
        return row | {"since": format_time(self.since), "source": self.source}


@dataclass(frozen=True, slots=True)
class ValueConflict:
    """Memories that contradict each other. The first one counts until a person decides."""

    id: str
    value: str
    since: datetime
    others: tuple[EarlierValue, ...]  # newest first

    @property
    def line(self) -> str:
        """Such as "9090, since 2026-05-04; earlier 8080, unconfirmed"."""
        parts = [f"{self.value}, since {self.since:%Y-%m-%d}"]
        parts += [
            f"{'earlier' if other.since <= self.since else f'{other.source} said later'} {other.value}"
            for other in self.others
        ]
        return f"{'; '.join(parts)}, unconfirmed"

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"id": self.id, "value": self.value, "since": format_time(self.since)}
        return row | {"earlier": [other.to_json() for other in self.others], "line": self.line}


@dataclass(frozen=True, slots=True)
class StoredSpace:
    """A stored memory, as `metadata.json` or a team's database describes it."""

    space_id: str
    kind: str  # project | person
    name: str
    source: str  # what the id was computed from
    origin: str | None
    created: datetime
