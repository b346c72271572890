"""Putting right where memories point: after somebody looked, after code moved, after it is gone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from waypost.errors import InvalidInput, NotFound
from waypost.facts.ageing import renewed
from waypost.flows.index.current_tree import TreeNow
from waypost.flows.links.draft_links import linked_by_text
from waypost.flows.links.pin import pin_reference
from waypost.flows.links.repin import pinned_at, reference_rows
from waypost.flows.links.staleness import check, is_stale, kept_view, linked
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.flows.recall.versions import audit, held_versions, nothing_new, refuse_derived, visible_version
from waypost.flows.write.authority import is_outranked, refuse_outranked
from waypost.flows.write.prepare import put
from waypost.model.code_link import LinkedMemory
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import Caller, State, Version
from waypost.model.reference import CodeReference, merge_references
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.space.place import safe_relative_path
from waypost.store.protocol import Filter, Reader, ReferenceRow, StoredVerdict, Writer

_MOST_OLDER = 5_000
_LINKED_KINDS = tuple(kind.name for kind in KINDS.values() if not kind.derived and not kind.is_journal)


@dataclass(frozen=True, slots=True)
class Repaired:
    """What became of memories that were to be put right."""

    memories: tuple[LinkedMemory, ...]  # as they are now
    left: tuple[str, ...] = ()  # why some could not be, in sentences

    def to_json(self) -> dict[str, Any]:
        return {
            "count": len(self.memories),
            "memories": [one.to_json() for one in self.memories],
            "left": list(self.left),
        }


def verify(
    space: OpenSpace,
    caller: Caller,
    memory_ids: Sequence[str],
    *,
    files: Sequence[str] | None = None,
    every: bool = False,
) -> Repaired:
    """Somebody looked, and what these memories say is true of the code as it is now: that is what they point at from here on.

    `files`: all memories about these files; `every`: all that are stale. What points at nothing any more cannot be
    verified; it can be pointed elsewhere. One with a lifetime has its whole time again. What a person said, only a person
    verifies: raises PersonOnly where such a memory is named, and leaves it as it is among others.
    """
    versions = _chosen(space, dict.fromkeys(memory_ids), files, every)
    if memory_ids:
        refuse_outranked(caller, versions, "verify it")
    left: dict[str, list[str]] = {}
    for version in versions:
        if is_outranked(caller, [version]):
            left[version.memory_id] = [f"{version.memory_id}: a person said it; only a person can verify it."]
    versions = [version for version in versions if version.memory_id not in left]
    rows = reference_rows(versions)
    if rows and space.identity.is_away:
        tree_of(space)  # nobody can look there from here
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
            told = f"{row.memory_id}: {row.reference} {why}; point it elsewhere with `waypost relink`."
            left.setdefault(row.memory_id, []).append(told)
        elif verdict is not None:
            pins[row.number][row.place] = pinned
            states[row.number].append(verdict.finding.state)
    with space.store.write() as writer:
        for version in versions:
            memory_id = version.memory_id
            if memory_id in left:
                continue
            if version.number not in {one.number for one in held_versions(writer, memory_id)}:
                left[memory_id] = [f"{memory_id}: it was just changed by another; look at it again."]
                continue
            _pin_anew(space, writer, version, pins[version.number])
            state = writer.states([memory_id]).get(memory_id, State())
            writer.set_state(
                memory_id, **renewed(state, now) | {"is_stale": False, "stale_reason": None}, verified_at=now
            )
            audit(space, writer, "verify", memory_id, caller, {"found": states[version.number]})
    done = [version for version in versions if version.memory_id not in left]
    return Repaired(_now(space, done), tuple(line for lines in left.values() for line in lines))


def _pin_of(
    space: OpenSpace, tree: TreeNow, reference: CodeReference, verdict: StoredVerdict | None
) -> CodeReference | None:
    """The reference pinned to what it was found to be; None where there is nothing to pin it to."""
    if verdict is None or verdict.finding.state in (DELETED, AMBIGUOUS) or verdict.finding.path is None:
        return None
    pinned = pinned_at(space, tree, reference, verdict.finding)
    return pinned if pinned.anchor or pinned.code_hash else None


def _pin_anew(space: OpenSpace, writer: Writer, version: Version, found: Mapping[int, CodeReference]) -> None:
    """From here on it is judged by this code. That it points at another file from now on is not true of the past."""
    if all(version.refs[place].file_path == reference.file_path for place, reference in found.items()):
        for place, reference in found.items():
            writer.repin(version.number, place, reference)
        return
    refs = tuple(found.get(place, reference) for place, reference in enumerate(version.refs))
    moved = replace(version, refs=refs, recorded_at=space.clock())
    writer.supersede(version.number, moved.recorded_at)
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
    """Point a memory at other code: at `refs` (with `add`, at these too), or else at where its code was found again.
    `every`: all memories whose code moved. `drop`: references to code that is gone are taken away; that they were there stays in the history.

    What it says of the code is not confirmed by this: a memory whose code has changed stays stale until it is verified.
    """
    tree_of(space)
    if refs is not None and (every or memory_id is None):
        raise InvalidInput("References are given for one memory.", "Name it: waypost relink ID --ref PATH#L1-L9.")
    if memory_id is not None:
        versions = _chosen(space, [memory_id], None, False)
    elif every or drop:
        versions = _chosen(space, [], None, True, moved=every, gone=drop)
    else:
        raise InvalidInput("No memory is named.", "Give an id, or --all for everything whose code has moved.")
    if refs is not None:
        refuse_outranked(caller, versions, "choose where it points")
    verdicts = check(space, reference_rows(versions), again=True)
    tree, changed, left = TreeNow(space), list[Version](), list[str]()
    for version in versions:
        found = {place: verdicts.get((version.number, place)) for place in range(len(version.refs))}
        findings = {place: verdict.finding for place, verdict in found.items() if verdict is not None}
        if refs is not None:
            given = tuple(_pinned(space, tree, one) for one in refs)
            new = merge_references(version.refs, given) if add else given
        else:
            theirs = drop and is_outranked(caller, [version])
            new = _followed(space, tree, version, findings, drop and not theirs, left)
            left += [f"{version.memory_id}: a person said it; only a person can take a reference away."] * theirs
        if new != version.refs:
            changed.append(replace(version, refs=new))
    _store(space, caller, changed)
    return Repaired(_now(space, changed), tuple(left))


def _followed(
    space: OpenSpace, tree: TreeNow, version: Version, findings: dict[int, CodeVerdict], drop: bool, left: list[str]
) -> tuple[CodeReference, ...]:
    kept: list[CodeReference] = []
    for place, reference in enumerate(version.refs):
        finding = findings.get(place)
        if finding is None or finding.state == UNCHANGED:
            kept.append(reference)
        elif _has_moved(space, reference, finding):
            kept.append(pinned_at(space, tree, reference, finding))
        elif finding.state == DELETED and drop:
            continue
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


def _pinned(space: OpenSpace, tree: TreeNow, given: str | CodeReference) -> CodeReference:
    reference = CodeReference.parse(given) if isinstance(given, str) else given
    pinned = pin_reference(space, tree, reference, space.clock())
    if pinned.notice:
        raise InvalidInput(pinned.notice, "Name a file, lines or a symbol that is there.")
    return pinned.reference


def _store(space: OpenSpace, caller: Caller, changed: Sequence[Version], *, action: str = "relink") -> None:
    """The same words, pointing elsewhere: a new version, so that the history tells where it pointed."""
    if not changed:
        return
    with space.store.write() as writer:
        embedded, now = nothing_new(space, writer), space.clock()  # known from now: the code was looked at before
        for version in changed:
            held = {one.number for one in held_versions(writer, version.memory_id)}
            if version.number not in held:
                raise NotFound(f"The memory {version.memory_id} was just changed by another.", "Try again.")
            writer.supersede(version.number, now)
            put(writer, replace(version, recorded_at=now), passages_of(version), embedded)
            # How many, not where: the log outlives what is forgotten. The versions tell where.
            audit(space, writer, action, version.memory_id, caller, {"refs": len(version.refs)})


def _chosen(
    space: OpenSpace,
    memory_ids: Iterable[str],
    files: Sequence[str] | None,
    every: bool,
    *,
    moved: bool = False,
    gone: bool = False,
) -> list[Version]:
    """The versions that are meant: by id, by file, or all that are stale (or moved, or gone)."""
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
            rows = reader.references_to(space.identity.checkout_id, both, view)
        elif every:
            tree_of(space) if space.identity.is_away else None
            rows = reader.references(view)
        verdicts = check(space, list(rows)) if every else {}
        numbers: dict[int, None] = {}
        for row in rows:
            if every:
                verdict = verdicts.get((row.number, row.place))
                finding = verdict.finding if verdict is not None else None
                if finding is None or not _is_meant(space, row.reference, finding, moved, gone):
                    continue
            numbers[row.number] = None
        known = {version.number for version in chosen}
        chosen += reader.versions_by_number([number for number in numbers if number not in known]).values()
    return chosen


def _is_meant(space: OpenSpace, reference: CodeReference, finding: CodeVerdict, moved: bool, gone: bool) -> bool:
    if moved or gone:
        return (moved and _has_moved(space, reference, finding)) or (gone and finding.state == DELETED)
    return is_stale(space, reference, finding)


def _has_moved(space: OpenSpace, reference: CodeReference, finding: CodeVerdict) -> bool:
    """Whether it is elsewhere, and still what was meant."""
    if finding.path is None or is_stale(space, reference, finding):
        return False
    return finding.state == MOVED or (finding.state == CHANGED and finding.path != reference.file_path)


def link_older(space: OpenSpace, caller: Caller, *, dry_run: bool = False) -> int:
    """Point memories that name code, and were written before it was in the index, at what they name. Returns how many."""
    with space.store.read() as reader:
        if not space.identity.has_tree or not reader.has_code(space.identity.checkout_id):
            return 0
        versions = reader.latest(kept_view(space), Filter(kinds=_LINKED_KINDS), _MOST_OLDER)
    tree, found = TreeNow(space), list[Version]()
    for version in versions:
        links = () if version.refs else linked_by_text(space, tree, version.text)[0]
        if links:
            found.append(replace(version, refs=links))
    if not dry_run:
        _store(space, caller, found, action="link")
    return len(found)


def _now(space: OpenSpace, versions: Sequence[Version]) -> tuple[LinkedMemory, ...]:
    """These memories as they are after the change."""
    with space.store.read() as reader:
        current = [
            version
            for memory_id in dict.fromkeys(one.memory_id for one in versions)
            if (version := _shown(reader, memory_id, Moment(space.clock()))) is not None
        ]
        rows = reference_rows(current)
        verdicts = check(space, rows)
        return tuple(linked(space, reader, current, verdicts).values())


def _shown(reader: Reader, memory_id: str, moment: Moment) -> Version | None:
    """The version that is true now, else the one that will be; none where it has just been forgotten."""
    held = held_versions(reader, memory_id)
    return reader.version(memory_id, moment) or (held[-1] if held else None)
