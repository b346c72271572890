"""Do memories still point at the same code? Verdicts are stored by checkout and file content.

A verdict rests on the content of the file pointed at; one that found the code in another file, on that file too; one that
found it nowhere, on the whole tree. While these are unchanged the verdict holds: switching back to a branch costs nothing and
changes no date.
"""

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from waypost.errors import StoreError
from waypost.facts.ageing import with_expiry
from waypost.flows.checkouts.treeless import as_judged, seen_elsewhere
from waypost.flows.links.follow import follow_reference, pin_of, searched_commit
from waypost.flows.open_space import OpenSpace, causes_key, judged_key
from waypost.model.code_link import CODE_CHANGED, CodeLink, LinkedMemory
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED, CodeVerdict
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference
from waypost.model.time import Moment, format_time
from waypost.refs.confidence import confidence
from waypost.store.protocol import Reader, ReferenceRow, StoredVerdict

if TYPE_CHECKING:
    from waypost.flows.checkouts.current_tree import TreeNow
    from waypost.flows.links.cause import CauseSearch

_LOOKED_FOR_AGAIN = timedelta(seconds=60)  # what was found nowhere may be just on its way to another file
_AT_ONCE = 64  # references whose earlier files are read in one go, if one of them is needed
_PAGE = 1_000  # references judged in one go: so many verdicts are written in one transaction

# How long to search for the commits that made memories stale.
SECONDS = 0.3  # for all memories of one check; the others are explained in the background
SECONDS_LISTED = 2.0  # for a list of stale memories
SECONDS_FOR_ONE = 20.0  # for a memory that is shown alone; much more than git needs on a busy machine
SECONDS_IN_BACKGROUND = 300.0
_CUT = "~"  # after a commit: the search for the cause took too long there; it is repeated with more time

Key = tuple[int, int]


def kept_view(space: OpenSpace, moment: Moment | None = None) -> View:
    return View(moment or Moment(space.clock()), KEPT_COLLECTIONS, space.identity.checkout_id)


def check(
    space: OpenSpace,
    rows: Sequence[ReferenceRow],
    *,
    again: bool = False,
    reader: Reader | None = None,
    seconds: float = SECONDS,
) -> dict[Key, StoredVerdict]:
    """The verdicts on these references for the tree as it is now.

    `again` judges them even if nothing seems to have changed. `reader` is an open transaction to read in. `seconds`: how
    long to search for the commits that changed the code. If that is not enough, a worker goes on.
    """
    from waypost.flows.checkouts.current_tree import TreeNow  # what reads files: only who shows a reference pays for it

    tree = TreeNow(space)
    if not tree.is_there:
        return {}
    verdicts: dict[Key, StoredVerdict] = {}
    for start in range(0, len(rows), _PAGE):
        with contextlib.nullcontext(reader) if reader is not None else space.store.read() as open_reader:
            verdicts |= _check_page(space, open_reader, tree, rows[start : start + _PAGE], again, seconds)
    if seconds < SECONDS_IN_BACKGROUND and any(map(_is_cut, verdicts.values())):
        _search_later(space)
    return verdicts


def explain_pending(space: OpenSpace) -> bool:
    """Search for the commits that could not be found in time. Returns whether there was something to search for."""
    key = causes_key(space)
    with space.store.read() as reader:
        if not reader.meta.get(key):
            return False
        rows = reader.references.visible(kept_view(space))
        verdicts = reader.references.verdicts(space.identity.checkout_id, {row.number for row in rows})
    with space.store.write() as writer:
        writer.meta.set(key, "")  # set again by those who look meanwhile
    cut = [row for row in rows if (verdict := verdicts.get((row.number, row.place))) is not None and _is_cut(verdict)]
    check(space, cut, seconds=SECONDS_IN_BACKGROUND)
    return True


def _search_later(space: OpenSpace) -> None:
    """Leave the search for causes to the worker."""
    key = causes_key(space)
    if not space.settings.background or not space.store.may_write:
        return
    with contextlib.suppress(StoreError):
        with space.store.read() as reader:
            if reader.meta.get(key):
                return
        with space.store.write() as writer:
            writer.meta.set(key, format_time(space.clock()))
        space.start_worker(space)


