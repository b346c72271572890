"""Memories that contradict each other, as an answer shows them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.model.time import format_time


@dataclass(frozen=True, slots=True)
class EarlierValue:
    """A memory that an undecided conflict puts behind another one."""

    id: str
    value: str
    text: str
    since: datetime
    source: str

    def to_json(self) -> dict[str, Any]:
        row = {"id": self.id, "value": self.value, "text": self.text}
        return row | {"since": format_time(self.since), "source": self.source}


@dataclass(frozen=True, slots=True)
class ValueConflict:
    """Memories that contradict each other. The first one counts until a person decides."""

    id: str
    value: str
    since: datetime
    others: tuple[EarlierValue, ...]  # newest first

    @property
    def line(self) -> str:
        """Such as "9090, since 2026-05-04; earlier 8080, unconfirmed"."""
        parts = [f"{self.value}, since {self.since:%Y-%m-%d}"]
        parts += [
            f"{'earlier' if other.since <= self.since else f'{other.source} said later'} {other.value}"
            for other in self.others
        ]
        return f"{'; '.join(parts)}, unconfirmed"

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"id": self.id, "value": self.value, "since": format_time(self.since)}
        return row | {"earlier": [other.to_json() for other in self.others], "line": self.line}
