"""Which files of a tree are read, and why the others are not.

In a git checkout git is asked once for all paths; elsewhere, and where git fails, folders are walked here and
`.gitignore` is read here. A submodule is a tree of its own inside the tree; so is a repository in a folder that is none
itself. Another repository that merely lies in a checkout (a clone, a linked worktree) belongs to somebody else's memory.

Nothing is opened but ignore files: what only contents can tell is told by `reading.read_source`.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.code.files.choice import FileSelection, choose
from waypost.code.files.folders import Folders, Listed, PartlyListed, Scanned, irregular, parts_of, rules_of_file, told
from waypost.code.files.ignore import IgnoreRules
from waypost.code.files.listing import Listing, list_files
from waypost.code.files.skip import FolderLook, file_skip, shown, unsafe_name
from waypost.code.git.command import GitCheckout, blocking_file, open_checkout

OWN_IGNORE_FILE = ".waypostignore"
_GIT_IGNORE_FILE = ".gitignore"
_DOT_GIT = ".git"
GIT_UNASKED = "no regular file, so git is not asked about this repository"
_UNUSUAL = frozenset({"", ".", "..", _DOT_GIT})  # parts that no path of a walk has


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file of the tree, or a folder that is skipped as a whole: then the path ends in `/`."""

    path: str  # relative to the root, with `/`; of a name that is unsafe to show, what `skip.shown` makes of it
    size: int = 0
    mtime_ns: int = 0
    skipped: str | None = None  # why it is not read, in plain words
    named: bool = False  # an include pattern names this very file: pass it on to `read_source`


def walk(
    root: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = (), explain: bool = False
) -> Iterator[WalkedFile]:
    """Every file of the tree that is worth reading, and what is skipped with its reason.

    Patterns are written as in `.gitignore`, braces allowed (see `choice`). What git, an ignore file or the caller's own
    patterns leave out is told only with `explain`. Raises InvalidInput when a pattern cannot be used.
    """
    return _Walk(root, choose(include, exclude), explain).entries()


