"""Which files of a tree are read, and why the others are not.

In a git checkout git is asked once for all paths; elsewhere, and where git fails, folders are walked here and
`.gitignore` is read here. A submodule is a tree of its own inside the tree; so is a repository in a folder that is none
itself. Another repository that merely lies in a checkout (a clone, a linked worktree) belongs to somebody else's memory.

Nothing is opened but ignore files: what only contents can tell is told by `reading.read_source`.
"""

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.code.choice import Choice, choose
from waypost.code.git import Checkout, open_checkout
from waypost.code.ignore import Ignoring, Rule, Rules, parse_rules
from waypost.code.listing import Listing, list_files
from waypost.code.reading import Unread, read_bytes
from waypost.code.skip import Look, file_skip, folder_reason, shown, unsafe_name

OWN_IGNORE_FILE = ".waypostignore"
_GIT_IGNORE_FILE = ".gitignore"
_DOT_GIT = ".git"
_LARGEST_IGNORE_FILE = 1_000_000


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

    What git, an ignore file or the caller's own patterns leave out is told only with `explain`.
    Raises InvalidInput when a pattern cannot be used.
    """
    return _Walk(root, choose(include, exclude), explain).entries()


class _Walk:
    """One walk: the trees still to be walked, and what is decided for all of them."""

    def __init__(self, root: Path, choice: Choice, explain: bool) -> None:
        self.root = root
        self.choice = choice
        self.explain = explain
        self.waiting: list[str] = [""]
        self.is_checkout = False

    def entries(self) -> Iterator[Entry]:
        while self.waiting:
            yield from self._tree(self.waiting.pop(0))

    def _tree(self, base: str) -> Iterator[Entry]:
        checkout = open_checkout(self.root / base)
        if base and checkout is not None and checkout.prefix:
            checkout = None  # a `.git` that is none: the checkout found is the one around it
        listing = list_files(checkout, explain=self.explain) if checkout is not None else None
        if base == "":
            self.is_checkout = checkout is not None
        if checkout is None or listing is None or (checkout.prefix and not listing.files):
            # An empty listing of a folder inside a checkout: the checkout ignores it, but the caller asked for it.
            return self._walk_folders(base, checkout)
        return self._walk_listing(base, listing)

    # --- as git lists it

    def _walk_listing(self, base: str, listing: Listing) -> Iterator[Entry]:
        prefix = f"{base}/" if base else ""
        folders = _Folders(self, base, _Listed(prefix, listing), (OWN_IGNORE_FILE,))
        for path in listing.files:
            folder = path.rpartition("/")[0]
            inside = folders.enter(prefix + folder if folder else base)
            if folders.skipped:
                yield from folders.take_skipped()
            if inside:
                entry = self._file(prefix + path, folders)
                if entry is not None:
                    yield entry
        for path in (*listing.submodules, *listing.repositories):
            yield from self._inner_repository(prefix + path, path in listing.submodules, folders)
        for path, reason in listing.ignored:
            yield Entry(shown(prefix + path), skipped=reason)

    def _inner_repository(self, path: str, is_submodule: bool, folders: "_Folders") -> Iterator[Entry]:
        inside = folders.enter(path)
        yield from folders.take_skipped()
        if not inside:
            return
        if not is_submodule and not self.choice.names_folder(path):
            yield Entry(shown(path) + "/", skipped="another git repository")
        elif os.path.lexists(self.root / path / _DOT_GIT):
            self.waiting.append(path)
        elif is_submodule:
            yield Entry(shown(path) + "/", skipped="submodule that is not checked out")

    # --- as it lies on the disk

    def _walk_folders(self, base: str, checkout: Checkout | None) -> Iterator[Entry]:
        scanned = _Scanned(self.root)
        folders = _Folders(self, base, scanned, (_GIT_IGNORE_FILE, OWN_IGNORE_FILE), _info_exclude(checkout, base))
        stack = [base]
        while stack:
            folder = stack.pop()
            inside = folders.enter(folder)
            yield from folders.take_skipped()
            if not inside:
                continue
            if folder != base and _DOT_GIT in scanned.names(folder):
                yield from self._found_repository(folder)
                continue
            try:
                found = [(name, is_folder) for name, is_folder in scanned.scan(folder) if name != _DOT_GIT]
            except OSError as error:
                yield Entry(shown(folder) + "/", skipped=f"cannot be read: {error.strerror}")
                continue
            prefix = f"{folder}/" if folder else ""
            stack += [prefix + name for name, is_folder in reversed(found) if is_folder]
            for name, is_folder in found:
                entry = None if is_folder else self._file(prefix + name, folders)
                if entry is not None:
                    yield entry

    def _found_repository(self, folder: str) -> Iterator[Entry]:
        """A repository below a folder that git did not list. Below a checkout only a submodule belongs to it."""
        is_own = (
            not self.is_checkout or not (self.root / folder / _DOT_GIT).is_dir() or self.choice.names_folder(folder)
        )
        if is_own:
            self.waiting.append(folder)
        else:
            yield Entry(shown(folder) + "/", skipped="another git repository")

    # --- one file

    def _file(self, path: str, folders: "_Folders") -> Entry | None:
        """The entry of one file whose folder is in; None when it is gone, or left out without need to say so."""
        choice = self.choice
        rule = folders.rule_against(path, is_folder=False)
        if rule is not None:
            return Entry(shown(path), skipped=_told(rule)) if self.explain else None
        if choice.narrows and not folders.is_wanted(path) and not choice.wants_file(path):
            return Entry(shown(path), skipped="no include pattern matches it") if self.explain else None
        try:
            state = os.lstat(f"{folders.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return Entry(shown(path), skipped=f"cannot be read: {error.strerror}")
        size, time = state.st_size, state.st_mtime_ns
        reason = unsafe_name(path)
        if reason is not None:
            return Entry(shown(path), size, time, reason)
        if not stat.S_ISREG(state.st_mode):
            return Entry(path, size, time, _irregular(folders.root, path, state.st_mode))
        named = choice.narrows and choice.names_file(path)
        skip = file_skip(path, size)
        kept_out = skip is not None and not (skip.liftable and named)
        return Entry(path, size, time, skip.reason if skip is not None and kept_out else None, named)


class _Folders:
    """Decides each folder of a tree once, from the top down, and remembers the rules that hold in it."""

    def __init__(
        self, walk: _Walk, base: str, look: Look, ignore_files: Sequence[str], first: Sequence[Rules] = ()
    ) -> None:
        self.root = os.fspath(walk.root)
        self.skipped: list[Entry] = []
        self._walk = walk
        self._choice = walk.choice
        self._look = look
        self._ignore_files = ignore_files
        top = Ignoring().and_also([walk.choice.exclude]) if walk.choice.exclude.rules else Ignoring()
        self._exclude = top
        self._ignoring: dict[str, Ignoring | None] = {}  # None: the folder is out
        self._wanted: set[str] = set()  # folders that an include takes whole
        self._ignoring[base] = Ignoring().and_also(first).and_also(self._ignore_rules(base))
        if base and any(walk.choice.wants_folder(part) for part in _parts_of(base)):
            self._wanted.add(base)

    def enter(self, folder: str) -> bool:
        """Whether the files of this folder may be read."""
        known = self._ignoring.get(folder, self)
        if known is not self:
            return known is not None
        for part in _parts_of(folder):
            if part in self._ignoring:
                if self._ignoring[part] is None:
                    self._ignoring[folder] = None
                    return False
                continue
            parent = part.rpartition("/")[0]
            above = self._ignoring.get(parent)
            reason, silent = self._against(part)
            if reason is not None:
                self._ignoring[part] = self._ignoring[folder] = None
                if self._walk.explain or not silent:
                    self.skipped.append(Entry(shown(part) + "/", skipped=reason))
                return False
            self._ignoring[part] = (above or Ignoring()).and_also(self._ignore_rules(part))
            if self._choice.narrows and (parent in self._wanted or self._choice.wants_folder(part)):
                self._wanted.add(part)
        return True

    def take_skipped(self) -> list[Entry]:
        """The folders skipped since the last time."""
        taken, self.skipped = self.skipped, []
        return taken

    def is_wanted(self, path: str) -> bool:
        """Whether an include takes the whole folder of this file."""
        return path.rpartition("/")[0] in self._wanted

    def rule_against(self, path: str, *, is_folder: bool) -> Rule | None:
        """The caller's exclusion, or the ignore file's, of a path whose folder is in."""
        if self._exclude and (rule := self._exclude.rule_against(path, is_folder)):
            return rule
        ignoring = self._ignoring.get(path.rpartition("/")[0])
        return ignoring.rule_against(path, is_folder) if ignoring else None

    def _against(self, folder: str) -> tuple[str | None, bool]:
        """Why this folder is out, and whether that is somebody's own choice, of which they need not be told."""
        rule = self.rule_against(folder, is_folder=True)
        if rule is not None:
            return _told(rule), True
        reason = unsafe_name(folder)
        if reason is not None:
            return reason, False
        try:
            mode = os.lstat(f"{self.root}/{folder}").st_mode
        except OSError:
            return "it is gone", True
        if not stat.S_ISDIR(mode):
            return _irregular(self.root, folder, mode), False
        reason = folder_reason(folder, self._look)
        lifted = reason is not None and self._choice.narrows and self._choice.names_folder(folder)
        return (None if lifted else reason), False

    def _ignore_rules(self, folder: str) -> list[Rules]:
        """The rules of the ignore files in this folder. One that is a link or cannot be read has none."""
        prefix = f"{folder}/" if folder else ""
        found: list[Rules] = []
        for name in self._ignore_files:
            if name in self._look.names(folder):
                content = read_bytes(self._walk.root, prefix + name, _LARGEST_IGNORE_FILE)
                if not isinstance(content, Unread):
                    text = content[0].decode("utf-8", "surrogateescape")
                    found.append(parse_rules(text, prefix, prefix + name))
        return found


