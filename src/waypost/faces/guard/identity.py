"""Who comes in: told by the token, never by what a request says."""

from dataclasses import dataclass
from typing import Literal

from waypost.errors import SecurityError
from waypost.model.memory import Caller

Kind = Literal["person", "agent"]
Rights = Literal["read", "write"]
KINDS: tuple[Kind, ...] = ("person", "agent")
RIGHTS: tuple[Rights, ...] = ("read", "write")


@dataclass(frozen=True, slots=True)
class Identity:
    """The holder of a token. `key` tells apart two tokens that had the same name, one after the other. `space` is the
    one memory that it opens; empty: every one of this home."""

    name: str
    kind: Kind
    rights: Rights
    key: str
    space: str = ""

    def opens(self, space_id: str) -> bool:
        return self.space in ("", space_id)

    def check_opens(self, space_id: str) -> None:
        """Raises SecurityError where this token is for another memory (CG-3)."""
        if not self.opens(space_id):
            raise SecurityError(
                "This token is for another memory.", "Use one that was made in this project, or with --everywhere."
            )

    @property
    def writes(self) -> bool:
        return self.rights == "write"

    @property
    def caller(self) -> Caller:
        """As the memory knows whoever writes."""
        return Caller(self.kind, self.name)
