"""Tokens: the owner's in `<home>/token`, named ones (an agent's, a second person's device) as hashes in
`<home>/tokens.json`. Both files are for their owner only."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from waypost.errors import InvalidInput, NotFound, SecurityError
from waypost.faces.guard.identity import KINDS, RIGHTS, Kind, Rights, TokenIdentity
from waypost.faces.guard.private import file_stamp, read_private_file
from waypost.space.platform import make_private_directory, wait_lock, write_private_file

OWNER = "owner"
PREFIX = "waypost_"  # by which a token is known as a secret wherever it turns up
_BYTES = 32  # of chance in a token: cannot be guessed, so a plain hash of it cannot be reversed either
_LONGEST = 256  # characters of what is looked at as a token
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,256}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HASH = re.compile(r"[0-9a-f]{64}")
_SPACE = re.compile(r"(?:[0-9a-f]{16})?")
_MOST = 256  # named tokens
_FILE_LIMIT = 256 << 10
_LOCK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class NamedToken:
    """What is kept of a token that was given out: never the token."""

    name: str
    kind: Kind
    rights: Rights
    created: str
    digest: str
    space: str = ""  # the one memory that it opens; empty: every one of this home

    @property
    def identity(self) -> TokenIdentity:
        return TokenIdentity(self.name, self.kind, self.rights, self.digest[:16], self.space)

    def to_json(self) -> dict[str, str]:
        """Without the digest: this is shown."""
        return {
            "name": self.name,
            "kind": self.kind,
            "rights": self.rights,
            "space": self.space,
            "created": self.created,
        }


class TokenFile:
    """The tokens of one home. A change on disk (made, revoked, replaced) holds from the next request on."""

    def __init__(self, home: Path) -> None:
        self.path = home / "token"
        self.named_path = home / "tokens.json"
        self._home = home
        self._stamps: tuple[object, object] | None = None
        self._known: tuple[tuple[str, TokenIdentity], ...] = ()

    def ensure_owner(self) -> bool:
        """See to it that there is an owner's token; says whether it was made now. Of several that start at once, one
        makes it. Raises SecurityError when the file is open to others."""
        make_private_directory(self._home)
        made = False
        if not self.path.exists():
            made = write_private_file(self.path, f"{new_token()}\n".encode(), replace=False)
        self.owner_token()
        return made

    def owner_token(self) -> str:
        """The owner's token."""
        text = read_private_file(self.path, 4096).decode("ascii", "replace").strip()
        if not _TOKEN.fullmatch(text):
            raise SecurityError(
                f"{self.path} holds no token.", "Delete it; the next start of the server makes a new one."
            )
        return text

    def verify(self, token: str) -> TokenIdentity | None:
        """Whose token this is. Takes as long whoever it is: all are compared, each in constant time."""
        if len(token) > _LONGEST:
            return None
        found: TokenIdentity | None = None
        digest = digest_of(token)
        for known, identity in self._current():
            if hmac.compare_digest(known, digest):
                found = identity
        return found

    def owner(self) -> TokenIdentity | None:
        """Whoever has the owner's token, if there is one."""
        return next((identity for _, identity in self._current() if identity.name == OWNER), None)

    def holder(self, key: str) -> TokenIdentity | None:
        """Who has the token of this key; nobody, once it is revoked or replaced."""
        return next((identity for _, identity in self._current() if identity.key == key), None)

    def make(
        self,
        name: str,
        *,
        kind: Kind = "agent",
        rights: Rights = "write",
        space: str = "",
        clock: Callable[[], datetime],
    ) -> str:
        """Give out a token under a name of its own. It is returned once and cannot be shown again."""
        if not _NAME.fullmatch(name) or name == OWNER:
            raise InvalidInput(
                f"{name[:80]!r} is no name for a token.", "Use up to 64 letters, digits, dots, hyphens, underscores."
            )
        if kind not in KINDS or rights not in RIGHTS:
            raise InvalidInput("A token is for a person or an agent, to read or to write.", "Name one of each.")
        token = new_token()
        made = NamedToken(name, kind, rights, clock().isoformat(timespec="seconds"), digest_of(token), space)
        make_private_directory(self._home)
        with wait_lock(self._home / ".tokens.lock", _LOCK_SECONDS):
            there = self.named()
            if any(one.name == name for one in there):
                raise InvalidInput(f"There is a token named {name!r}.", "Revoke it first, or take another name.")
            if len(there) >= _MOST:
                raise InvalidInput(f"There are {_MOST} tokens.", "Revoke those that nobody uses any more.")
            self._write((*there, made))
        return token

    def named(self) -> tuple[NamedToken, ...]:
        """The named tokens, oldest first. Raises SecurityError when their file is open to others or damaged."""
        try:
            content = read_private_file(self.named_path, _FILE_LIMIT)
        except FileNotFoundError:
            return ()
        try:
            return tuple(_parsed(entry) for entry in json.loads(content)["tokens"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SecurityError(
                f"{self.named_path} is damaged.", "Delete it and make the tokens of your agents anew."
            ) from error

    def revoke(self, name: str) -> None:
        """The token of this name opens nothing any more. The owner's is replaced by deleting its file."""
        with wait_lock(self._home / ".tokens.lock", _LOCK_SECONDS):
            there = self.named()
            kept = tuple(one for one in there if one.name != name)
            if len(kept) == len(there):
                raise NotFound(f"There is no token named {name[:80]!r}.", "List them to see the names.")
            self._write(kept)

    def _write(self, tokens: tuple[NamedToken, ...]) -> None:
        entries = [{**one.to_json(), "sha256": one.digest} for one in tokens]
        write_private_file(self.named_path, json.dumps({"tokens": entries}, indent=2).encode(), replace=True)

    def _current(self) -> tuple[tuple[str, TokenIdentity], ...]:
        stamps = (file_stamp(self.path), file_stamp(self.named_path))
        if stamps != self._stamps:
            known = [(one.digest, one.identity) for one in self.named()]
            if stamps[0] is not None:
                digest = digest_of(self.owner_token())
                known.append((digest, TokenIdentity(OWNER, "person", "write", digest[:16])))
            self._known, self._stamps = tuple(known), stamps
        return self._known


def new_token() -> str:
    return PREFIX + secrets.token_urlsafe(_BYTES)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _parsed(entry: Any) -> NamedToken:
    name, kind, rights, created, digest = (entry[key] for key in ("name", "kind", "rights", "created", "sha256"))
    space = entry.get("space", "")
    if not (
        _NAME.fullmatch(name)
        and kind in KINDS
        and rights in RIGHTS
        and _HASH.fullmatch(digest)
        and _SPACE.fullmatch(space)
    ):
        raise ValueError("not a token's entry")
    return NamedToken(name, kind, rights, str(created), digest, space)
