"""The gateway: the only way a memory gets in, whoever calls.

validate (a `Draft` is) → mask secrets → tombstone? refuse → source and trust from the caller → duplicate? skip,
merge or add → passages → embed, outside the transaction → store with its audit row, in one transaction; what the
journal keeps is in its file before that is committed. What another process may have changed while we embedded is asked
again inside the transaction.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from waypost.errors import StoreUnavailable, WaypostError
from waypost.facts.duplicates import THRESHOLDS
from waypost.flows.index.current_tree import TreeNow
from waypost.flows.journal.files.sync import sync_in
from waypost.flows.journal.files.write import days_of, is_filed, journal_writer, write_through
from waypost.flows.links.draft_links import point_at_code
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.insert import WriteGate, judging_engine
from waypost.flows.write.masking import without_secrets
from waypost.flows.write.prepare import Embedded, Prepared, embed_items, placed, prepare
from waypost.journal.layout import PREFERENCES
from waypost.model.draft import Draft
from waypost.model.kinds import KINDS
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.store.protocol import Reader, Twin

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_TRIES = 3
CHUNK = 256  # drafts in one transaction: few syncs for a batch, short waits for other writers


def remember(space: OpenSpace, drafts: Sequence[Draft], caller: Caller, *, direct: bool) -> Iterator[Receipt]:
    """Write drafts in order. Each receipt is given out after its memory is on disk.

    `direct`: somebody says this now, so it may bring back what was corrected before. A batch, an import or an
    extractor may not, unless the draft's own time is later than the correction.
    """
    drafts = placed(space, drafts)  # before the first is written
    tree = TreeNow(space)
    for start in range(0, len(drafts), CHUNK):
        yield from _remember_patiently(space, tree, drafts[start : start + CHUNK], caller, direct)


def weigh(space: OpenSpace, drafts: Sequence[Draft], caller: Caller, *, direct: bool = False) -> list[Receipt]:
    """What would become of these drafts, one after the other, without storing any of them."""
    drafts = placed(space, drafts)
    tree = TreeNow(space)
    receipts: list[Receipt] = []
    for start in range(0, len(drafts), CHUNK):
        try:
            _remember_chunk(space, tree, drafts[start : start + CHUNK], caller, direct, receipts)
        except _OnlyWeighed:
            continue
    return receipts


def _remember_patiently(
    space: OpenSpace, tree: TreeNow, drafts: Sequence[Draft], caller: Caller, direct: bool
) -> list[Receipt]:
    """A connection that is cut in the middle is no reason to give up, as long as nothing was stored. What the journal keeps
    is not tried again: its file has it already, and the next look at that will bring it in."""
    for _ in range(_TRIES - 1):
        try:
            return _remember_chunk(space, tree, drafts, caller, direct)
        except StoreUnavailable as error:
            if not error.undone or any(KINDS[draft.kind].is_journal for draft in drafts):
                raise
    return _remember_chunk(space, tree, drafts, caller, direct)


class _OnlyWeighed(Exception):
    """Takes the transaction back."""


def _remember_chunk(
    space: OpenSpace,
    tree: TreeNow,
    drafts: Sequence[Draft],
    caller: Caller,
    direct: bool,
    only_weighed: list[Receipt] | None = None,
) -> list[Receipt]:
    key = space.tombstone_key()
    began = space.clock()
    hidden = [without_secrets(draft) for draft in drafts]
    pointed = point_at_code(space, tree, [draft for draft, _ in hidden], direct=direct)
    items = [
        replace(prepare(space, one.draft, caller, key, began), masked=masked)
        for one, (_, masked) in zip(pointed, hidden, strict=True)
    ]
    embedded = embed_items(space, items)
    with space.store.read() as reader:
        seen = reader.memories.last_number()
        twins = _twins(reader, space, items, embedded, since=0)
    filed = [item.version for item in items if is_filed(item.version)]
    with journal_writer(space, filed=bool(filed)) as writer:
        sync_in(space, writer, only=days_of(space, writer, filed))
        gate = WriteGate(space, writer, embedded, caller, direct, key)
        receipts = []
        now = space.clock()  # others may have written while we embedded
        for place, prepared in enumerate(items):
            item = replace(prepared, version=replace(prepared.version, recorded_at=now))
            newer = _twins(writer, space, [item], embedded, since=seen)[0]
            receipts.append(pointed[place].on(gate.admit(item, twins[place] + newer)))
        if only_weighed is not None:
            only_weighed += receipts
            raise _OnlyWeighed
        if filed:
            write_through(space, writer, [i for receipt in receipts for i in (receipt.id, receipt.replaces) if i])
    return _afterwards(space, items, receipts)


def _afterwards(space: OpenSpace, items: Sequence[Prepared], receipts: list[Receipt]) -> list[Receipt]:
    """What follows from what is stored by now. Whatever goes wrong here, the write has succeeded."""
    if any(receipt.pending for receipt in receipts):
        space.start_worker(space)
    return _keep_preferences(space, items, receipts)


def _keep_preferences(space: OpenSpace, items: Sequence[Prepared], receipts: list[Receipt]) -> list[Receipt]:
    """Put new preferences into their file. Where this fails, the receipts say why; upkeep tries again
    when it condenses the day."""
    added = {receipt.id for receipt in receipts if receipt.status == "added"}
    fresh = [item.version for item in items if item.version.kind == "preference" and item.version.memory_id in added]
    if not fresh:
        return receipts
    from waypost.flows.journal.preferences import promote_at_once  # few writes are preferences

    try:
        promote_at_once(space, fresh)
    except StoreUnavailable:
        return receipts
    except WaypostError as error:
        notice = f"It is stored, but not yet in {PREFERENCES}: {error.what} {error.remedy}"
        new = {version.memory_id for version in fresh}
        return [replace(one, notices=(*one.notices, notice)) if one.id in new else one for one in receipts]
    return receipts


def _twins(
    reader: Reader, space: OpenSpace, items: Sequence[Prepared], embedded: Embedded, *, since: int
) -> list[list[Twin]]:
    """For each item the current memories of its kind and domain that mean nearly the same, most alike first."""
    groups: dict[tuple[str, str, str], list[tuple[int, Vector]]] = defaultdict(list)
    for place, item in enumerate(items):
        engine = None if KINDS[item.version.kind].is_journal else judging_engine(space, item.passages)
        vector = embedded.of(engine, item.passages) if engine else None
        if engine and vector is not None:
            groups[engine, item.version.kind, item.version.domain].append((place, vector))
    found: list[list[Twin]] = [[] for _ in items]
    for (engine, kind, domain), members in groups.items():
        import numpy as np  # only where vectors are

        vectors = np.stack([vector for _, vector in members])
        for twin in reader.search.twins(engine, vectors, kind, domain, THRESHOLDS[engine][1], since):
            place = members[twin.index][0]
            found[place].append(replace(twin, index=place))
    return found
