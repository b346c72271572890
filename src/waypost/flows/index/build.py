"""Indexing a tree: structure and keywords first, so that questions are answered at once; vectors follow.

walk → what changed? (size and time, then hash) → digest (read, mask, parse; in children) → stored in small
transactions → conclusions about the whole tree (relations, schema, architecture) → vectors, the most important files
first. Each transaction leaves a state that can be asked; an index that was stopped goes on where it was, because what is
stored is not read again.
"""

import json
import os
import time as timing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from waypost.code.files.choice import choose
from waypost.code.files.reading import Unread
from waypost.code.files.walk import WalkedFile, look_at, walk
from waypost.code.git.history import head
from waypost.flows.checkouts.admission import note_history
from waypost.flows.index.code_memories import (
    TreeTimes,
    forget_files,
    is_code,
    owe_conclusions,
    same_content,
    store_file,
)
from waypost.flows.index.digest_pool import Outcome, digest_files
from waypost.flows.index.file_digest import DIGEST_FORMAT, KILLED, Digest, DigestJob
from waypost.flows.open_space import (
    IN_TREE,
    OpenSpace,
    digest_format_key,
    indexed_commit_key,
    patterns_key,
    tree_of,
)
from waypost.flows.write.ttl_refresh import refresh_for, refreshable
from waypost.store.protocol import FileRow, Reader
from waypost.text.secrets.masking import mask

_MOST_AT_ONCE = 200  # files in one transaction: other writers wait for no more
_SECONDS_AT_ONCE = 1.0

Report = Callable[[str, int, int], None]  # phase, done, of how many


def quiet(*_: object) -> None:
    """Report to nobody."""


@dataclass(slots=True)
class Indexed:
    """What indexing did to the files of a tree."""

    files: int = 0  # that are in the index now
    read: int = 0
    unchanged: int = 0
    removed: int = 0
    renamed: int = 0
    masked: int = 0  # secret values left out
    broken: list[str] = field(default_factory=list)  # with syntax errors: read as far as they go
    skipped: dict[str, str] = field(default_factory=dict)  # path → why
    changed: list[str] = field(default_factory=list)  # files whose content is new, or is gone
    edited: list[str] = field(
        default_factory=list
    )  # files that are not as the index had them: made, edited, gone, moved
    walked_after: float = 0.0
    code_after: float = 0.0  # seconds until all code was stored but tests: from then on questions about it are answered


def index_tree(
    space: OpenSpace,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    force: bool = False,
    explain: bool = False,
    before: "IndexPatterns | None" = None,
    report: Report = quiet,
) -> Indexed:
    """Bring the index to the state of the tree. `force` reads every file again; `explain` also tells what was ignored; `before`
    are the patterns of the last time."""
    started = timing.perf_counter()
    root, checkout = tree_of(space), space.identity.checkout_id
    report("walking", 0, 0)
    entries = _readable(space, walk(root, include=include, exclude=exclude, explain=explain))
    done = Indexed(skipped={entry.path: entry.skipped for entry in entries if entry.skipped})
    present = {entry.path: entry for entry in entries if not entry.skipped}
    commit_key = indexed_commit_key(space)
    with space.store.read() as reader:
        known, since = reader.files(checkout), reader.meta(commit_key) or ""
        described = _described(space, reader)
        force = force or (bool(known) and reader.meta(digest_format_key(space)) != DIGEST_FORMAT)
    done.unchanged = sum(not force and _is_same(known.get(path), entry) for path, entry in present.items())
    was_named = choose(before.include, before.exclude).names_file if before is not None else None
    wanted = [
        entry
        for path, entry in present.items()
        if force
        or not _is_same(known.get(path), entry)
        or (was_named is not None and was_named(path) != entry.named)  # it was let in although it is generated
    ]
    gone = [row for path, row in known.items() if path not in present]
    times = TreeTimes(root, space.clock(), since=since)
    wanted.sort(key=lambda entry: -times.urgency(entry.path))
    moves = _Moves(gone, times.renames)
    if not known:  # before the first file: an index that is stopped goes on in this format
        with space.store.write() as writer:
            writer.set_meta(digest_format_key(space), DIGEST_FORMAT)
    done.walked_after = timing.perf_counter() - started
    _take_in(space, wanted, moves, known, described, times, force, done, report)
    if known:  # otherwise everything is new to us, and nothing has changed
        refresh_for(space, done.edited)
    if any(os.path.lexists(root / path) for path in done.changed if path not in present):
        space.store.scrub([], wait=False)  # they are there and not wanted: no word of them is kept
    commit = head(root).commit
    with space.store.write() as writer:
        done.files = len(writer.files(checkout))
        writer.set_meta(commit_key, commit)
        writer.set_meta(digest_format_key(space), DIGEST_FORMAT)
    note_history(space)
    return done