def _check_page(
    space: OpenSpace, reader: Reader, tree: "TreeNow", rows: Sequence[ReferenceRow], again: bool, seconds: float
) -> dict[Key, StoredVerdict]:
    from waypost.flows.links.cause import CauseSearch

    checkout, now = space.identity.checkout_id, space.clock()
    tree.look_up((row.reference.file_path for row in rows), reader)
    digests = {(row.number, row.place): tree.digest(row.reference.file_path) for row in rows}
    current = reader.references.verdicts(checkout, {row.number for row in rows})
    for row in rows:
        if not digests[row.number, row.place]:
            tree.note_missing(row.reference.file_path, row.reference.git_commit or "")
    earlier_verdicts = {} if again else reader.references.verdicts_for(checkout, digests)
    verdicts: dict[Key, StoredVerdict] = {}
    new: list[StoredVerdict] = []
    causes = CauseSearch(tree, seconds)
    for number, row in enumerate(rows):
        if number % _AT_ONCE == 0:
            tree.expect_past(_past_files_of(rows[number : number + _AT_ONCE], earlier_verdicts))
        key = (row.number, row.place)
        past_verdict = earlier_verdicts.get(key)
        if past_verdict is not None and _holds(past_verdict, row.reference, tree, now):
            explained = _explained(space, causes, row.reference, past_verdict)
            verdicts[key] = replace(explained, checked_at=now) if not past_verdict.tree else explained
            if key not in current or current[key].file_hash != past_verdict.file_hash or explained != past_verdict:
                new.append(explained)  # a branch that was looked at before: its verdict is the current one again
            continue
        before = current.get(key)
        finding = follow_reference(tree, row.reference, before)
        if finding.name == _symbol_of(row.reference):
            finding = replace(finding, name="")
        verdict = StoredVerdict(
            row.number,
            row.place,
            tree.digest(row.reference.file_path),  # of what was read: somebody may have saved it since we first looked
            finding,
            checked_at=now,
            since=_since(tree, row.reference, finding, before, past_verdict, now),
            target_hash=tree.digest(finding.path) if finding.path not in (None, row.reference.file_path) else b"",
            tree=tree.state if _rests_on_tree(finding) else "",
        )
        if before is not None and before.finding == finding and tree.descends_from(searched_commit(before)):
            verdict = replace(verdict, cause=before.cause, cause_searched_at=before.cause_searched_at)
        verdict = _explained(space, causes, row.reference, verdict)
        verdicts[key] = verdict
        if finding.state == UNCHECKED and tree.git_was_late:
            continue  # not stored: git is asked again next time
        if again or before is None or replace(before, checked_at=now) != verdict or before.tree:
            new.append(verdict)
    if new and space.store.may_write:
        # An answer does not fail because nothing can be noted: it is found again next time.
        with contextlib.suppress(StoreError), space.store.write() as writer:
            writer.references.put_verdicts(checkout, _still_meant(writer, rows, new))
            writer.meta.set(judged_key(checkout), format_time(now))
    return verdicts


def _past_files_of(rows: Sequence[ReferenceRow], judged: Collection[Key]) -> list[tuple[str, str]]:
    """The files with pinned lines as they were, fetched from git together with the first reference that is needed."""
    from waypost.refs.anchor import is_part

    references = [row.reference for row in rows if (row.number, row.place) not in judged]
    return [
        (reference.git_commit, reference.file_path)
        for reference in references
        if reference.git_commit and is_part(reference.anchor)
    ]


def _rests_on_tree(finding: CodeVerdict) -> bool:
    """Whether any other file can change the verdict, besides the reference the code was found in."""
    return finding.state in (DELETED, AMBIGUOUS, UNCHECKED) or (finding.searched and finding.state == CHANGED)


def _still_meant(reader: Reader, rows: Sequence[ReferenceRow], new: Sequence[StoredVerdict]) -> list[StoredVerdict]:
    """Without verdicts on references that were pinned again meanwhile: these are about other code."""
    judged = {(row.number, row.place): row.reference for row in rows}
    pinned = reader.memories.by_number({verdict.number for verdict in new})
    return [
        verdict
        for verdict in new
        if verdict.number in pinned
        and judged[verdict.number, verdict.place] in pinned[verdict.number].refs[verdict.place : verdict.place + 1]
    ]


