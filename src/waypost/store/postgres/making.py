"""Who may make the memory of a space in a database, and what whoever may not is told."""

import shlex

from waypost.errors import SecurityError
from waypost.store.postgres.directory import Directory
from waypost.store.postgres.directory_rows import Space


def check_known_or_admin(directory: Directory, space: Space) -> bool:
    """Whether the directory has this space already, for whoever asks. Raises SecurityError where it has not and they may
    not put it there."""
    if any(one.space_id == space.space_id for one in directory.spaces()):
        return True
    if not directory.is_admin():
        once = "`waypost init` in it once"
        if space.kind == "person":
            once = f"`waypost --person {shlex.quote(space.name)} status` once"
        raise SecurityError(
            f"{space.name!r} is not a memory of this team that you are a member of.",
            f"Ask an owner to add you (waypost team member add), or an administrator to run {once}.",
        )
    return False
