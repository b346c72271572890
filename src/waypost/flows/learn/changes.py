"""Learn from changes: read them with the parser, propose facts, and store the certain ones."""

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
from waypost.facts.learn.commit_range import RangeProposals, propose_for_range
from waypost.flows.facts.approval import approve
from waypost.flows.facts.candidates import EXTRACTOR, take
from waypost.flows.index.build import Report
from waypost.flows.index.patterns import stored_patterns
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.model.change import ChangeSet
from waypost.model.memory import Caller
from waypost.model.review_item import HELD, MERGED, STORED, DecidedCandidate, Learned
from waypost.space.place import safe_relative_path

_WORD = re.compile(r"\w+")
_IGNORED = "kept out of the tree"
_ONLY_A_PERSON = "Only a person can approve the rest: run `waypost review`."


@dataclass(frozen=True, slots=True)
class LearnSource:
    """Where to look. By default, uncommitted changes."""

    staged: bool = False
    diff: str | None = None  # a revision: everything since then; a range A..B: its commits
    file: str | None = None

    def __post_init__(self) -> None:
        if self.diff is not None and not self.diff.strip():
            raise InvalidInput(
                "--diff names no revision.", "Give a commit, a branch, a tag, or a range such as main..HEAD."
            )
        if sum((self.staged, self.diff is not None, self.file is not None)) > 1:
            raise InvalidInput("Say one of --staged, --diff and --file.", "Without any, uncommitted changes are read.")


def learn(
    space: OpenSpace,
    caller: Caller,
    source: LearnSource,
    *,
    yes: bool = False,
    dry_run: bool = False,
    report: Report = lambda *_: None,
) -> Learned:
    """Propose facts from changes, store the certain ones, and put the others up for review."""
    changes = list(_changes(space, source, report))
    proposed = propose(space, changes, origin=_origin(source))
    taken = take(space, proposed.candidates, EXTRACTOR, dry_run=dry_run)
    notices: tuple[str, ...] = ()
    if yes and not dry_run and any(decided.status == HELD for decided in taken):
        taken, notices = _approve_pending(space, caller, taken)
    with space.store.read() as reader:
        pending = reader.facts.count_candidates()
    return Learned(
        taken,
        commits=sum(bool(change_set.commit) for change_set in changes),
        files=len({file.path for change_set in changes for file in change_set.files}),
        skipped=proposed.skipped,
        pending_approval=pending,
        dry_run=dry_run,
        notices=notices,
    )


def propose(space: OpenSpace, changes: Sequence[ChangeSet], *, origin: str = "git_diff") -> RangeProposals:
    """Facts from these changes, oldest first, that are still true of the current code."""
    wanted, left_out = _without_ignored(space, changes)
    proposed = propose_for_range(wanted, layout_of(space), exists_today=_CurrentFiles(tree_of(space)))
    candidates = [
        replace(candidate, origin=origin) if candidate.origin == "git_diff" else candidate
        for candidate in proposed.candidates
    ]
    skipped = {**proposed.skipped, _IGNORED: left_out} if left_out else proposed.skipped
    return replace(proposed, candidates=tuple(candidates), skipped=skipped)


def _without_ignored(space: OpenSpace, changes: Sequence[ChangeSet]) -> tuple[list[ChangeSet], int]:
    """The changes without ignored or excluded files, and the number of these files.

    A commit that touched no other files is left out with its message.
    """
    root = tree_of(space)
    paths = list(dict.fromkeys(file.path for change_set in changes for file in change_set.files))
    exclude = stored_patterns(space).exclude
    listed_paths = {entry.path for entry in look_at(root, paths, exclude=exclude)} if paths else set()
    ignored = {path for path in paths if path not in listed_paths and os.path.lexists(root / path)}
    if not ignored:
        return list(changes), 0
    kept = [
        replace(change_set, files=tuple(file for file in change_set.files if file.path not in ignored))
        for change_set in changes
    ]
    return [
        change_set for change_set, before in zip(kept, changes, strict=True) if change_set.files or not before.files
    ], len(ignored)


class _CurrentFiles:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._words: dict[str, frozenset[str]] = {}

    def __call__(self, path: str, symbol: str) -> bool:
        if path not in self._words:
            read = read_bytes(self._root, path, size_limit(path))
            gone = isinstance(read, Unread) and read.missing
            words = [] if isinstance(read, Unread) else _WORD.findall(read[0].decode("utf-8", "replace"))
            self._words[path] = frozenset(words) | ({""} if not gone else set())
        words_now = self._words[path]
        names = set(_WORD.findall(symbol))
        return "" in words_now and (not symbol or len(words_now) == 1 or names <= words_now)


def layout_of(space: OpenSpace) -> Layout:
    """The parts of the project, from the index if there is one."""
    with space.store.read() as reader:
        paths = (
            list(reader.code.files(space.identity.checkout_id))
            if reader.code.has_any(space.identity.checkout_id)
            else []
        )
    if not paths:
        patterns = stored_patterns(space)
        entries = walk(tree_of(space), include=patterns.include, exclude=patterns.exclude)
        paths = [entry.path for entry in entries if not entry.skipped]
    return Layout.of(paths)


def _origin(source: LearnSource) -> str:
    return "staged" if source.staged else "file_change" if source.file is not None else "git_diff"


def _changes(space: OpenSpace, source: LearnSource, report: Report) -> Iterator[ChangeSet]:
    for count, raw in enumerate(_raw_changes(space, source), 1):
        report("Reading changes", count, 0)
        yield change_set(raw)


def _raw_changes(space: OpenSpace, source: LearnSource) -> Iterator[RawCommit]:
    root = tree_of(space)
    if source.file is not None:
        path = safe_relative_path(root, source.file)
        change = file_as_new(root, path)
        yield change if change.files else file_as_new(root, path, whole=True)  # unchanged: the whole file
    elif source.diff is not None and ".." in source.diff:
        yield from commits(root, source.diff)
    elif source.diff is not None:
        yield from commits(root, f"{source.diff}..HEAD")
        yield uncommitted(root, staged=False)
    else:
        yield uncommitted(root, staged=source.staged)


def _approve_pending(
    space: OpenSpace, caller: Caller, taken: Sequence[DecidedCandidate]
) -> tuple[tuple[DecidedCandidate, ...], tuple[str, ...]]:
    """Approve what needs review. Only a person may."""
    if not caller.decides:
        return tuple(taken), (_ONLY_A_PERSON,)
    done = []
    for decided in taken:
        if decided.status != HELD or decided.id is None:
            done.append(decided)
            continue
        ((_, receipt),) = approve(space, [decided.id], caller)
        status = MERGED if receipt.status == "merged" else STORED if receipt.status == "added" else receipt.status
        done.append(replace(decided, status=status, id=receipt.id, reason=receipt.reason))
    return tuple(done), ()
