"""What imports into the journal have in common: entries through the gateway, files of people, a report, and the way back.

An import is noted before its first entry, and every file before it is written. What is here already is known by its key,
so whoever was interrupted runs it again. Undoing takes away the entries that nobody changed since, and of files exactly
what came with the import, where it still stands as it came.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from waypost.errors import NotFound, StoreError
from waypost.flows.journal.preferences import forget_promoted, promote_preferences
from waypost.flows.move.imports import Undone, batches, finish, register, undo_import, unfinished, unregister, write
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.masking import without_secrets
from waypost.flows.write.prepare import IMPORT, placed
from waypost.journal.summary.frame import split_frame
from waypost.model.draft import Draft
from waypost.model.journal import Entry, Score, ScoredEntry
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.store.protocol import Reader
from waypost.text.secrets.masking import mask

Progress = Callable[[int, int], None]  # entries done, of how many
_BATCH = 1024  # drafts between two notes of ids
_FILES = "import_files"  # in the table `meta`, by the import's id: the files of people that it wrote
_MOST_NOTICES = 200
_PREFERENCE = Score(0, 0, 0, 3, "imported as a preference", "")
_MOST_TRIES = 20  # to add to a file that somebody else keeps writing


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """Text for a file of people. `path` is logical, as everywhere in the journal."""

    path: str
    text: str
    upper: bool = False  # added to what people wrote above the generated part; else a file of its own


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import is going to bring."""

    origin: str
    path: Path
    drafts: Sequence[Draft]
    pages: tuple[ImportedPage, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryImportReport:
    """What came, or what would come."""

    id: str | None  # to undo it by; None when nothing was added
    origin: str
    days: int
    entries: int  # conversations and notes that were added
    preferences: int
    duplicates: int  # here already
    refused: int
    masked: int  # secrets
    files: tuple[str, ...] = ()  # of people, written or added to
    backup: str | None = None
    notices: tuple[str, ...] = ()
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "import": self.id,
            "from": self.origin,
            "days": self.days,
            "entries": self.entries,
            "preferences": self.preferences,
            "duplicates": self.duplicates,
            "refused": self.refused,
            "masked": self.masked,
            "files": list(self.files),
            "backup": self.backup,
            "notices": list(self.notices),
            "dry_run": self.dry_run,
        }


@dataclass(frozen=True, slots=True)
class Returned(Undone):
    """What an undo took back, of entries and of files."""

    files: tuple[str, ...] = ()  # removed, or without what had been added
    kept: tuple[str, ...] = ()  # changed since

    def to_json(self) -> dict[str, Any]:
        return {**Undone.to_json(self), "files": list(self.files), "kept": list(self.kept)}


def key_of(origin: str, *parts: str) -> str:
    """A key that the same words said at the same time always have."""
    mark = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
    return f"{origin}:{mark}"


# -- looking first


def survey(space: OpenSpace, plan: ImportPlan) -> EntryImportReport:
    """What the import would bring. Whether a tombstone refuses some of it shows when it is written."""
    counted = _Counted(space)
    with space.store.read() as reader:
        for draft in plan.drafts:
            known = _known(reader, draft) is not None
            masked = () if known else without_secrets(draft)[1]
            counted.add(draft, Receipt(None, "duplicate" if known else "added", draft.key, masked=masked))
    pages = tuple(page.path for page in plan.pages if _would_write(space, page))
    return counted.report(plan, None, pages, None, dry_run=True)


def _would_write(space: OpenSpace, page: ImportedPage) -> bool:
    held = _read(space, page.path)
    return held is None or (page.upper and not _stands_in(held, mask(page.text).text))


def _stands_in(held: str, text: str) -> bool:
    return text.strip() in held.replace("\r\n", "\n")


# -- bringing it


def bring(
    space: OpenSpace, plan: ImportPlan, caller: Caller, progress: Progress | None = None, backup: str | None = None
) -> EntryImportReport:
    """Write all of it: the entries through the gateway, then the files of people."""
    drafts = placed(space, plan.drafts)
    going_on = unfinished(space, plan.origin, plan.path)
    import_id = going_on or space.new_id()
    if going_on is None:
        register(space, import_id, plan.origin, plan.path)
    counted, liked, done = _Counted(space), list[Entry](), 0
    for batch in batches(drafts, _BATCH):
        for draft, receipt in _written(space, batch, caller, import_id):
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
            counted.masked += len(hidden.found)
    if counted.added or pages:
        finish(space, import_id)
        return counted.report(plan, import_id, tuple(pages), backup)
    unregister(space, import_id)
    return counted.report(plan, None, (), backup)


