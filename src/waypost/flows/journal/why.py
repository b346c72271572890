"""Why an entry has its importance."""

from dataclasses import dataclass
from typing import Any

from waypost.errors import NotFound
from waypost.flows.journal.importance import scored
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import current_versions
from waypost.journal.importance.reason import reason_of
from waypost.journal.roles import role_of
from waypost.journal.units import entry_of
from waypost.journal.wording import language_at_start
from waypost.model.journal import Score
from waypost.model.kinds import KINDS
from waypost.model.memory import State


@dataclass(frozen=True, slots=True)
class ImportanceReason:
    """The score of an entry now, and one sentence that explains it."""

    id: str
    reason: str
    score: Score
    topic: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "reason": self.reason, "topic": self.topic, **self.score.to_json()}


def why(space: OpenSpace, memory_id: str) -> ImportanceReason:
    with space.store.read() as reader:
        versions = current_versions(reader, memory_id)
    if not versions or not KINDS[versions[-1].kind].is_journal:
        raise NotFound(
            f"There is no journal entry {memory_id!r}.", "`waypost journal timeline` lists entries with their ids."
        )
    entry = entry_of(space.journal, versions, State())
    (item,) = scored(space, [entry], space.clock())
    text = entry.held or ""
    language = language_at_start(text) or "en"
    reason = reason_of(item.score, text, language, role_of(entry.speaker, entry.kind), language)
    return ImportanceReason(memory_id, reason, item.score, item.label)
