"""What is read out of a file becomes memories: new ones, ones that moved, ones that say something else now."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from waypost.code.files.languages import is_document, is_test_path, language_of_path
from waypost.code.git.history import changed_since, recent_changes
from waypost.flows.index.file_digest import Derived, Digest
from waypost.flows.open_space import OpenSpace, conclusions_key, tree_changed_key
from waypost.model.memory import Version
from waypost.model.reference import CodeReference
from waypost.store.protocol import DerivedRow, FileRow, PassageRow, Writer

OF_A_FILE = ("symbol", "file", "summary")
_MONTH = timedelta(days=30)
_INDEXER = "indexer"


class TreeTimes:
    """When the files of a tree changed, and how urgent their vectors are because of that."""

    def __init__(self, root: Path, now: datetime, *, few: bool = False, since: str = "") -> None:
        """`few`: only a few files are asked for, and git is not. `since` is the commit that renames are told from."""
        self._now = now
        self._changes = {} if few else recent_changes(root)
        self._oldest = min(self._changes.values(), default=None)
        told = changed_since(root, since).renamed if since else {}
        self.renames: Mapping[str, str] = {new: old for old, new in told.items()}

    def changed_at(self, path: str, mtime_ns: int) -> datetime:
        """By git where it says so; a fresh clone has only new files by their own times."""
        told = self._changes.get(path)
        written = min(datetime.fromtimestamp(mtime_ns / 1e9, UTC), self._now)
        if told is None and self._oldest is not None:
            told = min(written, self._oldest)
        return min(told or written, self._now)

    def row(self, digest: Digest) -> FileRow:
        return FileRow(
            path=digest.path,
            size=digest.size,
            mtime_ns=digest.mtime_ns if digest.settled else 0,  # 0: it is read again, and by then known by its hash
            hash=digest.hash,
            language=digest.language,
            lines=digest.lines,
            changed_at=self.changed_at(digest.path, digest.mtime_ns),
        )

    def urgency(self, path: str, centrality: float = 0.0) -> float:
        """0 to 0.9, before what people said themselves: code before its tests, what changed lately, what others use."""
        changed = self._changes.get(path)
        recent = 0.0 if changed is None else max(0.0, 1 - (self._now - changed) / _MONTH)
        document = is_document(language_of_path(path))
        depth = min(path.count("/"), 8) / 8
        ground = 0.1 if is_test_path(path) else 0.2 if document else 0.4
        return round(ground + 0.2 * recent + 0.25 * centrality + 0.05 * (1 - depth), 4)


def is_code(path: str) -> bool:
    """Whether it is neither a test nor a document."""
    return not is_test_path(path) and not is_document(language_of_path(path))


def same_content(known: FileRow | None, row: FileRow) -> bool:
    return known is not None and (known.hash, known.language) == (row.hash, row.language)


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
    """Put a file into the index in place of what it was, or of the file that it was before it was renamed."""
    checkout = space.identity.checkout_id
    old = writer.code.derived(checkout, [origin or digest.path], OF_A_FILE)
    if same_content(before, row):  # what was said of it, perhaps by a model, is still true
        old = [one for one in old if one.kind != "summary"]
    wanted = list(digest.memories)
    if digest.summary is not None and any(one.kind == "summary" for one in old):
        wanted.append(digest.summary)
    put_derived(space, writer, old, [(derived, row) for derived in wanted], engines, urgency)
    if origin is not None:
        writer.code.drop_file(checkout, origin)
    writer.code.put_file(checkout, row, digest.facts)


def put_derived(
    space: OpenSpace,
    writer: Writer,
    old: Sequence[DerivedRow],
    wanted: Iterable[tuple[Derived, FileRow | None]],
    engines: Sequence[str],
    urgency: float,
) -> None:
    """Replace old memories by the wanted ones; one that stands for the same thing keeps its id."""
    waiting: dict[tuple[str, str], list[DerivedRow]] = defaultdict(list)
    for one in old:
        waiting[one.kind, _local_name(one)].append(one)
    new: list[tuple[Version, list[PassageRow]]] = []
    for derived, row in wanted:
        same = waiting.get((derived.kind, _FILE if derived.type in ("file", "summary") else derived.name))
        before = same.pop(0) if same else None
        version = _version(space, derived, row, before)
        if before is None:
            new.append((version, _rows(derived)))
        elif before.fingerprint == derived.fingerprint:
            writer.code.move_derived(before.number, version)
        else:
            writer.code.replace_derived(before.number, version, _rows(derived), engines, urgency=urgency)
    if new:
        writer.code.add_derived(new, engines, urgency=urgency)
    left = [one for rows in waiting.values() for one in rows]
    if left:
        writer.code.erase_derived(left)


_FILE = ""  # what a file's own memory is called here: a renamed file is still the same


def _local_name(row: DerivedRow) -> str:
    return _FILE if row.kind == "summary" or (row.kind == "file" and row.name == row.path) else row.name


def _rows(derived: Derived) -> list[PassageRow]:
    return [PassageRow(p.content_hash, p.language, p.terms, p.code_terms) for p in derived.passages]


def _version(space: OpenSpace, derived: Derived, row: FileRow | None, before: DerivedRow | None) -> Version:
    now = space.clock()
    told = derived.changed_at if row is None else row.changed_at
    changed = None if told is None else min(told, now)
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
    """Drop what was read out of these files. Returns how many of them were in the index."""
    checkout = space.identity.checkout_id
    known = writer.code.files(checkout)
    writer.code.erase_derived(writer.code.derived(checkout, paths, OF_A_FILE))
    for path in paths:
        writer.code.drop_file(checkout, path)
    return sum(path in known for path in paths)


def owe_conclusions(space: OpenSpace, writer: Writer) -> None:
    """Something in the tree is new: what was concluded from all of it has to be concluded again."""
    token = space.new_id()
    writer.meta.set(conclusions_key(space), token)
    writer.meta.set(tree_changed_key(space), token)
