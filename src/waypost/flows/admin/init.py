"""`waypost init`: learn first facts, index the repository, analyze it, and embed everything."""

import time as timing
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from waypost.code.files.choice import check_patterns, unmatched
from waypost.code.files.walk import GIT_UNASKED, walk
from waypost.code.scip_index import ScipDocument
from waypost.errors import InvalidInput, SecurityError, StoreCorrupt, StoreFull
from waypost.flows.admin.worker import work
from waypost.flows.checkouts.parsed_file import KILLED
from waypost.flows.engines.pending_vectors import LATE
from waypost.flows.findings import DATABASE
from waypost.flows.index.build import Indexed, Report, index_tree, quiet
from waypost.flows.index.digest_pool import digest_files
from waypost.flows.index.index_import import IndexFile
from waypost.flows.index.live_schema import read_tables
from waypost.flows.index.patterns import IndexPatterns, save_patterns, stored_patterns
from waypost.flows.index.project_analysis import analyze_project, endpoint_count
from waypost.flows.index.scip_import import SCIP_FILE, found_scip, read_scip_file, take_scip
from waypost.flows.open_space import OpenSpace, discovered_key, tree_of
from waypost.model.json_row import json_row
from waypost.model.memory import AuditEntry, Caller
from waypost.model.review_item import MERGED, REPLACED, STORED
from waypost.model.time import format_time

_POLL_SECONDS = 0.2
TOO_SLOW = "it took too long to read, so no facts were taken from it"
_FUNCTIONS = frozenset({"function", "method", "property", "macro"})
_CLASSES = frozenset({"class", "interface", "trait", "struct", "enum"})


@dataclass(frozen=True, slots=True)
class IndexReport:
    indexed: Indexed
    patterns: IndexPatterns  # of this checkout
    functions: int
    classes: int
    tables: int
    endpoints: int
    documents: int  # derived memories of every kind
    storage_bytes: int
    seconds: float
    answers_after: float  # seconds until questions about the code were answered
    structure_after: float  # seconds until tests, documents and the analysis were there too
    pending: dict[str, int]
    facts: int = 0  # new facts about the project
    scip_files: int | None = None  # whose uses come from a SCIP index that was taken over now

    @property
    def given_up(self) -> dict[str, str]:
        """Files that took too long, crashed the parser, or that git cannot be asked about; with the reason."""
        return {path: why for path, why in self.indexed.skipped.items() if why in (KILLED, TOO_SLOW, GIT_UNASKED)}

    def to_json(self) -> dict[str, Any]:
        done = self.indexed
        return json_row(
            self,
            "indexed",
            "patterns",
            files=done.files,
            include=self.patterns.include,
            exclude=self.patterns.exclude,
            read=done.read,
            unchanged=done.unchanged,
            removed=done.removed,
            renamed=done.renamed,
            skipped=len(done.skipped),
            masked=done.masked,
            broken=len(done.broken),
            seconds=round(self.seconds, 3),
            answers_after=round(self.answers_after, 3),
            structure_after=round(self.structure_after, 3),
            given_up=sorted(self.given_up),
        )


def init(
    space: OpenSpace,
    caller: Caller,
    *,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    force: bool = False,
    database: str | None = None,
    wait: bool = True,
    explain: bool = False,
    facts: bool = False,
    report: Report = quiet,
    index_file: IndexFile | None = None,
    scip: Path | None = None,
) -> IndexReport:
    """Index the repository. Patterns apply until others are given. `index_file` is taken over where it fits.

    `scip` is an index of a compiler or type checker; by default the file `index.scip` of the repository.

    `facts`: on the first run, learn facts about the project from what was indexed. Raises SecurityError for a caller that
    may only read.
    """
    if space.store.known_damage() and not space.store.may_write:
        raise StoreCorrupt(f"The database in {space.store.place} is damaged.", DATABASE.remedy)
    if not space.store.may_write and not space.settings.store:
        raise StoreFull(
            f"No room left on the disk of {space.folder}.", "Free some space and repeat; nothing was changed."
        )
    if not space.store.may_write:  # before a large repository is walked
        raise SecurityError(
            "Your role in this memory is reader: you can ask it, and not index its code.",
            "Ask one of its owners to index it, or for another role: `waypost team member role USER writer`.",
        )
    started = timing.perf_counter()
    before = stored_patterns(space)
    live = read_tables(database) if database else None  # first: a wrong address should fail fast
    documents = read_scip_file(scip, tree_of(space)) if scip is not None else None
    _check_patterns(space, before, include, exclude)
    patterns = save_patterns(space, include, exclude)
    done = index_tree(
        space,
        include=patterns.include,
        exclude=patterns.exclude,
        force=force,
        explain=explain,
        before=before if before != patterns else None,
        report=report,
        digests=index_file.digests if index_file is not None else digest_files,
    )
    report("concluding", 0, 0)
    scip_files = _take_scip(space, scip, documents, done)
    analyze_project(space, live=live)
    if index_file is not None:
        index_file.put_vectors(space)
    structure_after = timing.perf_counter() - started
    facts_found, slow = _first_facts(space, caller, again=force) if facts else (0, ())
    _audit(space, caller, done)
    if wait:
        wait_for_vectors(space, report)
    else:
        space.start_worker(space)
    done.skipped |= {path: TOO_SLOW for path in slow if path not in done.skipped}
    index_report = _report_of(space, done, patterns, timing.perf_counter() - started, structure_after)
    return replace(index_report, facts=facts_found, scip_files=scip_files)


