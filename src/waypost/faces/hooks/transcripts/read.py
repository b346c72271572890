"""The transcript that an agent keeps of a session, read into turns: what a person and the agent said to each other."""

from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from waypost.faces.hooks.transcripts.file import records
from waypost.faces.hooks.transcripts.formats import TranscriptTurn, about, said_in
from waypost.faces.hooks.transcripts.utterances import said
from waypost.model.session_turn import SessionTurn

MOST_TURNS = 20_000
MOST_WORDS = 32_000_000  # characters of all turns together
_REPEATED_WITHIN = timedelta(seconds=5)  # the same words so soon after are the same saying, written down twice
_LATELY = 8  # turns


@dataclass(frozen=True, slots=True)
class Transcript:
    session: str  # the name that the agent gave it, "" if none
    turns: tuple[SessionTurn, ...]
    notices: tuple[str, ...] = ()


def read_transcript(path: Path) -> Transcript:
    """What was said in a session, in order. What an agent adds to its file later adds turns and changes none.

    A turn that was taken back in the agent was said all the same. Raises InvalidInput where the path is not a plain file of
    bearable size.
    """
    session, reader = "", _Reader()
    for record in records(path):
        told = about(record)
        session = session or told.session
        if told.is_sub_agent:
            return Transcript(session, (), ("It is the session of a sub-agent: nobody spoke with a person.",))
        for message in said_in(record):
            if not reader.take(message):
                notice = f"Only the first {len(reader.turns):,} turns were read."
                return Transcript(session, tuple(reader.turns), (notice,))
    return Transcript(session, tuple(reader.turns))


class _Reader:
    """Takes one message after the other."""

    def __init__(self) -> None:
        self.turns: list[SessionTurn] = []
        self._seen: set[SessionTurn] = (
            set()
        )  # whole messages are written anew when something beside their words changes
        self._lately: deque[SessionTurn] = deque(maxlen=_LATELY)
        self._room = MOST_WORDS

    def take(self, message: TranscriptTurn) -> bool:
        """False when there is no room for more."""
        turn = SessionTurn(message.speaker, said(message.text, message.speaker), message.at)
        if not turn.text or turn in self._seen or any(_is_repeated(turn, one) for one in self._lately):
            return True
        if len(self.turns) >= MOST_TURNS or len(turn.text) > self._room:
            return False
        self._room -= len(turn.text)
        self._seen.add(turn)
        self._lately.append(turn)
        self.turns.append(turn)
        return True


def _is_repeated(turn: SessionTurn, before: SessionTurn) -> bool:
    if (turn.speaker, turn.text) != (before.speaker, before.text) or turn.at is None or before.at is None:
        return False
    return abs(turn.at - before.at) <= _REPEATED_WITHIN
