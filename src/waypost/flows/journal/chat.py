"""Turns of a chat: a question and its answer, in sessions that begin after a pause."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from waypost.flows.journal_files.media import keep_media
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.remember import remember
from waypost.model.draft import Draft
from waypost.model.memory import Caller, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment
from waypost.store.protocol import Filter

SESSION = "chat-"  # starts the name of every session of a chat
_LAST_TURNS = 50  # among which the last one of the chat is looked for; others may write to the journal too
_LEAD = timedelta(minutes=5)  # a turn may be a little older than the last one: clocks and senders differ


def session_at(space: OpenSpace, at: datetime, pause: timedelta) -> str:
    """The session that a turn at this time belongs to: the last one, unless the chat has paused for long."""
    view = View(Moment(space.clock()), ("journal",), space.identity.checkout_id, archived=True)
    with space.store.read() as reader:
        turns = reader.memories.latest(view, Filter(kinds=("conversation",)), _LAST_TURNS)
    last = max((turn for turn in turns if (turn.session or "").startswith(SESSION)), key=_said, default=None)
    if last is not None and last.session and -_LEAD <= at - _said(last) <= pause:
        return last.session
    return f"{SESSION}{at:%Y%m%dT%H%M%S}"


def add_turns(
    space: OpenSpace,
    turns: Sequence[tuple[str, str]],
    caller: Caller,
    *,
    at: datetime,
    pause: timedelta,
    media: Path | None = None,
) -> tuple[str, list[Receipt]]:
    """Write what speakers said, in one transaction. `media` belongs to the first turn. Returns the session too."""
    session = session_at(space, at, pause)
    row = {"kind": "conversation", "session": session, "time": at}
    drafts = [Draft.of(row | {"speaker": speaker, "text": text}) for speaker, text in turns]
    if media is not None:
        drafts[0] = replace(drafts[0], more={"media": keep_media(space, media)})
    return session, list(remember(space, drafts, caller, direct=True))


def _said(turn: Version) -> datetime:
    return turn.time or turn.valid_from
