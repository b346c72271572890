"""Follow one reference to where its code is in the tree now.

What reads and parses files is imported only when a file has changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED, CodeVerdict
from waypost.model.reference import CodeReference, EarlierPin, LineRange
from waypost.model.shape import family
from waypost.store.protocol import StoredVerdict

if TYPE_CHECKING:
    from waypost.code.source import Symbol
    from waypost.flows.checkouts.current_tree import Pin, TreeNow
    from waypost.flows.checkouts.parsed_file import ParsedFile
    from waypost.model.shape import FileShape
    from waypost.refs.anchor import Anchor


def searched_commit(last: StoredVerdict | None) -> str:
    """The commit at which the code was found nowhere the last time, shortened. Empty if that was not so."""
    return last.tree.rpartition(":")[2] if last is not None and last.finding.state == DELETED else ""


def follow_reference(tree: "TreeNow", reference: CodeReference, last: StoredVerdict | None = None) -> CodeVerdict:
    """Where the code of a reference is now. `last` is what was found the last time: a place to begin with."""
    path = reference.file_path
    if tree.is_another(reference.repo_id):
        return CodeVerdict(UNCHECKED)
    if reference.anchor:
        finding = _follow_anchor(tree, reference, last)
    elif reference.code_hash:
        finding = _follow_hash(tree, reference)
    else:
        return CodeVerdict(UNCHECKED, path if tree.has_any(path) else None, reference.line_range)
    if finding.state == DELETED and tree.cannot_read(path):
        return CodeVerdict(UNCHECKED, path, reference.line_range)  # what cannot be read is not gone
    is_lost = finding.state in (DELETED, AMBIGUOUS) or (finding.state == CHANGED and finding.path != path)
    if is_lost and tree.git_was_late:
        return CodeVerdict(UNCHECKED, path, reference.line_range)  # git may know where it went
    return finding


def _follow_anchor(tree: "TreeNow", reference: CodeReference, last: StoredVerdict | None) -> CodeVerdict:
    """By its anchor. If that code has changed, by code that it was pinned to before: it may still be on this branch."""
    from waypost.refs.follow import FollowedPlace, follow

    first: CodeVerdict | None = None
    earlier = takewhile(lambda pin: pin.replaced_on != tree.place, reference.earlier)
    for pinned in (reference, *(_as_pinned(reference, pin) for pin in earlier)):
        pin = pin_of(pinned)
        finding = _follow_alone(tree, pin, pinned)
        if finding is None:
            others = _OtherFiles(tree, pin, pinned, last)
            here = tree.shape(pin.path, typed=pin.typed)
            finding = follow(pinned.anchor, FollowedPlace(pin.path, pinned.line_range), here, others)
        if finding.state in (UNCHANGED, MOVED):
            return finding if pinned is reference else _of_reference(finding, reference)
        first = first or finding
    return first or CodeVerdict(UNCHECKED)


def _follow_alone(tree: "TreeNow", pin: "Pin", pinned: CodeReference) -> CodeVerdict | None:
    """The verdict on a symbol that is in its file, without reading the rest of that. None: use `follow`."""
    from waypost.refs.anchor import SYMBOL, unpack
    from waypost.refs.follow_symbol import follow_alone

    anchor = unpack(pinned.anchor)
    file = tree.parsed_file(pin.path) if anchor is not None and anchor.what == SYMBOL else None
    symbol = file.only_symbol(anchor.qualified) if anchor is not None and file is not None else None
    if anchor is None or file is None or symbol is None:
        return None
    lines = _same_text(file, symbol, anchor, pinned)
    if lines is not None:
        return CodeVerdict(UNCHANGED, pin.path, lines, name=symbol.qualified)
    return follow_alone(anchor, file.symbol_shape(symbol.qualified, typed=pin.typed))


def _same_text(file: "ParsedFile", symbol: "Symbol", anchor: "Anchor", pinned: CodeReference) -> LineRange | None:
    """The lines of the symbol, if they have the text that was pinned: then its syntax need not be compared."""
    from waypost.refs.anchor import AT_COMMENT, AT_DEFINITION, code_hash

    was = pinned.line_range
    if pinned.code_hash is None or was is None or anchor.broken or anchor.many > 1 or anchor.begin == AT_DEFINITION:
        return None
    lines = LineRange(max(1, symbol.lines.end - (was.end - was.start)), symbol.lines.end)
    if not symbol.first_line <= lines.start <= symbol.lines.start or family(symbol.kind) != family(anchor.kind):
        return None
    if code_hash(file.lines[lines.start - 1 : lines.end]) != pinned.code_hash:
        return None
    if symbol.first_line == lines.start:
        return lines
    above = LineRange(symbol.first_line, lines.start - 1)  # a new decorator changes it, a new comment does not
    return None if anchor.begin == AT_COMMENT or file.has_code(above) else lines


def _of_reference(finding: CodeVerdict, reference: CodeReference) -> CodeVerdict:
    """What was found for an earlier pin, as seen from the reference: moved if it is in another file than this one."""
    return replace(finding, state=UNCHANGED if finding.path == reference.file_path else MOVED)


def _as_pinned(reference: CodeReference, pin: EarlierPin) -> CodeReference:
    return replace(
        reference,
        file_path=pin.file_path,
        line_range=pin.line_range,
        git_commit=pin.git_commit,
        code_hash=None,
        anchor=pin.anchor,
    )


def _follow_hash(tree: "TreeNow", reference: CodeReference) -> CodeVerdict:
    """For older data with only a hash of the lines, or of a file that is no text."""
    from waypost.refs.anchor import follow_hash

    path, lines, digest = reference.file_path, reference.line_range, reference.code_hash or ""
    if not tree.digest(path):
        moved = tree.successors(pin_of(reference), _digests(reference, None))
        if not moved:
            return CodeVerdict(DELETED)
        path = moved[0]
    state = UNCHANGED if path == reference.file_path else MOVED
    if lines is None:
        text = tree.lines(path)
        same = digest == f"sha256:{tree.digest(path).hex()}" or (
            bool(text) and follow_hash(digest, len(text), text, 1) == 1
        )
        return CodeVerdict(state if same else CHANGED, path, None, 0.0 if same else 1.0)
    count = lines.end - lines.start + 1
    start = follow_hash(digest, count, tree.lines(path), lines.start)
    if start is None:
        return CodeVerdict(CHANGED, path, lines, 1.0)
    return CodeVerdict(state, path, replace(lines, start=start, end=start + count - 1))


@dataclass(frozen=True, slots=True)
class _OtherFiles:
    """The rest of the tree, looked at only when something is lost in its file."""

    tree: "TreeNow"
    pin: "Pin"
    reference: CodeReference
    last: StoredVerdict | None

    def successors(self) -> "Iterable[FileShape]":
        pin = self.pin
        paths = self.tree.successors(pin, _digests(self.reference, self.last), searched_commit(self.last))
        if self.last is not None and not self.tree.changes_since(pin.commit).complete:
            paths = (*paths, self.last.finding.path or pin.path)  # git can't compare: go on from where it was last
        for path in dict.fromkeys(paths):
            shape = self.tree.shape(path, typed=pin.typed) if path != pin.path else None
            if shape is not None:
                yield shape

    def named(self, name: str) -> "Iterable[FileShape]":
        return self.tree.defining(name, self.pin)

    def changed(self) -> "Iterable[FileShape]":
        return self.tree.changed_lately(self.pin)

    def before(self, path: str) -> "FileShape | None":
        return self.tree.past_shape(path, self.pin)


def pin_of(reference: CodeReference) -> "Pin":
    from waypost.flows.checkouts.current_tree import Pin
    from waypost.refs.anchor import is_typed, unpack

    anchor = unpack(reference.anchor)
    name = anchor.qualified if anchor is not None else ""
    commit, typed = reference.git_commit or "", is_typed(reference.anchor)
    return Pin(reference.file_path, commit, reference.created_at, name, typed)


def _digests(reference: CodeReference, last: StoredVerdict | None) -> set[bytes]:
    """What the file that is pointed at was when it was seen last."""
    digests = {last.file_hash} if last is not None else set()
    if reference.line_range is None and reference.code_hash:
        digests.add(bytes.fromhex(reference.code_hash.removeprefix("sha256:")))
    return digests
