"""Values of the directory."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from waypost.model.share import ShareRow
from waypost.store.postgres.roles import Role

Kind = Literal["person", "agent"]
Rights = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class User:
    name: str
    added_at: datetime
    added_by: str
    disabled_at: datetime | None
    logins: tuple[str, ...]  # the database roles of their machines


@dataclass(frozen=True, slots=True)
class Member:
    space_id: str
    user: str
    role: Role
    added_at: datetime
    added_by: str


@dataclass(frozen=True, slots=True)
class TeamToken:
    """A token without its hash."""

    user: str
    name: str
    kind: Kind
    rights: Rights
    space_id: str | None  # empty: every space of the user
    created: datetime
    expires: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a valid token, and their role in each space that it opens."""

    user: str
    token: str  # of the token
    kind: Kind
    rights: Rights
    space_id: str | None
    key: str
    roles: Mapping[str, Role]


@dataclass(frozen=True, slots=True)
class Noted:
    """One change of the directory."""

    number: int
    at: datetime
    actor: str
    action: str
    subject: str
    space_id: str | None
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShareHalf:
    """A half of a share, and the memory that stores it."""

    space_id: str
    kind: str
    name: str
    row: ShareRow
