"""Index a repository: structure and keywords first, so that questions are answered early; vectors follow.

Walk, compare with the index, digest changed files (read, mask, parse; in child processes), and store them in small
transactions. Then analyze the whole project, and embed the most important files first. Every transaction leaves a
usable state. A stopped run continues where it was.
"""

import os
import time as timing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from waypost.code.files.choice import choose
from waypost.code.files.reading import Unread
from waypost.code.files.walk import WalkedFile, look_at, walk
from waypost.code.git.history import head
from waypost.flows.checkouts.admission import note_history
from waypost.flows.checkouts.parsed_file import KILLED
from waypost.flows.index.code_memories import (
    TreeTimes,
    forget_files,
    is_code,
    note_analysis,
    same_content,
    store_file,
)
from waypost.flows.index.digest_pool import Outcome, digest_files
from waypost.flows.index.file_digest import DIGEST_FORMAT, Digest, DigestJob
from waypost.flows.index.patterns import IndexPatterns, read_patterns
from waypost.flows.index.seen_files import forget_look, note_indexed
from waypost.flows.open_space import IN_TREE, OpenSpace, digest_format_key, indexed_commit_key, tree_of
from waypost.flows.write.ttl_refresh import refresh_for, refreshable
from waypost.store.protocol import FileRow, Reader
from waypost.text.secrets.masking import mask

_MOST_AT_ONCE = 200  # files in one transaction, so that other writers do not wait long
_SECONDS_AT_ONCE = 1.0

Report = Callable[[str, int, int], None]  # phase, done, of how many
DigestSource = Callable[[Path, Sequence[DigestJob]], Iterator[Outcome]]


def quiet(*_: object) -> None:
    """Ignore progress."""


@dataclass(slots=True)
class Indexed:
    files: int = 0  # in the index now
    read: int = 0
    unchanged: int = 0
    removed: int = 0
    renamed: int = 0
    masked: int = 0  # secrets masked
    broken: list[str] = field(default_factory=list)  # with syntax errors: indexed as far as possible
    skipped: dict[str, str] = field(default_factory=dict)  # path → why
    changed: list[str] = field(default_factory=list)  # files with new content, and removed ones
    edited: list[str] = field(default_factory=list)  # created, edited, removed or moved since the last time
    walked_after: float = 0.0
    code_after: float = 0.0  # seconds until all code but tests was stored: then questions about it are answered


def index_tree(
    space: OpenSpace,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    force: bool = False,
    explain: bool = False,
    before: IndexPatterns | None = None,
    report: Report = quiet,
    digests: DigestSource = digest_files,
) -> Indexed:
    """Bring the index up to date with the repository.

    `force` reads every file again. `explain` also lists ignored files. `before` are the previous patterns. `digests`
    makes the digests of changed files.
    """
    started = timing.perf_counter()
    root, checkout = tree_of(space), space.identity.checkout_id
    report("walking", 0, 0)
    entries = _readable(space, walk(root, include=include, exclude=exclude, explain=explain))
    done = Indexed(skipped={entry.path: entry.skipped for entry in entries if entry.skipped})
    present = {entry.path: entry for entry in entries if not entry.skipped}
    commit_key = indexed_commit_key(space)
    with space.store.read() as reader:
        rows, since = reader.code.files(checkout), reader.meta.get(commit_key) or ""
        described = _paths_with_summary(space, reader)
        force = force or (bool(rows) and reader.meta.get(digest_format_key(space)) != DIGEST_FORMAT)
    done.unchanged = sum(not force and _is_same(rows.get(path), entry) for path, entry in present.items())
    was_named = choose(before.include, before.exclude).names_file if before is not None else None
    wanted = [
        entry
        for path, entry in present.items()
        if force
        or not _is_same(rows.get(path), entry)
        or (was_named is not None and was_named(path) != entry.named)  # it was included although it is generated
    ]
    gone = [row for path, row in rows.items() if path not in present]
    times = TreeTimes(root, space.clock(), since=since)
    wanted.sort(key=lambda entry: -times.urgency(entry.path))
    moves = _Moves(gone, times.renames)
    with space.store.write() as writer:
        forget_look(space, writer)
        if not rows:  # before the first file: a stopped run continues in this format
            writer.meta.set(digest_format_key(space), DIGEST_FORMAT)
    done.walked_after = timing.perf_counter() - started
    _store_files(space, wanted, moves, rows, described, times, force, done, report, digests=digests)
    if rows:  # in a new index nothing has changed
        refresh_for(space, done.edited)
    if any(os.path.lexists(root / path) for path in done.changed if path not in present):
        space.store.scrub([], wait=False)  # files that are excluded now leave no traces
    commit = head(root).commit
    with space.store.write() as writer:
        done.files = len(writer.code.files(checkout))
        writer.meta.set(commit_key, commit)
        writer.meta.set(digest_format_key(space), DIGEST_FORMAT)
    note_history(space)
    return done


