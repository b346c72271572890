"""One turn of a session: what a person or an agent said to the other."""

from dataclasses import dataclass
from datetime import datetime

USER, ASSISTANT = "user", "assistant"


@dataclass(frozen=True, slots=True)
class SessionTurn:
    speaker: str  # USER or ASSISTANT
    text: str
    at: datetime | None = None  # when it was said, where the transcript tells
