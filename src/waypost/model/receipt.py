"""The answer to a write: what became of it, and what the writer should know."""

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["added", "merged", "duplicate", "refused"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """`added` and `merged` are on disk when you hold this; `duplicate` names what was already there."""

    id: str | None
    status: Status
    key: str | None = None
    reason: str | None = None
    masked: tuple[str, ...] = ()  # names of the secrets left out, as "github-token (line 3)"
    replaces: str | None = None
    conflicts_with: str | None = None  # says nearly the same but differs: perhaps it should be corrected
    pending: tuple[str, ...] = ()  # engines that still owe its vectors
    links: tuple[str, ...] = ()  # where it points, as `path#L1-L9`
    suggestions: tuple[str, ...] = ()  # where it may point, to be confirmed by `relink`
    notices: tuple[str, ...] = ()  # what the writer should know about its references

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"id": self.id, "status": self.status}
        for name in ("key", "reason", "replaces", "conflicts_with"):
            if getattr(self, name) is not None:
                row[name] = getattr(self, name)
        for name in ("masked", "pending", "links", "suggestions", "notices"):
            if getattr(self, name):
                row[name] = list(getattr(self, name))
        return row
