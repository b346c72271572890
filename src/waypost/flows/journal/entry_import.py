"""What imports into the journal share: entries through the gateway, people's files, a report, and undo.

An import is stored before its first entry, and every file before it is written. Entries have keys, so an interrupted
import can be repeated. Undo removes entries that nobody changed since, and exactly the imported text from files.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from waypost.errors import StoreError
from waypost.flows.journal_files.erase_from_files import ErasedEntries
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.preferences import forget_promoted, promote_preferences
from waypost.flows.move.imports import (
    Undone,
    batches,
    finish,
    read_imports,
    register,
    undo_import,
    unfinished,
    unregister,
    write,
)
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.masking import without_secrets
from waypost.flows.versions.prepare import locate_drafts
from waypost.journal.period_pages.frame import split_frame
from waypost.model.draft import Draft
from waypost.model.journal import Entry, Score, ScoredEntry
from waypost.model.memory import IMPORT, Caller
from waypost.model.receipt import Receipt
from waypost.store.protocol import Reader, Writer
from waypost.text.secrets.masking import mask

Progress = Callable[[int, int], None]  # entries done, total
_BATCH = 1024  # drafts between two notes of ids
_FILES = "import_files"  # in the table `meta`, by the import's id: files that it wrote
_MOST_NOTICES = 200
_PREFERENCE = Score(0, 0, 0, 3, "imported as a preference", "")
_MOST_TRIES = 20  # to change a file that another process keeps writing


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """Text for a file of people. `path` is relative to the journal."""

    path: str
    text: str
    upper: bool = False  # added above the generated part of the page; else a file of its own


@dataclass(frozen=True, slots=True)
class ImportPlan:
    origin: str
    path: Path
    drafts: Sequence[Draft]
    pages: tuple[ImportedPage, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryImportReport:
    id: str | None  # for undo; None if nothing was added
    origin: str
    days: int
    entries: int  # conversations and notes that were added
    preferences: int
    duplicates: int  # stored already
    refused: int
    masked: int  # secrets
    files: tuple[str, ...] = ()  # written or extended
    backup: str | None = None
    notices: tuple[str, ...] = ()
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        fields = asdict(self) | {"files": list(self.files), "notices": list(self.notices)}
        return {"import": fields.pop("id"), "from": fields.pop("origin"), **fields}


@dataclass(frozen=True, slots=True)
class Returned(Undone):
    """What an undo removed: entries and text in files."""

    files: tuple[str, ...] = ()  # removed, or without the added text
    kept: tuple[str, ...] = ()  # changed since

    def to_json(self) -> dict[str, Any]:
        return {**Undone.to_json(self), "files": list(self.files), "kept": list(self.kept)}


def key_of(origin: str, *parts: str) -> str:
    """A key that is the same for the same text at the same time."""
    mark = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
    return f"{origin}:{mark}"


# -- preview


def survey(space: OpenSpace, plan: ImportPlan) -> EntryImportReport:
    """What the import would add. Tombstones are only checked when it is written."""
    counted = _Counted(space)
    with space.store.read() as reader:
        for draft in plan.drafts:
            is_stored = _stored_id_and_import(reader, draft) is not None
            masked = () if is_stored else without_secrets(draft)[1]
            counted.add(draft, Receipt(None, "duplicate" if is_stored else "added", draft.key, masked=masked))
    pages = tuple(page.path for page in plan.pages if _would_write(space, page))
    return counted.report(plan, None, pages, None, dry_run=True)


def _would_write(space: OpenSpace, page: ImportedPage) -> bool:
    content = space.journal.read_or_none(page.path)
    return content is None or (page.upper and not _contains(content, mask(page.text).text))


def _contains(content: str, text: str) -> bool:
    return text.strip() in content.replace("\r\n", "\n")


# -- import


def bring(
    space: OpenSpace, plan: ImportPlan, caller: Caller, progress: Progress | None = None, backup: str | None = None
) -> EntryImportReport:
    """Import everything: entries through the gateway, then people's files."""
    drafts = locate_drafts(space, plan.drafts)
    going_on = unfinished(space, plan.origin, plan.path)
    import_id = going_on or space.new_id()
    if going_on is None:
        register(space, import_id, plan.origin, plan.path)
    counted, liked, done = _Counted(space), list[Entry](), 0
    for batch in batches(drafts, _BATCH):
        for draft, receipt in _write_new(space, batch, caller, import_id):
            counted.add(draft, receipt)
            if draft.kind == "preference" and receipt.id and receipt.status == "added":
                liked.append(Entry(draft.text, draft.time or space.clock(), draft.kind, draft.speaker, receipt.id))
            done += 1
            if progress is not None and (done % 256 == 0 or done == len(drafts)):
                progress(done, len(drafts))
    promote_preferences(space, [ScoredEntry(entry, _PREFERENCE) for entry in liked])
    pages = []
    for page in plan.pages:
        hidden = mask(page.text)
        if _write_page(space, replace(page, text=hidden.text), import_id):
            pages.append(page.path)
            counted.masked += len(hidden.findings)
    if counted.added or pages:
        finish(space, import_id)
        note(space, "imported", id=import_id, origin=plan.origin, entries=counted.added, files=pages)
        return counted.report(plan, import_id, tuple(pages), backup)
    unregister(space, import_id)
    return counted.report(plan, None, (), backup)


