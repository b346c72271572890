"""Which files of a tree are read, and why the others are not.

In a git checkout, git lists all paths with one call. Without git, or if it fails, folders and `.gitignore` files are read
here. A submodule is walked as a tree of its own, and so is a repository in a folder without git. Other repositories
inside a checkout (clones, linked worktrees) are skipped: they have their own memory.

Only ignore files are opened here. `reading.read_source` checks the content of files.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.code.files.choice import FileSelection, choose
from waypost.code.files.folders import (
    Folders,
    ListedFolders,
    PartlyListedFolders,
    ScannedFolders,
    irregular,
    parts_of,
    rule_reason,
    rules_of_file,
)
from waypost.code.files.ignore import IgnoreRules
from waypost.code.files.listing import Listing, list_files
from waypost.code.files.skip import FolderLook, file_skip, printable, unsafe_name
from waypost.code.git.command import GitCheckout, blocking_file, open_checkout

OWN_IGNORE_FILE = ".waypostignore"
_GIT_IGNORE_FILE = ".gitignore"
_DOT_GIT = ".git"
GIT_UNASKED = "no regular file, so git is not asked about this repository"
_UNUSUAL = frozenset({"", ".", "..", _DOT_GIT})  # no path of a walk has these parts


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file of the tree, or a skipped folder, whose path ends in `/`."""

    path: str  # relative to the root, with `/`; unsafe names as `skip.printable` writes them
    size: int = 0
    mtime_ns: int = 0
    skipped: str | None = None  # why it is not read
    named: bool = False  # an include pattern names this file: pass it on to `read_source`


def walk(
    root: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = (), explain: bool = False
) -> Iterator[WalkedFile]:
    """Yield every file of the tree worth reading, and every skipped path with its reason.

    Patterns follow `.gitignore`, with braces (see `choice`). `explain` adds what git, an ignore file or the patterns leave
    out. Raises InvalidInput for an unusable pattern.
    """
    return _Walk(root, choose(include, exclude), explain).entries()


