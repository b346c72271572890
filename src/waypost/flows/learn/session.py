"""The end of a session: what was said goes to the journal, what was learned in it is put up for review.

All of it passes the gateway as its caller's word: a transcript is an agent's word about what a user said, and stays that
(GOV-1). Keys come from who said what when, so a second run, a session that goes on, or one that was compacted adds what is
new and nothing twice. Lessons are never stored here: they wait for a person.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from waypost.errors import InvalidInput, WaypostError
from waypost.facts.lessons.find import Lesson, lessons
from waypost.flows.facts.candidates import take
from waypost.flows.journal.entry_import import key_of
from waypost.flows.move.imports import batches
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.remember import CHUNK, remember
from waypost.model.candidate import CERTAIN, Candidate
from waypost.model.draft import Draft, check_line
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.model.review_item import HELD, DecidedCandidate
from waypost.model.session_turn import SessionTurn
from waypost.model.time import format_time

SESSION = "session"  # how the keys of turns begin; the origin of what was learned from them
EXTRACTOR = Caller("extractor", SESSION)
SUREST = CERTAIN - 0.01  # a lesson found by rules never passes for certain
_OFF = "Sessions are not kept: [journal] sessions is false."
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)  # a time before that, or after tomorrow, is somebody's wrong clock
_LATEST = timedelta(days=1)
_LONGEST_QUOTE = 300
_NOT_IN_A_NAME = re.compile(r"[^\w.:@+-]+")


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the turns of a session, and of what was learned in it."""

    session: str
    added: int = 0
    known: int = 0  # here already
    refused: int = 0  # rejected or forgotten before, or nothing that a memory can hold
    masked: int = 0  # secrets
    lessons: tuple[DecidedCandidate, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def held(self) -> int:
        """How many lessons wait for a person's word since now."""
        return sum(one.status == HELD for one in self.lessons)

    def to_json(self) -> dict[str, Any]:
        return {
            "session": self.session,
            "added": self.added,
            "known": self.known,
            "refused": self.refused,
            "masked": self.masked,
            "held": self.held,
            "lessons": [one.to_json() for one in self.lessons],
            "notices": list(self.notices),
        }


def is_kept(space: OpenSpace) -> bool:
    """Whether sessions are kept at all; where not, nobody needs to read one."""
    return space.settings.journal.sessions


def keep_session(
    space: OpenSpace, session: str, turns: Iterable[SessionTurn], caller: Caller, *, notices: Sequence[str] = ()
) -> Kept:
    """Append the turns to the journal, each once, and put up for review what they teach."""
    name = session_name(session)
    if not is_kept(space):
        return Kept(name, notices=(*notices, _OFF))
    kept, told = Kept(name, notices=tuple(notices)), list(turns)
    for batch in batches(told, CHUNK):
        kept = _appended(space, kept, batch, caller)
    if SESSION in space.settings.learn_on:
        found = take(space, [_candidate(name, one) for one in lessons(told)], EXTRACTOR)
        kept = replace(kept, lessons=found)
    return kept


def session_name(given: str) -> str:
    """The name of a session, on one line and without what means something elsewhere."""
    name = _NOT_IN_A_NAME.sub("-", given)[:120].strip("-")
    if not name:
        raise InvalidInput("The session has no name.", "Give the name under which the agent keeps it.")
    return check_line(name, "session")


def _appended(space: OpenSpace, kept: Kept, turns: Sequence[SessionTurn], caller: Caller) -> Kept:
    drafts, unusable = [], 0
    for turn in turns:
        try:
            drafts.append(_draft(space, kept.session, turn))
        except WaypostError:  # nothing but control characters, or the like
            unusable += 1
    with space.store.read() as reader:
        new = [draft for draft in drafts if draft.key is None or reader.memories.with_key(draft.key) is None]
    receipts = list(remember(space, new, caller, direct=False))
    return replace(
        kept,
        added=kept.added + _count(receipts, "added", "merged"),
        known=kept.known + len(drafts) - len(new) + _count(receipts, "duplicate"),
        refused=kept.refused + unusable + _count(receipts, "refused"),
        masked=kept.masked + sum(len(one.masked) for one in receipts if one.status == "added"),
    )


def _count(receipts: Iterable[Receipt], *statuses: str) -> int:
    return sum(one.status in statuses for one in receipts)


def _draft(space: OpenSpace, session: str, turn: SessionTurn) -> Draft:
    """Without a time the session stands in for it, as everywhere: the same words are then the same saying."""
    said_at = format_time(turn.at) if turn.at is not None else f"in {session}"
    is_likely = turn.at is not None and _EARLIEST <= turn.at <= space.clock() + _LATEST
    return Draft.of(
        {
            "text": turn.text,
            "kind": "conversation",
            "session": session,
            "speaker": turn.speaker,
            "time": turn.at if is_likely else None,
            "key": key_of(SESSION, turn.speaker, said_at, turn.text),
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