def _write_new(
    space: OpenSpace, drafts: Sequence[Draft], caller: Caller, import_id: str
) -> Iterator[tuple[Draft, Receipt]]:
    """Receipts of all drafts. Stored ones skip the gateway: they bring no new text."""
    receipts_known: list[Receipt | None] = []
    with space.store.read() as reader:
        for draft in drafts:
            stored = _stored_id_and_import(reader, draft)
            own = stored is not None and stored[1] == import_id  # written before this import was interrupted
            receipts_known.append(stored and Receipt(stored[0], "added" if own else "duplicate", draft.key))
    new = [draft for draft, receipt in zip(drafts, receipts_known, strict=True) if receipt is None]
    receipts = write(space, new, caller, import_id) if new else iter(())
    for draft, receipt in zip(drafts, receipts_known, strict=True):
        yield draft, receipt or next(receipts)


def _stored_id_and_import(reader: Reader, draft: Draft) -> tuple[str, object] | None:
    stored = reader.memories.with_key(draft.key) if draft.key else None
    return (stored.memory_id, stored.details.get(IMPORT)) if stored else None


class _Counted:
    def __init__(self, space: OpenSpace) -> None:
        self.journal = space.journal
        self.days: set[date] = set()
        self.added = self.preferences = self.duplicates = self.refused = self.masked = 0
        self.notices: list[str] = []
        self.more_notices = 0

    def add(self, draft: Draft, receipt: Receipt) -> None:
        self.masked += len(receipt.masked)
        if receipt.status in ("added", "merged"):
            self.added += 1
            self.preferences += draft.kind == "preference"
            if draft.time is not None:
                self.days.add(self.journal.local(draft.time).date())
        elif receipt.status == "duplicate":
            self.duplicates += 1
        else:
            self.refused += 1
            self.note(f"refused: {mask(draft.text[:60]).text!r}: {receipt.reason}")

    def note(self, what: str) -> None:
        if len(self.notices) < _MOST_NOTICES:
            self.notices.append(what)
        else:
            self.more_notices += 1

    def report(
        self,
        plan: ImportPlan,
        import_id: str | None,
        files: tuple[str, ...],
        backup: str | None,
        *,
        dry_run: bool = False,
    ) -> EntryImportReport:
        more = [f"and {self.more_notices:,} more"] if self.more_notices else []
        return EntryImportReport(
            import_id,
            plan.origin,
            len(self.days),
            self.added - self.preferences,
            self.preferences,
            self.duplicates,
            self.refused,
            self.masked,
            files,
            backup,
            (*(mask(notice).text for notice in plan.notices), *self.notices, *more),
            dry_run,
        )


# -- files of people


def _write_page(space: OpenSpace, page: ImportedPage, import_id: str) -> bool:
    """Write or extend a file, and store that before. Returns False if the file has the text already."""
    text = page.text.strip("\n") + "\n"
    for _ in range(_MOST_TRIES):
        with space.journal.locked():
            content = space.journal.read_or_none(page.path)
            if content is not None and (not page.upper or _contains(content, text)):
                return False
            after = text if content is None else _with_text_below(content, text)
            _note_page(space, import_id, page.path, text, created=content is None)
            if space.journal.replace(page.path, after, expected=content):
                return True
    raise StoreError(f"{page.path} is written again and again.", "Close what writes it, and repeat the import.")


def _with_text_below(content: str, text: str) -> str:
    upper = split_frame(content).before
    newline = "\r\n" if "\r\n" in content else "\n"
    start = upper if not upper or upper.endswith("\n") else upper + newline
    gap = "" if not start or start.endswith(newline * 2) else newline
    rest = content[len(upper) :]
    return start + gap + text.replace("\n", newline) + (newline if rest else "") + rest


def _note_page(space: OpenSpace, import_id: str, path: str, text: str, *, created: bool) -> None:
    with space.store.write() as writer:
        noted = json.loads(writer.meta.get(f"{_FILES}:{import_id}") or "[]")
        noted = [entry for entry in noted if entry["path"] != path]  # an earlier try
        writer.meta.set(f"{_FILES}:{import_id}", json.dumps([*noted, {"path": path, "text": text, "created": created}]))


def erase_from_notes(writer: Writer, texts: Iterable[str]) -> None:
    """Erase copies of these texts from what is noted about imported files."""
    erased = ErasedEntries(frozenset(), tuple(texts), frozenset())
    for key in (f"{_FILES}:{row['id']}" for row in read_imports(writer)):
        pages = json.loads(writer.meta.get(key) or "[]")
        cleaned = [{**page, "text": erased.without_copies(page["text"])} for page in pages]
        if cleaned != pages:
            writer.meta.set(key, json.dumps(cleaned))


# -- undo


def undo(space: OpenSpace, which: str | Path | None, caller: Caller, *, origin: str | None = None) -> Returned:
    """Undo an import: remove unchanged entries, and its text in files where it is unchanged."""
    done = undo_import(space, which, caller, origin=origin)
    forget_promoted(space, done.retracted)
    with space.store.read() as reader:
        noted = json.loads(reader.meta.get(f"{_FILES}:{done.id}") or "[]")
    gone: list[str] = []
    kept: list[str] = []
    for entry in reversed(noted):
        (gone if _remove_from_file(space, entry) else kept).append(entry["path"])
    with space.store.write() as writer:
        writer.meta.set(f"{_FILES}:{done.id}", "[]")
    return Returned(done.id, done.retracted, done.left, done.restored, tuple(gone), tuple(kept))


def _remove_from_file(space: OpenSpace, noted: dict[str, Any]) -> bool:
    path, text = noted["path"], noted["text"]
    for _ in range(_MOST_TRIES):
        with space.journal.locked():
            content = space.journal.read_or_none(path)
            if content is None or (noted["created"] and content == text):
                space.journal.remove(path)
                return True
            block = text if text in content else text.replace("\n", "\r\n")
            if block not in content:
                return False
            newline = "\r\n" if "\r\n" in content else "\n"
            start, _, end = content.partition(block)
            joined = start + end.removeprefix(newline) if end else start.removesuffix(newline)
            if space.journal.replace(path, joined, expected=content):
                return True
    return False
