"""Who comes in: told by the token, never by what a request says."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Literal

from waypost.errors import SecurityError
from waypost.model.memory import Caller

Kind = Literal["person", "agent"]
Rights = Literal["read", "write"]
KINDS: tuple[Kind, ...] = ("person", "agent")
RIGHTS: tuple[Rights, ...] = ("read", "write")


@dataclass(frozen=True, slots=True)
class TokenIdentity:
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

    def writes_in(self, space_id: str) -> bool:
        return self.writes and self.opens(space_id)

    def check_writes(self, space_id: str) -> None:
        """Raises SecurityError where it may only read."""
        if not self.writes_in(space_id):
            raise SecurityError("This token only reads.", "Use one that may write: `waypost token make NAME`.")

    def owns(self, space_id: str) -> bool:
        """Whether this is a person who may forget there, and let others read it (GOV-1: no agent does)."""
        return self.kind == "person" and self.writes_in(space_id)

    def check_speaks(self, space_id: str, *, forgetting: bool = False) -> None:
        """Raises SecurityError where a client with this token cannot bring a person's word. At home whoever sits there is
        the person, and is asked by the client."""

    @property
    def caller(self) -> Caller:
        """As the memory knows whoever writes."""
        return Caller(self.kind, self.name)

    def agent(self, client: str) -> str:
        """As the memory knows a program that calls itself `client` and comes with this token."""
        return self.name if self.kind == "agent" else client

    @property
    def person(self) -> str:
        """Whose word it is that a client brings; empty: the person's of this home."""
        return ""

    def chosen(self, named: str = "") -> str | None:  # noqa: ARG002  a team's token needs it
        """The memory that an agent works with, which may have named one; None: that of the server."""
        return None

    def acting(self) -> AbstractContextManager[None]:
        """In the block, and in what it starts, the store is asked for this holder."""
        return nullcontext()
