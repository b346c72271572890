"""Pin references: turn what somebody wrote into a reference that can be found again.

Accepts a path, `path#L1-L9`, a `file:` URI, `path#Symbol.method`, a SCIP id, or a symbol's name. Adds commit, branch
and hash. The anchor identifies the code later.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from waypost.errors import InvalidInput
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.links.staleness import check
from waypost.flows.open_space import OpenSpace, place_in
from waypost.model.code_verdict import CHANGED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference, LineRange
from waypost.model.time import Moment
from waypost.store.protocol import CodeSketch, ReferenceRow

_FOUND_STATES = (UNCHANGED, MOVED, CHANGED)
_MOST_NAMED = 20
_SCIP = "scip-"
_COUNTED = re.compile(r"(.+?):(\d{1,8})(?:-(\d{1,8})|:\d{1,8})?:?")


@dataclass(frozen=True, slots=True)
class PinnedReference:
    reference: CodeReference
    notice: str = ""  # why staleness can't be checked, or that the lines were cut


def pin_reference(space: OpenSpace, tree: TreeNow, given: CodeReference, now: datetime) -> PinnedReference:
    """The reference with everything known about it now. Raises an error for a path outside of the repository."""
    given = _not_ahead(given, now)
    if space.identity.kind != "project":
        return PinnedReference(replace(given, created_at=given.created_at or now))
    if tree.is_another(given.repo_id):
        return PinnedReference(replace(given, created_at=given.created_at or now), f"{given} is in another repository.")
    placed, symbol = _path_and_symbol(space, tree, given)
    kept = replace(placed, created_at=given.created_at or now)
    if given.anchor:  # pinned before, perhaps to other code than is here now
        return PinnedReference(kept)
    if space.identity.is_away:
        return _unchecked(space, tree, kept, symbol)
    if not tree.digest(placed.file_path):
        return _missing_file(tree, replace(kept, symbol_id=kept.symbol_id or symbol))
    return _if_same_hash(given, kept, _pin_to_code(tree, kept, symbol, now))


def _missing_file(tree: TreeNow, reference: CodeReference) -> PinnedReference:
    problem = "is a folder or can't be read" if tree.has_any(reference.file_path) else "was not found"
    meant = "" if tree.has_any(reference.file_path) else _meant(tree, reference.file_path)
    return PinnedReference(
        reference, " ".join(filter(None, (f"{reference.file_path} {problem}; staleness can't be checked.", meant)))
    )


def _meant(tree: TreeNow, path: str) -> str:
    """Which file may be meant by a path that does not exist."""
    near = tree.files_like(path)
    return f"Did you mean {' or '.join(near)}?" if near else ""


def _unchecked(space: OpenSpace, tree: TreeNow, reference: CodeReference, symbol: str | None) -> PinnedReference:
    """The repository is not here: take lines from the index, and pin nothing to unseen code."""
    path, definitions = reference.file_path, list[CodeSketch]()
    if symbol and reference.line_range is None:
        name = _symbol_name(symbol)
        definitions = [sketch for sketch in _definitions(space, symbol, name) if sketch.path == path and sketch.line]
        lines = (
            LineRange(definitions[0].line, max(definitions[0].line, definitions[0].end_line)) if definitions else None
        )
        reference = replace(reference, line_range=lines, symbol_id=reference.symbol_id or symbol)
    unknown = "" if definitions or tree.has_file(path) else ", and its index does not know it"
    notice = f"The repository of {space.identity.name!r} is not on this machine: {path} was not checked{unknown}. "
    return PinnedReference(
        reference, f"{notice}Staleness can't be checked until it is verified where it is checked out."
    )


def _not_ahead(given: CodeReference, now: datetime) -> CodeReference:
    """Limit times to now: a verification in the future would never fade."""
    times = {
        name: min(said, now)
        for name in ("created_at", "last_verified_at", "stale_since")
        if (said := getattr(given, name)) is not None
    }
    return replace(given, **times)


def _if_same_hash(given: CodeReference, kept: CodeReference, pinned: PinnedReference) -> PinnedReference:
    """Pin a reference that brings a hash only if the code still has this hash."""
    reference = pinned.reference
    if given.code_hash is None:
        return pinned
    if given.code_hash != reference.code_hash:
        return PinnedReference(
            kept, f"{kept} is not the code that it was pinned to; Waypost searches for it by its hash."
        )
    original = (
        replace(reference, git_commit=given.git_commit, git_branch=given.git_branch) if given.git_commit else reference
    )
    return replace(pinned, reference=original)


def _pin_to_code(tree: TreeNow, reference: CodeReference, symbol: str | None, now: datetime) -> PinnedReference:
    from waypost.refs.anchor import code_hash  # only for references to code
    from waypost.refs.pin import pin

    path, shape = reference.file_path, tree.shape(reference.file_path)
    located = replace(
        reference,
        git_commit=tree.head.commit or None,
        git_branch=tree.head.branch or None,
        last_verified_at=now,
    )
    if shape is None and not tree.digest(path):  # it has just been removed
        return _missing_file(tree, reference)
    if shape is None:  # an image or an archive: only the whole file can be compared
        whole = replace(located, line_range=None, code_hash=f"sha256:{tree.digest(path).hex()}")
        asked_for = reference.line_range or symbol
        return PinnedReference(
            whole, f"{path} is too large or not text: it is compared as a whole." if asked_for else ""
        )
    anchored = pin(shape, reference.line_range, symbol if reference.line_range is None else None)
    if anchored is None:
        what = f"line {reference.line_range.start}" if reference.line_range else f"{symbol!r}"
        named = reference if reference.line_range else replace(reference, symbol_id=symbol)
        return PinnedReference(named, f"{path} has no {what}; staleness can't be checked.")
    end = reference.line_range.end if reference.line_range else 0
    return PinnedReference(
        replace(
            located,
            line_range=anchored.lines,
            symbol_id=anchored.symbol_id or reference.symbol_id,
            code_hash=code_hash(_slice(tree.lines(path), anchored.lines)),
            anchor=anchored.anchor,
        ),
        f"{path} ends at line {shape.line_count}, and so does the reference." if end > shape.line_count else "",
    )


def _slice(lines: Sequence[str], chosen: LineRange | None) -> Sequence[str]:
    return lines if chosen is None else lines[chosen.start - 1 : chosen.end]


def _path_and_symbol(space: OpenSpace, tree: TreeNow, given: CodeReference) -> tuple[CodeReference, str | None]:
    """The reference with its path inside the checkout, and its symbol, if it names one."""
    written = given.file_path
    if written.startswith(_SCIP) or (given.symbol_id and not written):
        return _by_symbol_name(space, tree, given, written)
    path = place_in(space, written)
    if tree.has_file(path) or given.line_range is not None:
        return replace(given, file_path=path), given.symbol_id
    file, mark, symbol = path.rpartition("#")
    is_name = "/" not in written and _looks_like_a_name(written)
    if mark and (tree.has_file(file) or not is_name):
        return replace(given, file_path=file), symbol
    counted = _COUNTED.fullmatch(path)  # as editors and Waypost's answers write places
    if counted is not None and not tree.has_any(path):
        first = int(counted[2])
        lines = LineRange(first, max(first, int(counted[3] or first)))
        return replace(given, file_path=counted[1], line_range=lines), given.symbol_id
    if is_name and not (tree.has_any(path) and not _definitions(space, written, _symbol_name(written))):
        return _by_symbol_name(space, tree, given, written)
    return replace(given, file_path=path), given.symbol_id


def _looks_like_a_name(written: str) -> bool:
    parts = _symbol_name(written).split(".")
    return all(part.isidentifier() for part in parts)


def _symbol_name(written: str) -> str:
    return written.removesuffix("()").replace("::", ".").replace("#", ".")


def _by_symbol_name(
    space: OpenSpace, tree: TreeNow, given: CodeReference, written: str
) -> tuple[CodeReference, str | None]:
    name = _symbol_name(written)
    definitions = _definitions(space, written, name)
    if not definitions:
        raise InvalidInput(
            f"There is no file {written[:100]!r} here, and no symbol of that name is known.",
            _meant(tree, written)
            or "Name a file (src/app.py#L10-L20), or run `waypost init` so that symbols are known.",
        )
    places = {
        (sketch.path, sketch.name): f"{sketch.path}:{sketch.line} ({sketch.name})" for sketch in reversed(definitions)
    }
    if len(places) > 1:  # several definitions with one name in one file are overloads
        listing = ", ".join([*places.values()][:5]) + (", …" if len(places) > 5 else "")
        raise InvalidInput(
            f"{written[:100]!r} is the name of {len(places)} symbols: {listing}.",
            "Say which: PATH#NAME, or PATH#L1-L9.",
        )
    return replace(given, file_path=definitions[0].path, symbol_id=None), definitions[0].name


def _definitions(space: OpenSpace, written: str, name: str) -> list[CodeSketch]:
    last = name.rpartition(".")[2]
    view = View(Moment(space.clock()), CODE_COLLECTIONS, space.identity.checkout_id)
    with space.store.read() as reader:
        if written.startswith(_SCIP):
            numbers = reader.code.symbols_with_id(written, view)
        else:
            numbers = reader.code.symbols_named([last], _MOST_NAMED * 10, view)
        sketches = [sketch for sketch in reader.code.sketches(numbers).values() if sketch.path]
    if written.startswith(_SCIP):
        return sketches
    exact = [sketch for sketch in sketches if sketch.name == name or sketch.name.endswith(f".{name}")]
    return [sketch for sketch in exact if sketch.name == name] or exact


def reference_rows(versions: Iterable[Version]) -> list[ReferenceRow]:
    return [
        ReferenceRow(version.number, place, version.memory_id, reference)
        for version in versions
        for place, reference in enumerate(version.refs)
    ]


def repin_reference(space: OpenSpace, tree: TreeNow, reference: CodeReference, finding: CodeVerdict) -> CodeReference:
    there = replace(
        reference,
        file_path=finding.path or reference.file_path,
        line_range=finding.lines,
        symbol_id=None,
        stale_since=None,
        code_hash=None,
        anchor=b"",
        earlier=(),
    )
    pinned = pin_reference(space, tree, there, space.clock())
    return replace(pinned.reference, whole=reference.whole).with_earlier(reference, tree.place)


def repin(space: OpenSpace, version: Version) -> tuple[CodeReference, ...]:
    """A version's references, pinned to the code as it is now."""
    if not version.refs or not space.identity.has_tree:
        return version.refs
    verdicts, tree = check(space, reference_rows([version])), TreeNow(space)
    new = []
    for place, reference in enumerate(version.refs):
        verdict = verdicts.get((version.number, place))
        findable = verdict is not None and verdict.finding.state in _FOUND_STATES and verdict.finding.path is not None
        new.append(
            repin_reference(space, tree, reference, verdict.finding) if verdict is not None and findable else reference
        )
    return tuple(new)
