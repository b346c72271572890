"""The tree as it is at this moment, for whoever compares memories with it: each file is read and parsed once."""

import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from waypost.code.files.reading import Unread, read_bytes
from waypost.code.files.skip import unsafe_name
from waypost.code.files.walk import WalkedFile, walk
from waypost.code.git.history import GitHead, TreeChanges, changed_since, head
from waypost.flows.open_space import OpenSpace, indexed_commit_key, tree_changed_key
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.model.shape import FileShape
from waypost.model.time import Moment
from waypost.store.protocol import FileRow, Reader

if TYPE_CHECKING:
    from waypost.flows.index.file_digest import ParsedFile

_MOST_BYTES = 64_000_000  # of a file that is only compared by its hash
_MOST_SEARCHED = 2_000_000  # of one in which a name is looked for
_NAME = re.compile(rb"[\w$\x80-\xff]+")
_MOST_NAMED = 50  # files with a definition of one name that are looked at
_MOST_ASKED = 5_000  # definitions of one name of which these are chosen
_MOST_READ = 4_000  # files without an index in which a name is looked for
_MOST_CHANGED = 40  # files changed lately that are parsed for what is lost


class Pin(NamedTuple):
    """Where and when something was pinned."""

    path: str
    commit: str
    time: datetime | None
    qualified: str = ""  # the name of the symbol, where it is one