def _take_scip(
    space: OpenSpace, path: Path | None, documents: tuple[ScipDocument, ...] | None, done: Indexed
) -> int | None:
    """Take over a SCIP index: the one that was given, or one in the repository. None without any."""
    if path is not None and documents is not None:
        return take_scip(space, path, documents)
    if (inside := found_scip(space)) is None:
        return None
    try:
        return take_scip(space, inside, read_scip_file(inside, tree_of(space)))
    except InvalidInput as error:  # nobody asked for it: the code is indexed without it
        done.skipped[SCIP_FILE] = str(error)
        return None


def _first_facts(space: OpenSpace, caller: Caller, *, again: bool) -> tuple[int, tuple[str, ...]]:
    """Learn facts about a new project. Returns how many are new, and files that took too long."""
    from waypost.flows.learn.cold_start import discover  # only for the first run

    with space.store.read() as reader:
        if reader.meta.get(discovered_key(space)) and not again:
            return 0, ()
    discovery = discover(space, caller)
    with space.store.write() as writer:
        writer.meta.set(discovered_key(space), format_time(space.clock()))
    return discovery.count(STORED, REPLACED, MERGED), discovery.given_up


def wait_for_vectors(space: OpenSpace, report: Report = quiet, *, tests: bool = False) -> None:
    """Embed what is pending, or wait for the worker that does. Ends when nothing is left or nothing can be done.

    Texts of tests are left to the background worker, except with `tests`.
    """
    least = LATE if space.settings.background and not tests else 0.0
    total = max(_pending_count(space, least), 1)

    def report_progress(_: str, left: int) -> None:
        report("embedding", max(0, total - left), total)

    while _pending_count(space, least):
        left = work(space, least=least, progress=report_progress)
        if left is not None:
            break
        report_progress("", _pending_count(space, least))
        timing.sleep(_POLL_SECONDS)
    space.start_worker(space)


def _pending_count(space: OpenSpace, least: float) -> int:
    with space.store.read() as reader:
        owed = reader.vectors.pending(least)
        return sum(owed.get(engine.name, 0) for engine in space.engines.active(reader))


def _check_patterns(
    space: OpenSpace, before: IndexPatterns, include: Sequence[str] | None, exclude: Sequence[str] | None
) -> None:
    """Raise InvalidInput for patterns that match nothing, or that leave nothing to index."""
    check_patterns(include or (), "include")
    check_patterns(exclude or (), "exclude")
    if not include and not exclude:
        return
    wanted = before.include if include is None else tuple(include)
    entries = walk(tree_of(space), include=wanted, exclude=before.exclude if exclude is None else tuple(exclude))
    paths = [entry.path for entry in entries if not entry.skipped]
    empty = unmatched(include or (), paths)
    if empty:
        raise InvalidInput(
            f"The include pattern {empty[0][:100]!r} matches no file that can be read. Nothing was changed.",
            "Patterns count from the root of the project, as in .gitignore; `waypost init --explain` lists what is skipped.",
        )
    if not paths:
        raise InvalidInput(
            "These patterns leave no file to read. Nothing was changed.", "Exclude less, or include more files."
        )


def _audit(space: OpenSpace, caller: Caller, done: Indexed) -> None:
    details = {"read": done.read, "removed": done.removed, "renamed": done.renamed}
    if any(details.values()):
        with space.store.write() as writer:
            writer.audit.add(AuditEntry(space.clock(), "index", None, caller.source, caller.actor, details))


def _report_of(
    space: OpenSpace, done: Indexed, patterns: IndexPatterns, seconds: float, structure_after: float
) -> IndexReport:
    with space.store.read() as reader:
        counts = reader.code.derived_counts(space.identity.checkout_id)
        owed = reader.vectors.pending()
        pending = {engine.name: owed.get(engine.name, 0) for engine in space.engines.active(reader)}
        endpoints = endpoint_count(space, reader)

    def symbols(kinds: frozenset[str]) -> int:
        return sum(count for (kind, sort), count in counts.items() if kind == "symbol" and sort in kinds)

    return IndexReport(
        indexed=done,
        patterns=patterns,
        functions=symbols(_FUNCTIONS),
        classes=symbols(_CLASSES),
        tables=sum(count for (kind, _), count in counts.items() if kind == "table"),
        endpoints=endpoints,
        documents=sum(counts.values()),
        storage_bytes=space.store.size_bytes(),
        seconds=seconds,
        answers_after=min(done.walked_after + done.code_after, structure_after),
        structure_after=structure_after,
        pending=pending,
    )
