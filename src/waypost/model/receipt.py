"""The answer to a write: its status, and notices for the writer."""

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["added", "merged", "duplicate", "refused"]


@dataclass(frozen=True, slots=True)
class CodeSuggestion:
    """A name in the text, and places in the code that it may refer to. Each place is a valid reference."""

    name: str
    places: tuple[str, ...]  # best first, as `path#Symbol.method` or `path`

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "places": list(self.places)}


@dataclass(frozen=True, slots=True)
class Receipt:
    """`added` and `merged` memories are on disk; for `duplicate`, `id` is the existing memory.

    With `review`, the write became a proposal: `id` is its id, and `replaces` the memory that it would change.
    """

    id: str | None
    status: Status
    key: str | None = None
    reason: str | None = None
    masked: tuple[str, ...] = ()  # the masked secrets, such as "github-token (line 3)"
    replaces: str | None = None
    conflicts_with: str | None = (
        None  # a memory that says nearly the same but differs: perhaps that should be corrected
    )
    pending: tuple[str, ...] = ()  # embedding models that have not embedded it yet
    links: tuple[str, ...] = ()  # its code references, as `path#L1-L9`
    suggestions: tuple[CodeSuggestion, ...] = ()  # possible further references, to be confirmed with `relink`
    notices: tuple[str, ...] = ()  # about its references
    review: bool = False  # nothing changed yet: a person wrote the memory it would change, and has to approve

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"id": self.id, "status": self.status}
        for name in ("key", "reason", "replaces", "conflicts_with"):
            if getattr(self, name) is not None:
                row[name] = getattr(self, name)
        for name in ("masked", "pending", "links", "notices"):
            if getattr(self, name):
                row[name] = list(getattr(self, name))
        if self.review:
            row["review"] = True
        if self.suggestions:
            row["suggestions"] = [suggestion.to_json() for suggestion in self.suggestions]
        return row
