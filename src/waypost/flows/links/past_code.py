"""What references of other tools pointed at when they were made, and where that code is now.

If the repository has the commit, the file of that time is read and its code followed to now. Else the hash of the lines
is used, and else the symbol's name, which says more than old line numbers.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from waypost.code.git.past_files import FileAtCommit, past_files
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.checkouts.parsed_file import past_shape
from waypost.flows.links.follow import follow_reference
from waypost.flows.links.staleness import is_stale
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.model.code_link import CODE_CHANGED
from waypost.model.code_verdict import DELETED, MOVED, UNCHANGED, UNCHECKED, CodeVerdict
from waypost.model.reference import CodeReference, LineRange
from waypost.model.shape import FileShape

_MOST_HASHED = 20_000_000  # lines that are hashed to find the right ones


@dataclass(frozen=True, slots=True)
class CurrentReference:
    reference: CodeReference
    stale: str = ""  # why the memory may be wrong


class PastReferences:
    """Brings references from the past to the current code."""

    def __init__(self, space: OpenSpace, references: Iterable[CodeReference]) -> None:
        self._space = space
        self._tree = TreeNow(space)
        self._left = _MOST_HASHED
        self._shapes: dict[FileAtCommit, FileShape | None] = {}
        self._commits: dict[str, str] = {}
        self._files: dict[FileAtCommit, bytes] = {}
        wanted = {(ref.git_commit, ref.file_path) for ref in references if ref.git_commit}
        if wanted and self._tree.is_there:
            self._commits, self._files = past_files(tree_of(space), sorted(wanted))

    def bring(self, given: CodeReference) -> CurrentReference:
        """The reference for the current code. Its old commit and hash are dropped."""
        if not self._tree.is_there:
            return CurrentReference(given)
        today = replace(given, code_hash=None)
        if self._is_as_it_was(given):
            return CurrentReference(today if today.line_range else self._by_symbol(today))
        was = self._by_commit(given) or self._by_hash(given)
        if was is None:
            return CurrentReference(self._by_symbol(today))
        finding = follow_reference(self._tree, was)
        if finding.state == UNCHECKED:
            return CurrentReference(today)
        lines = finding.lines if finding.path else was.line_range
        today = replace(today, file_path=finding.path or was.file_path, line_range=lines)
        if finding.state in (UNCHANGED, MOVED) or not is_stale(self._space, was, finding):
            return CurrentReference(today)
        certain = finding if was.anchor else replace(finding, amount=0.0)  # a hash does not show how much has changed
        return CurrentReference(today, f"{CODE_CHANGED}{_place_text(today, certain)}")

    def _is_as_it_was(self, given: CodeReference) -> bool:
        """Whether the file has not changed since: then nothing must be followed or parsed."""
        then = self._files.get((given.git_commit or "", given.file_path))
        return then is not None and hashlib.sha256(then).digest() == self._tree.digest(given.file_path)

    def _by_commit(self, given: CodeReference) -> CodeReference | None:
        from waypost.refs.pin import pin  # here and below: only for importing references

        commit = given.git_commit or ""
        shape = self._shape_then(commit, given.file_path)
        if shape is None:
            return None
        symbol = None if given.line_range else _in_shape(shape, given)
        pinned = pin(shape, given.line_range, symbol)
        if pinned is None:
            return None
        return replace(
            given,
            line_range=pinned.lines,
            symbol_id=pinned.symbol_id,
            anchor=pinned.anchor,
            git_commit=self._commits.get(commit, commit),
        )

    def _shape_then(self, commit: str, path: str) -> FileShape | None:
        when = (commit, path)
        if when not in self._shapes:
            self._shapes[when] = (
                past_shape(path, self._files[when], typed=self._space.settings.count_annotations)
                if when in self._files
                else None
            )
        return self._shapes[when]

    def _by_hash(self, given: CodeReference) -> CodeReference | None:
        """By the hash of the lines, unless the file contains a masked secret: its lines differ then."""
        if given.code_hash is None or given.line_range is None:
            return None
        if not self._tree.digest(given.file_path):
            return replace(given, anchor=b"")
        parsed_file = self._tree.parsed_file(given.file_path)
        count = given.line_range.end - given.line_range.start + 1
        work = count * (len(self._tree.lines(given.file_path)) + 1)
        if parsed_file is None or parsed_file.masked or work > self._left:
            return None
        self._left -= work
        return replace(given, anchor=b"")

    def _by_symbol(self, given: CodeReference) -> CodeReference:
        """By its symbol, if that has moved within the file."""
        from waypost.refs.pin import find_symbol

        shape = self._tree.shape(given.file_path) if given.symbol_id else None
        name = _in_shape(shape, given) if shape is not None else None
        symbol = find_symbol(shape, name, given.line_range) if shape is not None and name else None
        if symbol is None:
            return given
        lines = given.line_range
        if lines is not None and lines.start <= symbol.end and symbol.first <= lines.end:
            return given
        return replace(given, line_range=LineRange(symbol.start, symbol.end))


def _place_text(today: CodeReference, finding: CodeVerdict) -> str:
    if finding.state == DELETED:
        return f"{today.file_path} (deleted)"
    place = f"{today.file_path}:{today.line_range.start}" if today.line_range else today.file_path
    return f"{place} ({finding.amount:.0%} changed)" if finding.amount else place


def _in_shape(shape: FileShape, given: CodeReference) -> str | None:
    """The name of the symbol in this file. Other tools write `Class#method` or `Class::method()`."""
    from waypost.refs.pin import find_symbol

    written = given.symbol_id or ""
    plain = written.rstrip(".").removesuffix("()").replace("::", ".").replace("#", ".").strip(".")
    names = (written, plain, plain.rpartition("/")[2])
    return next((name for name in names if name and find_symbol(shape, name, given.line_range)), None)
