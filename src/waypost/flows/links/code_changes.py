"""The code that a memory points at, then and now. Secrets are masked in both."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.code.git.past_files import past_files
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.checkouts.treeless import indexed_symbols
from waypost.flows.links.staleness import find_linked
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.model.code_link import CodeLink
from waypost.model.code_verdict import CHANGED, DELETED
from waypost.model.reference import LineRange
from waypost.model.time import Moment

_AROUND = 3  # lines before and after
_MOST_LINES = 120  # of one reference


@dataclass(frozen=True, slots=True)
class CodeLines:
    """Lines of a file, from `first` on. `marked` are those pointed at, or None for the whole file."""

    path: str
    first: int
    lines: tuple[str, ...]
    marked: LineRange | None = None
    cut: bool = False  # there are more

    @property
    def first_meant(self) -> int:
        return self.marked.start if self.marked is not None else self.first

    @property
    def meant(self) -> tuple[str, ...]:
        if self.marked is None:
            return self.lines
        return self.lines[self.marked.start - self.first : self.marked.end - self.first + 1]


@dataclass(frozen=True, slots=True)
class Behind:
    """The code of one link; from the index if the repository is not here.

    `then` is set if the code has changed and git has it.
    """

    link: CodeLink
    now: CodeLines | None = None
    then: CodeLines | None = None
    surely: bool = False  # `then` is exactly the pinned code, not only what was committed at that time

    @property
    def diff(self) -> tuple[str, ...]:
        """How the code changed, as lines of a unified diff. Empty if it did not, or git does not have the old code."""
        from difflib import unified_diff  # only for changed code

        if self.then is None:
            return ()
        new, path = (self.now.meant, f"b/{self.now.path}") if self.now is not None else ((), "/dev/null")
        return tuple(unified_diff(self.then.meant, new, f"a/{self.then.path}", path, lineterm=""))[:_MOST_LINES]

    def to_json(self, *, diff: bool = False) -> dict[str, Any]:
        row: dict[str, Any] = {}
        if self.now is not None:
            row["code"] = {"path": self.now.path, "line": self.now.first_meant, "text": "\n".join(self.now.meant)}
        return row | ({"diff": "\n".join(self.diff)} if diff else {})


def code_behind(space: OpenSpace, memory_id: str, moment: Moment) -> tuple[Behind, ...]:
    """The code of each reference of a memory, in order. Reads only files inside the repository."""
    links = find_linked(space, memory_id, moment).links
    tree = TreeNow(space)
    if space.identity.is_away:
        return tuple(Behind(link, _indexed_lines(space, link)) for link in links)
    if not tree.is_there:
        return tuple(Behind(link) for link in links)
    past = _past_contents(tree_of(space), links)
    return tuple(_behind(tree, link, past) for link in links)


def _indexed_lines(space: OpenSpace, link: CodeLink) -> CodeLines | None:
    path, meant = link.reference.file_path, link.reference.line_range
    if meant is None or link.finding.state == DELETED:
        return None
    for symbol in sorted(indexed_symbols(space, path), key=lambda symbol: len(symbol.text)):
        lines, text = symbol.refs[0].line_range, symbol.text.split("\n")
        if lines is None or not lines.start <= meant.start <= meant.end <= lines.end:
            continue
        if len(text) == lines.end - lines.start + 1:
            marked = LineRange(meant.start, min(meant.end, lines.start + _MOST_LINES - 1))
            cut = len(text) > _MOST_LINES
            return (
                CodeLines(path, lines.start, tuple(text[:_MOST_LINES]), marked, cut)
                if marked.start <= marked.end
                else None
            )
    return None


def _behind(tree: TreeNow, link: CodeLink, past: dict[tuple[str, str], bytes]) -> Behind:
    if tree.is_another(link.was.repo_id):
        return Behind(link)
    now = None
    if link.finding.state != DELETED:
        now = _stretch(tree.lines(link.reference.file_path), link.reference.file_path, link.reference.line_range)
    raw = past.get((link.was.git_commit or "", link.was.file_path))
    if raw is None or link.finding.state not in (CHANGED, DELETED):
        return Behind(link, now)
    then = _stretch(_text_lines(raw), link.was.file_path, link.was.line_range)
    return Behind(link, now, then, then is not None and _is_pinned(link, then))


def _is_pinned(link: CodeLink, then: CodeLines) -> bool:
    from waypost.refs.anchor import code_hash  # only for changed code

    return link.was.line_range is not None and code_hash(then.meant) == link.was.code_hash


def _past_contents(root: Path, links: Sequence[CodeLink]) -> dict[tuple[str, str], bytes]:
    gone = [link for link in links if link.finding.state in (CHANGED, DELETED)]
    wanted = {(link.was.git_commit, link.was.file_path) for link in gone if link.was.git_commit}
    return past_files(root, sorted(wanted))[1] if wanted else {}


def _text_lines(raw: bytes) -> list[str]:
    from waypost.code.files.decoding import decode
    from waypost.text.secrets.masking import mask

    read = decode(raw)
    if read is None:
        return []
    lines = mask(read.text).text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _stretch(lines: Sequence[str], path: str, meant: LineRange | None) -> CodeLines | None:
    if not lines or (meant is not None and meant.start > len(lines)):
        return None
    if meant is None:
        return CodeLines(path, 1, tuple(lines[:_MOST_LINES]), None, len(lines) > _MOST_LINES)
    first, last = max(1, meant.start - _AROUND), min(len(lines), meant.end + _AROUND)
    last_returned = min(last, first + _MOST_LINES - 1)
    marked = LineRange(meant.start, max(meant.start, min(meant.end, last_returned)))
    return CodeLines(
        path, first, tuple(lines[first - 1 : last_returned]), marked, last_returned < min(meant.end, len(lines))
    )
