"""The gateway: the only way to write a memory.

Outside the transaction: mask secrets, pin references, cut into passages, embed, find similar memories. Inside: decide
about each draft (`insert.py`) and store it with its audit row. A journal entry is in its file before the commit. What
other processes may have changed meanwhile is read again inside the transaction.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from waypost.errors import StoreUnavailable, WaypostError
from waypost.facts.contradictions import LEAST_SIMILARITY
from waypost.facts.duplicates import thresholds
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.journal_files.reconcile import sync_in
from waypost.flows.journal_files.write import day_files, is_filed, journal_writer, write_through
from waypost.flows.links.draft_links import point_at_code
from waypost.flows.links.repair import verify_repeated, with_hint_if_stale
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.masking import without_secrets
from waypost.flows.versions.prepare import Embedded, Prepared, embed_items, locate_drafts, prepare
from waypost.flows.write.insert import WriteGate, comparing_engine
from waypost.journal.layout import INDEX, PREFERENCES
from waypost.model.draft import Draft
from waypost.model.kinds import KINDS
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.store.protocol import Reader, Twin

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_TRIES = 3
_MOST_TWINS = 12  # memories that a draft is compared with, beside those that may say the same
CHUNK = 256  # drafts in one transaction: few syncs for a batch, short waits for other writers


def remember(space: OpenSpace, drafts: Sequence[Draft], caller: Caller, *, direct: bool) -> Iterator[Receipt]:
    """Write drafts in order. A receipt is returned after its memory is on disk.

    `direct`: somebody states this now, so it may restore what was corrected before. A batch, an import or an extractor
    may not, unless the draft has a later time than the correction.
    """
    drafts = locate_drafts(space, drafts)  # before the first is written
    tree = TreeNow(space)
    for start in range(0, len(drafts), CHUNK):
        yield from _remember_with_retries(space, tree, drafts[start : start + CHUNK], caller, direct)


def preview(space: OpenSpace, drafts: Sequence[Draft], caller: Caller) -> list[Receipt]:
    """What `remember` would do with these drafts, without storing any of them."""
    drafts = locate_drafts(space, drafts)
    tree = TreeNow(space)
    receipts: list[Receipt] = []
    for start in range(0, len(drafts), CHUNK):
        try:
            _remember_chunk(space, tree, drafts[start : start + CHUNK], caller, False, receipts)
        except _RollBack:
            continue
    return receipts


def _remember_with_retries(
    space: OpenSpace, tree: TreeNow, drafts: Sequence[Draft], caller: Caller, direct: bool
) -> list[Receipt]:
    """Retry when the connection is lost before anything was stored.

    Journal entries are not retried: their file has them already, and the next sync reads it.
    """
    for _ in range(_TRIES - 1):
        try:
            return _remember_chunk(space, tree, drafts, caller, direct)
        except StoreUnavailable as error:
            if not error.undone or any(KINDS[draft.kind].is_journal for draft in drafts):
                raise
    return _remember_chunk(space, tree, drafts, caller, direct)


class _RollBack(Exception):
    """Rolls the transaction back."""


def _remember_chunk(
    space: OpenSpace,
    tree: TreeNow,
    drafts: Sequence[Draft],
    caller: Caller,
    direct: bool,
    previewed: list[Receipt] | None = None,
) -> list[Receipt]:
    key = space.tombstone_key()
    now = space.clock()
    masked_drafts = [without_secrets(draft) for draft in drafts]
    pointed = point_at_code(space, tree, [draft for draft, _ in masked_drafts], direct=direct)
    items = [
        replace(prepare(space, pointed_draft.draft, caller, key, now), masked=masked)
        for pointed_draft, (_, masked) in zip(pointed, masked_drafts, strict=True)
    ]
    embedded = embed_items(space, items)
    with space.store.read() as reader:
        seen = reader.memories.last_number()
        twins = _twins(reader, space, items, embedded, since=0)
    filed = [item.version for item in items if is_filed(item.version)]
    with journal_writer(space, filed=bool(filed)) as writer:
        sync_in(space, writer, only=day_files(space, writer, filed))
        gate = WriteGate(space, writer, embedded, caller, direct, key)
        receipts = []
        recorded_at = space.clock()  # others may have written while we embedded
        for place, prepared in enumerate(items):
            item = replace(prepared, version=replace(prepared.version, recorded_at=recorded_at))
            newer = _twins(writer, space, [item], embedded, since=seen)[0]
            receipts.append(pointed[place].on(gate.admit(item, twins[place] + newer)))
        if previewed is not None:
            previewed += receipts
            raise _RollBack
        if filed:
            write_through(space, writer, [i for receipt in receipts for i in (receipt.id, receipt.replaces) if i])
    return _after_commit(space, items, receipts, caller)


def _after_commit(
    space: OpenSpace, items: Sequence[Prepared], receipts: list[Receipt], caller: Caller
) -> list[Receipt]:
    """Start what follows from the write. Failures here do not fail the write."""
    receipts = [
        verify_repeated(space, caller, receipt)
        if receipt.status == "duplicate" and receipt.id == item.draft.replaces
        else receipt
        for item, receipt in zip(items, receipts, strict=True)
    ]
    if len(items) == 1 and items[0].draft.replaces is None and receipts[0].status == "duplicate" and receipts[0].id:
        receipts = [with_hint_if_stale(space, receipts[0])]
    if any(receipt.pending for receipt in receipts):
        space.start_worker(space)
    _show_on_index(space, items, receipts)
    return _promote_preferences(space, items, receipts)


def _show_on_index(space: OpenSpace, items: Sequence[Prepared], receipts: Sequence[Receipt]) -> None:
    """Show what was said today on the journal's index page. If that fails, maintenance does it."""
    added = {receipt.id for receipt in receipts if receipt.status == "added"}
    today = space.journal.today(space.clock())
    said = [item.version for item in items if is_filed(item.version) and item.version.memory_id in added]
    if not any(space.journal.today(version.time or version.valid_from) == today for version in said):
        return
    if not space.journal.exists(INDEX):
        return
    from waypost.flows.journal_files.index_today import show_today  # only for journals with a page

    with suppress(WaypostError):
        show_today(space)