def index_paths(space: OpenSpace, paths: Sequence[str]) -> Indexed:
    """Bring the index to the state of these files only, whatever became of them."""
    root, checkout, done = tree_of(space), space.identity.checkout_id, Indexed()
    with space.store.read() as reader:
        patterns, described = kept_patterns(space, reader), _described(space, reader)
        tracked = {*reader.tracked(checkout)}.intersection(paths)
        refreshes = bool(refreshable(reader, space.clock()))
        looked = look_at(root, paths, include=patterns.include, exclude=patterns.exclude)
        entries = {entry.path: entry for entry in _readable(space, looked)}
        known = reader.files(checkout, {*paths, *entries})
        if any(path not in known for path in paths):  # perhaps a folder that was there
            inside = tuple(f"{path}/" for path in paths)
            known |= {path: row for path, row in reader.files(checkout).items() if path.startswith(inside)}
    done.skipped = {path: entry.skipped for path, entry in entries.items() if entry.skipped}
    wanted = [one for path, one in entries.items() if not one.skipped and not _is_same(known.get(path), one)]
    gone = [row for path, row in known.items() if path not in entries or path in done.skipped]
    times = TreeTimes(root, space.clock(), few=True)
    moves = _Moves(gone, {})
    _take_in(space, wanted, moves, known, described, times, False, done, quiet, tracked)
    if refreshes:
        refresh_for(space, done.edited)
    if tracked:  # what was not read again
        with space.store.write() as writer:
            writer.untrack(checkout, sorted(tracked))
    return done


def kept_patterns(space: OpenSpace, reader: Reader) -> "IndexPatterns":
    """The patterns that hold for this checkout."""
    kept = json.loads(reader.meta(patterns_key(space)) or "{}")
    return IndexPatterns(tuple(kept.get("include", ())), tuple(kept.get("exclude", ())))


def _described(space: OpenSpace, reader: Reader) -> set[str]:
    """The files that have a summary."""
    return {row.path for row in reader.derived_of_kind(space.identity.checkout_id, "summary")}