@dataclass(frozen=True, slots=True)
class _Listed:
    """A listing of an inner tree, asked with paths of the whole one."""

    prefix: str
    listing: Listing

    def names(self, folder: str) -> Collection[str]:
        return self.listing.names(folder.removeprefix(self.prefix) if folder != self.prefix[:-1] else "")

    def tracked(self, folder: str) -> bool:
        return self.listing.tracked(folder.removeprefix(self.prefix))


class _Scanned:
    """The folders on the disk. The last ones asked about are remembered: a folder is judged, then walked."""

    _REMEMBERED = 256

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, list[tuple[str, bool]]] = {}

    def scan(self, folder: str) -> list[tuple[str, bool]]:
        """Names in order, and whether each is a folder (a link never is). Raises OSError."""
        known = self._known.get(folder)
        if known is None:
            with os.scandir(self._root / folder) as found:
                known = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in found)
            if len(self._known) >= self._REMEMBERED:
                self._known.pop(next(iter(self._known)))
            self._known[folder] = known
        return known

    def names(self, folder: str) -> Collection[str]:
        try:
            return {name.lower() for name, _ in self.scan(folder)}
        except OSError:
            return ()

    def tracked(self, folder: str) -> bool:
        return False


def _info_exclude(checkout: Checkout | None, base: str) -> list[Rules]:
    if checkout is None or checkout.prefix:
        return []
    content = read_bytes(checkout.common_dir, "info/exclude", _LARGEST_IGNORE_FILE)
    if isinstance(content, Unread):
        return []
    prefix = f"{base}/" if base else ""
    return [parse_rules(content[0].decode("utf-8", "surrogateescape"), prefix, ".git/info/exclude")]


def _parts_of(folder: str) -> Iterator[str]:
    """`a`, `a/b`, `a/b/c` of `a/b/c`."""
    end = folder.find("/")
    while end >= 0:
        yield folder[:end]
        end = folder.find("/", end + 1)
    if folder:
        yield folder


def _told(rule: Rule) -> str:
    if rule.source == "exclude":
        return f"excluded by {rule.text}"
    return f"ignored by {rule.source}:{rule.line} ({rule.text})"


def _irregular(root: str, path: str, mode: int) -> str:
    """What stands here instead of a plain file or folder."""
    if not stat.S_ISLNK(mode):
        return "not a regular file (a pipe, socket or device)"
    try:
        target = Path(root, path).resolve(strict=True)
    except (OSError, RuntimeError):
        return "symbolic link that leads nowhere"
    inside = target.is_relative_to(Path(root).resolve())
    return "symbolic link within the tree" if inside else "symbolic link out of the tree"
