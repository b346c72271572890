"""The answer to a write: what became of it, and what the writer should know."""

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["added", "merged", "duplicate", "refused"]


@dataclass(frozen=True, slots=True)
class CodeSuggestion:
    """A name of the text that may mean one of these places of the code; each can be given as a reference."""

    name: str
    places: tuple[str, ...]  # best first, as `path#Symbol.method` or `path`

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "places": list(self.places)}


@dataclass(frozen=True, slots=True)
class Receipt:
    """`added` and `merged` are on disk when you hold this; `duplicate` names what was already there. With `review`, that is
    a proposal, `id` is its id, and `replaces` the memory that a person has to approve it for."""

    id: str | None
    status: Status
    key: str | None = None
    reason: str | None = None
    masked: tuple[str, ...] = ()  # names of the secrets left out, as "github-token (line 3)"
    replaces: str | None = None
    conflicts_with: str | None = None  # says nearly the same but differs: perhaps it should be corrected
    pending: tuple[str, ...] = ()  # engines that still owe its vectors
    links: tuple[str, ...] = ()  # where it points, as `path#L1-L9`
    suggestions: tuple[CodeSuggestion, ...] = ()  # where it may point too, to be confirmed by `relink`
    notices: tuple[str, ...] = ()  # what the writer should know about its references
    review: bool = False  # nothing is changed yet: a person said what it would change, and has to approve it

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
            row["suggestions"] = [one.to_json() for one in self.suggestions]
        return row