def _written(
    space: OpenSpace, drafts: Sequence[Draft], caller: Caller, import_id: str
) -> Iterator[tuple[Draft, Receipt]]:
    """What is here under its key needs no gateway: neither new words nor another correction."""
    known: list[Receipt | None] = []
    with space.store.read() as reader:
        for draft in drafts:
            held = _known(reader, draft)
            own = held is not None and held[1] == import_id  # written before this import was interrupted
            known.append(held and Receipt(held[0], "added" if own else "duplicate", draft.key))
    new = [draft for draft, receipt in zip(drafts, known, strict=True) if receipt is None]
    receipts = write(space, new, caller, import_id) if new else iter(())
    for draft, receipt in zip(drafts, known, strict=True):
        yield draft, receipt or next(receipts)


def _known(reader: Reader, draft: Draft) -> tuple[str, object] | None:
    held = reader.memories.with_key(draft.key) if draft.key else None
    return (held.memory_id, held.details.get(IMPORT)) if held else None


class _Counted:
    """Sums over the receipts."""

    def __init__(self, space: OpenSpace) -> None:
        self.journal = space.journal
        self.days: set[date] = set()
        self.added = self.preferences = self.duplicates = self.refused = self.masked = 0
        self.told: list[str] = []
        self.untold = 0

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
            self.tell(f"refused: {mask(draft.text[:60]).text!r}: {receipt.reason}")

    def tell(self, what: str) -> None:
        if len(self.told) < _MOST_NOTICES:
            self.told.append(what)
        else:
            self.untold += 1

    def report(
        self,
        plan: ImportPlan,
        import_id: str | None,
        files: tuple[str, ...],
        backup: str | None,
        *,
        dry_run: bool = False,
    ) -> EntryImportReport:
        more = [f"and {self.untold:,} more"] if self.untold else []
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
            (*(mask(one).text for one in plan.notices), *self.told, *more),
            dry_run,
        )


# -- files of people


def _write_page(space: OpenSpace, page: ImportedPage, import_id: str) -> bool:
    """Write or extend a file, noted first. No: it is there, or says that already."""
    text = page.text.strip("\n") + "\n"
    for _ in range(_MOST_TRIES):
        with space.journal.locked():
            held = _read(space, page.path)
            if held is not None and (not page.upper or _stands_in(held, text)):
                return False
            after = text if held is None else _inserted(held, text)
            _note_page(space, import_id, page.path, text, created=held is None)
            if space.journal.replace(page.path, after, expected=held):
                return True
    raise StoreError(f"{page.path} is written again and again.", "Close what writes it, and repeat the import.")


def _inserted(held: str, text: str) -> str:
    """The page with the text below what people wrote."""
    upper = split_frame(held).before
    newline = "\r\n" if "\r\n" in held else "\n"
    start = upper if not upper or upper.endswith("\n") else upper + newline
    gap = "" if not start or start.endswith(newline * 2) else newline
    rest = held[len(upper) :]
    return start + gap + text.replace("\n", newline) + (newline if rest else "") + rest


def _note_page(space: OpenSpace, import_id: str, path: str, text: str, *, created: bool) -> None:
    with space.store.write() as writer:
        noted = json.loads(writer.meta.get(f"{_FILES}:{import_id}") or "[]")
        noted = [one for one in noted if one["path"] != path]  # tried before
        writer.meta.set(f"{_FILES}:{import_id}", json.dumps([*noted, {"path": path, "text": text, "created": created}]))


def _read(space: OpenSpace, path: str) -> str | None:
    try:
        return space.journal.read(path)
    except NotFound:
        return None


# -- taking it back


def undo(space: OpenSpace, which: str | Path | None, caller: Caller, *, origin: str | None = None) -> Returned:
    """Take back what an import into the journal brought: entries that nobody changed since, and what it wrote into files
    of people, where it still stands so."""
    done = undo_import(space, which, caller, origin=origin)
    forget_promoted(space, done.retracted)
    with space.store.read() as reader:
        noted = json.loads(reader.meta.get(f"{_FILES}:{done.id}") or "[]")
    gone: list[str] = []
    kept: list[str] = []
    for one in reversed(noted):
        (gone if _take_back(space, one) else kept).append(one["path"])
    with space.store.write() as writer:
        writer.meta.set(f"{_FILES}:{done.id}", "[]")
    return Returned(done.id, done.retracted, done.left, done.restored, tuple(gone), tuple(kept))


def _take_back(space: OpenSpace, noted: dict[str, Any]) -> bool:
    path, text = noted["path"], noted["text"]
    for _ in range(_MOST_TRIES):
        with space.journal.locked():
            held = _read(space, path)
            if held is None or (noted["created"] and held == text):
                space.journal.remove(path)
                return True
            block = text if text in held else text.replace("\n", "\r\n")
            if block not in held:
                return False
            newline = "\r\n" if "\r\n" in held else "\n"
            start, _, end = held.partition(block)
            joined = start + end.removeprefix(newline) if end else start.removesuffix(newline)
            if space.journal.replace(path, joined, expected=held):
                return True
    return False
