"""What one project lets another read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.model.draft import MAX_LEVEL, check_line, check_whole
from waypost.model.json_row import json_row
from waypost.model.kinds import CODE_COLLECTIONS, KINDS, SCOPES, kind_of

# Facts can be shared. The journal cannot: conversations stay with the people who had them.
SHAREABLE_KINDS = tuple(kind.name for kind in KINDS.values() if kind.collection in SCOPES["facts"])
MOST_NAMED = 100  # kinds, domains or levels in an offer


@dataclass(frozen=True, slots=True)
class SharingProject:
    """Where a shared memory comes from."""

    id: str
    name: str

    def to_json(self) -> dict[str, str]:
        return {"id": self.id, "name": self.name}


@dataclass(frozen=True, slots=True)
class Offer:
    """Which memories are offered: all facts and decisions, or only some kinds, domains or levels."""

    kinds: tuple[str, ...] = ()  # empty: every kind that can be shared
    domains: tuple[str, ...] = ()  # empty: every domain, and memories without one
    levels: tuple[int, ...] = ()  # empty: every level
    code: bool = False  # the code index, too

    @classmethod
    def of(
        cls,
        kinds: Iterable[str] = (),
        domains: Iterable[str] = (),
        levels: Iterable[int] = (),
        code: bool = False,
    ) -> "Offer":
        """A checked offer. Raises InvalidInput for what cannot be shared."""
        offer = cls(
            tuple(dict.fromkeys(_shareable_kind(kind) for kind in kinds)),
            tuple(dict.fromkeys(check_line(domain, "domain") for domain in domains)),
            tuple(sorted({check_whole(level, "level", 0, MAX_LEVEL) for level in levels})),
            bool(code),
        )
        for field, values in (("kinds", offer.kinds), ("domains", offer.domains)):
            if len(values) > MOST_NAMED:
                raise InvalidInput(f"An offer of {len(values)} {field} is too long.", f"Name at most {MOST_NAMED}.")
        return offer

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Offer":
        return cls(
            tuple(row.get("kinds", ())),
            tuple(row.get("domains", ())),
            tuple(row.get("levels", ())),
            bool(row.get("code")),
        )

    def to_json(self) -> dict[str, Any]:
        return json_row(self)

    @property
    def collections(self) -> tuple[str, ...]:
        """The collections that hold the offered memories."""
        collections = tuple(dict.fromkeys(KINDS[kind].collection for kind in self.kinds or SHAREABLE_KINDS))
        return collections + (CODE_COLLECTIONS if self.code else ())

    def admits(self, kind: str) -> bool:
        return kind in (self.kinds or SHAREABLE_KINDS) or (self.code and KINDS[kind].derived)

    @property
    def narrow(self) -> bool:
        """Whether a collection may hold kinds that are not offered."""
        return bool(self.kinds)

    def __str__(self) -> str:
        parts = [
            ", ".join(self.kinds) if self.kinds else "all facts and decisions",
            f"of {', '.join(self.domains)}" if self.domains else "",
            f"on level {', '.join(map(str, self.levels))}" if self.levels else "",
            "and code" if self.code else "",
        ]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class ShareRow:
    """One half of an agreement: what a space offered to another, or accepted from it."""

    role: str  # store.share_protocol.GIVES or TAKES
    other: str  # the id of the other space
    name: str  # of the other space at the time of the agreement
    offer_id: str  # new with every offer; an acceptance refers to one offer
    offer: Offer  # of an acceptance: the offer at that time; the giver's current half decides what may be read
    made_at: datetime
    made_by: str  # the person who offered or accepted
    revoked_at: datetime | None = None
    revoked_by: str | None = None

    @property
    def stands(self) -> bool:
        return self.revoked_at is None


def _shareable_kind(name: str) -> str:
    kind = kind_of(name).name
    if kind not in SHAREABLE_KINDS:
        never = "the journal stays with those who had the conversation" if KINDS[kind].is_journal else "that is code"
        raise InvalidInput(
            f"Memories of kind {kind} cannot be shared: {never}.",
            f"Kinds that can: {', '.join(SHAREABLE_KINDS)}. Code is offered with --code.",
        )
    return kind
