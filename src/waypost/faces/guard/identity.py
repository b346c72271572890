"""The identity of a caller. It comes from the token, never from the request's content."""

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
    """The holder of a token. `key` distinguishes tokens that had the same name at different times. `space` is the only memory
    it opens; empty for all memories of this data directory."""

    name: str
    kind: Kind
    rights: Rights
    key: str
    space: str = ""

    def opens(self, space_id: str) -> bool:
        return self.space in ("", space_id)

    def check_opens(self, space_id: str) -> None:
        """Raises SecurityError if this token is for another memory."""
        if not self.opens(space_id):
            raise SecurityError(
                "This token is for another memory.", "Use one created in this project, or with --everywhere."
            )

    @property
    def writes(self) -> bool:
        return self.rights == "write"

    def writes_in(self, space_id: str) -> bool:
        return self.writes and self.opens(space_id)

    def check_writes(self, space_id: str) -> None:
        """Raises SecurityError if it can only read."""
        if not self.writes_in(space_id):
            raise SecurityError("This token can only read.", "Use one that can write: `waypost token make NAME`.")

    def owns(self, space_id: str) -> bool:
        """Whether this is a person who can delete memories permanently and share them here. Agents never can."""
        return self.kind == "person" and self.writes_in(space_id)

    def check_speaks(self, space_id: str, *, forgetting: bool = False) -> None:
        """Raises SecurityError if a client with this token cannot answer for a person. On a local server the user at the
        client can."""

    @property
    def caller(self) -> Caller:
        """The author of what this token writes."""
        return Caller(self.kind, self.name)

    def agent(self, client: str) -> str:
        """The author name of a program that calls itself `client` and uses this token."""
        return self.name if self.kind == "agent" else client

    @property
    def person(self) -> str:
        """The person that a client speaks for; empty for the one in the settings."""
        return ""

    def chosen_space(self, _named: str = "") -> str | None:
        """The memory that an agent works with, after the header; None for the server's."""
        return None

    def acting(self) -> AbstractContextManager[None]:
        """Within the block and the threads it starts, the store acts for this holder."""
        return nullcontext()
