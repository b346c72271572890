"""The directory of a team: spaces, users, members, tokens. The database makes, checks and records every change.

The connection says who acts: an administrator, a user's own login, or a server that named its user (`act`). Changes
apply to the next statement of every process.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput
from waypost.model.memory import StoredSpace
from waypost.store.postgres.directory.execute import run
from waypost.store.postgres.directory.refusals import translated_errors
from waypost.store.postgres.directory.rows import Holder, Kind, Member, Noted, Rights, ShareHalf, TeamToken, User
from waypost.store.postgres.directory.schema import TOKEN_PATTERN, USER_PATTERN
from waypost.store.postgres.roles import ROLES, Role, checked_space, ensure_groups, known_names
from waypost.store.sql.shares import share_row

if TYPE_CHECKING:
    from psycopg import Connection

_USER, _TOKEN = re.compile(USER_PATTERN), re.compile(TOKEN_PATTERN)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST_NAME = 500  # of a space
_LONGEST_ROLE = 63  # bytes, which PostgreSQL takes of a name


class Directory:
    """Changing methods raise SecurityError without the right, NotFound for what is missing, and InvalidInput for what
    exists or is invalid.
    """

    def __init__(self, connection: "Connection[Any]") -> None:
        self.connection = connection

    # -- users ---------------------------------------------------------------------------------------------------

    def add_user(self, name: str) -> None:
        """For administrators."""
        self._call("add_user", checked_user(name))

    def disable_user(self, name: str) -> None:
        """Disable their tokens, sessions and logins. For administrators."""
        self._call("able_user", checked_user(name), False)

    def enable_user(self, name: str) -> None:
        """Restore what they could do before. For administrators."""
        self._call("able_user", checked_user(name), True)

    def add_login(self, user: str, database_role: str) -> None:
        """Logins with this database role are now this user. For administrators."""
        self._call("add_login", checked_user(user), _checked_role(database_role))

    def remove_login(self, user: str, database_role: str) -> None:
        """For administrators."""
        self._call("remove_login", checked_user(user), _checked_role(database_role))

    def users(self) -> tuple[User, ...]:
        """By name: all for an administrator, else those who share a space with the caller."""
        rows = self._rows(
            "SELECT u.name, u.added_at, u.added_by, u.disabled_at,"
            " ARRAY(SELECT l.database_role FROM waypost.logins l WHERE l.user_name = u.name ORDER BY 1)"
            " FROM waypost.users u ORDER BY u.name"
        )
        return tuple(User(name, at, by, disabled, tuple(logins)) for name, at, by, disabled, logins in rows)

    def acting_user(self) -> str | None:
        """The user this connection acts for."""
        user: str | None = self._rows("SELECT waypost.acting_user()")[0][0]
        return user

    def is_admin(self) -> bool:
        return bool(self._rows("SELECT waypost.is_admin()")[0][0])

    # -- spaces and their members --------------------------------------------------------------------------------

    def register_space(self, space: StoredSpace) -> None:
        """Record a space and create its groups. The caller creates its schema in the same transaction and calls
        `protect_space` last. For administrators.
        """
        checked_space(space.space_id)
        if not 0 < len(space.name) <= _LONGEST_NAME or "\0" in space.name:
            raise InvalidInput(
                f"{space.name[:80]!r} is no name for a memory.", f"Use up to {_LONGEST_NAME} characters."
            )
        given = (space.space_id, space.kind, space.name, space.source, space.origin, space.created)
        with self.connection.transaction():
            self._call("register_space", *given, "{}")
            if (names := known_names(self.connection)) is not None:
                ensure_groups(self.connection, names, space.space_id)

    def forget_space(self, space_id: str) -> None:
        """Erase a space: its schema with everything in it, its members, tokens and roles. For its owners."""
        self._call("forget_space", checked_space(space_id))

    def spaces(self) -> tuple[StoredSpace, ...]:
        """All for an administrator, else those of which the caller is a member."""
        rows = self._rows(
            "SELECT space_id, kind, name, source, origin, created FROM waypost.spaces ORDER BY created, space_id"
        )
        return tuple(StoredSpace(*row) for row in rows)

    def add_member(self, space_id: str, user: str, role: Role) -> None:
        """For the space's owners."""
        self._call("add_member", checked_space(space_id), checked_user(user), _checked_right(role))

    def change_role(self, space_id: str, user: str, role: Role) -> None:
        """For owners of the space. At least one owner must stay."""
        self._call("change_role", checked_space(space_id), checked_user(user), _checked_right(role))

    def remove_member(self, space_id: str, user: str) -> None:
        """For the space's owners, and for the member."""
        self._call("remove_member", checked_space(space_id), checked_user(user))

    def members(self, space_id: str) -> tuple[Member, ...]:
        """By name; empty if the caller is not a member."""
        rows = self._rows(
            "SELECT space_id, user_name, role, added_at, added_by FROM waypost.members"
            " WHERE space_id = %s ORDER BY user_name",
            checked_space(space_id),
        )
        return tuple(Member(*row) for row in rows)

    def spaces_of(self, user: str) -> Mapping[str, Role]:
        """The user's role in each space that the caller may see."""
        rows = self._rows(
            "SELECT space_id, role FROM waypost.members WHERE user_name = %s ORDER BY space_id", checked_user(user)
        )
        return dict(rows)

    def role_of(self, user: str, space_id: str) -> Role | None:
        """The user's role there, or None if they are disabled."""
        rows = self._rows(
            "SELECT m.role FROM waypost.members m JOIN waypost.users u ON u.name = m.user_name"
            " WHERE m.user_name = %s AND m.space_id = %s AND u.disabled_at IS NULL",
            checked_user(user),
            checked_space(space_id),
        )
        return rows[0][0] if rows else None

    def halves_about(self, space_id: str) -> tuple[ShareHalf, ...]:
        """What others have agreed with this space, oldest first; empty if the caller is not a member."""
        rows = self._rows(
            "SELECT space_id, kind, called, role, other, name, offer_id, offer::text, made_at, made_by, revoked_at,"
            " revoked_by FROM waypost.halves WHERE other = %s ORDER BY made_at, role, space_id",
            checked_space(space_id),
        )
        return tuple(ShareHalf(row[0], row[1], row[2], share_row(row[3:])) for row in rows)

    # -- tokens --------------------------------------------------------------------------------------------------

    def make_token(
        self,
        user: str,
        name: str,
        *,
        digest: str,
        kind: Kind = "agent",
        rights: Rights = "write",
        space_id: str | None = None,
        expires: datetime | None = None,
    ) -> None:
        """Store the hash of a token. For the user, and administrators."""
        if not _TOKEN.fullmatch(name):
            raise InvalidInput(
                f"{name[:80]!r} is no name for a token.", "Use up to 64 letters, digits, dots, hyphens, underscores."
            )
        if not _DIGEST.fullmatch(digest):
            raise InvalidInput("This is no hash of a token.", "Give its SHA-256 in hexadecimal digits.")
        space = None if space_id is None else checked_space(space_id)
        self._call("make_token", checked_user(user), name, kind, rights, space, digest, expires)

    def revoke_token(self, user: str, name: str) -> None:
        """Revoke a token in every process. For the user, and administrators."""
        self._call("revoke_token", checked_user(user), name)

    def tokens(self, user: str | None = None) -> tuple[TeamToken, ...]:
        """Oldest first: of one user, or all that the caller may see."""
        rows = self._rows(
            "SELECT user_name, name, kind, rights, space_id, created, expires, revoked_at FROM waypost.tokens"
            " WHERE %s::text IS NULL OR user_name = %s ORDER BY created, user_name, name",
            user,
            user,
        )
        return tuple(TeamToken(*row) for row in rows)

    def holder(self, *, digest: str | None = None, key: str | None = None) -> Holder | None:
        """The holder of the token with this hash or key; None if it is revoked or expired, or its user disabled.

        For servers. Only hashes are looked up, so timing reveals nothing about the token.
        """
        rows = self._rows("SELECT * FROM waypost.holder(%s, %s)", digest, key)
        if not rows:
            return None
        user, name, kind, rights, space_id, stored_digest, roles = rows[0]
        return Holder(user, name, kind, rights, space_id, stored_digest[:16], roles)

    # -- the whole ----------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """For `doctor`: who this login is, and what exists. Without a prefix there are no roles but the owner's."""
        rows = self._rows(
            "SELECT session_user::text, waypost.acting_user(), waypost.is_admin(),"
            " (SELECT count(*) FROM waypost.spaces), (SELECT count(*) FROM waypost.users),"
            " (SELECT value FROM waypost.settings WHERE key = 'role_prefix'),"
            " EXISTS (SELECT FROM waypost.servers WHERE database_role = session_user)"
        )
        return dict(zip(("login", "user", "admin", "spaces", "users", "prefix", "server"), rows[0], strict=True))

    def owner(self) -> str:
        """The database role that owns everything."""
        owned = "SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE nspname = 'waypost'"
        return str(self._rows(owned)[0][0])

    # -- what was done -------------------------------------------------------------------------------------------

    def audit(self, *, space_id: str | None = None, most: int = 1000) -> tuple[Noted, ...]:
        """Latest changes first: all for an administrator, of their spaces for owners, their own for others."""
        rows = self._rows(
            "SELECT number, at, actor, action, subject, space_id, details FROM waypost.audit"
            " WHERE %s::text IS NULL OR space_id = %s ORDER BY number DESC LIMIT %s",
            space_id,
            space_id,
            most,
        )
        return tuple(Noted(*row) for row in rows)

    def _call(self, function: str, *given: object) -> None:
        places = ", ".join(["%s"] * len(given))
        with translated_errors(), self.connection.transaction():
            run(self.connection, f"SELECT waypost.{function}({places})", given)

    def _rows(self, query: str, *given: object) -> list[Any]:
        with translated_errors(), self.connection.transaction():
            return run(self.connection, query, given).fetchall()


def checked_user(name: str) -> str:
    if not _USER.fullmatch(name):
        raise InvalidInput(
            f"{name[:80]!r} is no name for a user.", "Use up to 64 letters, digits, dots, hyphens, underscores, @."
        )
    return name


def _checked_role(name: str) -> str:
    if not 0 < len(name.encode()) <= _LONGEST_ROLE or "\0" in name:
        raise InvalidInput(f"{name[:80]!r} is no name of a database role.", "Name one that can log in.")
    return name


def _checked_right(role: Role) -> Role:
    if role not in ROLES:
        raise InvalidInput(f"{str(role)[:80]!r} is no role.", f"Take one of {', '.join(ROLES)}.")
    return role
