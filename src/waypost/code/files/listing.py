"""The files of a checkout, as git lists them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from waypost.code.git.command import LITERAL, GitCheckout

_SUBMODULE = "160000"  # its mode, after the tag and a space
_MOST_ARGUMENTS = 500  # paths on a command line; for more, everything is listed


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths are relative to the listed folder. Implements `skip.FolderLook`."""

    files: list[str]  # sorted
    submodules: list[str]
    repositories: list[str]  # other checkouts inside the tree
    ignored: list[tuple[str, str]]  # path (folders with `/`) and reason; only with `explain`
    children: dict[str, set[str]] = field(repr=False)
    tracked_folders: set[str] = field(repr=False)

    def names(self, folder: str) -> set[str]:
        return self.children.get(folder, set())

    def tracked(self, folder: str) -> bool:
        return folder in self.tracked_folders


def list_files(checkout: GitCheckout, only: Sequence[str] = (), *, explain: bool = False) -> Listing | None:
    """List tracked files and new ones that are not ignored, perhaps `only` these paths and their content.

    Returns None if git fails.
    """
    few = only if len(only) <= _MOST_ARGUMENTS else ()
    answer = checkout.ask(
        *("ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard", "--", *few),
        variables=LITERAL,
    )
    if answer is None:
        return None
    tracked: set[str] = set()
    others: set[str] = set()
    submodules: list[str] = []
    repositories: list[str] = []
    wanted = frozenset(only) if only and not few else None
    for record in answer.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        entry, path = ("?", record[2:]) if record.startswith("? ") else record.split("\t", 1)
        if wanted is not None and not _covers(wanted, path.removesuffix("/")):
            continue
        if entry != "?":
            # A merge leaves three versions of one path.
            submodules.append(path) if entry.startswith(_SUBMODULE, 2) else tracked.add(path)
        elif path.endswith("/"):
            repositories.append(path[:-1])
        else:
            others.add(path)
    children: dict[str, set[str]] = {"": set()}
    tracked_folders: set[str] = set()
    for path in tracked:
        _add_folders(path, children, tracked_folders)
    for path in (*others, *submodules):
        _add_folders(path, children, None)
    return Listing(
        files=sorted(tracked | others),
        submodules=sorted(set(submodules)),
        repositories=sorted(repositories),
        ignored=_ignored(checkout) if explain else [],
        children=children,
        tracked_folders=tracked_folders,
    )


def _covers(wanted: frozenset[str], path: str) -> bool:
    """Whether this path or a folder above it is wanted."""
    while path not in wanted:
        path = path.rpartition("/")[0]
        if not path:
            return False
    return True


def _add_folders(path: str, children: dict[str, set[str]], tracked: set[str] | None) -> None:
    """Add every folder of the path, upwards to the first that is already there."""
    while True:
        folder, _, name = path.rpartition("/")
        names = children.get(folder)
        if names is None:
            children[folder] = {name.lower()}
        else:
            names.add(name.lower())
        seen = names is not None and (tracked is None or folder in tracked)
        if tracked is not None:
            tracked.add(folder)
        if seen or not folder:
            return
        path = folder


def _ignored(checkout: GitCheckout) -> list[tuple[str, str]]:
    listed = checkout.ask("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    if not listed:
        return []
    reasons: dict[str, str] = {}
    given = b"".join(b"./" + path + b"\0" for path in listed.split(b"\0")[:-1])  # "./": no name looks like an option
    answer = checkout.ask("check-ignore", "-z", "--verbose", "--stdin", given=given) or b""
    fields = answer.decode("utf-8", "surrogateescape").split("\0")
    for source, line, pattern, path in zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=False):
        reasons[path.removeprefix("./")] = f"ignored by {source}:{line} ({pattern})"
    paths = listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return [(path, reasons.get(path, "ignored by git")) for path in paths]
