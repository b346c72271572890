"""Who comes in: told by the token, never by what a request says."""

from dataclasses import dataclass
from typing import Literal

from waypost.model.memory import Caller

Kind = Literal["person", "agent"]
Rights = Literal["read", "write"]
KINDS: tuple[Kind, ...] = ("person", "agent")
RIGHTS: tuple[Rights, ...] = ("read", "write")


@dataclass(frozen=True, slots=True)
class Identity:
    """The holder of a token. `key` tells apart two tokens that had the same name, one after the other."""

    name: str
    kind: Kind
    rights: Rights
    key: str

    @property
    def writes(self) -> bool:
        return self.rights == "write"

    @property
    def caller(self) -> Caller:
        """As the memory knows whoever writes."""
        return Caller(self.kind, self.name)
