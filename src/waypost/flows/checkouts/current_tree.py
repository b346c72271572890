"""The checkout as it is now, for comparing memories with code. Each file is read and parsed once."""

import hashlib
import os
import re
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from datetime import datetime
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from waypost.code.files.reading import Unread, read_bytes
from waypost.code.files.skip import unsafe_name
from waypost.code.files.walk import WalkedFile, look_at, walk
from waypost.code.git.command import GitCheckout, open_checkout
from waypost.code.git.commits import (
    CurrentCommit,
    FileCommit,
    commits_since,
    current_commit,
    is_merge,
    lines_between,
    merged_commits,
)
from waypost.code.git.history import GitHead, TreeChanges, branch_commits, changed_since, head, is_ancestor
from waypost.code.git.past_files import FileAtCommit, past_files
from waypost.code.git.renames import SECONDS, common_ancestor, earlier_paths, later_paths
from waypost.flows.open_space import OpenSpace, indexed_commit_key, tree_changed_key
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.model.shape import FileShape
from waypost.model.time import Moment
from waypost.refs.links.spelling import typos
from waypost.refs.other_files import MOST_CHANGED, MOST_NAMED
from waypost.store.protocol import FileRow, Reader

if TYPE_CHECKING:
    from waypost.flows.checkouts.parsed_file import ParsedFile

_MOST_ALIKE = 3  # files that are named for one that is missing
_LONGEST_NAME = 100  # characters of a file's name in which a typo is looked for
_MOST_BYTES = 64_000_000  # of a file that is only compared by its hash
_MOST_SEARCHED = 2_000_000  # of one in which a name is looked for
_NAME = re.compile(rb"[\w$\x80-\xff]+")
_MOST_ASKED = 5_000  # definitions of one name that are read from the index
_MOST_READ = 4_000  # files searched for a name without an index
_MOST_FETCHED = 64  # files of an earlier commit that git returns at once
_STUBS = (".pyi", ".d.ts", ".d.mts", ".d.cts")  # they only declare what another file defines
_MOST_PARSED = 4 * MOST_NAMED  # files parsed because they contain a name, which they may not define


class Pin(NamedTuple):
    """Where and when a reference was pinned."""

    path: str
    commit: str
    time: datetime | None
    qualified: str = ""  # the symbol's name, if it is a symbol
    typed: bool = False  # type annotations count


