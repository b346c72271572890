"""Entries of the journal, what they are worth, and when they are of one topic."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Amendment:
    """What was said about an entry later: other words for it, or that it does not hold."""

    at: datetime
    by: str
    text: str | None  # None: retracted


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was said or noted, as a Markdown file of the journal has it."""

    text: str
    at: datetime  # with the offset of the place where it was said
    kind: str = "conversation"
    speaker: str | None = None
    id: str | None = None  # None: written by hand, and nobody has given it one
    session: str | None = None
    importance: int | None = None  # 0-10, as it was computed last
    protected: bool = False
    trimmed: str | None = None  # shortened, to words with this mark; its full words are in the archive
    more: Mapping[str, str] = field(default_factory=dict)  # what else the file says of it: key, tags, media, see_also …
    amendments: tuple[Amendment, ...] = ()

    @property
    def held(self) -> str | None:
        """The words that hold: the first ones, or those of the last amendment. None when it was retracted."""
        return self.amendments[-1].text if self.amendments else self.text

    @property
    def is_edited(self) -> bool:
        """Somebody has changed by hand what was left of it."""
        return self.trimmed is not None and self.trimmed != mark_of(self.text)


def mark_of(text: str) -> str:
    """A short mark by which one can tell whether words are still the same."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


@dataclass(frozen=True, slots=True)
class Score:
    """What an entry is worth keeping, 0-10, and why. Keys of `to_json` are those of a scoring answer (CM-15)."""

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
        return {
            "score": self.score,
            "frequency_points": self.frequency_points,
            "recency_points": self.recency_points,
            "explicit_points": self.explicit_points,
            "relevance_points": self.relevance_points,
            "reasoning": self.reasoning,
            "retention_recommendation": self.retention_recommendation,
        }


@dataclass(frozen=True, slots=True)
class ScoredEntry:
    """An entry with its worth and its topic. Entries with the same number are about the same; 0 is no topic."""

    entry: Entry
    score: Score
    topic: int = 0
    label: str = ""  # the topic in a few words, in the language of its entries