def _explained(
    space: OpenSpace, causes: "CauseSearch", reference: CodeReference, verdict: StoredVerdict
) -> StoredVerdict:
    """With the commit that made it stale, and its time, if it is stale and there is one."""
    if verdict.cause is not None or not is_stale(space, reference, verdict.finding):
        return verdict
    head = causes.tree.head.commit
    searched = verdict.cause_searched_at
    if not head or searched == head or (searched == head + _CUT and causes.seconds <= SECONDS):
        return verdict
    cause = causes.find(reference, pin_of(reference), verdict.finding) if causes.has_time else None
    if causes.tree.git_was_late or (cause is None and not causes.has_time):
        return replace(verdict, cause_searched_at=head + _CUT)
    if cause is None:
        return replace(verdict, cause_searched_at=head)
    return replace(verdict, cause=cause, since=min(cause.at, verdict.checked_at), cause_searched_at="")


def _is_cut(verdict: StoredVerdict) -> bool:
    """Whether there was no time to find the commit that made it stale."""
    return verdict.cause is None and verdict.cause_searched_at.endswith(_CUT)


def _known_since(verdict: StoredVerdict) -> datetime | None:
    """Since when it is stale. None until the search for the commit is done: the time of the check would be wrong."""
    return None if _is_cut(verdict) else verdict.since


def _holds(verdict: StoredVerdict, reference: CodeReference, tree: "TreeNow", now: datetime) -> bool:
    finding = verdict.finding
    if verdict.tree and (verdict.tree != tree.state or now - verdict.checked_at >= _LOOKED_FOR_AGAIN):
        return False
    is_here = finding.path is None or finding.path == reference.file_path
    return is_here or tree.digest(finding.path or "") == verdict.target_hash


def _since(
    tree: "TreeNow",
    reference: CodeReference,
    finding: CodeVerdict,
    before: StoredVerdict | None,
    past_verdict: StoredVerdict | None,
    now: datetime,
) -> datetime | None:
    """Since when it is not as it was pinned: known from before, or when the file changed, or from now on."""
    if finding.state in (UNCHANGED, MOVED, UNCHECKED):
        return None
    for earlier in (before, past_verdict):
        if earlier is not None and earlier.since is not None:
            return earlier.since
    row = tree.row(finding.path) if finding.path is not None else None
    pinned = reference.last_verified_at or reference.created_at
    if (
        row is not None
        and bytes.fromhex(row.hash) == tree.digest(row.path)
        and pinned
        and pinned < row.changed_at < now
    ):
        return row.changed_at
    return now


def _symbol_of(reference: CodeReference) -> str:
    """The name that a symbol had when it was pinned: a verdict says only another one."""
    from waypost.refs.anchor import SYMBOL, unpack

    anchor = unpack(reference.anchor)
    return anchor.qualified if anchor is not None and anchor.what == SYMBOL else ""


def looked_at(
    space: OpenSpace, reader: Reader, versions: Sequence[Version], *, seconds: float = SECONDS
) -> dict[int, LinkedMemory]:
    """These versions, about to be shown, with their links as they are in the tree at this moment; by number.

    `seconds` as for `check`.
    """
    rows = [
        ReferenceRow(version.number, place, version.memory_id, reference)
        for version in versions
        if version.checkout_id is None
        for place, reference in enumerate(version.refs)
    ]
    verdicts = (check(space, rows, reader=reader, seconds=seconds) or None) if rows else {}
    return linked(space, reader, versions, verdicts)


def find_linked(space: OpenSpace, memory_id: str, moment: Moment) -> LinkedMemory:
    """One memory by its id, looked at in the tree."""
    from waypost.flows.links.hits import derived
    from waypost.flows.versions.conflicts import conflicts_of
    from waypost.flows.versions.current import find

    version = find(space, memory_id, moment).version
    if version.checkout_id is not None:
        with space.store.read() as reader:
            return derived(version, space.clock(), seen_elsewhere(space, reader))
    with space.store.read() as reader:
        memory = looked_at(space, reader, [version], seconds=SECONDS_FOR_ONE)[version.number]
        return replace(memory, conflict=conflicts_of(reader, [memory_id], moment).get(memory_id))


# -- what follows for the memory ------------------------------------------------------------------------------


