"""Sessions of people who have signed in, in `<home>/sessions.json`, which is for its owner only.

Of a session's id only a hash is kept. Every server of one home knows the same sessions, and they outlast a restart.
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
from waypost.model.time import Clock, format_time, parse_time, utc_now
from waypost.space.platform import make_private_directory, wait_lock, write_private_file

IDLE = timedelta(days=7)  # without a request
LONGEST = timedelta(days=30)  # whatever is done in it
_MOST = 64  # sessions; a person has some browsers
_NOTES = 200  # how often the time of an idle session is noted on disk at most
_BYTES = 32  # of chance in an id
_ID = re.compile(r"[A-Za-z0-9_-]{43}")
_HASH = re.compile(r"[0-9a-f]{64}")
_KEY = re.compile(r"[0-9a-f]{16}")
_FILE_LIMIT = 64 << 10
_LOCK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class SignedInSession:
    """What is kept of a session. `holder` is the key of the token that it came from."""

    digest: str
    holder: str
    began: datetime
    seen: datetime

    def to_json(self) -> dict[str, str]:
        return {
            "sha256": self.digest,
            "holder": self.holder,
            "began": format_time(self.began),
            "seen": format_time(self.seen),
        }


class SignedInSessions:
    """The sessions of one home. One that begins or ends, here or in another server, does so from the next request on.

    Methods raise SecurityError when the file is open to others. A damaged one holds no sessions: people sign in again.
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
        self._seen: dict[str, datetime] = {}  # later than the file says, of sessions in it

    @property
    def longest(self) -> timedelta:
        return self._longest

    def begin(self, holder: str) -> str:
        """A new session of the token with this key; returns its id. The longest idle one gives way when there are too
        many."""
        name, now = secrets.token_urlsafe(_BYTES), self._clock()
        with self._changing() as there:
            there.sort(key=lambda one: one.seen)
            del there[: max(0, len(there) - self._most + 1)]
            there.append(SignedInSession(digest_of(name), holder, now, now))
        return name

    def find(self, name: str) -> SignedInSession | None:
        """The session of this id, if it has not ended. This counts as its use."""
        if not _ID.fullmatch(name):
            return None
        digest, now = digest_of(name), self._clock()
        with self._guard:
            found: SignedInSession | None = None
            for one in self._current():
                if hmac.compare_digest(one.digest, digest):
                    found = self._as_seen(one)
            if found is None or not self._lives(found, now):
                return None
            self._seen[digest] = max(now, found.seen)
        return found

    def is_to_note(self, session: SignedInSession) -> bool:
        """Whether the file is far behind on when the session was used last."""
        with self._guard:
            noted = next((one.seen for one in self._known if one.digest == session.digest), None)
        return noted is not None and self._clock() - noted > self._idle / _NOTES

    def note(self) -> None:
        """Put on disk when sessions were used last. Not worth an error."""
        with contextlib.suppress(WaypostError, OSError), self._changing():
            pass

    def end(self, session: SignedInSession) -> None:
        with self._changing() as there:
            there[:] = [one for one in there if one.digest != session.digest]

    @contextlib.contextmanager
    def _changing(self) -> Iterator[list[SignedInSession]]:
        """The sessions that live, to be changed in the block; what it leaves is written."""
        make_private_directory(self._home)
        with wait_lock(self._home / ".sessions.lock", _LOCK_SECONDS):
            now = self._clock()
            with self._guard:
                there = [self._as_seen(one) for one in self._current()]
            there = [one for one in there if self._lives(one, now)]
            yield there
            content = json.dumps({"sessions": [one.to_json() for one in there]}, indent=2)
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
            there = {one.digest for one in self._known}
            self._seen = {digest: seen for digest, seen in self._seen.items() if digest in there}
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