class TreeNow:
    """A person has no tree, and that of a project may be elsewhere: then no file is there."""

    def __init__(self, space: OpenSpace) -> None:
        self._space = space
        self._root: Path | None = space.identity.root
        self._digests: dict[str, bytes] = {}
        self._opened: dict[str, ParsedFile | None] = {}
        self._shapes: dict[str, FileShape | None] = {}
        self._changes: dict[str, TreeChanges] = {}
        self._rows: dict[str, FileRow | None] = {}
        self._known_words: dict[str, frozenset[bytes]] = {}

    @property
    def is_there(self) -> bool:
        """A tree that is away is not an empty tree."""
        return self._root is not None and self._root.is_dir()

    def is_another(self, repo_id: str | None) -> bool:
        """Whether what is named is in another repository than this one."""
        return repo_id not in (None, self._space.identity.space_id)

    # -- files --------------------------------------------------------------------------------------------

    def look_up(self, paths: Iterable[str], reader: Reader | None = None) -> None:
        """Ask the index about these files in one go, in an open transaction if there is one."""
        wanted = [path for path in dict.fromkeys(paths) if path not in self._rows]
        if wanted:
            with self._space.store.read() if reader is None else nullcontext(reader) as open_reader:
                known = open_reader.files(self._space.identity.checkout_id, wanted)
            self._rows |= {path: known.get(path) for path in wanted}

    def row(self, path: str) -> FileRow | None:
        """The file as it was indexed."""
        self.look_up([path])
        return self._rows[path]

    def has_file(self, path: str) -> bool:
        """Whether there is such a file; by the index, where the tree is elsewhere."""
        return bool(self.digest(path)) if self._root is not None else self.row(path) is not None

    def digest(self, path: str) -> bytes:
        """SHA-256 of the file's bytes; empty when there is no such file, or none that can be read."""
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
        found = read_bytes(self._root, path, _MOST_BYTES)
        return b"" if isinstance(found, Unread) else hashlib.sha256(found[0]).digest()

    def opened(self, path: str) -> "ParsedFile | None":
        """The file read and parsed; None when it is not there or is no text."""
        from waypost.flows.index.file_digest import open_source  # parsers: only who meets a change pays for them

        if path not in self._opened:
            found = None if self._root is None else open_source(self._root, path, named=True)
            if found is None or isinstance(found, Unread):
                self._opened[path] = None
                if isinstance(found, Unread) and found.missing:
                    self._digests[path] = b""
            else:
                self._opened[path] = found
                self._digests[path] = bytes.fromhex(found.read.raw_hash)
        return self._opened[path]

    def shape(self, path: str) -> FileShape | None:
        if path not in self._shapes:
            from waypost.code.shape.build import shape_of

            opened = self.opened(path)
            self._shapes[path] = None if opened is None else shape_of(opened.source, opened.parsed)
        return self._shapes[path]

    def cannot_read(self, path: str) -> bool:
        """Whether there is a file that is not read as text: too large by now, a link, binary, not for us to read."""
        if self._root is None or unsafe_name(path) is not None or self.shape(path) is not None:
            return False
        try:
            state = os.stat(self._root / path, follow_symlinks=False)
        except (OSError, ValueError):
            return False
        return not stat.S_ISDIR(state.st_mode)

    def lines(self, path: str) -> list[str]:
        """The lines of a text file, as they are shown: secrets masked."""
        opened = self.opened(path)
        if opened is None:
            return []
        lines = opened.source.text.split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    # -- git ----------------------------------------------------------------------------------------------

    @cached_property
    def head(self) -> GitHead:
        return head(self._root) if self._root is not None else GitHead()

    def changes_since(self, commit: str) -> TreeChanges:
        if commit not in self._changes:
            self._changes[commit] = changed_since(self._root, commit) if self._root and commit else TreeChanges()
        return self._changes[commit]

    # -- the index ----------------------------------------------------------------------------------------

    @cached_property
    def state(self) -> str:
        """Another text after every commit, checkout and change of the index."""
        with self._space.store.read() as reader:
            return f"{reader.meta(tree_changed_key(self._space)) or ''}:{self.head.commit[:12]}"

    @cached_property
    def _is_indexed(self) -> bool:
        with self._space.store.read() as reader:
            return reader.has_code(self._space.identity.checkout_id)

    @cached_property
    def _files(self) -> Mapping[str, FileRow]:
        """All files as they were indexed."""
        with self._space.store.read() as reader:
            return reader.files(self._space.identity.checkout_id)

    @cached_property
    def _by_hash(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, row in self._files.items():
            found.setdefault(row.hash, []).append(path)
        return found

    @cached_property
    def _not_indexed_yet(self) -> tuple[str, ...]:
        """Files whose content the index does not have: those that changed since, or all where there is no index."""
        if self._root is None:
            return ()
        if self._is_indexed:
            with self._space.store.read() as reader:
                since = reader.meta(indexed_commit_key(self._space)) or ""
                waiting = reader.tracked(self._space.identity.checkout_id)  # noted, as by a hook, and not read yet
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
        """Other files that define something of this name, and are not as they were when the place was pinned; the likeliest
        first."""
        word, base = name.encode("utf-8", "replace"), PurePosixPath(since.path).name
        new = [path for path in self._not_indexed_yet if word in self._words(path)]
        new.sort(key=lambda path: PurePosixPath(path).name != base)
        known = [path for path in self._indexed_files(name, since) if self._is_newer(path, since)]
        for path in list(dict.fromkeys((*new, *known)))[:_MOST_NAMED]:
            shape = self.shape(path) if path != since.path else None
            if shape is not None:
                yield shape

    def _is_newer(self, path: str, since: Pin) -> bool:
        """Whether a file may hold something now that it did not hold then. Only git can tell: a file that was moved by
        hand is as old as it was."""
        changes = self.changes_since(since.commit)
        return not changes.complete or path in changes.changed or path in changes.renamed.values()

    def _indexed_files(self, name: str, since: Pin) -> list[str]:
        """Where the index knows this name: under the same qualified name, in a file of the same name, the newest first."""
        if not self._is_indexed:
            return []
        view = View(Moment(self._space.clock()), CODE_COLLECTIONS, self._space.identity.checkout_id)
        with self._space.store.read() as reader:
            sketches = reader.code_sketches(reader.code_named([name], _MOST_ASKED, view)).values()
        base = PurePosixPath(since.path).name
        ordered = sorted(
            (sketch for sketch in sketches if sketch.path),
            key=lambda one: (one.name != since.qualified, PurePosixPath(one.path).name != base, -one.number),
        )
        return [sketch.path for sketch in ordered]

    def _words(self, path: str) -> frozenset[bytes]:
        """All names in a file: each is read once, however many are looked for."""
        if path not in self._known_words:
            found = Unread("") if self._root is None else read_bytes(self._root, path, _MOST_SEARCHED)
            self._known_words[path] = frozenset() if isinstance(found, Unread) else frozenset(_NAME.findall(found[0]))
        return self._known_words[path]

    def changed_lately(self, since: Pin) -> Iterator[FileShape]:
        """Other files of its sort that changed since the place was pinned, new ones first."""
        changes = self.changes_since(since.commit)
        paths = (*changes.changed, *changes.renamed.values()) if changes.complete else self._newer(since)
        ending = PurePosixPath(since.path).suffix
        alike = sorted({path for path in paths if path.endswith(ending)})
        self.look_up(alike)
        for path in sorted(alike, key=lambda path: self._rows[path] is not None)[:_MOST_CHANGED]:
            shape = self.shape(path) if path != since.path else None
            if shape is not None:
                yield shape

    def _newer(self, since: Pin) -> list[str]:
        known = [path for path, row in self._files.items() if since.time is None or row.changed_at >= since.time]
        return [*known, *self._not_indexed_yet]

    def became(self, since: Pin, digests: Collection[bytes]) -> str | None:
        """The file that this one is now: as git sees it, or one of the same content."""
        told = self.changes_since(since.commit).renamed.get(since.path)
        if told is not None or self.digest(since.path):
            return told
        row = self.row(since.path)
        wanted = {*digests, *([bytes.fromhex(row.hash)] if row is not None else [])} - {b""}
        if not wanted:
            return None
        same = [path for digest in sorted(wanted) for path in self._by_hash.get(digest.hex(), ())]
        ending = PurePosixPath(since.path).suffix
        new = (path for path in self._not_indexed_yet if path.endswith(ending))
        return next((path for path in (*same, *new) if self.digest(path) in wanted), None)
