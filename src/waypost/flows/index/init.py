"""`init`: the whole of it, from the first look at a tree to the last vector."""

import json
import time as timing
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from waypost.code.files.choice import check_patterns, unmatched
from waypost.code.files.walk import GIT_UNASKED, walk
from waypost.errors import InvalidInput, SecurityError, StoreCorrupt, StoreFull
from waypost.flows.admin.finding import DATABASE
from waypost.flows.admin.worker import work
from waypost.flows.index.build import Indexed, IndexPatterns, Report, index_tree, quiet
from waypost.flows.index.file_digest import KILLED
from waypost.flows.index.live_schema import read_tables
from waypost.flows.index.project_analysis import conclude, endpoint_count
from waypost.flows.open_space import OpenSpace, discovered_key, patterns_key, tree_of
from waypost.model.audit import AuditEntry
from waypost.model.memory import Caller
from waypost.model.review_item import MERGED, REPLACED, STORED
from waypost.model.time import format_time

_POLL_SECONDS = 0.2
TOO_SLOW = "it took too long to read, so no facts were taken from it"
_FUNCTIONS = frozenset({"function", "method", "property", "macro"})
_CLASSES = frozenset({"class", "interface", "trait", "struct", "enum"})


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What is in the index of this tree, and what was done to bring it there."""

    indexed: Indexed
    patterns: IndexPatterns  # that hold for this checkout
    functions: int
    classes: int
    tables: int
    endpoints: int
    documents: int  # derived memories of every kind
    storage_bytes: int
    seconds: float
    answers_after: float  # seconds until questions about the code could be asked
    structure_after: float  # seconds until tests, documents and conclusions were there too
    pending: dict[str, int]
    facts: int = 0  # about the project that a first look at the tree brought

    @property
    def given_up(self) -> dict[str, str]:
        """The files that took too long or broke their parser, and those that keep git from answering; with the reason."""
        return {path: why for path, why in self.indexed.skipped.items() if why in (KILLED, TOO_SLOW, GIT_UNASKED)}

    def to_json(self) -> dict[str, Any]:
        done = self.indexed
        return {
            "files": done.files,
            "functions": self.functions,
            "classes": self.classes,
            "tables": self.tables,
            "endpoints": self.endpoints,
            "documents": self.documents,
            "include": list(self.patterns.include),
            "exclude": list(self.patterns.exclude),
            "read": done.read,
            "unchanged": done.unchanged,
            "removed": done.removed,
            "renamed": done.renamed,
            "skipped": len(done.skipped),
            "masked": done.masked,
            "broken": len(done.broken),
            "storage_bytes": self.storage_bytes,
            "seconds": round(self.seconds, 3),
            "answers_after": round(self.answers_after, 3),
            "structure_after": round(self.structure_after, 3),
            "pending": self.pending,
            "facts": self.facts,
            "given_up": sorted(self.given_up),
        }


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
) -> IndexReport:
    """Index the tree; patterns that were given once hold until others are given. `facts`: look first, once, at what the
    project says of itself, so that there is something to be briefed with while the rest is read. Raises SecurityError
    where whoever asks may only read this memory."""
    if space.store.known_damage() and not space.store.may_write:
        raise StoreCorrupt(f"The database in {space.store.place} is damaged.", DATABASE.remedy)
    if not space.store.may_write and not space.settings.store:
        raise StoreFull(
            f"No room left on the disk of {space.folder}.", "Free some space and repeat; nothing was changed."
        )
    if not space.store.may_write:  # before a large tree is walked
        raise SecurityError(
            "Your role in this memory is reader: you can ask it, and not index its code.",
            "Ask one of its owners to index it, or for another role: `waypost team member role USER writer`.",
        )
    started = timing.perf_counter()
    before = settle_patterns(space, None, None)
    live = read_tables(database) if database else None  # first: a wrong address should not cost a long wait
    _check_patterns(space, before, include, exclude)
    patterns = settle_patterns(space, include, exclude)
    found, slow = _first_facts(space, caller, again=force) if facts else (0, ())
    done = index_tree(
        space,
        include=patterns.include,
        exclude=patterns.exclude,
        force=force,
        explain=explain,
        before=before if before != patterns else None,
        report=report,
    )
    report("concluding", 0, 0)
    conclude(space, live=live)
    structure_after = timing.perf_counter() - started
    _audit(space, caller, done)
    if wait:
        wait_for_vectors(space, report)
    else:
        space.start_worker(space)
    done.skipped |= {path: TOO_SLOW for path in slow if path not in done.skipped}
    told = _reported(space, done, patterns, timing.perf_counter() - started, structure_after)
    return replace(told, facts=found)


def _first_facts(space: OpenSpace, caller: Caller, *, again: bool) -> tuple[int, tuple[str, ...]]:
    """What a new project says of itself. Returns how many facts are new, and the files that took too long to read."""
    from waypost.flows.learn.cold_start import discover  # what only the first look needs

    with space.store.read() as reader:
        if reader.meta(discovered_key(space)) and not again:
            return 0, ()
    found = discover(space, caller)
    with space.store.write() as writer:
        writer.set_meta(discovered_key(space), format_time(space.clock()))
    return found.count(STORED, REPLACED, MERGED), found.given_up


def wait_for_vectors(space: OpenSpace, report: Report = quiet) -> None:
    """Embed what is owed, or wait for the worker that is at it. Ends when nothing is left, or nothing can be done."""
    total = max(_owed(space), 1)

    def tell(_: str, left: int) -> None:
        report("embedding", max(0, total - left), total)

    while _owed(space):
        left = work(space, progress=tell)
        if left is not None:
            return
        tell("", _owed(space))
        timing.sleep(_POLL_SECONDS)


def _owed(space: OpenSpace) -> int:
    with space.store.read() as reader:
        owed = reader.owed()
        return sum(owed.get(engine.name, 0) for engine in space.engines.active(reader))


def _check_patterns(
    space: OpenSpace, before: IndexPatterns, include: Sequence[str] | None, exclude: Sequence[str] | None
) -> None:
    """Raises InvalidInput for patterns that would leave the index without what was asked for."""
    check_patterns(include or (), "include")
    check_patterns(exclude or (), "exclude")
    if not include and not exclude:
        return
    wanted = before.include if include is None else tuple(include)
    entries = walk(tree_of(space), include=wanted, exclude=before.exclude if exclude is None else tuple(exclude))
    found = [entry.path for entry in entries if not entry.skipped]
    empty = unmatched(include or (), found)
    if empty:
        raise InvalidInput(
            f"The include pattern {empty[0][:100]!r} matches no file that can be read. Nothing was changed.",
            "Patterns count from the root of the project, as in .gitignore; `waypost init --explain` lists what is skipped.",
        )
    if not found:
        raise InvalidInput(
            "These patterns leave no file to read. Nothing was changed.", "Exclude less, or include more files."
        )


def settle_patterns(space: OpenSpace, include: Sequence[str] | None, exclude: Sequence[str] | None) -> IndexPatterns:
    """The patterns that hold for this checkout, with those given now."""
    key = patterns_key(space)
    with space.store.read() as reader:
        kept = json.loads(reader.meta(key) or "{}")
    chosen = IndexPatterns(
        tuple(kept.get("include", ()) if include is None else include),
        tuple(kept.get("exclude", ()) if exclude is None else exclude),
    )
    if include is not None or exclude is not None:
        with space.store.write() as writer:
            writer.set_meta(key, json.dumps({"include": chosen.include, "exclude": chosen.exclude}))
    return chosen


def _audit(space: OpenSpace, caller: Caller, done: Indexed) -> None:
    details = {"read": done.read, "removed": done.removed, "renamed": done.renamed}
    if any(details.values()):
        with space.store.write() as writer:
            writer.add_audit(AuditEntry(space.clock(), "index", None, caller.source, caller.actor, details))


def _reported(
    space: OpenSpace, done: Indexed, patterns: IndexPatterns, seconds: float, structure_after: float
) -> IndexReport:
    with space.store.read() as reader:
        counts = reader.derived_counts(space.identity.checkout_id)
        owed = reader.owed()
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
