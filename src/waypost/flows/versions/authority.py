"""People outrank agents: what a person said, only a person changes."""

from collections.abc import Iterable

from waypost.errors import PersonOnly
from waypost.model.memory import Caller, Version

PERSON = "person"


def is_outranked(caller: Caller, versions: Iterable[Version]) -> bool:
    """Whether one of these is a person's, and the caller neither is a person nor acts with the owner's rights."""
    return not caller.decides and any(version.source == PERSON for version in versions)


def refuse_outranked(caller: Caller, versions: Iterable[Version], what: str) -> None:
    """Raises PersonOnly where `what`, such as "move it", is for people only."""
    said = [version for version in versions if version.source == PERSON]
    if said and is_outranked(caller, said):
        raise PersonOnly(
            f"A person said {said[0].memory_id}: only a person can {what}.",
            "Ask them to do it at a terminal or in the dashboard.",
        )