def index_paths(space: OpenSpace, paths: Sequence[str]) -> Indexed:
    """Bring the index up to date with these files only: changed, new or removed."""
    root, checkout, done = tree_of(space), space.identity.checkout_id, Indexed()
    with space.store.read() as reader:
        patterns, described = read_patterns(space, reader), _paths_with_summary(space, reader)
        tracked = {*reader.code.tracked(checkout)}.intersection(paths)
        refreshes = bool(refreshable(reader, space.clock()))
        looked = look_at(root, paths, include=patterns.include, exclude=patterns.exclude)
        entries = {entry.path: entry for entry in _readable(space, looked)}
        rows = reader.code.files(checkout, {*paths, *entries})
        if any(path not in rows for path in paths):  # perhaps a folder that was removed
            inside = tuple(f"{path}/" for path in paths)
            rows |= {path: row for path, row in reader.code.files(checkout).items() if path.startswith(inside)}
    done.skipped = {path: entry.skipped for path, entry in entries.items() if entry.skipped}
    wanted = [entry for path, entry in entries.items() if not entry.skipped and not _is_same(rows.get(path), entry)]
    gone = [row for path, row in rows.items() if path not in entries or path in done.skipped]
    times = TreeTimes(root, space.clock(), few=True)
    moves = _Moves(gone, {})
    _store_files(space, wanted, moves, rows, described, times, False, done, quiet, tracked)
    if refreshes:
        refresh_for(space, done.edited)
    if tracked:  # unchanged files
        with space.store.write() as writer:
            writer.code.untrack(checkout, sorted(tracked))
    return done


def changed_in_tree(space: OpenSpace) -> list[str]:
    """The files that are not indexed as they are on disk: all are compared."""
    with space.store.read() as reader:
        patterns = read_patterns(space, reader)
        rows = reader.code.files(space.identity.checkout_id)
    entries = _readable(space, walk(tree_of(space), include=patterns.include, exclude=patterns.exclude))
    present = {entry.path: entry for entry in entries if not entry.skipped}
    changed = (path for path, entry in present.items() if not _is_same(rows.get(path), entry))
    gone = rows.keys() - present.keys() if present else ()  # a tree that is away is not an empty tree
    return sorted({*changed, *gone})


def _paths_with_summary(space: OpenSpace, reader: Reader) -> set[str]:
    return {row.path for row in reader.code.derived_of_kind(space.identity.checkout_id, "summary")}


class _Moves:
    def __init__(self, gone: Sequence[FileRow], renames: Mapping[str, str]) -> None:
        self._by_hash: dict[str, list[str]] = {}
        for row in gone:
            self._by_hash.setdefault(row.hash, []).append(row.path)
        self._gone = {row.path for row in gone}
        self._renames = renames  # new path → old path, by git

    def origin(self, digest: Digest) -> str | None:
        renamed_from = self._renames.get(digest.path)
        same = self._by_hash.get(digest.hash, [])
        origin = (
            renamed_from if renamed_from in self._gone else next((path for path in same if path in self._gone), None)
        )
        if origin is not None:
            self._gone.discard(origin)
        return origin

    def left(self) -> list[str]:
        return sorted(self._gone)


