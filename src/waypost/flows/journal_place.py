"""Keeping the journal with the project, so that it can be in git: `<root>/.waypost/`."""

from pathlib import Path

from waypost.errors import InvalidInput
from waypost.flows.journal_sync import sync
from waypost.flows.open_space import IN_TREE, OpenSpace, tree_of
from waypost.journal.files import JournalFolder
from waypost.space.platform import make_private_directory, write_private_file

# No `merge=union`: it leaves out lines that both sides have, and with them words of an entry. Both sides of a conflict are
# read whole.
_ATTRIBUTES = "archive/**/*.gz binary\n"


def keep_in_tree(space: OpenSpace) -> Path:
    """From now on the journal of this checkout lives in its tree; what it held moves there. Harmless when it does already.

    A process that is killed on the way has lost nothing: run again, it goes on.
    """
    target = tree_of(space) / IN_TREE
    if target.is_symlink():
        raise InvalidInput(f"{target} leads elsewhere.", "Put a folder in the place of the link.")
    sync(space)
    own = JournalFolder(
        space.folder / "journal",
        space.folder / "journal.lock",
        space.settings.journal,
        space.settings.busy_timeout_seconds,
    )
    with own.locked():
        make_private_directory(target / "daily")
        write_private_file(target / ".gitattributes", _ATTRIBUTES.encode(), replace=False)
        moved = sorted(place for place in own.root.rglob("*") if place.is_file() and not place.is_symlink())
        for place in moved:
            there = target / place.relative_to(own.root)
            make_private_directory(there.parent)
            if not write_private_file(there, place.read_bytes(), replace=False) and _differ(place, there):
                raise InvalidInput(f"{there} is there already, and says something else.", "Put both together by hand.")
        with space.store.write() as writer:
            for path in writer.journal_files(""):
                writer.drop_journal_file("", path)
        for place in moved:
            place.unlink()
    sync(space)
    return target


def _differ(one: Path, other: Path) -> bool:
    return one.read_bytes() != other.read_bytes()
