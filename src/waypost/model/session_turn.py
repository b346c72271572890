"""One message of a session between a person and an agent."""

from dataclasses import dataclass, field
from datetime import datetime

USER, ASSISTANT = "user", "assistant"


@dataclass(frozen=True, slots=True)
class SessionTurn:
    speaker: str  # USER or ASSISTANT
    text: str
    at: datetime | None = None  # if the transcript has the time
    id: str = field(
        default="", compare=False
    )  # the agent's name for the message, if it has one; it stays when the message is written again