def _store_files(
    space: OpenSpace,
    wanted: Sequence[WalkedFile],
    moves: _Moves,
    rows: dict[str, FileRow],
    described: set[str],
    times: TreeTimes,
    force: bool,
    done: Indexed,
    report: Report,
    tracked: set[str] | None = None,
    digests: DigestSource = digest_files,
) -> None:
    """Store the wanted files, and drop those that are gone or cannot be read any more.

    Removes the stored files from `tracked`, and from the queue of tracked files.
    """
    finished, began = 0, timing.perf_counter()
    code = {entry.path for entry in wanted if is_code(entry.path)}
    lost = not described.isdisjoint(moves.left())  # a new file may be a renamed one
    jobs = [
        DigestJob(entry.path, entry.size, entry.named, entry.path in described or (lost and entry.path not in rows))
        for entry in wanted
    ]
    outcomes = digests(tree_of(space), jobs)
    while batch := _next_batch(outcomes):
        with space.store.write() as writer:
            engines, before = [engine.name for engine in space.engines.active(writer)], done.read
            for path, digest in batch:
                if isinstance(digest, Unread):
                    done.skipped[path] = digest.reason
                    continue
                done.masked += digest.masked
                row = times.row(digest)
                same = same_content(rows.get(path), row)
                if same and not force:
                    writer.code.touch_file(space.identity.checkout_id, row)
                    done.unchanged += 1
                    continue
                if digest.broken:
                    done.broken.append(path)
                origin = None if path in rows else moves.origin(digest)
                done.edited += [
                    changed_path for changed_path in (path, origin) if changed_path is not None and not same
                ]
                done.renamed += origin is not None
                done.read += 1
                done.changed.append(path)
                store_file(space, writer, digest, row, rows.get(path), origin, engines, times.urgency(path))
            note_indexed(space, writer, [path for path, _ in batch])
            if done.read > before:
                note_analysis(space, writer)
            if stored := [path for path, _ in batch if tracked and path in tracked]:
                writer.code.untrack(space.identity.checkout_id, stored)
        if tracked:
            tracked.difference_update(path for path, _ in batch)
        finished += len(batch)
        if code:
            code.difference_update(path for path, _ in batch)
            done.code_after = timing.perf_counter() - began
        report("reading", finished, len(wanted))
    unreadable = [
        entry.path for entry in wanted if entry.path in rows and done.skipped.get(entry.path, KILLED) != KILLED
    ]
    _remove(space, moves.left() + unreadable, done)


def _next_batch(outcomes: Iterator[Outcome]) -> list[Outcome]:
    """What is finished within a moment: transactions are neither tiny nor long."""
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
            note_indexed(space, writer, paths)
            done.changed += paths
            done.edited += [path for path in paths if not os.path.lexists(tree_of(space) / path)]
            note_analysis(space, writer)


def _readable(space: OpenSpace, entries: Iterable[WalkedFile]) -> list[WalkedFile]:
    """Without Waypost's own files, and without names that are secrets themselves."""
    root = tree_of(space)
    if (root / "HEAD").is_file() and (root / "objects").is_dir() and (root / "refs").is_dir():
        return []  # a git directory
    home = os.path.relpath(space.settings.home, root)
    ours = None if home.startswith("..") else f"{home.replace(os.sep, '/')}/"
    kept = []
    for entry in entries:
        if entry.path.startswith(f"{IN_TREE}/"):
            continue  # the journal is read as a journal
        hidden = mask(entry.path)
        if hidden.findings:
            kept.append(replace(entry, path=hidden.text, skipped="its name holds a secret"))
        elif ours is None or not f"{entry.path}/".startswith(ours):
            kept.append(entry)
    return kept


def _is_same(row: FileRow | None, entry: WalkedFile) -> bool:
    return row is not None and (row.size, row.mtime_ns) == (entry.size, entry.mtime_ns)
