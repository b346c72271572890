"""Which folders of a walk are entered, and which ignore rules apply inside."""

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.code.files.choice import FileSelection
from waypost.code.files.ignore import IgnoreRule, IgnoreRules, Ignoring, parse_rules
from waypost.code.files.listing import Listing
from waypost.code.files.reading import Unread, read_bytes
from waypost.code.files.skip import FolderLook, folder_reason, printable, unsafe_name
from waypost.code.git.command import LITERAL, GitCheckout

_LARGEST_IGNORE_FILE = 1_000_000
_REMEMBERED = 256  # folders; one is checked, then walked, with its parent in between


@dataclass(frozen=True, slots=True)
class SkippedFolder:
    path: str  # safe to print, ends with a slash
    reason: str
    chosen: bool  # by an ignore file or the caller; listed only with `explain`


class Folders:
    """Decides each folder of a tree once, from the top down. Paths are relative to `root`; `base` is the top of the tree."""

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
        self._wanted: set[str] = set()  # folders that an include pattern takes whole
        self._ignoring: dict[str, Ignoring | None] = {  # None: the folder is skipped
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
        """The folders skipped since the last call. A folder inside a skipped one is not listed."""
        skipped, self._skipped = self._skipped, []
        return skipped

    def is_wanted(self, path: str) -> bool:
        """Whether an include pattern takes the whole folder of this file."""
        return path.rpartition("/")[0] in self._wanted

    def rule_against(self, path: str, *, is_folder: bool) -> IgnoreRule | None:
        """The rule of the caller or of an ignore file against a path in an accepted folder."""
        if self._exclude and (rule := self._exclude.rule_against(path, is_folder)):
            return rule
        ignoring = self._ignoring.get(path.rpartition("/")[0])
        return ignoring.rule_against(path, is_folder) if ignoring else None

    def _decide(self, folder: str) -> None:
        parent = folder.rpartition("/")[0]
        rule = self.rule_against(folder, is_folder=True)
        reason = rule_reason(rule) if rule is not None else self._reason_against(folder)
        if reason is not None:
            self._skipped.append(SkippedFolder(printable(folder) + "/", reason, chosen=rule is not None))
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
            return None  # gone, with its content
        if not stat.S_ISDIR(mode):
            return irregular(self.root, folder, mode)
        reason = folder_reason(folder, self._look)
        lifted = reason is not None and self._choice.narrows and self._choice.names_folder(folder)
        return None if lifted else reason

    def _rules_in(self, folder: str) -> list[IgnoreRules]:
        """The rules of the ignore files in this folder. At the top they count even if git ignores the files."""
        present = [name for name in self._ignore_files if folder == self._base or name in self._look.names(folder)]
        prefix = f"{folder}/" if folder else ""
        return [rules_of_file(Path(self.root), prefix + name, prefix, prefix + name) for name in present]


def rules_of_file(root: Path, path: str, base: str, source: str) -> IgnoreRules:
    """The rules of an ignore file, for paths in `base`. A link or unreadable file has none."""
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
class ListedFolders:
    """The folders of a git listing, by paths from the root of the walk."""

    base: str
    listing: Listing

    def _inside(self, folder: str) -> str:
        return folder[len(self.base) :].removeprefix("/")

    def names(self, folder: str) -> Collection[str]:
        return self.listing.names(self._inside(folder))

    def tracked(self, folder: str) -> bool:
        return self.listing.tracked(self._inside(folder))


class ScannedFolders:
    """The folders on disk, for a tree without a git listing."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._entries: dict[str, list[tuple[str, bool]]] = {}

    def scan(self, folder: str) -> list[tuple[str, bool]]:
        """Sorted names, each with whether it is a folder (links are not). Raises OSError."""
        entries = self._entries.get(folder)
        if entries is None:
            with os.scandir(self._root / folder) as scanned:
                entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in scanned)
            if len(self._entries) >= _REMEMBERED:
                self._entries.pop(next(iter(self._entries)))
            self._entries[folder] = entries
        return entries

    def names(self, folder: str) -> Collection[str]:
        try:
            return {name.lower() for name, _ in self.scan(folder)}
        except OSError:
            return ()

    def tracked(self, _folder: str) -> bool:
        return False


class PartlyListedFolders:
    """The folders of a few paths in a checkout. Names come from the disk; git is asked only if needed."""

    def __init__(self, root: Path, checkout: GitCheckout, base: str) -> None:
        self._scanned = ScannedFolders(root)
        self._checkout = checkout
        self._base = base

    def names(self, folder: str) -> Collection[str]:
        return self._scanned.names(folder)

    def tracked(self, folder: str) -> bool:
        inside = folder[len(self._base) :].removeprefix("/")
        return bool(self._checkout.ask("ls-files", "-z", "--cached", "--", inside, variables=LITERAL))


def rule_reason(rule: IgnoreRule) -> str:
    if rule.source == "exclude":
        return f"excluded by {rule.text}"
    return f"ignored by {rule.source}:{rule.line} ({rule.text})"


def irregular(root: str, path: str, mode: int) -> str:
    """What this path is instead of a plain file or folder."""
    if not stat.S_ISLNK(mode):
        return "not a regular file (a pipe, socket or device)"
    try:
        target = Path(root, path).resolve(strict=True)
    except (OSError, RuntimeError):
        return "symbolic link that leads nowhere"
    inside = target.is_relative_to(Path(root).resolve())
    return "symbolic link within the tree" if inside else "symbolic link out of the tree"
