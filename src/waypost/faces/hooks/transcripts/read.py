"""Reads an agent's transcript into turns between the person and the agent."""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any

from waypost.faces.hooks.transcripts.formats import about, messages_of
from waypost.faces.hooks.transcripts.utterances import spoken_text
from waypost.flows.move.user_file import open_plain_file
from waypost.model.session_turn import USER, SessionTurn

MOST_TURNS = 20_000
MOST_WORDS = 32_000_000  # characters of all turns together
_REPEATED_WITHIN = timedelta(seconds=5)  # the same text within this time is a duplicate record
_LATELY = 8  # turns to compare with


@dataclass(frozen=True, slots=True)
class Transcript:
    session: str  # the agent's name for it, or ""
    turns: tuple[SessionTurn, ...]
    notices: tuple[str, ...] = ()


def read_transcript(path: Path) -> Transcript:
    """The turns of a session, in order. Of a message that the agent writes again, the last text counts.

    Turns that were undone in the agent are included. Raises InvalidInput if the path is not a plain file of acceptable size.
    """
    session, reader = "", _Reader()
    for record in records(path):
        session_info = about(record)
        session = session or session_info.session
        if session_info.is_sub_agent:
            return Transcript(session, (), ("It is the session of a sub-agent, without a person.",))
        for message in messages_of(record):
            if not reader.take(message):
                notice = f"Only the first {len(reader.turns):,} turns were read."
                return Transcript(session, tuple(reader.turns), (notice,))
    return Transcript(session, tuple(reader.turns))


def prompt_only(prompt: str, at: datetime) -> Transcript:
    """What is left of a session whose transcript is gone: its last prompt."""
    text = spoken_text(prompt, USER)
    return Transcript("", (SessionTurn(USER, text, at),) if text else ())


class _Reader:
    def __init__(self) -> None:
        self.turns: list[SessionTurn] = []
        self._seen: set[SessionTurn] = set()  # agents rewrite whole messages when their metadata changes
        self._place_of: dict[str, int] = {}  # of messages with an id
        self._lately: deque[SessionTurn] = deque(maxlen=_LATELY)
        self._room = MOST_WORDS

    def take(self, message: SessionTurn) -> bool:
        """Add the message. False if the limits are reached."""
        turn = replace(message, text=spoken_text(message.text, message.speaker))
        if not turn.text or turn in self._seen:
            return True
        if turn.id in self._place_of:
            self._replace(self._place_of[turn.id], turn)
            return True
        if any(_is_repeated(turn, recent) for recent in self._lately):
            return True
        if len(self.turns) >= MOST_TURNS or len(turn.text) > self._room:
            return False
        self._room -= len(turn.text)
        self._seen.add(turn)
        self._lately.append(turn)
        if turn.id:
            self._place_of[turn.id] = len(self.turns)
        self.turns.append(turn)
        return True

    def _replace(self, place: int, turn: SessionTurn) -> None:
        """Take the later text of a message, with its first time: a resumed session gets new times."""
        before = self.turns[place]
        if turn.speaker == before.speaker and len(turn.text) - len(before.text) <= self._room:
            self._room -= len(turn.text) - len(before.text)
            self.turns[place] = replace(turn, at=before.at or turn.at)


def _is_repeated(turn: SessionTurn, before: SessionTurn) -> bool:
    if (turn.speaker, turn.text) != (before.speaker, before.text) or turn.at is None or before.at is None:
        return False
    return abs(turn.at - before.at) <= _REPEATED_WITHIN


LARGEST_FILE = 1 << 30  # bytes; sessions with many pictures have some hundred million
_LONGEST_LINE = 32 << 20  # a longer one holds a file or picture, not text
_LARGEST_DOCUMENT = 128 << 20


def records(path: Path) -> Iterator[dict[str, Any]]:
    """All readable objects of the file. Raises InvalidInput if it is not a plain file of acceptable size."""
    with open_plain_file(path, LARGEST_FILE) as file:
        first = file.readline(_LONGEST_LINE)
        while first and first.isspace():
            first = file.readline(_LONGEST_LINE)
        whole = _parsed(first) if first.endswith(b"\n") or not file.read(1) else None
        file.seek(0)
        if whole is None and first.lstrip(b"\xef\xbb\xbf \t")[:1] in (b"{", b"["):
            document = _document(file)
            if document:
                yield from document
                return
            file.seek(0)
        yield from _lines(file)


def _document(file: IO[bytes]) -> list[dict[str, Any]] | None:
    """The objects of a JSON document, or None if the file is not one or is incomplete."""
    content = file.read(_LARGEST_DOCUMENT + 1)
    try:
        document = json.loads(content.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    members = document if isinstance(document, list) else [document]
    return [member for member in members if isinstance(member, dict)]


def _lines(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    while line := file.readline(_LONGEST_LINE):
        if not line.endswith(b"\n") and len(line) == _LONGEST_LINE:
            while (rest := file.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            continue
        record = _parsed(line)
        if record is not None:
            yield record


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
