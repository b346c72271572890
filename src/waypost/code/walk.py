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

from waypost.code.choice import Choice, choose
from waypost.code.folders import Folders, Listed, Scanned, irregular, rules_of_file, told
from waypost.code.git import Checkout, open_checkout
from waypost.code.ignore import Rules
from waypost.code.listing import Listing, list_files
from waypost.code.skip import file_skip, shown, unsafe_name

OWN_IGNORE_FILE = ".waypostignore"
_GIT_IGNORE_FILE = ".gitignore"
_DOT_GIT = ".git"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the tree, or a folder that is skipped as a whole: then the path ends in `/`."""

    path: str  # relative to the root, with `/`; of a name that is unsafe to show, what `skip.shown` makes of it
    size: int = 0
    mtime_ns: int = 0
    skipped: str | None = None  # why it is not read, in plain words
    named: bool = False  # an include pattern names this very file: pass it on to `read_source`


def walk(
    root: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = (), explain: bool = False
) -> Iterator[Entry]:
    """Every file of the tree that is worth reading, and what is skipped with its reason.

    Patterns are written as in `.gitignore`, braces allowed (see `choice`). What git, an ignore file or the caller's own
    patterns leave out is told only with `explain`. Raises InvalidInput when a pattern cannot be used.
    """
    return _Walk(root, choose(include, exclude), explain).entries()


class _Walk:
    """One walk: the trees still to be walked, and what is decided for all of them."""

    def __init__(self, root: Path, choice: Choice, explain: bool) -> None:
        self._root = root
        self._choice = choice
        self._explain = explain
        self._waiting: list[str] = [""]
        self._is_checkout = False  # the root itself

    def entries(self) -> Iterator[Entry]:
        while self._waiting:
            yield from self._tree(self._waiting.pop(0))

    def _tree(self, base: str) -> Iterator[Entry]:
        checkout = open_checkout(self._root / base)
        if base and checkout is not None and checkout.prefix:
            checkout = None  # its `.git` is none: the checkout found is the one around it
        if not base:
            self._is_checkout = checkout is not None
        listing = list_files(checkout, explain=self._explain) if checkout is not None else None
        if checkout is None or listing is None or (checkout.prefix and not listing.files):
            # An empty listing of a folder inside a checkout: the checkout ignores it, but the caller asked for it.
            return self._walk_folders(base, _info_exclude(checkout, base))
        return self._walk_listing(base, listing)

    # --- as git lists it

    def _walk_listing(self, base: str, listing: Listing) -> Iterator[Entry]:
        prefix = f"{base}/" if base else ""
        folders = Folders(self._root, base, Listed(base, listing), self._choice, (OWN_IGNORE_FILE,))
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
            yield Entry(shown(prefix + path), skipped=reason)

    def _inner_repository(self, path: str, is_submodule: bool, folders: Folders) -> Iterator[Entry]:
        inside = folders.enter(path)
        yield from self._skipped(folders)
        if not inside:
            return
        if not is_submodule and not self._choice.names_folder(path):
            yield Entry(shown(path) + "/", skipped="another git repository")
        elif os.path.lexists(self._root / path / _DOT_GIT):
            self._waiting.append(path)
        elif is_submodule:
            yield Entry(shown(path) + "/", skipped="submodule that is not checked out")

    # --- as it lies on the disk

    def _walk_folders(self, base: str, first: Sequence[Rules]) -> Iterator[Entry]:
        scanned = Scanned(self._root)
        folders = Folders(self._root, base, scanned, self._choice, (_GIT_IGNORE_FILE, OWN_IGNORE_FILE), first)
        stack = [base]
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
                yield Entry(shown(folder) + "/", skipped=f"cannot be read: {error.strerror}")
                continue
            prefix = f"{folder}/" if folder else ""
            stack += [prefix + name for name, is_folder in reversed(found) if is_folder and name != _DOT_GIT]
            for name, is_folder in found:
                if not is_folder and name != _DOT_GIT:
                    yield from self._file(prefix + name, folders)

    def _found_repository(self, folder: str) -> Iterator[Entry]:
        """A repository below a folder that git did not list. Below a checkout only a submodule belongs to it."""
        has_own = (self._root / folder / _DOT_GIT).is_dir()
        if self._is_checkout and has_own and not self._choice.names_folder(folder):
            yield Entry(shown(folder) + "/", skipped="another git repository")
        else:
            self._waiting.append(folder)

    # --- entries

    def _skipped(self, folders: Folders) -> Iterator[Entry]:
        for folder in folders.take_skipped():
            if self._explain or not folder.chosen:
                yield Entry(folder.path, skipped=folder.reason)

    def _file(self, path: str, folders: Folders) -> Iterator[Entry]:
        """The entry of one file whose folder is in. None when it is gone, or left out by choice and nobody asked."""
        chosen = self._left_out(path, folders)
        if chosen is not None:
            if self._explain:
                yield Entry(shown(path), skipped=chosen)
            return
        try:
            state = os.lstat(f"{folders.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            yield Entry(shown(path), skipped=f"cannot be read: {error.strerror}")
            return
        named = self._choice.narrows and self._choice.names_file(path)
        reason = _reason_against(folders.root, path, state, named)
        safe = path if unsafe_name(path) is None else shown(path)
        yield Entry(safe, state.st_size, state.st_mtime_ns, reason, named)

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


def _info_exclude(checkout: Checkout | None, base: str) -> list[Rules]:
    """The rules that a repository keeps beside its files, for a walk without git."""
    if checkout is None or checkout.prefix:
        return []
    prefix = f"{base}/" if base else ""
    return [rules_of_file(checkout.common_dir, "info/exclude", prefix, ".git/info/exclude")]
