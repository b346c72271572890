"""The one kind of record, its versions, and the state beside them.

A memory has a stable `memory_id`. What it says is a `Version`, never overwritten: at most one version is
current for a memory and a valid instant. Staleness, access and protection are `State`, not versions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.model.kinds import KINDS
from waypost.model.reference import CodeReference
from waypost.model.time import Moment

PARENT = "parent"  # in a version's details: the memory that contains it
SAID_BY = "said_by"  # in a version's details: source and actor of who proposed what a person approved
IMPORT = "import"  # and the id of the import that added it
HEADING = "journal"  # and what else the heading of a journal entry says


@dataclass(frozen=True, slots=True)
class Caller:
    """Who writes, as the face that took the call knows it. A payload can claim, never set, this."""

    source: str
    actor: str
    owners_word: bool = False  # `--yes` without a terminal: done as the owner's word, and audited as such

    @property
    def decides(self) -> bool:
        """Whether what only a person may decide can be decided by this caller."""
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
    number: int = 0  # given by the store: rises with every version written
    level: int | None = None
    domain: str = ""
    module: str = ""
    key: str | None = None
    session: str | None = None
    position: int = 0  # place in the session
    speaker: str | None = None
    time: datetime | None = None  # when it was said or observed, where the caller knows
    checkout_id: str | None = None
    name: str | None = None
    language: str = ""
    traits: int = 0  # what ranking wants to know of the text, packed (retrieve.traits)
    fingerprint: bytes = b""
    evidence: tuple[str, ...] = ()
    refs: tuple[CodeReference, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)  # what only some kinds have, and what a caller claimed

    @property
    def collection(self) -> str:
        return KINDS[self.kind].collection

    @property
    def parent(self) -> str | None:
        """The memory that contains it."""
        return self.details.get(PARENT)

    @property
    def period(self) -> tuple[datetime, datetime | None]:
        """When it is true."""
        return self.valid_from, self.valid_until

    def visible(self, moment: Moment) -> bool:
        """The rule of bi-temporal reading, in one place for people; the stores say it in SQL."""
        if moment.known_at is None:
            known = self.superseded_at is None
        else:
            known = self.recorded_at <= moment.known_at and (
                self.superseded_at is None or self.superseded_at > moment.known_at
            )
        begun = self.valid_from <= moment.as_of
        if not moment.explicit:  # the clock may have gone back since, or that of whoever spoke may be ahead of ours
            begun = begun or self.valid_from <= self.recorded_at
            begun = begun or (KINDS[self.kind].is_journal and self.valid_from == self.time)
        return known and begun and (self.valid_until is None or moment.as_of < self.valid_until)


@dataclass(frozen=True, slots=True)
class State:
    """What changes about a memory without changing what it says."""

    protected: bool = False
    is_stale: bool = False
    stale_reason: str | None = None
    verified_at: datetime | None = None
    archived_at: datetime | None = None
    expires_at: datetime | None = None
    on_expire: str | None = None
    importance: float | None = None
    ttl_seconds: int | None = None  # what its time is set to when it starts anew
    ttl_class: str | None = None
    refresh: tuple[str, ...] = ()  # globs of files whose change starts its time anew
    accessed_at: datetime | None = None  # the day on which it was part of an answer last; noted for the journal


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    version: Version
    state: State = field(default_factory=State)