def look_at(
    root: Path, paths: Sequence[str], *, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Iterator[WalkedFile]:
    """The entries that a walk would give for these files and for what lies in these folders, without walking the rest.

    A path that is gone, ignored or left out by choice has none: what is known of it may be forgotten.
    """
    return _Walk(root, choose(include, exclude), explain=False).entries_of(paths)


class _Walk:
    """One walk: the trees still to be walked, and what is decided for all of them."""

    def __init__(self, root: Path, choice: FileSelection, explain: bool) -> None:
        self._root = root
        self._choice = choice
        self._explain = explain
        self._waiting: list[str] = [""]
        self._is_checkout = False  # the root itself

    def entries(self) -> Iterator[WalkedFile]:
        stopped = blocking_file(self._root)
        if stopped:
            yield WalkedFile(shown(stopped), skipped=GIT_UNASKED)
        while self._waiting:
            yield from self._tree(self._waiting.pop(0))

    def entries_of(self, paths: Sequence[str]) -> Iterator[WalkedFile]:
        """Those of some paths. Each is looked for in its own tree, after the trees around have let that one in."""
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
        """The outermost repository below `base` on the way to this path; empty when there is none."""
        folders = (part for part in parts_of(path) if len(part) > len(base) and part != path)
        return next((part for part in folders if os.path.lexists(self._root / part / _DOT_GIT)), "")

    def _tree(self, base: str, only: Sequence[str] = ()) -> Iterator[WalkedFile]:
        checkout = open_checkout(self._root / base)
        if base and checkout is not None and checkout.prefix:
            checkout = None  # its `.git` is none: the checkout found is the one around it
        if not base:
            self._is_checkout = checkout is not None
        listing = self._listing(checkout, base, only)
        if checkout is None or listing is None:
            return self._walk_folders(base, _info_exclude(checkout, base), only)
        look = PartlyListed(self._root, checkout, base) if only else Listed(base, listing)
        return self._walk_listing(base, listing, look)

    def _listing(self, checkout: GitCheckout | None, base: str, only: Sequence[str]) -> Listing | None:
        """What git lists. None without git, and when the checkout around the root ignores it: the caller asked for it."""
        if checkout is None:
            return None
        prefix = f"{base}/" if base else ""
        listing = list_files(checkout, [path.removeprefix(prefix) for path in only], explain=self._explain)
        if listing is not None and checkout.prefix and not listing.files:
            whole = list_files(checkout) if only else listing
            return listing if whole is not None and whole.files else None
        return listing

    # --- as git lists it

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
            yield WalkedFile(shown(prefix + path), skipped=reason)

    def _inner_repository(self, path: str, is_submodule: bool, folders: Folders) -> Iterator[WalkedFile]:
        inside = folders.enter(path)
        yield from self._skipped(folders)
        if not inside:
            return
        if not is_submodule and not self._choice.names_folder(path):
            yield WalkedFile(shown(path) + "/", skipped="another git repository")
        elif os.path.lexists(self._root / path / _DOT_GIT):
            self._waiting.append(path)
        elif is_submodule:
            yield WalkedFile(shown(path) + "/", skipped="submodule that is not checked out")

    # --- as it lies on the disk

    def _walk_folders(self, base: str, first: Sequence[IgnoreRules], only: Sequence[str]) -> Iterator[WalkedFile]:
        scanned = Scanned(self._root)
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
                yield from self._found_repository(folder)
                continue
            try:
                found = scanned.scan(folder)
            except OSError as error:
                yield WalkedFile(shown(folder) + "/", skipped=f"cannot be read: {error.strerror}")
                continue
            prefix = f"{folder}/" if folder else ""
            stack += [prefix + name for name, is_folder in reversed(found) if is_folder and name != _DOT_GIT]
            for name, is_folder in found:
                if not is_folder and name != _DOT_GIT:
                    yield from self._file(prefix + name, folders)

    def _found_repository(self, folder: str) -> Iterator[WalkedFile]:
        """A repository below a folder that git did not list. Below a checkout only a submodule belongs to it."""
        has_own = (self._root / folder / _DOT_GIT).is_dir()
        if self._is_checkout and has_own and not self._choice.names_folder(folder):
            yield WalkedFile(shown(folder) + "/", skipped="another git repository")
        else:
            self._waiting.append(folder)

    # --- entries

    def _skipped(self, folders: Folders) -> Iterator[WalkedFile]:
        for folder in folders.take_skipped():
            if self._explain or not folder.chosen:
                yield WalkedFile(folder.path, skipped=folder.reason)

    def _file(self, path: str, folders: Folders) -> Iterator[WalkedFile]:
        """The entry of one file whose folder is in. None when it is gone, or left out by choice and nobody asked."""
        chosen = self._left_out(path, folders)
        if chosen is not None:
            if self._explain:
                yield WalkedFile(shown(path), skipped=chosen)
            return
        try:
            state = os.lstat(f"{folders.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            yield WalkedFile(shown(path), skipped=f"cannot be read: {error.strerror}")
            return
        named = self._choice.narrows and self._choice.names_file(path)
        reason = _reason_against(folders.root, path, state, named)
        safe = path if unsafe_name(path) is None else shown(path)
        yield WalkedFile(safe, state.st_size, state.st_mtime_ns, reason, named)

    def _left_out(self, path: str, folders: Folders) -> str | None:
        """By which choice of the caller or of an ignore file this file is left out."""
        rule = folders.rule_against(path, is_folder=False)
        if rule is not None:
            return told(rule)
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
    """The rules that a repository keeps beside its files, for a walk without git."""
    if checkout is None or checkout.prefix:
        return []
    prefix = f"{base}/" if base else ""
    return [rules_of_file(checkout.common_dir, "info/exclude", prefix, ".git/info/exclude")]