def look_at(
    root: Path, paths: Sequence[str], *, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Iterator[WalkedFile]:
    """Yield what `walk` yields for these files and folders, without walking the rest.

    Missing, ignored and excluded paths yield nothing. Forget what is stored about them.
    """
    return _Walk(root, choose(include, exclude), explain=False).entries_of(paths)


class _Walk:
    """One walk: its options and the trees that are still to do."""

    def __init__(self, root: Path, choice: FileSelection, explain: bool) -> None:
        self._root = root
        self._choice = choice
        self._explain = explain
        self._waiting: list[str] = [""]
        self._is_checkout = False  # the root itself

    def entries(self) -> Iterator[WalkedFile]:
        stopped = blocking_file(self._root)
        if stopped:
            yield WalkedFile(printable(stopped), skipped=GIT_UNASKED)
        while self._waiting:
            yield from self._tree(self._waiting.pop(0))

    def entries_of(self, paths: Sequence[str]) -> Iterator[WalkedFile]:
        """The entries of some paths. Each is looked up in its own tree, if the trees around it allow that tree."""
        self._is_checkout = open_checkout(self._root) is not None
        self._waiting = []
        usual = [path for path in paths if "\0" not in path and not _UNUSUAL.intersection(path.split("/"))]
        trees = [("", usual)]
        while trees:
            base, wanted = trees.pop()
            inner: dict[str, list[str]] = {}
            for path in dict.fromkeys(wanted):
                inner.setdefault(self._first_repository(base, path), []).append(path)
            for repository, inside in inner.items():
                yield from self._tree(base, [repository or path for path in inside])
                if repository in self._waiting:
                    self._waiting.remove(repository)
                    trees.append((repository, inside))
        yield from self.entries()

    def _first_repository(self, base: str, path: str) -> str:
        """The outermost repository below `base` that contains this path, or empty."""
        folders = (part for part in parts_of(path) if len(part) > len(base) and part != path)
        return next((part for part in folders if os.path.lexists(self._root / part / _DOT_GIT)), "")

    def _tree(self, base: str, only: Sequence[str] = ()) -> Iterator[WalkedFile]:
        checkout = open_checkout(self._root / base)
        if base and checkout is not None and checkout.prefix:
            checkout = None  # its `.git` is not a repository: this is the checkout around it
        if not base:
            self._is_checkout = checkout is not None
        listing = self._listing(checkout, base, only)
        if checkout is None or listing is None:
            return self._walk_folders(base, _info_exclude(checkout, base), only)
        look = PartlyListedFolders(self._root, checkout, base) if only else ListedFolders(base, listing)
        return self._walk_listing(base, listing, look)

    def _listing(self, checkout: GitCheckout | None, base: str, only: Sequence[str]) -> Listing | None:
        """What git lists. None without git, or if the checkout around the root ignores the root."""
        if checkout is None:
            return None
        prefix = f"{base}/" if base else ""
        listing = list_files(checkout, [path.removeprefix(prefix) for path in only], explain=self._explain)
        if listing is not None and checkout.prefix and not listing.files:
            whole = list_files(checkout) if only else listing
            return listing if whole is not None and whole.files else None
        return listing

    # --- from git

    def _walk_listing(self, base: str, listing: Listing, look: FolderLook) -> Iterator[WalkedFile]:
        prefix = f"{base}/" if base else ""
        folders = Folders(self._root, base, look, self._choice, (OWN_IGNORE_FILE,))
        for path in listing.files:
            folder = path.rpartition("/")[0]
            inside = folders.enter(prefix + folder if folder else base)
            yield from self._skipped(folders)
            if inside:
                yield from self._file(prefix + path, folders)
        for path in listing.submodules:
            yield from self._inner_repository(prefix + path, True, folders)
        for path in listing.repositories:
            yield from self._inner_repository(prefix + path, False, folders)
        for path, reason in listing.ignored:
            yield WalkedFile(printable(prefix + path), skipped=reason)

    def _inner_repository(self, path: str, is_submodule: bool, folders: Folders) -> Iterator[WalkedFile]:
        inside = folders.enter(path)
        yield from self._skipped(folders)
        if not inside:
            return
        if not is_submodule and not self._choice.names_folder(path):
            yield WalkedFile(printable(path) + "/", skipped="another git repository")
        elif os.path.lexists(self._root / path / _DOT_GIT):
            self._waiting.append(path)
        elif is_submodule:
            yield WalkedFile(printable(path) + "/", skipped="submodule that is not checked out")

    # --- from the disk

    def _walk_folders(self, base: str, first: Sequence[IgnoreRules], only: Sequence[str]) -> Iterator[WalkedFile]:
        scanned = ScannedFolders(self._root)
        folders = Folders(self._root, base, scanned, self._choice, (_GIT_IGNORE_FILE, OWN_IGNORE_FILE), first)
        stack = [path for path in only if _is_folder(self._root / path)] if only else [base]
        for path in only:
            if path not in stack:
                inside = folders.enter(path.rpartition("/")[0])
                yield from self._skipped(folders)
                if inside:
                    yield from self._file(path, folders)
        while stack:
            folder = stack.pop()
            inside = folders.enter(folder)
            yield from self._skipped(folders)
            if not inside:
                continue
            if folder != base and _DOT_GIT in scanned.names(folder):
                yield from self._nested_repository(folder)
                continue
            try:
                entries = scanned.scan(folder)
            except OSError as error:
                yield WalkedFile(printable(folder) + "/", skipped=f"cannot be read: {error.strerror}")
                continue
            prefix = f"{folder}/" if folder else ""
            stack += [prefix + name for name, is_folder in reversed(entries) if is_folder and name != _DOT_GIT]
            for name, is_folder in entries:
                if not is_folder and name != _DOT_GIT:
                    yield from self._file(prefix + name, folders)

    def _nested_repository(self, folder: str) -> Iterator[WalkedFile]:
        """A repository in a folder that git did not list. Inside a checkout only submodules are walked."""
        has_own = (self._root / folder / _DOT_GIT).is_dir()
        if self._is_checkout and has_own and not self._choice.names_folder(folder):
            yield WalkedFile(printable(folder) + "/", skipped="another git repository")
        else:
            self._waiting.append(folder)

    # --- entries

    def _skipped(self, folders: Folders) -> Iterator[WalkedFile]:
        for folder in folders.take_skipped():
            if self._explain or not folder.chosen:
                yield WalkedFile(folder.path, skipped=folder.reason)

    def _file(self, path: str, folders: Folders) -> Iterator[WalkedFile]:
        """The entry of one file in an accepted folder. Nothing if it is missing, or excluded without `explain`."""
        exclusion = self._exclusion(path, folders)
        if exclusion is not None:
            if self._explain:
                yield WalkedFile(printable(path), skipped=exclusion)
            return
        try:
            state = os.lstat(f"{folders.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            yield WalkedFile(printable(path), skipped=f"cannot be read: {error.strerror}")
            return
        named = self._choice.narrows and self._choice.names_file(path)
        reason = _reason_against(folders.root, path, state, named)
        safe = path if unsafe_name(path) is None else printable(path)
        yield WalkedFile(safe, state.st_size, state.st_mtime_ns, reason, named)

    def _exclusion(self, path: str, folders: Folders) -> str | None:
        """The pattern of the caller or of an ignore file that excludes this file."""
        rule = folders.rule_against(path, is_folder=False)
        if rule is not None:
            return rule_reason(rule)
        if self._choice.narrows and not folders.is_wanted(path) and not self._choice.wants_file(path):
            return "no include pattern matches it"
        return None


def _reason_against(root: str, path: str, state: os.stat_result, named: bool) -> str | None:
    reason = unsafe_name(path)
    if reason is not None:
        return reason
    if not stat.S_ISREG(state.st_mode):
        return irregular(root, path, state.st_mode)
    skip = file_skip(path, state.st_size)
    return None if skip is None or (skip.liftable and named) else skip.reason


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _info_exclude(checkout: GitCheckout | None, base: str) -> list[IgnoreRules]:
    """The rules of `.git/info/exclude`, for a walk without git."""
    if checkout is None or checkout.prefix:
        return []
    prefix = f"{base}/" if base else ""
    return [rules_of_file(checkout.common_dir, "info/exclude", prefix, ".git/info/exclude")]
