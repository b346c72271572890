"""Stored replies to writes with an `Idempotency-Key`, shared by all servers of a team."""

import json
from datetime import timedelta
from functools import cached_property
from pathlib import Path

from waypost.faces.rest.replies import KEPT, MOST_EACH, Claim, Replies, StoredReply, _digest, _without_text
from waypost.memory.team_database import TeamDatabase
from waypost.model.time import Clock

_HELD = timedelta(minutes=2)  # longer than any request; then the server must have stopped


class TeamReplies(Replies):
    """Like `Replies`, for several servers with one database: only one of them does a request."""

    def __init__(self, database: TeamDatabase, clock: Clock) -> None:
        super().__init__(Path(), clock)
        self._kept = database.replies()

    def begin(self, claim: Claim) -> StoredReply | None:
        key, request = self._key(claim), _digest(self._secret, claim.request)
        stored = self._kept.begin(
            key,
            _digest(self._secret, claim.caller),
            request,
            now=self._clock(),
            lease=_HELD,
            kept=KEPT,
            most=MOST_EACH,
        )
        if stored is None:
            return None
        row = (stored.request, stored.status, stored.body, stored.headers)
        return self._stored_reply(row, key, request, in_progress=stored.is_held)

    def finish(self, claim: Claim, reply: StoredReply) -> None:
        key = self._key(claim)
        self._kept.finish(key, reply.status, _without_text(reply.body), json.dumps(dict(reply.headers)))
        with self._lock:
            self._remember(key, reply)

    def release(self, claim: Claim) -> None:
        self._kept.release(self._key(claim))

    def leave(self, claim: Claim) -> None:
        self._kept.leave(self._key(claim), self._clock())

    @cached_property
    def _secret(self) -> bytes:
        return self._kept.secret()

    def _key(self, claim: Claim) -> bytes:
        return _digest(self._secret, claim.caller, claim.key)