@dataclass(frozen=True, slots=True)
class IndexPatterns:
    """Which files of a tree its owner wants in the index."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class _Moves:
    """Which of the files that are gone a new file was before."""

    def __init__(self, gone: Sequence[FileRow], told: Mapping[str, str]) -> None:
        self._by_hash: dict[str, list[str]] = {}
        for row in gone:
            self._by_hash.setdefault(row.hash, []).append(row.path)
        self._gone = {row.path for row in gone}
        self._told = told  # new path → old path, as git sees it

    def origin(self, digest: Digest) -> str | None:
        told = self._told.get(digest.path)
        same = self._by_hash.get(digest.hash, [])
        found = told if told in self._gone else next((path for path in same if path in self._gone), None)
        if found is not None:
            self._gone.discard(found)
        return found

    def left(self) -> list[str]:
        """The files that are gone and became no other."""
        return sorted(self._gone)


def _take_in(
    space: OpenSpace,
    wanted: Sequence[WalkedFile],
    moves: _Moves,
    known: dict[str, FileRow],
    described: set[str],
    times: TreeTimes,
    force: bool,
    done: Indexed,
    report: Report,
    tracked: set[str] | None = None,
) -> None:
    """Store the wanted files, and drop those that are gone or cannot be read any more.

    Files that were stored are no longer tracked, and are removed from `tracked`.
    """
    finished, began = 0, timing.perf_counter()
    code = {entry.path for entry in wanted if is_code(entry.path)}
    lost = not described.isdisjoint(moves.left())  # a new file may be one of these under another name
    jobs = [
        DigestJob(one.path, one.size, one.named, one.path in described or (lost and one.path not in known))
        for one in wanted
    ]
    outcomes = digest_files(tree_of(space), jobs)
    while batch := _some(outcomes):
        with space.store.write() as writer:
            engines, before = [engine.name for engine in space.engines.active(writer)], done.read
            for path, digest in batch:
                if isinstance(digest, Unread):
                    done.skipped[path] = digest.reason
                    continue
                done.masked += digest.masked
                if digest.broken:
                    done.broken.append(path)
                row = times.row(digest)
                same = same_content(known.get(path), row)
                if same and not force:
                    writer.touch_file(space.identity.checkout_id, row)
                    done.unchanged += 1
                    continue
                origin = None if path in known else moves.origin(digest)
                done.edited += [one for one in (path, origin) if one is not None and not same]
                done.renamed += origin is not None
                done.read += 1
                done.changed.append(path)
                store_file(space, writer, digest, row, known.get(path), origin, engines, times.urgency(path))
            if done.read > before:
                owe_conclusions(space, writer)
            if stored := [path for path, _ in batch if tracked and path in tracked]:
                writer.untrack(space.identity.checkout_id, stored)
        if tracked:
            tracked.difference_update(path for path, _ in batch)
        finished += len(batch)
        if code:
            code.difference_update(path for path, _ in batch)
            done.code_after = timing.perf_counter() - began
        report("reading", finished, len(wanted))
    unreadable = [one.path for one in wanted if one.path in known and done.skipped.get(one.path, KILLED) != KILLED]
    _remove(space, moves.left() + unreadable, done)


def _some(outcomes: Iterator[Outcome]) -> list[Outcome]:
    """What gets finished within a moment, so that each transaction is worth its cost and none is long."""
    began, some = timing.perf_counter(), list[Outcome]()
    for outcome in outcomes:
        some.append(outcome)
        if len(some) >= _MOST_AT_ONCE or timing.perf_counter() - began > _SECONDS_AT_ONCE:
            break
    return some


def _remove(space: OpenSpace, paths: Sequence[str], done: Indexed) -> None:
    if paths:
        with space.store.write() as writer:
            done.removed += forget_files(space, writer, paths)
            done.changed += paths
            done.edited += [path for path in paths if not os.path.lexists(tree_of(space) / path)]
            owe_conclusions(space, writer)


def _readable(space: OpenSpace, entries: Iterable[WalkedFile]) -> list[WalkedFile]:
    """Without what is ours, and without names that are secrets themselves."""
    root = tree_of(space)
    if (root / "HEAD").is_file() and (root / "objects").is_dir() and (root / "refs").is_dir():
        return []  # what git keeps for itself
    home = os.path.relpath(space.settings.home, root)
    ours = None if home.startswith("..") else f"{home.replace(os.sep, '/')}/"
    kept = []
    for entry in entries:
        if entry.path.startswith(f"{IN_TREE}/"):
            continue  # the journal, if it lives there, is read as a journal
        hidden = mask(entry.path)
        if hidden.found:
            kept.append(replace(entry, path=hidden.text, skipped="its name holds a secret"))
        elif ours is None or not f"{entry.path}/".startswith(ours):
            kept.append(entry)
    return kept


def _is_same(known: FileRow | None, entry: WalkedFile) -> bool:
    return known is not None and (known.size, known.mtime_ns) == (entry.size, entry.mtime_ns)
