"""The end of a session: store what was said in the journal, and put lessons up for review.

Everything passes the gateway with the caller as source: a transcript is an agent's report of what a user said. Keys
come from speaker, text and the message's id, or its time if it has none. So repeating a session, or continuing it, adds
only what is new. Lessons always need review.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from waypost.errors import InvalidInput, WaypostError
from waypost.facts.lessons.extraction import Lesson, lessons
from waypost.flows.facts.candidates import take
from waypost.flows.journal.entry_import import key_of
from waypost.flows.move.imports import batches
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.remember import CHUNK, remember
from waypost.model.candidate import CERTAIN, Candidate
from waypost.model.draft import Draft, check_line
from waypost.model.json_row import json_row
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.model.review_item import HELD, DecidedCandidate
from waypost.model.session_turn import SessionTurn
from waypost.model.time import format_time

SESSION = "session"  # the prefix of turns' keys, and the origin of lessons
EXTRACTOR = Caller("extractor", SESSION)
SUREST = CERTAIN - 0.01  # a lesson found by rules is never certain
_OFF = "Sessions are not kept: [journal] sessions is false."
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)  # earlier times, and times after tomorrow, come from a wrong clock
_LATEST = timedelta(days=1)
_LONGEST_QUOTE = 300
_NOT_IN_A_NAME = re.compile(r"[^\w.:@+-]+")


@dataclass(frozen=True, slots=True)
class Kept:
    """What was stored of a session, and its lessons."""

    session: str
    added: int = 0
    duplicates: int = 0  # stored already
    refused: int = 0  # rejected or forgotten before, or not storable
    masked: int = 0  # secrets
    lessons: tuple[DecidedCandidate, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def held(self) -> int:
        """The number of new lessons to review."""
        return sum(lesson.status == HELD for lesson in self.lessons)

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "duplicates", known=self.duplicates, held=self.held)


def is_kept(space: OpenSpace) -> bool:
    return space.settings.journal.sessions


def keep_session(
    space: OpenSpace, session: str, turns: Iterable[SessionTurn], caller: Caller, *, notices: Sequence[str] = ()
) -> Kept:
    """Append the turns to the journal, each once, and put their lessons up for review."""
    name = session_name(session)
    if not is_kept(space):
        return Kept(name, notices=(*notices, _OFF))
    kept, all_turns = Kept(name, notices=tuple(notices)), list(turns)
    for batch in batches(all_turns, CHUNK):
        kept = _append(space, kept, batch, caller)
    if SESSION in space.settings.learn_on:
        decided = take(space, [_candidate(name, lesson) for lesson in lessons(all_turns)], EXTRACTOR)
        kept = replace(kept, lessons=decided)
    return kept


def session_name(given: str) -> str:
    """The name of a session on one line, with safe characters."""
    name = _NOT_IN_A_NAME.sub("-", given)[:120].strip("-")
    if not name:
        raise InvalidInput("The session has no name.", "Give the name under which the agent keeps it.")
    return check_line(name, "session")


def _append(space: OpenSpace, kept: Kept, turns: Sequence[SessionTurn], caller: Caller) -> Kept:
    drafts, unusable = [], 0
    for turn in turns:
        try:
            drafts.append((_draft(space, kept.session, turn), _keys(kept.session, turn)))
        except WaypostError:  # only control characters, for example
            unusable += 1
    with space.store.read() as reader:
        new = [draft for draft, keys in drafts if all(reader.memories.with_key(key) is None for key in keys)]
    receipts = list(remember(space, new, caller, direct=False))
    return replace(
        kept,
        added=kept.added + _count(receipts, "added", "merged"),
        duplicates=kept.duplicates + len(drafts) - len(new) + _count(receipts, "duplicate"),
        refused=kept.refused + unusable + _count(receipts, "refused"),
        masked=kept.masked + sum(len(receipt.masked) for receipt in receipts if receipt.status == "added"),
    )


def _count(receipts: Iterable[Receipt], *statuses: str) -> int:
    return sum(receipt.status in statuses for receipt in receipts)


def _keys(session: str, turn: SessionTurn) -> list[str]:
    """The key of a turn first, then others that an earlier version may have given it.

    A message without an id and a time is the same in a session if its text is.
    """
    said_at = format_time(turn.at) if turn.at is not None else f"in {session}"
    marks = [f"message {turn.id}", said_at] if turn.id else [said_at]
    return [key_of(SESSION, turn.speaker, mark, turn.text) for mark in marks]


def _draft(space: OpenSpace, session: str, turn: SessionTurn) -> Draft:
    is_likely = turn.at is not None and _EARLIEST <= turn.at <= space.clock() + _LATEST
    return Draft.of(
        {
            "text": turn.text,
            "kind": "conversation",
            "session": session,
            "speaker": turn.speaker,
            "time": turn.at if is_likely else None,
            "key": _keys(session, turn)[0],
        }
    )


def _candidate(session: str, lesson: Lesson) -> Candidate:
    turn = lesson.turn
    quote = (
        lesson.quote if len(lesson.quote) <= _LONGEST_QUOTE else lesson.quote[:_LONGEST_QUOTE].rpartition(" ")[0] + " …"
    )
    at = f", {format_time(turn.at)}" if turn.at is not None else ""
    return Candidate(
        text=lesson.text,
        confidence=min(lesson.confidence, SUREST),
        origin=SESSION,
        kind=lesson.kind,
        refs=lesson.files,
        evidence=(f"session {session}{at}, {turn.speaker}: {quote}",),
        time=turn.at,
        reason=lesson.reason,
    )