def _promote_preferences(space: OpenSpace, items: Sequence[Prepared], receipts: list[Receipt]) -> list[Receipt]:
    """Add new preferences to their file. If that fails, the receipts say why, and maintenance tries again."""
    added = {receipt.id for receipt in receipts if receipt.status == "added"}
    fresh = [item.version for item in items if item.version.kind == "preference" and item.version.memory_id in added]
    if not fresh:
        return receipts
    from waypost.flows.journal_files.preferences import promote_at_once  # few writes are preferences

    try:
        promote_at_once(space, fresh)
    except StoreUnavailable:
        return receipts
    except WaypostError as error:
        notice = f"It is stored, but not yet in {PREFERENCES}: {error.what} {error.remedy}"
        new = {version.memory_id for version in fresh}
        return [
            replace(receipt, notices=(*receipt.notices, notice)) if receipt.id in new else receipt
            for receipt in receipts
        ]
    return receipts


def _twins(
    reader: Reader, space: OpenSpace, items: Sequence[Prepared], embedded: Embedded, *, since: int
) -> list[list[Twin]]:
    """For each item the current memories of its kind and domain with a similar meaning, most similar first."""
    groups: dict[tuple[str, str, str], list[tuple[int, Vector]]] = defaultdict(list)
    for place, item in enumerate(items):
        engine = None if KINDS[item.version.kind].is_journal else comparing_engine(space, embedded, item.passages)
        vector = embedded.of(engine, item.passages) if engine else None
        if engine and vector is not None:
            groups[engine, item.version.kind, item.version.domain].append((place, vector))
    twins: list[list[Twin]] = [[] for _ in items]
    for (engine, kind, domain), members in groups.items():
        import numpy as np  # heavy, and without a model there are no vectors

        vectors = np.stack([vector for _, vector in members])
        for twin in reader.search.twins(engine, vectors, kind, domain, LEAST_SIMILARITY, since):
            place = members[twin.index][0]
            if len(twins[place]) < _MOST_TWINS or twin.similarity >= thresholds(engine)[1]:
                twins[place].append(replace(twin, index=place))
    return twins