class TreeNow:
    """The current files of the checkout. Without a checkout here, no file exists."""

    def __init__(self, space: OpenSpace) -> None:
        self._space = space
        self._root: Path | None = space.identity.root
        self._digests: dict[str, bytes] = {}
        self._parsed_files: dict[str, ParsedFile | None] = {}
        self._shapes: dict[tuple[str, bool], FileShape | None] = {}
        self._changes: dict[str, TreeChanges] = {}
        self._rows: dict[str, FileRow | None] = {}
        self._words_by_path: dict[str, frozenset[bytes]] = {}
        self._past_shapes: dict[tuple[FileAtCommit, bool], FileShape | None] = {}
        self._past_files: dict[FileAtCommit, bytes | None] = {}  # fetched and not parsed yet
        self._expected: dict[FileAtCommit, None] = {}  # to be fetched with the next one
        self._paths_by_name: dict[str, list[str]] | None = None
        self._later: dict[str, tuple[str, ...]] = {}
        self._missing: dict[str, set[str]] = {}  # missing files, and commits from which on they are followed
        self._followed: dict[str, set[str]] = {}  # those of them that git was asked for
        self._is_cut = False  # whether a search through git's history ran out of time
        self._descends: dict[str, bool] = {}
        self._forks: dict[str, str] = {}
        self._is_read: dict[str, bool] = {}
        self._merged: dict[tuple[str, tuple[str, ...]], tuple[FileCommit, ...]] = {}
        self._branches: Mapping[str, str] | None = None
        self._merges: dict[str, bool] = {}
        self._commits: dict[tuple[str, tuple[str, ...]], tuple[FileCommit, ...]] = {}

    @property
    def is_there(self) -> bool:
        """Whether the checkout is here. A missing checkout is not an empty one."""
        return self._root is not None and self._root.is_dir()

    def is_another(self, repo_id: str | None) -> bool:
        """Whether this id names another repository."""
        return repo_id not in (None, self._space.identity.space_id)

    # -- files --------------------------------------------------------------------------------------------

    def look_up(self, paths: Iterable[str], reader: Reader | None = None) -> None:
        """Read the index rows of these files in one query, in an open transaction if there is one."""
        wanted = [path for path in dict.fromkeys(paths) if path not in self._rows]
        if wanted:
            with self._space.store.read() if reader is None else nullcontext(reader) as open_reader:
                rows = open_reader.code.files(self._space.identity.checkout_id, wanted)
            self._rows |= {path: rows.get(path) for path in wanted}

    def row(self, path: str) -> FileRow | None:
        self.look_up([path])
        return self._rows[path]

    def has_file(self, path: str) -> bool:
        """Whether the file exists; by the index if the checkout is not here."""
        return bool(self.digest(path)) if self._root is not None else self.row(path) is not None

    def has_any(self, path: str) -> bool:
        """Whether anything has this path: also a folder, or a file that can't be read."""
        if self._root is None:
            return self.has_file(path)
        return unsafe_name(path) is None and os.path.lexists(self._root / path)

    def files_like(self, path: str) -> list[str]:
        """Indexed files with this name in other folders, or with a name that is one typo away."""
        if self._paths_by_name is None:
            self._paths_by_name = {}
            with self._space.store.read() as reader:
                for other in reader.code.files(self._space.identity.checkout_id):
                    self._paths_by_name.setdefault(_file_name(other), []).append(other)
        paths, name = self._paths_by_name, _file_name(path)
        names = dict.fromkeys((name, *(typos(name) if len(name) <= _LONGEST_NAME else ())))
        near = [other for each in names for other in paths.get(each, ())]
        here = path.rpartition("/")[0]
        return sorted(near, key=lambda other: other.rpartition("/")[0] != here)[:_MOST_ALIKE]

    def digest(self, path: str) -> bytes:
        """SHA-256 of the file's bytes, or empty if it does not exist or cannot be read."""
        if path not in self._digests:
            self._digests[path] = self._digest(path)
        return self._digests[path]

    def _digest(self, path: str) -> bytes:
        if self._root is None or unsafe_name(path) is not None:
            return b""
        try:
            state = os.stat(self._root / path, follow_symlinks=False)
        except (OSError, ValueError):
            return b""
        row = self.row(path)
        if row is not None and (row.size, row.mtime_ns) == (state.st_size, state.st_mtime_ns):
            return bytes.fromhex(row.hash)
        content = read_bytes(self._root, path, _MOST_BYTES)
        return b"" if isinstance(content, Unread) else hashlib.sha256(content[0]).digest()

    def parsed_file(self, path: str) -> "ParsedFile | None":
        """The file read and parsed, or None if it does not exist or is not text."""
        from waypost.flows.checkouts.parsed_file import open_source  # imports parsers: only for changed files

        if path not in self._parsed_files:
            parsed = None if self._root is None else open_source(self._root, path, named=True, outline=True)
            if parsed is None or isinstance(parsed, Unread):
                self._parsed_files[path] = None
                if isinstance(parsed, Unread) and parsed.missing:
                    self._digests[path] = b""
            else:
                self._parsed_files[path] = parsed
                self._digests[path] = bytes.fromhex(parsed.read.raw_hash)
        return self._parsed_files[path]

    def shape(self, path: str, *, typed: bool | None = None) -> FileShape | None:
        """The shape of a file. Type annotations are part of it if `typed`, by default as the settings say."""
        typed = self._space.settings.count_annotations if typed is None else typed
        if (path, typed) not in self._shapes:
            from waypost.code.shape.build import shape_of

            parsed = self.parsed_file(path)
            self._shapes[path, typed] = (
                None if parsed is None else shape_of(parsed.source, parsed.parsed, typed=typed, tree=parsed.tree)
            )
        return self._shapes[path, typed]

    def cannot_read(self, path: str) -> bool:
        """Whether the file exists but is not read as text: too large, a link, binary, or not readable."""
        if self._root is None or unsafe_name(path) is not None or self.parsed_file(path) is not None:
            return False
        try:
            state = os.stat(self._root / path, follow_symlinks=False)
        except (OSError, ValueError):
            return False
        return not stat.S_ISDIR(state.st_mode)

    def lines(self, path: str) -> list[str]:
        """The lines of a text file, with secrets masked."""
        parsed = self.parsed_file(path)
        return parsed.lines if parsed is not None else []

    # -- git ----------------------------------------------------------------------------------------------

    @cached_property
    def head(self) -> GitHead:
        return head(self._root) if self._root is not None else GitHead()

    @property
    def git_was_late(self) -> bool:
        """Whether git has not answered in time. Then nobody knows that code is nowhere."""
        return self._is_cut or (self._checkout is not None and self._checkout.is_silent())

    @cached_property
    def _checkout(self) -> GitCheckout | None:
        return open_checkout(self._root) if self._root is not None else None

    @property
    def place(self) -> str:
        """The checkout and the branch that is checked out."""
        return f"{self._space.identity.checkout_id}:{self.head.branch}"

    def changes_since(self, commit: str) -> TreeChanges:
        if commit not in self._changes:
            self._changes[commit] = changed_since(self._root, commit) if self._root and commit else TreeChanges()
        return self._changes[commit]

    # -- the index ----------------------------------------------------------------------------------------

    @cached_property
    def state(self) -> str:
        """A text that changes with every commit, checkout and change of the index."""
        with self._space.store.read() as reader:
            return f"{reader.meta.get(tree_changed_key(self._space)) or ''}:{self.head.commit[:12]}"

    @cached_property
    def _is_indexed(self) -> bool:
        with self._space.store.read() as reader:
            return reader.code.has_any(self._space.identity.checkout_id)

    @cached_property
    def _files(self) -> Mapping[str, FileRow]:
        with self._space.store.read() as reader:
            return reader.code.files(self._space.identity.checkout_id)

    @cached_property
    def _by_hash(self) -> Mapping[str, list[str]]:
        paths_by_hash: dict[str, list[str]] = {}
        for path, row in self._files.items():
            paths_by_hash.setdefault(row.hash, []).append(path)
        return paths_by_hash

    @cached_property
    def _not_indexed_yet(self) -> tuple[str, ...]:
        """Files whose content is not indexed: changed ones, or all if there is no index."""
        if self._root is None:
            return ()
        if self._is_indexed:
            with self._space.store.read() as reader:
                since = reader.meta.get(indexed_commit_key(self._space)) or ""
                waiting = reader.code.tracked(
                    self._space.identity.checkout_id
                )  # tracked by a hook, and not indexed yet
            changes = self.changes_since(since)
            if changes.complete:
                return tuple(dict.fromkeys((*changes.changed, *changes.renamed.values(), *waiting)))
        entries = [entry for entry in walk(self._root) if not entry.skipped]
        self.look_up(entry.path for entry in entries)
        changed = [entry.path for entry in entries if self._differs(entry)]
        return tuple(sorted(changed, key=lambda path: self._rows[path] is not None))[:_MOST_READ]  # new files first

    def _differs(self, entry: WalkedFile) -> bool:
        row = self._rows[entry.path]
        if row is None:
            return True
        return (row.size, row.mtime_ns) != (entry.size, entry.mtime_ns) and self.digest(entry.path).hex() != row.hash

    def defining(self, name: str, since: Pin) -> Iterator[FileShape]:
        """Other files that define this name and have changed since the reference was pinned, likeliest first."""
        word, base = name.encode("utf-8", "replace"), PurePosixPath(since.path).name
        new = [path for path in self._not_indexed_yet if self._is_newer(path, since) and word in self._words(path)]
        new = sorted(self._read_ones(new), key=lambda path: (PurePosixPath(path).name != base, path))
        indexed = [path for path in self._indexed_files(name, since) if self._is_newer(path, since)]
        left = MOST_NAMED
        paths = [path for path in dict.fromkeys((*indexed, *new)) if path != since.path]
        if not since.path.endswith(_STUBS):
            paths = [path for path in paths if not path.endswith(_STUBS)]
        paths = paths[:_MOST_PARSED]
        self.expect_past((since.commit, path) for path in paths[:MOST_NAMED])
        for path in paths:
            shape = self.shape(path, typed=since.typed)
            if shape is not None and any(landmark.name == name for landmark in shape.landmarks):
                yield shape
                left -= 1
                if not left:
                    return

    def _read_ones(self, paths: Collection[str]) -> list[str]:
        """Those that are worth reading. Git also lists bundles, vendored and generated files; an index has none."""
        new = [path for path in paths if path not in self._is_read]
        if new and self._root is not None:
            entries = {entry.path for entry in look_at(self._root, new) if not entry.skipped}
            self._is_read |= {path: path in entries for path in new}
        return [path for path in paths if self._is_read.get(path)]

    def _is_newer(self, path: str, since: Pin) -> bool:
        """Whether a file may contain something now that it did not contain then.

        Only git knows: moving a file by hand keeps its modification time.
        """
        changes = self.changes_since(since.commit)
        return not changes.complete or path in changes.changed or path in changes.renamed.values()

    def _indexed_files(self, name: str, since: Pin) -> list[str]:
        """Indexed files with this name: same qualified name first, then same file name, then by path."""
        if not self._is_indexed:
            return []
        view = View(Moment(self._space.clock()), CODE_COLLECTIONS, self._space.identity.checkout_id)
        with self._space.store.read() as reader:
            sketches = reader.code.sketches(reader.code.symbols_named([name], _MOST_ASKED, view)).values()
        base = PurePosixPath(since.path).name
        ordered = sorted(
            (sketch for sketch in sketches if sketch.path),
            key=lambda sketch: (
                sketch.name != since.qualified,
                PurePosixPath(sketch.path).name != base,
                sketch.path,
            ),
        )
        return [sketch.path for sketch in ordered]

    def _words(self, path: str) -> frozenset[bytes]:
        if path not in self._words_by_path:
            content = Unread("") if self._root is None else read_bytes(self._root, path, _MOST_SEARCHED)
            self._words_by_path[path] = (
                frozenset() if isinstance(content, Unread) else frozenset(_NAME.findall(content[0]))
            )
        return self._words_by_path[path]

    def changed_lately(self, since: Pin) -> Iterator[FileShape]:
        """Other files of the same type that changed since the reference was pinned: new ones first, then nearby ones."""
        changes = self.changes_since(since.commit)
        paths = (*changes.changed, *changes.renamed.values()) if changes.complete else self._newer(since)
        ending = PurePosixPath(since.path).suffix
        alike = {path for path in paths if path.endswith(ending)}
        nearest = sorted(alike, key=lambda path: (path not in changes.new, -_common_folders(path, since.path), path))
        left = MOST_CHANGED
        for start in range(0, len(nearest), MOST_CHANGED):
            paths = self._read_ones(nearest[start : start + MOST_CHANGED])[:left]
            self.expect_past((since.commit, path) for path in paths)
            for path in paths:
                left -= 1
                shape = self.shape(path, typed=since.typed) if path != since.path else None
                if shape is not None:
                    yield shape
            if not left:
                return

    def _newer(self, since: Pin) -> list[str]:
        newer = [path for path, row in self._files.items() if since.time is None or row.changed_at >= since.time]
        return [*newer, *self._not_indexed_yet]

    def successors(self, since: Pin, digests: Collection[bytes], searched: str = "") -> tuple[str, ...]:
        """The paths of this file now: as git sees it in one diff or along its history, else by the same content.

        `searched` is a commit whose history had no successor: it is not read again.
        """
        changes = self.changes_since(since.commit)
        renamed = changes.renamed.get(since.path)
        if self.digest(since.path):
            return (renamed,) if renamed is not None else ()
        direct = (renamed,) if renamed is not None else ()
        along = [path for path in self._renames_along_history(since, searched) if self.digest(path)]
        by_content = self._same_content(since, digests) if not changes.complete else None
        return tuple(dict.fromkeys((*direct, *along, *((by_content,) if by_content is not None else ()))))

    def past_paths(self, since: Pin) -> tuple[str, ...]:
        """Other paths that the file has had since it was pinned, whether or not they exist."""
        renamed = self.changes_since(since.commit).renamed.get(since.path)
        later = () if self.digest(since.path) else self._later_paths(since.path, since.commit)
        return (*((renamed,) if renamed is not None else ()), *later)

    def commits_since(self, commit: str, paths: tuple[str, ...], seconds: float) -> tuple[FileCommit, ...]:
        key = (commit, paths)
        if key not in self._commits:
            root, current = self._root, self._current_commit
            if current is not None and current.commit.parents == (commit,):  # one call of git for all files
                self._commits[key] = current.touching(paths)
            else:
                self._commits[key] = commits_since(root, commit, paths, seconds=seconds) if root is not None else ()
        return self._commits[key]

    def lines_between(self, before: str, after: str, paths: tuple[str, ...]) -> tuple[int, int]:
        """How many lines of these files were added and removed from one commit to another."""
        return lines_between(self._root, before, after, paths) if self._root is not None else (0, 0)

    def other_branches(self) -> Mapping[str, str]:
        """Branches that are at another commit than this checkout, with their commits."""
        if self._branches is None:
            commits = branch_commits(self._root) if self._root is not None else {}
            self._branches = {name: commit for name, commit in commits.items() if commit != self.head.commit}
        return self._branches

    def is_merge(self, commit: str) -> bool:
        if commit not in self._merges:
            current = self._current_commit.commit if self._current_commit is not None else None
            if current is not None and current.commit == commit:
                self._merges[commit] = len(current.parents) > 1
            else:
                self._merges[commit] = self._root is not None and is_merge(self._root, commit)
        return self._merges[commit]

    def merged_commits(self, merge: str, paths: tuple[str, ...], seconds: float) -> tuple[FileCommit, ...]:
        """The commits that a merge brought and that touched these files, latest first."""
        key = (merge, paths)
        if key not in self._merged:
            root = self._root
            self._merged[key] = merged_commits(root, merge, paths, seconds=seconds) if root is not None else ()
        return self._merged[key]

    @cached_property
    def _current_commit(self) -> CurrentCommit | None:
        return current_commit(self._root) if self._root is not None else None

    def fork_from(self, commit: str) -> str:
        """The latest commit that this one and the current one share: this one itself unless another branch is here."""
        if commit not in self._forks:
            self._forks[commit] = common_ancestor(self._root, [commit]) if self._root is not None else ""
        return self._forks[commit]

    def is_committed(self, paths: Iterable[str]) -> bool:
        """Whether these files are as they are in the current commit."""
        left = self.changes_since(self.head.commit)
        touched = {*left.changed, *left.deleted, *left.renamed, *left.renamed.values()}
        return left.complete and touched.isdisjoint(paths)

    def descends_from(self, commit: str) -> bool:
        """Whether the current commit is this one or a later one."""
        if commit not in self._descends:
            is_same = bool(commit) and self.head.commit.startswith(commit)
            self._descends[commit] = is_same or (
                bool(commit) and self._root is not None and is_ancestor(self._root, commit, self.head.commit)
            )
        return self._descends[commit]

    def _renames_along_history(self, since: Pin, searched: str) -> Iterator[str]:
        if searched and self.head.commit.startswith(searched):
            return
        later = self._later_paths(since.path, since.commit)
        yield from later
        if self._root is not None and since.commit and not later:
            earlier = earlier_paths(self._root, since.commit, [since.path]).get(since.path, ())
            yield from earlier
            gone = [path for path in earlier if not self.digest(path)]
            for paths in (later_paths(self._root, gone, [since.commit]) if gone else {}).values():
                yield from paths

    def note_missing(self, path: str, commit: str) -> None:
        """Remember a missing file and a commit that had it. Git is asked once for all of them."""
        self._missing.setdefault(path, set()).add(commit)

    def _later_paths(self, path: str, commit: str) -> tuple[str, ...]:
        """The later paths of a missing file since a commit that had it. Git is asked once for all missing files."""
        if self._root is not None and commit not in self._followed.get(path, ()):
            self.note_missing(path, commit)
            gone = [other for other in self._missing if self._missing[other] - self._followed.get(other, set())]
            commits = {start for other in gone for start in self._missing[other]}
            begun = time.monotonic()
            later = later_paths(self._root, gone, commits)
            self._is_cut = self._is_cut or time.monotonic() - begun >= SECONDS
            self._later |= {other: later.get(other, ()) for other in gone}
            self._followed |= {other: set(self._missing[other]) for other in gone}
        return self._later.get(path, ())

    def past_shape(self, path: str, since: Pin) -> FileShape | None:
        """The shape of a file when the reference was pinned, or None if git does not have it."""
        file, typed = (since.commit, path), since.typed
        if (file, typed) not in self._past_shapes:
            from waypost.flows.checkouts.parsed_file import past_shape  # imports parsers

            content = self._past_file(file)
            self._past_shapes[file, typed] = past_shape(path, content, typed=typed) if content is not None else None
        return self._past_shapes[file, typed]

    def expect_past(self, files: Iterable[FileAtCommit]) -> None:
        """Fetch these together with the next one that is needed. Each call of git costs more than a file."""
        self._expected |= dict.fromkeys(file for file in files if file not in self._past_files)

    def _past_file(self, file: FileAtCommit) -> bytes | None:
        if file not in self._past_files and self._root is not None and file[0]:
            wanted = list(dict.fromkeys((file, *islice(self._expected, _MOST_FETCHED))))
            self._past_files |= dict.fromkeys(wanted, None) | past_files(self._root, wanted)[1]
            self._expected = {other: None for other in self._expected if other not in self._past_files}
        return self._past_files.get(file)

    def _same_content(self, since: Pin, digests: Collection[bytes]) -> str | None:
        row = self.row(since.path)
        wanted = {*digests, *([bytes.fromhex(row.hash)] if row is not None else [])} - {b""}
        if not wanted:
            return None
        same = [path for digest in sorted(wanted) for path in self._by_hash.get(digest.hex(), ())]
        ending = PurePosixPath(since.path).suffix
        new = (path for path in self._not_indexed_yet if path.endswith(ending))
        return next((path for path in (*same, *new) if self.digest(path) in wanted), None)


def _file_name(path: str) -> str:
    return path.rpartition("/")[2].lower()


def _common_folders(left: str, right: str) -> int:
    pairs = zip(PurePosixPath(left).parts[:-1], PurePosixPath(right).parts[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
