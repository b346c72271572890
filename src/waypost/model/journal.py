"""Journal entries, their importance scores and their topics."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.model.json_row import json_row


@dataclass(frozen=True, slots=True)
class Amendment:
    """A later correction or retraction of an entry."""

    at: datetime
    by: str
    text: str | None  # None: retracted


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement or note in a Markdown file of the journal."""

    text: str
    at: datetime  # with the local UTC offset
    kind: str = "conversation"
    speaker: str | None = None
    id: str | None = None  # None: written by hand and not indexed yet
    session: str | None = None
    importance: int | None = None  # 0-10, as last computed
    protected: bool = False
    trimmed: str | None = None  # `mark_of` the shortened text; the full text is in the archive
    more: Mapping[str, str] = field(default_factory=dict)  # other values in the file: key, tags, media, see_also …
    amendments: tuple[Amendment, ...] = ()

    @property
    def held(self) -> str | None:
        """The current text: the original, or that of the last amendment. None if retracted."""
        return self.amendments[-1].text if self.amendments else self.text

    @property
    def is_edited(self) -> bool:
        """Whether someone has edited the shortened text."""
        return self.trimmed is not None and self.trimmed != mark_of(self.text)


def mark_of(text: str) -> str:
    """A short hash that shows whether a text has changed."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


@dataclass(frozen=True, slots=True)
class Score:
    """How important an entry is, 0-10, and why."""

    frequency_points: int  # 0-3
    recency_points: int  # 0-2
    explicit_points: int  # 0-2
    relevance_points: int  # 0-3
    reasoning: str
    retention_recommendation: str

    @property
    def score(self) -> int:
        return min(10, self.frequency_points + self.recency_points + self.explicit_points + self.relevance_points)

    def to_json(self) -> dict[str, Any]:
        return json_row(self, score=self.score)


@dataclass(frozen=True, slots=True)
class ScoredEntry:
    """An entry with its score and the number of its topic; 0 means no topic."""

    entry: Entry
    score: Score
    topic: int = 0
    label: str = ""  # a short name of the topic, in the language of its entries
