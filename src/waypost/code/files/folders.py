"""Folder by folder: what may be entered, and which rules hold inside."""

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.code.files.choice import FileSelection
from waypost.code.files.ignore import IgnoreRule, IgnoreRules, Ignoring, parse_rules
from waypost.code.files.listing import Listing
from waypost.code.files.reading import Unread, read_bytes
from waypost.code.files.skip import FolderLook, folder_reason, shown, unsafe_name
from waypost.code.git.command import LITERAL, GitCheckout

_LARGEST_IGNORE_FILE = 1_000_000
_REMEMBERED = 256  # folders; one is judged, then walked, and its parent asked about in between


@dataclass(frozen=True, slots=True)
class SkippedFolder:
    path: str  # safe to show, with a slash at its end
    reason: str
    chosen: bool  # by an ignore file or the caller, who need not be told unless they ask


class Folders:
    """Decides each folder of a tree once, from the top down. Paths are relative to `root`; `base` is the tree's own."""

    def __init__(
        self,
        root: Path,
        base: str,
        look: FolderLook,
        choice: FileSelection,
        ignore_files: Sequence[str],
        first: Sequence[IgnoreRules] = (),
    ) -> None:
        self.root = os.fspath(root)
        self._base = base
        self._look = look
        self._choice = choice
        self._ignore_files = ignore_files
        self._exclude = Ignoring().and_also([choice.exclude])
        self._skipped: list[SkippedFolder] = []
        self._wanted: set[str] = set()  # folders that an include takes whole
        self._ignoring: dict[str, Ignoring | None] = {  # None: the folder is out
            base: Ignoring().and_also(first).and_also(self._rules_in(base))
        }
        if any(choice.wants_folder(part) for part in parts_of(base)):
            self._wanted.add(base)

    def enter(self, folder: str) -> bool:
        """Whether the files of this folder may be read."""
        if folder in self._ignoring:
            return self._ignoring[folder] is not None
        for part in parts_of(folder):
            if part not in self._ignoring:
                self._decide(part)
            if self._ignoring[part] is None:
                self._ignoring[folder] = None
                return False
        return True

    def take_skipped(self) -> list[SkippedFolder]:
        """The folders found to be out since the last time; of one inside another, only the outer."""
        taken = self._skipped
        if taken:
            self._skipped = []
        return taken

    def is_wanted(self, path: str) -> bool:
        """Whether an include takes the whole folder of this file."""
        return path.rpartition("/")[0] in self._wanted

    def rule_against(self, path: str, *, is_folder: bool) -> IgnoreRule | None:
        """The caller's exclusion, or the ignore file's, of a path whose folder is in."""
        if self._exclude and (rule := self._exclude.rule_against(path, is_folder)):
            return rule
        ignoring = self._ignoring.get(path.rpartition("/")[0])
        return ignoring.rule_against(path, is_folder) if ignoring else None

    def _decide(self, folder: str) -> None:
        """Decide about a folder whose parent is in."""
        parent = folder.rpartition("/")[0]
        rule = self.rule_against(folder, is_folder=True)
        reason = told(rule) if rule is not None else self._reason_against(folder)
        if reason is not None:
            self._skipped.append(SkippedFolder(shown(folder) + "/", reason, chosen=rule is not None))
            self._ignoring[folder] = None
            return
        above = self._ignoring.get(parent) or Ignoring()
        self._ignoring[folder] = above.and_also(self._rules_in(folder))
        if self._choice.narrows and (parent in self._wanted or self._choice.wants_folder(folder)):
            self._wanted.add(folder)

    def _reason_against(self, folder: str) -> str | None:
        reason = unsafe_name(folder)
        if reason is not None:
            return reason
        try:
            mode = os.lstat(f"{self.root}/{folder}").st_mode
        except OSError:
            return None  # gone, and with it what was in it
        if not stat.S_ISDIR(mode):
            return irregular(self.root, folder, mode)
        reason = folder_reason(folder, self._look)
        lifted = reason is not None and self._choice.narrows and self._choice.names_folder(folder)
        return None if lifted else reason

    def _rules_in(self, folder: str) -> list[IgnoreRules]:
        """The rules of the ignore files in this folder. At the top one counts even if git ignores it."""
        present = [name for name in self._ignore_files if folder == self._base or name in self._look.names(folder)]
        prefix = f"{folder}/" if folder else ""
        return [rules_of_file(Path(self.root), prefix + name, prefix, prefix + name) for name in present]


def rules_of_file(root: Path, path: str, base: str, source: str) -> IgnoreRules:
    """The rules of an ignore file, for paths in `base`. One that is a link or cannot be read has none."""
    content = read_bytes(root, path, _LARGEST_IGNORE_FILE)
    text = "" if isinstance(content, Unread) else content[0].decode("utf-8", "surrogateescape")
    return parse_rules(text, base, source)


def parts_of(folder: str) -> Iterator[str]:
    """`a`, `a/b`, `a/b/c` of `a/b/c`."""
    end = folder.find("/")
    while end >= 0:
        yield folder[:end]
        end = folder.find("/", end + 1)
    if folder:
        yield folder


@dataclass(frozen=True, slots=True)
class Listed:
    """A listing of an inner tree, asked with paths of the whole one: `skip.Look` for what git lists."""

    base: str
    listing: Listing

    def _inside(self, folder: str) -> str:
        return folder[len(self.base) :].removeprefix("/")

    def names(self, folder: str) -> Collection[str]:
        return self.listing.names(self._inside(folder))

    def tracked(self, folder: str) -> bool:
        return self.listing.tracked(self._inside(folder))


class Scanned:
    """The folders on the disk: `skip.Look` for a tree that git does not list."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, list[tuple[str, bool]]] = {}

    def scan(self, folder: str) -> list[tuple[str, bool]]:
        """Names in order, and whether each is a folder (a link never is). Raises OSError."""
        known = self._known.get(folder)
        if known is None:
            with os.scandir(self._root / folder) as found:
                known = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in found)
            if len(self._known) >= _REMEMBERED:
                self._known.pop(next(iter(self._known)))
            self._known[folder] = known
        return known

    def names(self, folder: str) -> Collection[str]:
        try:
            return {name.lower() for name, _ in self.scan(folder)}
        except OSError:
            return ()

    def tracked(self, _folder: str) -> bool:
        return False


class PartlyListed:
    """`skip.Look` for a few paths of a checkout: names are those on the disk, and git is asked only when needed."""

    def __init__(self, root: Path, checkout: GitCheckout, base: str) -> None:
        self._scanned = Scanned(root)
        self._checkout = checkout
        self._base = base

    def names(self, folder: str) -> Collection[str]:
        return self._scanned.names(folder)

    def tracked(self, folder: str) -> bool:
        inside = folder[len(self._base) :].removeprefix("/")
        return bool(self._checkout.ask("ls-files", "-z", "--cached", "--", inside, variables=LITERAL))


def told(rule: IgnoreRule) -> str:
    """A rule as the reason that it is."""
    if rule.source == "exclude":
        return f"excluded by {rule.text}"
    return f"ignored by {rule.source}:{rule.line} ({rule.text})"


def irregular(root: str, path: str, mode: int) -> str:
    """What stands here instead of a plain file or folder."""
    if not stat.S_ISLNK(mode):
        return "not a regular file (a pipe, socket or device)"
    try:
        target = Path(root, path).resolve(strict=True)
    except (OSError, RuntimeError):
        return "symbolic link that leads nowhere"
    inside = target.is_relative_to(Path(root).resolve())
    return "symbolic link within the tree" if inside else "symbolic link out of the tree"
