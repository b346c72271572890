"""Repair where memories point: verify them, follow moved code, drop references to deleted code."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from waypost.errors import InvalidInput, NotFound
from waypost.facts.ageing import renewal_changes
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.links.draft_links import linked_by_text
from waypost.flows.links.elsewhere import where_alive
from waypost.flows.links.pin import pin_reference, reference_rows, repin_reference
from waypost.flows.links.staleness import check, find_linked, is_stale, kept_view, linked
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.flows.versions.authority import is_outranked, refuse_outranked
from waypost.flows.versions.current import (
    audit,
    current_version,
    current_versions,
    find,
    nothing_new,
    refuse_derived,
    visible_version,
)
from waypost.flows.versions.prepare import put
from waypost.model.code_link import LinkedMemory
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.ids import check_id
from waypost.model.json_row import json_row
from waypost.model.kinds import KINDS
from waypost.model.memory import Caller, State, Version
from waypost.model.receipt import Receipt
from waypost.model.reference import CodeReference, merge_references
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.space.place import safe_relative_path
from waypost.store.protocol import Filter, ReferenceRow, StoredVerdict, Writer

_MOST_OLDER = 5_000
_LINKED_KINDS = tuple(kind.name for kind in KINDS.values() if not kind.derived and not kind.is_journal)


@dataclass(frozen=True, slots=True)
class Repaired:
    memories: tuple[LinkedMemory, ...]  # after the repair
    left: tuple[str, ...] = ()  # why others were not repaired

    def to_json(self) -> dict[str, Any]:
        return json_row(self, count=len(self.memories))


def verify(
    space: OpenSpace,
    caller: Caller,
    memory_ids: Sequence[str],
    *,
    files: Sequence[str] | None = None,
    every: bool = False,
) -> Repaired:
    """Confirm that memories are true of the current code, and pin them to it.

    `files`: all memories about these files; `every`: all stale ones. A memory whose code is gone cannot be verified,
    only relinked. Lifetimes restart. Only a person verifies a person's memory: raises PersonOnly if one is named, and
    skips it otherwise.
    """
    versions = _select(space, dict.fromkeys(memory_ids), files, every)
    if memory_ids:
        refuse_outranked(caller, versions, "verify it")
    left: dict[str, list[str]] = {}
    for version in versions:
        if is_outranked(caller, [version]):
            left[version.memory_id] = [f"{version.memory_id}: a person said it; only a person can verify it."]
    versions = [version for version in versions if version.memory_id not in left]
    rows = reference_rows(versions)
    if rows and space.identity.is_away:
        tree_of(space)  # raises NotFound: the code can't be checked from here
    verdicts = check(space, rows, again=True)
    tree, now = TreeNow(space), space.clock()
    pins: dict[int, dict[int, CodeReference]] = {version.number: {} for version in versions}
    states: dict[int, list[str]] = {version.number: [] for version in versions}
    for row in rows:
        if tree.is_another(row.reference.repo_id):
            continue
        verdict = verdicts.get((row.number, row.place))
        pinned = _pin_of(space, tree, row.reference, verdict)
        if pinned is None:
            gone = verdict is not None and verdict.finding.state in (DELETED, AMBIGUOUS)
            why = "is not there any more" if gone else "cannot be looked at"
            problem = f"{row.memory_id}: {row.reference} {why}; point it elsewhere with `waypost relink`."
            left.setdefault(row.memory_id, []).append(problem)
        elif verdict is not None:
            pins[row.number][row.place] = pinned
            states[row.number].append(verdict.finding.state)
    with space.store.write() as writer:
        for version in versions:
            memory_id = version.memory_id
            if memory_id in left:
                continue
            if version.number not in {current.number for current in current_versions(writer, memory_id)}:
                left[memory_id] = [f"{memory_id}: it was just changed by another; look at it again."]
                continue
            _repin(space, writer, version, pins[version.number])
            state = writer.memories.states([memory_id]).get(memory_id, State())
            writer.memories.set_state(
                memory_id, **renewal_changes(state, now) | {"is_stale": False, "stale_reason": None}, verified_at=now
            )
            audit(space, writer, "verify", memory_id, caller, {"found": states[version.number]})
    done = [version for version in versions if version.memory_id not in left]
    return Repaired(_current_state(space, done), tuple(line for lines in left.values() for line in lines))


def verify_repeated(space: OpenSpace, caller: Caller, receipt: Receipt) -> Receipt:
    """Verify a stale memory, since somebody repeats what it says and names its id."""
    memory = find_linked(space, receipt.id or "", Moment(space.clock()))
    if not memory.state.is_stale:
        return receipt
    if is_outranked(caller, [memory.version]):
        return replace(receipt, reason=f"{receipt.reason}; a person said it, so only a person can verify it")
    repaired = verify(space, caller, [memory.id])
    return replace(receipt, reason="; ".join((receipt.reason or "", *(repaired.left or ("it is verified now",)))))


def with_hint_if_stale(space: OpenSpace, receipt: Receipt) -> Receipt:
    """Say how to verify a memory that is repeated without its id, if it was stale when last looked at."""
    version = find(space, receipt.id or "").version
    with space.store.read() as reader:
        memory = linked(space, reader, [version])[version.number]
    if not memory.state.is_stale:
        return receipt
    hint = f"it is stale; if it is still true, `waypost verify {version.memory_id}` or repeat it with this id"
    return replace(receipt, reason="; ".join((receipt.reason or "", hint)))


def _pin_of(
    space: OpenSpace, tree: TreeNow, reference: CodeReference, verdict: StoredVerdict | None
) -> CodeReference | None:
    """The reference pinned to the code found for it, or None if nothing was found."""
    if verdict is None or verdict.finding.state in (DELETED, AMBIGUOUS) or verdict.finding.path is None:
        return None
    pinned = repin_reference(space, tree, reference, verdict.finding)
    return pinned if pinned.anchor or pinned.code_hash else None


def _repin(space: OpenSpace, writer: Writer, version: Version, pins: Mapping[int, CodeReference]) -> None:
    """Judge the version by this code from now on. A new version is stored if it points at another file now."""
    if all(version.refs[place].file_path == reference.file_path for place, reference in pins.items()):
        for place, reference in pins.items():
            writer.references.repin(version.number, place, reference)
        return
    refs = tuple(pins.get(place, reference) for place, reference in enumerate(version.refs))
    moved = replace(version, refs=refs, recorded_at=space.clock())
    writer.memories.supersede(version.number, moved.recorded_at)
    put(writer, moved, passages_of(moved), nothing_new(space, writer))


def relink(
    space: OpenSpace,
    caller: Caller,
    memory_id: str | None = None,
    refs: Sequence[str | CodeReference] | None = None,
    *,
    add: bool = False,
    every: bool = False,
    drop: bool = False,
) -> Repaired:
    """Point a memory at other code: at `refs` (`add` keeps the old ones), or at where its code has moved to.

    `every`: all memories whose code has moved. `drop` removes references to code that no known branch or checkout has any more; the history keeps them. This
    confirms nothing: a memory whose code has changed stays stale until it is verified.
    """
    tree_of(space)
    if refs is not None and (every or memory_id is None):
        raise InvalidInput("References are given for one memory.", "Name it: waypost relink ID --ref PATH#L1-L9.")
    if memory_id is not None:
        versions = _select(space, [memory_id], None, False)
    elif every or drop:
        versions = _select(space, [], None, True, moved=every, gone=drop)
    else:
        raise InvalidInput("No memory is named.", "Give an id, or --all for everything whose code has moved.")
    if refs is not None:
        refuse_outranked(caller, versions, "choose where it points")
    verdicts = check(space, reference_rows(versions), again=True)
    tree, changed, left = TreeNow(space), list[Version](), list[str]()
    for version in versions:
        by_place = {place: verdicts.get((version.number, place)) for place in range(len(version.refs))}
        findings = {place: verdict.finding for place, verdict in by_place.items() if verdict is not None}
        if refs is not None:
            given = tuple(_pin_or_refuse(space, tree, ref) for ref in refs)
            new = merge_references(version.refs, given) if add else given
        else:
            theirs = drop and is_outranked(caller, [version])
            new = _follow_moved(space, tree, version, findings, drop and not theirs, left)
            left += [f"{version.memory_id}: a person said it; only a person can take a reference away."] * theirs
        if new != version.refs:
            changed.append(replace(version, refs=new))
    _store(space, caller, changed)
    return Repaired(_current_state(space, changed), tuple(left))


def _follow_moved(
    space: OpenSpace, tree: TreeNow, version: Version, findings: dict[int, CodeVerdict], drop: bool, left: list[str]
) -> tuple[CodeReference, ...]:
    kept: list[CodeReference] = []
    for place, reference in enumerate(version.refs):
        finding = findings.get(place)
        if finding is None or finding.state == UNCHANGED:
            kept.append(reference)
        elif _has_moved(space, reference, finding):
            kept.append(repin_reference(space, tree, reference, finding))
        elif finding.state == DELETED and drop:
            where = where_alive(space, tree, version.number, place, reference)
            if where:
                kept.append(reference)
                left.append(f"{version.memory_id}: {reference} is still on {where}; give a place with --ref instead.")
        else:
            kept.append(reference)
            if is_stale(space, reference, finding):
                left.append(f"{version.memory_id}: {_why_left(reference, finding)}")
    return tuple(kept)


def _why_left(reference: CodeReference, finding: CodeVerdict) -> str:
    if finding.state == DELETED:
        return f"{reference} is gone; give a place with --ref, or take the reference away with --drop."
    if finding.state == AMBIGUOUS:
        places = " or ".join(finding.others[:3]) or "several places"
        return f"{reference} could be {places}; say which with --ref."
    return f"{reference} has changed; if the memory is still true, `waypost verify` it."


def _pin_or_refuse(space: OpenSpace, tree: TreeNow, given: str | CodeReference) -> CodeReference:
    reference = CodeReference.parse(given) if isinstance(given, str) else given
    pinned = pin_reference(space, tree, reference, space.clock())
    if pinned.notice and not pinned.reference.anchor:
        raise InvalidInput(pinned.notice, "Name a file, lines or a symbol that is there.")
    return pinned.reference


def _store(space: OpenSpace, caller: Caller, changed: Sequence[Version], *, action: str = "relink") -> None:
    """Store new versions with other references, so that the history keeps the old ones."""
    if not changed:
        return
    with space.store.write() as writer:
        embedded, now = nothing_new(space, writer), space.clock()  # valid from now: the code was checked before
        for version in changed:
            current_numbers = {current.number for current in current_versions(writer, version.memory_id)}
            if version.number not in current_numbers:
                raise NotFound(f"The memory {version.memory_id} was just changed by another.", "Try again.")
            writer.memories.supersede(version.number, now)
            put(writer, replace(version, recorded_at=now), passages_of(version), embedded)
            # How many, not where: the log outlives forgotten memories. The versions have the places.
            audit(space, writer, action, version.memory_id, caller, {"refs": len(version.refs)})


def _select(
    space: OpenSpace,
    memory_ids: Iterable[str],
    files: Sequence[str] | None,
    every: bool,
    *,
    moved: bool = False,
    gone: bool = False,
) -> list[Version]:
    """The versions to repair: by id, by file, or every stale (or moved, or deleted) one."""
    moment = Moment(space.clock())
    with space.store.read() as reader:
        chosen = [visible_version(reader, check_id(memory_id), moment) for memory_id in memory_ids]
        for version in chosen:
            refuse_derived(version)
        view = kept_view(space, moment)
        rows: Iterable[ReferenceRow] = ()
        if files is not None:
            paths = [safe_relative_path(tree_of(space), path) for path in files]
            both = [*paths, *(f"{path}/" for path in paths)]
            rows = reader.references.to_files(space.identity.checkout_id, both, view)
        elif every:
            tree_of(space) if space.identity.is_away else None
            rows = reader.references.visible(view)
        verdicts = check(space, list(rows)) if every else {}
        numbers: dict[int, None] = {}
        for row in rows:
            if every:
                verdict = verdicts.get((row.number, row.place))
                finding = verdict.finding if verdict is not None else None
                if finding is None or not _is_selected(space, row.reference, finding, moved, gone):
                    continue
            numbers[row.number] = None
        numbers_chosen = {version.number for version in chosen}
        chosen += reader.memories.by_number([number for number in numbers if number not in numbers_chosen]).values()
    return chosen


def _is_selected(space: OpenSpace, reference: CodeReference, finding: CodeVerdict, moved: bool, gone: bool) -> bool:
    if moved or gone:
        return (moved and _has_moved(space, reference, finding)) or (gone and finding.state == DELETED)
    return is_stale(space, reference, finding)


def _has_moved(space: OpenSpace, reference: CodeReference, finding: CodeVerdict) -> bool:
    """Whether the code is at another place, and still the same."""
    if finding.path is None or is_stale(space, reference, finding):
        return False
    return finding.state == MOVED or (finding.state == CHANGED and finding.path != reference.file_path)


def link_older(space: OpenSpace, caller: Caller, *, dry_run: bool = False) -> int:
    """Link memories that name code and were written before it was indexed. Returns how many."""
    with space.store.read() as reader:
        if not space.identity.has_tree or not reader.code.has_any(space.identity.checkout_id):
            return 0
        versions = reader.memories.latest(kept_view(space), Filter(kinds=_LINKED_KINDS), _MOST_OLDER)
    tree, linked_versions = TreeNow(space), list[Version]()
    for version in versions:
        links = () if version.refs else linked_by_text(space, tree, version.text)[0]
        if links:
            linked_versions.append(replace(version, refs=links))
    if not dry_run:
        _store(space, caller, linked_versions, action="link")
    return len(linked_versions)


def _current_state(space: OpenSpace, versions: Sequence[Version]) -> tuple[LinkedMemory, ...]:
    with space.store.read() as reader:
        current = [
            version
            for memory_id in dict.fromkeys(version.memory_id for version in versions)
            if (version := current_version(reader, memory_id, Moment(space.clock()))) is not None
        ]
        rows = reference_rows(current)
        verdicts = check(space, rows)
        return tuple(linked(space, reader, current, verdicts).values())
