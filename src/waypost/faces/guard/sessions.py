"""Browser sessions in `<home>/sessions.json`, which only its owner can read.

Only a hash of a session's id is stored. All servers of one data directory share the sessions, which survive restarts.
"""

import contextlib
import hmac
import json
import re
import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from waypost.errors import InvalidInput, WaypostError
from waypost.faces.guard.private import file_stamp, read_private_file
from waypost.faces.guard.tokens import digest_of
from waypost.model.json_row import json_row
from waypost.model.time import Clock, parse_time, utc_now
from waypost.system.platform import make_private_directory, wait_lock, write_private_file

IDLE = timedelta(days=7)  # without a request
LONGEST = timedelta(days=30)  # in any case
_MOST = 64  # sessions
_NOTES = 200  # how often per idle period the last use is saved, at most
_BYTES = 32  # of randomness in an id
_ID = re.compile(r"[A-Za-z0-9_-]{43}")
_HASH = re.compile(r"[0-9a-f]{64}")
_KEY = re.compile(r"[0-9a-f]{16}")
_FILE_LIMIT = 64 << 10
_LOCK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class SignedInSession:
    """A stored session. `holder` is the key of the token it was started with."""

    digest: str
    holder: str
    began: datetime
    seen: datetime

    def to_json(self) -> dict[str, str]:
        return json_row(self, "digest", sha256=self.digest)


class SignedInSessions:
    """The sessions of one data directory. Changes by other servers take effect with the next request.

    Methods raise SecurityError if others can access the file. A damaged file counts as empty: people sign in again.
    """

    def __init__(
        self,
        home: Path,
        clock: Clock = utc_now,
        *,
        idle: timedelta = IDLE,
        longest: timedelta = LONGEST,
        most: int = _MOST,
    ) -> None:
        self.path = home / "sessions.json"
        self._home, self._clock = home, clock
        self._idle, self._longest, self._most = idle, longest, most
        self._guard = threading.Lock()
        self._stamp: object = None
        self._known: tuple[SignedInSession, ...] = ()
        self._seen: dict[str, datetime] = {}  # last uses that are not in the file yet

    @property
    def longest(self) -> timedelta:
        return self._longest

    def begin(self, holder: str) -> str:
        """Start a session for the token with this key and return its id. If there are too many, the longest idle one
        ends."""
        name, now = secrets.token_urlsafe(_BYTES), self._clock()
        with self._changing() as live:
            live.sort(key=lambda session: session.seen)
            del live[: max(0, len(live) - self._most + 1)]
            live.append(SignedInSession(digest_of(name), holder, now, now))
        return name

    def find(self, name: str) -> SignedInSession | None:
        """The session with this id, if it has not ended. Counts as a use."""
        if not _ID.fullmatch(name):
            return None
        digest, now = digest_of(name), self._clock()
        with self._guard:
            session: SignedInSession | None = None
            for candidate in self._current():
                if hmac.compare_digest(candidate.digest, digest):
                    session = self._as_seen(candidate)
            if session is None or not self._lives(session, now):
                return None
            self._seen[digest] = max(now, session.seen)
        return session

    def needs_saving(self, session: SignedInSession) -> bool:
        """Whether the file is far behind on the session's last use."""
        with self._guard:
            stored_at = next((other.seen for other in self._known if other.digest == session.digest), None)
        return stored_at is not None and self._clock() - stored_at > self._idle / _NOTES

    def save(self) -> None:
        """Save the last uses of sessions. Errors are ignored."""
        with contextlib.suppress(WaypostError, OSError), self._changing():
            pass

    def end(self, session: SignedInSession) -> None:
        with self._changing() as live:
            live[:] = [other for other in live if other.digest != session.digest]

    @contextlib.contextmanager
    def _changing(self) -> Iterator[list[SignedInSession]]:
        """The live sessions, to change within the block; the result is written."""
        make_private_directory(self._home)
        with wait_lock(self._home / ".sessions.lock", _LOCK_SECONDS):
            now = self._clock()
            with self._guard:
                live = [self._as_seen(session) for session in self._current()]
            live = [session for session in live if self._lives(session, now)]
            yield live
            content = json.dumps({"sessions": [session.to_json() for session in live]}, indent=2)
            write_private_file(self.path, content.encode(), replace=True)

    def _lives(self, session: SignedInSession, now: datetime) -> bool:
        return now - session.seen < self._idle and now - session.began < self._longest

    def _as_seen(self, session: SignedInSession) -> SignedInSession:
        return replace(session, seen=max(session.seen, self._seen.get(session.digest, session.seen)))

    def _current(self) -> tuple[SignedInSession, ...]:
        stamp = file_stamp(self.path)
        if stamp != self._stamp:
            self._known = _read(self.path)
            self._stamp = stamp
            digests = {session.digest for session in self._known}
            self._seen = {digest: seen for digest, seen in self._seen.items() if digest in digests}
        return self._known


def _read(path: Path) -> tuple[SignedInSession, ...]:
    try:
        return tuple(_parsed(entry) for entry in json.loads(read_private_file(path, _FILE_LIMIT))["sessions"])
    except FileNotFoundError:
        return ()
    except (ValueError, KeyError, TypeError, RecursionError, InvalidInput):
        return ()


def _parsed(entry: Any) -> SignedInSession:
    digest, holder, began, seen = (entry[key] for key in ("sha256", "holder", "began", "seen"))
    if not (_HASH.fullmatch(digest) and _KEY.fullmatch(holder)):
        raise ValueError("not a session's entry")
    return SignedInSession(digest, holder, parse_time(began), parse_time(seen))
