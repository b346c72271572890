"""Tokens: the owner's in `<home>/token`; named ones (for agents, other devices) as hashes in `<home>/tokens.json`. Only the
owner can read both files."""

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
from waypost.model.json_row import json_row
from waypost.system.platform import make_private_directory, wait_lock, write_private_file

OWNER = "owner"
PREFIX = "waypost_"  # lets secret scanners recognise a token
_BYTES = 32  # of randomness; too much to guess, so a plain hash is safe
_LONGEST = 256  # characters of input that can be a token
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,256}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HASH = re.compile(r"[0-9a-f]{64}")
_SPACE = re.compile(r"(?:[0-9a-f]{16})?")
_MOST = 256  # named tokens
_FILE_LIMIT = 256 << 10
_LOCK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class NamedToken:
    """What is stored of a named token: never the token itself."""

    name: str
    kind: Kind
    rights: Rights
    created: str
    digest: str
    space: str = ""  # the only memory it opens; empty for all of this data directory

    @property
    def identity(self) -> TokenIdentity:
        return TokenIdentity(self.name, self.kind, self.rights, self.digest[:16], self.space)

    def to_json(self) -> dict[str, str]:
        """For display, without the digest."""
        return json_row(self, "digest")


class TokenFile:
    """The tokens of a data directory. Changes on disk take effect with the next request."""

    def __init__(self, home: Path) -> None:
        self.path = home / "token"
        self.named_path = home / "tokens.json"
        self._home = home
        self._stamps: tuple[object, object] | None = None
        self._known: tuple[tuple[str, TokenIdentity], ...] = ()

    def ensure_owner(self) -> bool:
        """Create the owner's token if it is missing; returns whether it was created. Safe if several servers start at once.
        Raises SecurityError if others can access the file."""
        make_private_directory(self._home)
        created = False
        if not self.path.exists():
            created = write_private_file(self.path, f"{new_token()}\n".encode(), replace=False)
        self.owner_token()
        return created

    def owner_token(self) -> str:
        text = read_private_file(self.path, 4096).decode("ascii", "replace").strip()
        if not _TOKEN.fullmatch(text):
            raise SecurityError(
                f"{self.path} contains no token.", "Delete it; the next start of the server creates a new one."
            )
        return text

    def verify(self, token: str) -> TokenIdentity | None:
        """The identity of this token, or None. Compares all tokens in constant time."""
        if len(token) > _LONGEST:
            return None
        match: TokenIdentity | None = None
        digest = digest_of(token)
        for stored_digest, identity in self._current():
            if hmac.compare_digest(stored_digest, digest):
                match = identity
        return match

    def owner(self) -> TokenIdentity | None:
        return next((identity for _, identity in self._current() if identity.name == OWNER), None)

    def holder(self, key: str) -> TokenIdentity | None:
        """The holder of the token with this key, or None if it is revoked or replaced."""
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
        """Create a named token. It is returned once and cannot be shown again."""
        if not _NAME.fullmatch(name) or name == OWNER:
            raise InvalidInput(
                f"Invalid token name {name[:80]!r}.", "Use up to 64 letters, digits, dots, hyphens, underscores."
            )
        if kind not in KINDS or rights not in RIGHTS:
            raise InvalidInput("A token is for a person or an agent, to read or to write.", "Choose one of each.")
        token = new_token()
        entry = NamedToken(name, kind, rights, clock().isoformat(timespec="seconds"), digest_of(token), space)
        make_private_directory(self._home)
        with wait_lock(self._home / ".tokens.lock", _LOCK_SECONDS):
            existing = self.named()
            if any(other.name == name for other in existing):
                raise InvalidInput(f"A token named {name!r} exists.", "Revoke it first, or choose another name.")
            if len(existing) >= _MOST:
                raise InvalidInput(f"There are {_MOST} tokens.", "Revoke unused ones.")
            self._write((*existing, entry))
        return token

    def named(self) -> tuple[NamedToken, ...]:
        """The named tokens, oldest first. Raises SecurityError if their file is damaged or accessible to others."""
        try:
            content = read_private_file(self.named_path, _FILE_LIMIT)
        except FileNotFoundError:
            return ()
        try:
            return tuple(_parsed(entry) for entry in json.loads(content)["tokens"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SecurityError(
                f"{self.named_path} is damaged.", "Delete it and create your agents' tokens again."
            ) from error

    def revoke(self, name: str) -> None:
        """Revoke the token with this name. To replace the owner's token, delete its file."""
        with wait_lock(self._home / ".tokens.lock", _LOCK_SECONDS):
            existing = self.named()
            kept = tuple(token for token in existing if token.name != name)
            if len(kept) == len(existing):
                raise NotFound(f"There is no token named {name[:80]!r}.", "See `waypost token list`.")
            self._write(kept)

    def _write(self, tokens: tuple[NamedToken, ...]) -> None:
        entries = [{**token.to_json(), "sha256": token.digest} for token in tokens]
        write_private_file(self.named_path, json.dumps({"tokens": entries}, indent=2).encode(), replace=True)

    def _current(self) -> tuple[tuple[str, TokenIdentity], ...]:
        stamps = (file_stamp(self.path), file_stamp(self.named_path))
        if stamps != self._stamps:
            entries = [(token.digest, token.identity) for token in self.named()]
            if stamps[0] is not None:
                digest = digest_of(self.owner_token())
                entries.append((digest, TokenIdentity(OWNER, "person", "write", digest[:16])))
            self._known, self._stamps = tuple(entries), stamps
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
