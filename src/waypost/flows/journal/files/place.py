"""Keeping the journal with the project, so that it can be in git: `<root>/.waypost/`."""

from pathlib import Path

from waypost.errors import InvalidInput, Refused
from waypost.flows.journal.files.changes import IN_TREES
from waypost.flows.journal.files.sync import sync
from waypost.flows.open_space import IN_TREE, OpenSpace, branch_of, tree_of
from waypost.flows.recall.versions import audit
from waypost.journal.consent import give_consent, part_of
from waypost.journal.files import JournalFolder
from waypost.journal.layout import day_of, stage_of
from waypost.model.memory import Caller
from waypost.space.platform import make_private_directory, write_private_file
from waypost.text.plural import counted

# Days need no rule: each branch and clone writes files of its own. No `merge=union` for them: it leaves out lines that both
# sides have, and with them words of an entry. Of the two pages that hold points, a line that both sides have is the same.
_ATTRIBUTES = """\
MEMORY.md merge=union
important/*.md merge=union
archive/**/*.gz binary
"""
_IGNORED = "backups/\n"
AGREE = "waypost init --journal-in-repo"


def keep_in_tree(space: OpenSpace, caller: Caller) -> Path:
    """A person agrees that the journal of this checkout lives in its repository; what it held moves there. Harmless when it
    does already. A file whose name the repository has with another content stays where it is (`left_behind`). Raises
    Refused for an agent: it may not decide where conversations go.

    A process that is killed on the way has lost nothing: run again, it goes on.
    """
    target = tree_of(space) / IN_TREE
    if not caller.decides:
        raise Refused(
            "Only a person can agree to keep the journal in the repository.",
            f"Run `{AGREE}` at a terminal, or with --yes.",
        )
    if target.is_symlink():
        raise InvalidInput(f"{target} leads elsewhere.", "Put a folder in the place of the link.")
    sync(space)
    consent = give_consent(space.folder, tree_of(space), caller.actor, space.clock())
    part = part_of(consent, branch_of(tree_of(space)))
    own = JournalFolder(
        space.folder / "journal",
        space.folder / "journal.lock",
        space.settings.journal,
        space.settings.busy_timeout_seconds,
    )
    with own.locked():
        make_private_directory(target / "daily")
        write_private_file(target / ".gitattributes", _ATTRIBUTES.encode(), replace=False)
        write_private_file(target / ".gitignore", _IGNORED.encode(), replace=False)
        moved, left = list[Path](), list[str]()
        for place in sorted(place for place in own.root.rglob("*") if place.is_file() and not place.is_symlink()):
            name = place.relative_to(own.root).as_posix()
            if _put(place, target, name, part):
                moved.append(place)
            else:
                left.append(name)
        with space.store.write() as writer:
            for path in writer.journal.files(space.own_journal_id):
                if path not in left:
                    writer.journal.drop_file(space.own_journal_id, path)
            writer.meta.set(IN_TREES, "1")
            audit(space, writer, "journal_in_repo", None, caller, {"files": len(moved)})
        for place in moved:
            place.unlink()
    sync(space)
    return target


def left_behind(space: OpenSpace) -> list[str]:
    """Files of the journal beside the memory, while the one in the repository is used: they are not shown."""
    if space.journal_id == space.own_journal_id:
        return []
    own = space.folder / "journal"
    return sorted(place.relative_to(own).as_posix() for place in own.rglob("*.md*") if place.is_file())


def journal_notices(space: OpenSpace) -> list[str]:
    """Where the journal is not where somebody may think it is."""
    told = []
    if (offered := space.journal_offered) is not None:
        told.append(
            f"The repository has a journal in {offered}; it is not used. To use it for this checkout, run `{AGREE}`."
        )
    if left := left_behind(space):
        some = counted(len(left), "file")
        told.append(f"{some} of the journal stayed in {space.folder / 'journal'} and are not shown: {left[0]}.")
    return told


def _put(place: Path, target: Path, name: str, part: str) -> bool:
    """Copy a file into the repository; a day's under a name of its own, so that two clones never bring the same one."""
    stage, content = stage_of(name), place.read_bytes()
    make_private_directory((target / name).parent)
    if day_of(name) is not None and stage in ("daily", "archive/daily") and not _says(target / name, content):
        stem, dot, suffix = place.name.partition(".md")
        name = f"{stage}/{stem}.{part}{dot}{suffix}" if "." not in stem else name
    there = target / name
    return write_private_file(there, content, replace=False) or _says(there, content)


def _says(place: Path, content: bytes) -> bool:
    return place.is_file() and not place.is_symlink() and place.read_bytes() == content
