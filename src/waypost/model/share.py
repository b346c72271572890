"""What one project lets another read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.model.draft import MAX_LEVEL, check_line, check_whole
from waypost.model.kinds import CODE_COLLECTIONS, KINDS, SCOPES, kind_of

# What can be offered: what people and agents keep as facts. Never the journal: conversations are for those who had them.
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
    """Which memories are offered: all facts and decisions, or only those of some kinds, domains or levels."""

    kinds: tuple[str, ...] = ()  # empty: of every kind that can be shared
    domains: tuple[str, ...] = ()  # empty: of every domain, and of none
    levels: tuple[int, ...] = ()  # empty: of every level
    code: bool = False  # what is read out of the tree, too

    @classmethod
    def of(
        cls,
        kinds: Iterable[str] = (),
        domains: Iterable[str] = (),
        levels: Iterable[int] = (),
        code: bool = False,
    ) -> "Offer":
        """Checked: what cannot be shared is named."""
        chosen = cls(
            tuple(dict.fromkeys(_kind(one) for one in kinds)),
            tuple(dict.fromkeys(check_line(one, "domain") for one in domains)),
            tuple(sorted({check_whole(one, "level", 0, MAX_LEVEL) for one in levels})),
            bool(code),
        )
        for name, given in (("kinds", chosen.kinds), ("domains", chosen.domains)):
            if len(given) > MOST_NAMED:
                raise InvalidInput(f"An offer of {len(given)} {name} is too long.", f"Name at most {MOST_NAMED}.")
        return chosen

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Offer":
        """As `to_json` wrote it."""
        return cls(
            tuple(row.get("kinds", ())),
            tuple(row.get("domains", ())),
            tuple(row.get("levels", ())),
            bool(row.get("code")),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "kinds": list(self.kinds),
            "domains": list(self.domains),
            "levels": list(self.levels),
            "code": self.code,
        }

    @property
    def collections(self) -> tuple[str, ...]:
        """Where what is offered is kept."""
        kept = tuple(dict.fromkeys(KINDS[one].collection for one in self.kinds or SHAREABLE_KINDS))
        return kept + (CODE_COLLECTIONS if self.code else ())

    def admits(self, kind: str) -> bool:
        return kind in (self.kinds or SHAREABLE_KINDS) or (self.code and KINDS[kind].derived)

    @property
    def narrow(self) -> bool:
        """Whether a collection holds kinds that are not offered."""
        return bool(self.kinds)

    def __str__(self) -> str:
        """In words, for people."""
        what = ", ".join(self.kinds) if self.kinds else "all facts and decisions"
        parts = [
            what,
            f"of {', '.join(self.domains)}" if self.domains else "",
            f"on level {', '.join(map(str, self.levels))}" if self.levels else "",
            "and code" if self.code else "",
        ]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class ShareRow:
    """One half of an agreement: that a space gives to another (what it offered), or takes from it (what it accepted)."""

    role: str  # store.share_protocol.GIVES or TAKES
    other: str  # the id of the other space
    name: str  # what the other was called when it was agreed
    offer_id: str  # another one with every offer; an acceptance is of one offer
    offer: Offer  # of an acceptance: what was offered then; what may be read is what the giver's half says now
    made_at: datetime
    made_by: str  # the person who offered or accepted
    revoked_at: datetime | None = None
    revoked_by: str | None = None

    @property
    def stands(self) -> bool:
        return self.revoked_at is None


def _kind(name: str) -> str:
    kind = kind_of(name).name
    if kind not in SHAREABLE_KINDS:
        never = "the journal stays with those who had the conversation" if KINDS[kind].is_journal else "that is code"
        raise InvalidInput(
            f"Memories of kind {kind} cannot be shared: {never}.",
            f"Kinds that can: {', '.join(SHAREABLE_KINDS)}. Code is offered with --code.",
        )
    return kind