def linked(
    space: OpenSpace,
    reader: Reader,
    versions: Sequence[Version],
    verdicts: Mapping[Key, StoredVerdict] | None = None,
) -> dict[int, LinkedMemory]:
    """These versions with their links, by number. Without verdicts, those that are known."""
    now, checkout = space.clock(), space.identity.checkout_id
    states = with_expiry(reader.memories.states([version.memory_id for version in versions]), now)
    if verdicts is None:
        pointing = [version.number for version in versions if version.refs]
        verdicts = reader.references.verdicts(checkout, pointing) if pointing else {}
    seen = seen_elsewhere(space, reader)
    if seen is not None:
        verdicts = as_judged(reader, seen, verdicts)
    where, usual = seen.root if seen is not None else "", State()
    return {
        version.number: link_memory(space, version, states.get(version.memory_id, usual), verdicts, now, where)
        for version in versions
    }


def link_memory(
    space: OpenSpace,
    version: Version,
    state: State,
    verdicts: Mapping[Key, StoredVerdict],
    now: datetime,
    where: str = "",
) -> LinkedMemory:
    """A memory with what became of the code it points at; `where` it was looked for, if not in the tree at hand."""
    if not version.refs:
        return LinkedMemory(version, state, (), confidence(version, state, now), seen_at=state.verified_at)
    judged = [(reference, verdicts.get((version.number, place))) for place, reference in enumerate(version.refs)]
    stale = [verdict is not None and is_stale(space, reference, verdict.finding) for reference, verdict in judged]
    seen = [_seen_at(reference, verdict) for reference, verdict in judged]
    seen_at = max((moment for moment in (*seen, state.verified_at) if moment), default=None)
    links = tuple(
        _link(version, state, reference, verdict, old, now, where)
        for (reference, verdict), old in zip(judged, stale, strict=True)
    )
    reasons = [link.reason for link in links if link.is_stale]
    if reasons:
        reason = state.stale_reason if state.is_stale else f"{CODE_CHANGED}{', '.join(reasons)}"
        state = replace(state, is_stale=True, stale_reason=reason)
    times = [_known_since(verdict) for (_, verdict), old in zip(judged, stale, strict=True) if old and verdict]
    since = None if None in times else min((moment for moment in times if moment), default=None)
    verified = state if state.verified_at == seen_at else replace(state, verified_at=seen_at)
    sure = confidence(version, verified, now)
    return LinkedMemory(version, state, links, sure, since, seen_at=seen_at)


def _seen_at(reference: CodeReference, verdict: StoredVerdict | None) -> datetime | None:
    """When it was last seen that the code is as it was pinned."""
    if verdict is not None and verdict.finding.state in (UNCHANGED, MOVED):
        return verdict.checked_at
    return reference.last_verified_at


def is_stale(space: OpenSpace, reference: CodeReference, finding: CodeVerdict) -> bool:
    """Whether so much of the code is another that what was said about it may be wrong."""
    if finding.state in (DELETED, AMBIGUOUS):
        return True
    if finding.state != CHANGED:
        return False
    whole = reference.whole or reference.line_range is None
    threshold = space.settings.stale_threshold_whole if whole else space.settings.stale_threshold
    return finding.amount > threshold or not threshold


def _link(
    version: Version,
    state: State,
    reference: CodeReference,
    verdict: StoredVerdict | None,
    stale: bool,
    now: datetime,
    where: str,
) -> CodeLink:
    finding = verdict.finding if verdict is not None else CodeVerdict(UNCHECKED)
    if not finding.name and finding.state in (UNCHANGED, MOVED, CHANGED):
        finding = replace(finding, name=_symbol_of(reference))
    here = replace(
        reference,
        file_path=finding.path or reference.file_path,
        line_range=finding.lines if finding.path is not None and finding.state != UNCHECKED else reference.line_range,
        stale_since=_known_since(verdict) if verdict is not None and stale else None,
    )
    seen = _seen_at(reference, verdict)
    score = confidence(version, replace(state, is_stale=stale, verified_at=seen), now)
    here = replace(here, last_verified_at=state.verified_at, confidence_score=score)
    checked_at, cause = (verdict.checked_at, verdict.cause) if verdict is not None else (None, None)
    return CodeLink(here, reference, finding, stale, checked_at, where, cause, _symbol_of(reference) if cause else "")
