"""People outrank agents: only a person changes what a person wrote."""

from collections.abc import Iterable

from waypost.errors import PersonOnly
from waypost.model.memory import Caller, Version

PERSON = "person"


def is_outranked(caller: Caller, versions: Iterable[Version]) -> bool:
    """Whether a person wrote one of these versions, and the caller is neither a person nor acts with owner rights."""
    return not caller.decides and any(version.source == PERSON for version in versions)


def refuse_outranked(caller: Caller, versions: Iterable[Version], what: str) -> None:
    """Raise PersonOnly if only a person may do `what`, such as "move it"."""
    by_person = [version for version in versions if version.source == PERSON]
    if by_person and is_outranked(caller, by_person):
        raise PersonOnly(
            f"A person said {by_person[0].memory_id}: only a person can {what}.",
            "Ask them to do it at a terminal or in the dashboard.",
        )
