"""Store what was read from a file as memories: new, moved and changed ones."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from waypost.code.files.languages import is_document, is_test_path, language_of_path
from waypost.code.git.history import changed_since, recent_changes
from waypost.flows.engines.pending_vectors import LATE
from waypost.flows.index.file_digest import SCIP_FACTS, Derived, Digest
from waypost.flows.open_space import OpenSpace, conclusions_key, tree_changed_key
from waypost.flows.versions.prepare import passage_rows
from waypost.model.memory import Version
from waypost.model.reference import CodeReference
from waypost.store.protocol import DerivedRow, FileRow, PassageRow, Writer

OF_A_FILE = ("symbol", "file", "summary")
_MONTH = timedelta(days=30)
_INDEXER = "indexer"


class TreeTimes:
    """When files changed, and how urgent their vectors are."""

    def __init__(self, root: Path, now: datetime, *, few: bool = False, since: str = "") -> None:
        """`few`: only a few files are needed, so git is not asked. `since`: the commit from which renames are read."""
        self._now = now
        self._changes = {} if few else recent_changes(root)
        self._oldest = min(self._changes.values(), default=None)
        renamed = changed_since(root, since).renamed if since else {}
        self.renames: Mapping[str, str] = {new: old for old, new in renamed.items()}

    def changed_at(self, path: str, mtime_ns: int) -> datetime:
        """By git if it knows; in a fresh clone all modification times are new."""
        changed = self._changes.get(path)
        written = min(datetime.fromtimestamp(mtime_ns / 1e9, UTC), self._now)
        if changed is None and self._oldest is not None:
            changed = min(written, self._oldest)
        return min(changed or written, self._now)

    def row(self, digest: Digest) -> FileRow:
        return FileRow(
            path=digest.path,
            size=digest.size,
            mtime_ns=digest.mtime_ns if digest.settled else 0,  # 0: it is read again, and recognised by its hash
            hash=digest.hash,
            language=digest.language,
            lines=digest.lines,
            changed_at=self.changed_at(digest.path, digest.mtime_ns),
        )

    def urgency(self, path: str, centrality: float = 0.0) -> float:
        """0 to 0.9, below memories of people: recently changed and often used files first. Tests are below LATE."""
        changed = self._changes.get(path)
        recent = 0.0 if changed is None else max(0.0, 1 - (self._now - changed) / _MONTH)
        document = is_document(language_of_path(path))
        depth = min(path.count("/"), 8) / 8
        if is_test_path(path):
            return round(LATE * (0.4 * recent + 0.5 * (1 - depth)), 4)
        ground = 0.2 if document else 0.4
        return round(ground + 0.2 * recent + 0.25 * centrality + 0.05 * (1 - depth), 4)


def is_code(path: str) -> bool:
    return not is_test_path(path) and not is_document(language_of_path(path))


def same_content(before: FileRow | None, row: FileRow) -> bool:
    return before is not None and (before.hash, before.language) == (row.hash, row.language)


def store_file(
    space: OpenSpace,
    writer: Writer,
    digest: Digest,
    row: FileRow,
    before: FileRow | None,
    origin: str | None,
    engines: Sequence[str],
    urgency: float,
) -> None:
    """Index a file in place of its old content, or of the file it was renamed from."""
    checkout = space.identity.checkout_id
    old = writer.code.derived(checkout, [origin or digest.path], OF_A_FILE)
    if same_content(before, row):  # its summary, perhaps by a model, is still true
        old = [derived_row for derived_row in old if derived_row.kind != "summary"]
    wanted = list(digest.memories)
    if digest.summary is not None and any(derived_row.kind == "summary" for derived_row in old):
        wanted.append(digest.summary)
    put_derived(space, writer, old, [(derived, row) for derived in wanted], engines, urgency)
    if origin is not None:
        writer.code.drop_file(checkout, origin)
    writer.code.put_file(checkout, row, {**digest.facts, **_indexed_uses(writer, checkout, row, before)})


def _indexed_uses(writer: Writer, checkout: str, row: FileRow, before: FileRow | None) -> Mapping[str, Any]:
    """What a SCIP index says about a file that is read again, if its content is still the same."""
    if not same_content(before, row):
        return {}
    return {key: value for key, value in writer.code.digest(checkout, row.path).items() if key == SCIP_FACTS}


def put_derived(
    space: OpenSpace,
    writer: Writer,
    old: Sequence[DerivedRow],
    wanted: Iterable[tuple[Derived, FileRow | None]],
    engines: Sequence[str],
    urgency: float,
) -> None:
    """Replace old derived memories by new ones. One for the same thing keeps its id."""
    waiting: dict[tuple[str, str], list[DerivedRow]] = defaultdict(list)
    for derived_row in old:
        waiting[derived_row.kind, _local_name(derived_row)].append(derived_row)
    new: list[tuple[Version, list[PassageRow]]] = []
    for derived, row in wanted:
        same = waiting.get((derived.kind, _FILE if derived.type in ("file", "summary") else derived.name))
        before = same.pop(0) if same else None
        version = _version(space, derived, row, before)
        if before is None:
            new.append((version, passage_rows(derived.passages)))
        elif before.fingerprint == derived.fingerprint:
            writer.code.move_derived(before.number, version)
        else:
            writer.code.replace_derived(
                before.number, version, passage_rows(derived.passages), engines, urgency=urgency
            )
    if new:
        writer.code.add_derived(new, engines, urgency=urgency)
    left = [derived_row for rows in waiting.values() for derived_row in rows]
    if left:
        writer.code.erase_derived(left)


_FILE = ""  # the name of a file's own memory here, so that a renamed file keeps it


def _local_name(row: DerivedRow) -> str:
    return _FILE if row.kind == "summary" or (row.kind == "file" and row.name == row.path) else row.name


def _version(space: OpenSpace, derived: Derived, row: FileRow | None, before: DerivedRow | None) -> Version:
    now = space.clock()
    changed_at = derived.changed_at if row is None else row.changed_at
    changed = None if changed_at is None else min(changed_at, now)
    refs = derived.refs
    if row is not None:
        refs = (CodeReference(row.path, derived.lines, derived.symbol_id, code_hash=None),)
    return Version(
        memory_id=before.memory_id if before else space.new_id(),
        kind=derived.kind,
        text=derived.text,
        recorded_at=now,
        valid_from=changed or now,
        source="code",
        actor=_INDEXER,
        level=3,
        time=changed,
        checkout_id=space.identity.checkout_id,
        name=derived.name,
        language=derived.language,
        traits=derived.traits,
        fingerprint=derived.fingerprint,
        refs=refs,
        details=derived.details,
    )


def forget_files(space: OpenSpace, writer: Writer, paths: Sequence[str]) -> int:
    """Remove everything read from these files. Returns how many of them were in the index."""
    checkout = space.identity.checkout_id
    rows = writer.code.files(checkout)
    writer.code.erase_derived(writer.code.derived(checkout, paths, OF_A_FILE))
    for path in paths:
        writer.code.drop_file(checkout, path)
    return sum(path in rows for path in paths)


def note_analysis(space: OpenSpace, writer: Writer) -> None:
    """The code has changed: note that the project must be analyzed again."""
    token = space.new_id()
    writer.meta.set(conclusions_key(space), token)
    writer.meta.set(tree_changed_key(space), token)
