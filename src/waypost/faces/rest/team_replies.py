"""The replies to writes with an `Idempotency-Key`, kept where all servers of a team find them."""

import json
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.faces.rest.replies import KEPT, MOST_EACH, Claim, Replies, StoredReply, _digest, _wordless
from waypost.model.time import Clock

if TYPE_CHECKING:
    from waypost.store.postgres.directory.sessions import Connect

_HELD = timedelta(minutes=2)  # a request takes less; after that a server that is at it has stopped


class TeamReplies(Replies):
    """As `Replies`, for several servers behind one database: of those that get the same request, one does it."""

    def __init__(self, connect: "Connect", clock: Clock) -> None:
        from waypost.store.postgres.directory.sessions import KeptReplies

        super().__init__(Path(), clock)
        self._kept = KeptReplies(connect)

    def begin(self, claim: Claim) -> StoredReply | None:
        key, request = self._key(claim), _digest(self._secret, claim.request)
        found = self._kept.begin(
            key,
            _digest(self._secret, claim.caller),
            request,
            now=self._clock(),
            lease=_HELD,
            kept=KEPT,
            most=MOST_EACH,
        )
        if found is None:
            return None
        row = (found.request, found.status, found.body, found.headers)
        return self._known(row, key, request, at_work=found.is_held)

    def finish(self, claim: Claim, reply: StoredReply) -> None:
        key = self._key(claim)
        self._kept.finish(key, reply.status, _wordless(reply.body), json.dumps(dict(reply.headers)))
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
