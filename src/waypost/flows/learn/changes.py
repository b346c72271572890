"""Learning: what changed in the tree, read by the parser, proposed as facts; the certain ones are stored."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from waypost.code.changes.commits import commits, file_as_new, uncommitted
from waypost.code.changes.raw import RawCommit
from waypost.code.changes.read import change_set
from waypost.code.files.reading import Unread, read_bytes
from waypost.code.files.skip import size_limit
from waypost.code.files.walk import look_at, walk
from waypost.errors import InvalidInput
from waypost.facts.domains import Layout
from waypost.facts.learn.span import Proposed, over_range
from waypost.flows.facts.approval import approve
from waypost.flows.facts.candidates import EXTRACTOR, take
from waypost.flows.index.build import Report
from waypost.flows.index.init import settle_patterns
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.model.change import ChangeSet
from waypost.model.memory import Caller
from waypost.model.review_item import HELD, MERGED, STORED, DecidedCandidate, Learned
from waypost.space.place import safe_relative_path

_WORD = re.compile(r"\w+")
_IGNORED = "kept out of the tree"
_ONLY_A_PERSON = "Only a person can approve the rest; it waits for `waypost review`."


@dataclass(frozen=True, slots=True)
class LearnSource:
    """Where to look: in the working tree unless told."""

    staged: bool = False
    diff: str | None = None  # a revision: all since then; a range A..B: the commits in it
    file: str | None = None

    def __post_init__(self) -> None:
        if self.diff is not None and not self.diff.strip():
            raise InvalidInput(
                "--diff names no revision.", "Give a commit, a branch, a tag, or a range such as main..HEAD."
            )
        if sum((self.staged, self.diff is not None, self.file is not None)) > 1:
            raise InvalidInput("Say one of --staged, --diff and --file.", "Without any, all that is not committed.")


def learn(
    space: OpenSpace,
    caller: Caller,
    asked: LearnSource,
    *,
    yes: bool = False,
    dry_run: bool = False,
    report: Report = lambda *_: None,
) -> Learned:
    """Propose facts from what changed, store the certain ones, and hold the others for approval."""
    changes = list(_changes(space, asked, report))
    proposed = propose(space, changes, origin=_origin(asked))
    taken = take(space, proposed.candidates, EXTRACTOR, dry_run=dry_run)
    notices: tuple[str, ...] = ()
    if yes and not dry_run and any(one.status == HELD for one in taken):
        taken, notices = _approved(space, caller, taken)
    with space.store.read() as reader:
        pending = reader.facts.count_candidates()
    return Learned(
        taken,
        commits=sum(bool(one.commit) for one in changes),
        files=len({file.path for one in changes for file in one.files}),
        skipped=proposed.skipped,
        pending_approval=pending,
        dry_run=dry_run,
        notices=notices,
    )


def propose(space: OpenSpace, changes: Sequence[ChangeSet], *, origin: str = "git_diff") -> Proposed:
    """The facts that these changes, oldest first, teach about the tree as it is now."""
    wanted, left_out = _without_ignored(space, changes)
    found = over_range(wanted, layout_of(space), still=_Today(tree_of(space)))
    told = [replace(one, origin=origin) if one.origin == "git_diff" else one for one in found.candidates]
    skipped = {**found.skipped, _IGNORED: left_out} if left_out else found.skipped
    return replace(found, candidates=tuple(told), skipped=skipped)


def _without_ignored(space: OpenSpace, changes: Sequence[ChangeSet]) -> tuple[list[ChangeSet], int]:
    """The changes without the files that an ignore file or an exclude pattern keeps out of the tree, and how many those
    are. A commit that touched no others is left out with its message."""
    root = tree_of(space)
    paths = list(dict.fromkeys(file.path for one in changes for file in one.files))
    exclude = settle_patterns(space, None, None).exclude
    known = {entry.path for entry in look_at(root, paths, exclude=exclude)} if paths else set()
    ignored = {path for path in paths if path not in known and os.path.lexists(root / path)}
    if not ignored:
        return list(changes), 0
    kept = [replace(one, files=tuple(file for file in one.files if file.path not in ignored)) for one in changes]
    return [one for one, before in zip(kept, changes, strict=True) if one.files or not before.files], len(ignored)


class _Today:
    """Whether a file is in the tree, and still speaks of a symbol."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._words: dict[str, frozenset[str]] = {}

    def __call__(self, path: str, symbol: str) -> bool:
        if path not in self._words:
            read = read_bytes(self._root, path, size_limit(path))
            gone = isinstance(read, Unread) and read.missing
            words = [] if isinstance(read, Unread) else _WORD.findall(read[0].decode("utf-8", "replace"))
            self._words[path] = frozenset(words) | ({""} if not gone else set())
        known = self._words[path]
        return "" in known and (not symbol or len(known) == 1 or symbol.rpartition(".")[2] in known)


def layout_of(space: OpenSpace) -> Layout:
    """The parts of the tree, from the index where there is one."""
    with space.store.read() as reader:
        paths = (
            list(reader.code.files(space.identity.checkout_id))
            if reader.code.has_any(space.identity.checkout_id)
            else []
        )
    if not paths:
        patterns = settle_patterns(space, None, None)
        entries = walk(tree_of(space), include=patterns.include, exclude=patterns.exclude)
        paths = [entry.path for entry in entries if not entry.skipped]
    return Layout.of(paths)


def _origin(asked: LearnSource) -> str:
    return "staged" if asked.staged else "file_change" if asked.file is not None else "git_diff"


def _changes(space: OpenSpace, asked: LearnSource, report: Report) -> Iterator[ChangeSet]:
    for count, raw in enumerate(_raw_changes(space, asked), 1):
        report("Reading changes", count, 0)
        yield change_set(raw)


def _raw_changes(space: OpenSpace, asked: LearnSource) -> Iterator[RawCommit]:
    root = tree_of(space)
    if asked.file is not None:
        path = safe_relative_path(root, asked.file)
        found = file_as_new(root, path)
        yield found if found.files else file_as_new(root, path, whole=True)  # unchanged: all that it says
    elif asked.diff is not None and ".." in asked.diff:
        yield from commits(root, asked.diff)
    elif asked.diff is not None:
        yield from commits(root, f"{asked.diff}..HEAD")
        yield uncommitted(root, staged=False)
    else:
        yield uncommitted(root, staged=asked.staged)


def _approved(
    space: OpenSpace, caller: Caller, taken: Sequence[DecidedCandidate]
) -> tuple[tuple[DecidedCandidate, ...], tuple[str, ...]]:
    """Whoever asked says yes to what is held; only a person can."""
    if not caller.decides:
        return tuple(taken), (_ONLY_A_PERSON,)
    done = []
    for one in taken:
        if one.status != HELD or one.id is None:
            done.append(one)
            continue
        ((_, receipt),) = approve(space, [one.id], caller)
        status = MERGED if receipt.status == "merged" else STORED if receipt.status == "added" else receipt.status
        done.append(replace(one, status=status, id=receipt.id, reason=receipt.reason))
    return tuple(done), ()
