"""Keep the journal in the repository: `<root>/.waypost/`."""

from pathlib import Path

from waypost.errors import InvalidInput, Refused
from waypost.flows.journal_files.known_files import IN_TREES
from waypost.flows.journal_files.sync import sync
from waypost.flows.open_space import IN_TREE, OpenSpace, branch_of, tree_of
from waypost.flows.versions.current import audit
from waypost.journal.consent import file_part, give_consent
from waypost.journal.files import JournalFolder
from waypost.journal.layout import day_of, stage_of
from waypost.model.memory import Caller
from waypost.system.platform import make_private_directory, write_private_file
from waypost.text.plural import counted

# Days need no rule: each branch and clone writes its own files. `merge=union` would drop lines that both sides have, and
# so parts of an entry. In the two pages with bullets, equal lines are the same bullet.
_ATTRIBUTES = """\
MEMORY.md merge=union
important/*.md merge=union
archive/**/*.gz binary
"""
_IGNORED = "backups/\n"
AGREE = "waypost init --journal-in-repo"


def keep_in_tree(space: OpenSpace, caller: Caller) -> Path:
    """A person agrees to keep the journal of this checkout in its repository. Its files move there.

    Repeating it is harmless, also after a kill. A file that the repository has with other content stays
    (`left_behind`). Raises Refused for an agent: it may not decide where conversations go.
    """
    target = tree_of(space) / IN_TREE
    if not caller.decides:
        raise Refused(
            "Only a person can agree to keep the journal in the repository.",
            f"Run `{AGREE}` at a terminal, or with --yes.",
        )
    if target.is_symlink():
        raise InvalidInput(f"{target} is a symlink.", "Put a folder in the place of the link.")
    sync(space)
    consent = give_consent(space.folder, tree_of(space), caller.actor, space.clock())
    part = file_part(consent, branch_of(tree_of(space)))
    own = JournalFolder(
        space.folder / "journal",
        space.folder / "journal.lock",
        space.settings.journal,
        space.settings.busy_timeout_seconds,
    )
    with own.locked():
        own.unbundle()
        make_private_directory(target / "daily")
        write_private_file(target / ".gitattributes", _ATTRIBUTES.encode(), replace=False)
        write_private_file(target / ".gitignore", _IGNORED.encode(), replace=False)
        moved, left = list[Path](), list[str]()
        for place in sorted(place for place in own.root.rglob("*") if place.is_file() and not place.is_symlink()):
            name = place.relative_to(own.root).as_posix()
            if _copy_file(place, target, name, part):
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
    """Journal files beside the memory while the journal in the repository is used: they are not shown."""
    if space.journal_id == space.own_journal_id:
        return []
    own = space.folder / "journal"
    places = [*own.rglob("*.md*"), *own.rglob("*.tar.bz2")]
    return sorted(place.relative_to(own).as_posix() for place in places if place.is_file())


def journal_notices(space: OpenSpace) -> list[str]:
    """Notices if the journal is not where people may expect it."""
    notices = []
    if (offered := space.journal_offered) is not None:
        notices.append(
            f"The repository has a journal in {offered}; it is not used. To use it for this checkout, run `{AGREE}`."
        )
    if left := left_behind(space):
        some = counted(len(left), "file")
        notices.append(f"{some} of the journal stayed in {space.folder / 'journal'} and are not shown: {left[0]}.")
    return notices


def _copy_file(place: Path, target: Path, name: str, part: str) -> bool:
    """Copy a file into the repository. Day files get a name of their own, so that two clones never conflict."""
    stage, content = stage_of(name), place.read_bytes()
    make_private_directory((target / name).parent)
    if day_of(name) is not None and stage in ("daily", "archive/daily") and not _has_content(target / name, content):
        stem, dot, suffix = place.name.partition(".md")
        name = f"{stage}/{stem}.{part}{dot}{suffix}" if "." not in stem else name
    there = target / name
    return write_private_file(there, content, replace=False) or _has_content(there, content)


def _has_content(place: Path, content: bytes) -> bool:
    return place.is_file() and not place.is_symlink() and place.read_bytes() == content
