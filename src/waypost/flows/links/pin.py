"""Pointing at code: a reference as somebody wrote it becomes one that can be found again.

A path, `path#L1-L9`, a `file:` URI, `path#Symbol.method`, a SCIP id, or just the name of a symbol. Commit, branch and hash
are filled in; the anchor is what the code is known by later.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from waypost.errors import InvalidInput
from waypost.flows.index.current_tree import TreeNow
from waypost.flows.open_space import OpenSpace, place_in
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.model.reference import CodeReference, LineRange
from waypost.model.time import Moment
from waypost.store.protocol import CodeSketch

_MOST_NAMED = 20
_SCIP = "scip-"
_COUNTED = re.compile(r"(.+?):(\d{1,8})(?:-(\d{1,8})|:\d{1,8})?:?")


@dataclass(frozen=True, slots=True)
class PinnedReference:
    reference: CodeReference
    notice: str = ""  # why nobody will notice when the code changes


def pin_reference(space: OpenSpace, tree: TreeNow, given: CodeReference, now: datetime) -> PinnedReference:
    """The reference with all that can be known of it now. One that leads out of the tree is refused."""
    given = _not_ahead(given, now)
    if space.identity.kind != "project":
        return PinnedReference(replace(given, created_at=given.created_at or now))
    if tree.is_another(given.repo_id):
        return PinnedReference(replace(given, created_at=given.created_at or now), f"{given} is in another repository.")
    placed, symbol = _placed(space, tree, given)
    kept = replace(placed, created_at=given.created_at or now)
    if given.anchor:  # it was pinned before, perhaps to other code than is here now
        return PinnedReference(kept)
    if space.identity.is_away:
        return _not_looked_at(space, tree, kept, symbol)
    if not tree.digest(placed.file_path):
        return _not_there(kept)
    return _as_it_was(given, kept, _at_the_code(tree, kept, symbol, now))


def _not_there(reference: CodeReference) -> PinnedReference:
    told = f"{reference.file_path} is not there, or is no file that can be read: nobody will notice when it changes."
    return PinnedReference(reference, told)


def _not_looked_at(space: OpenSpace, tree: TreeNow, reference: CodeReference, symbol: str | None) -> PinnedReference:
    """The tree is elsewhere: what the index says of the place is taken over, and nothing is pinned to code nobody sees."""
    path, found = reference.file_path, list[CodeSketch]()
    if symbol and reference.line_range is None:
        name = symbol.removesuffix("()").replace("::", ".").replace("#", ".")
        found = [one for one in _definitions(space, symbol, name) if one.path == path and one.line]
        lines = LineRange(found[0].line, max(found[0].line, found[0].end_line)) if found else None
        reference = replace(reference, line_range=lines, symbol_id=reference.symbol_id or symbol)
    unknown = "" if found or tree.has_file(path) else ", and its index does not know it"
    told = f"The tree of {space.identity.name!r} is not on this machine: {path} was not looked at{unknown}. "
    return PinnedReference(
        reference, f"{told}Nobody will notice when it changes until it is verified where it is checked out."
    )


def _not_ahead(given: CodeReference, now: datetime) -> CodeReference:
    """Nothing was verified in the future, whoever says so: it would never fade."""
    times = {
        name: min(said, now)
        for name in ("created_at", "last_verified_at", "stale_since")
        if (said := getattr(given, name)) is not None
    }
    return replace(given, **times)


def _as_it_was(given: CodeReference, kept: CodeReference, pinned: PinnedReference) -> PinnedReference:
    """Who brings a hash means the code that had it: only where it is that code, it is pinned."""
    found = pinned.reference
    if given.code_hash is None:
        return pinned
    if given.code_hash != found.code_hash:
        return PinnedReference(kept, f"{kept} is not the code that it was pinned to: it is looked for by its hash.")
    known = replace(found, git_commit=given.git_commit, git_branch=given.git_branch) if given.git_commit else found
    return replace(pinned, reference=known)


def _at_the_code(tree: TreeNow, reference: CodeReference, symbol: str | None, now: datetime) -> PinnedReference:
    from waypost.refs.anchor import code_hash  # only who points at code pays for it
    from waypost.refs.pin import pin

    path, shape = reference.file_path, tree.shape(reference.file_path)
    known = replace(
        reference,
        git_commit=tree.head.commit or None,
        git_branch=tree.head.branch or None,
        last_verified_at=now,
    )
    if shape is None and not tree.digest(path):  # it went away just now
        return _not_there(reference)
    if shape is None:  # a picture, an archive: the whole file is what can be compared
        whole = replace(known, line_range=None, code_hash=f"sha256:{tree.digest(path).hex()}")
        asked_for = reference.line_range or symbol
        return PinnedReference(
            whole, f"{path} is too large, or no text: it is compared as a whole." if asked_for else ""
        )
    found = pin(shape, reference.line_range, symbol if reference.line_range is None else None)
    if found is None:
        what = f"line {reference.line_range.start}" if reference.line_range else f"{symbol!r}"
        named = reference if reference.line_range else replace(reference, symbol_id=symbol)
        return PinnedReference(named, f"{path} has no {what}: nobody will notice when the code changes.")
    return PinnedReference(
        replace(
            known,
            line_range=found.lines,
            symbol_id=found.symbol_id or reference.symbol_id,
            code_hash=code_hash(_cut(tree.lines(path), found.lines)),
            anchor=found.anchor,
        )
    )


def _cut(lines: Sequence[str], chosen: LineRange | None) -> Sequence[str]:
    return lines if chosen is None else lines[chosen.start - 1 : chosen.end]


def _placed(space: OpenSpace, tree: TreeNow, given: CodeReference) -> tuple[CodeReference, str | None]:
    """The reference by its path inside the checkout, and the symbol that is meant, if one is."""
    written = given.file_path
    if written.startswith(_SCIP) or (given.symbol_id and not written):
        return _named(space, given, written)
    path = place_in(space, written)
    if tree.has_file(path) or given.line_range is not None:
        return replace(given, file_path=path), given.symbol_id
    file, mark, symbol = path.rpartition("#")
    if mark and tree.has_file(file):
        return replace(given, file_path=file), symbol
    counted = _COUNTED.fullmatch(path)  # as editors and our own answers write places
    if counted is not None and tree.has_file(counted[1]):
        first = int(counted[2])
        lines = LineRange(first, max(first, int(counted[3] or first)))
        return replace(given, file_path=counted[1], line_range=lines), given.symbol_id
    if "/" not in written and _looks_like_a_name(written):
        return _named(space, given, written)
    return replace(given, file_path=path), given.symbol_id


def _looks_like_a_name(written: str) -> bool:
    parts = written.removesuffix("()").replace("::", ".").replace("#", ".").split(".")
    return all(part.isidentifier() for part in parts)


def _named(space: OpenSpace, given: CodeReference, written: str) -> tuple[CodeReference, str | None]:
    """A reference by the name of a symbol alone: the index knows where that is."""
    name = written.removesuffix("()").replace("::", ".").replace("#", ".")
    found = _definitions(space, written, name)
    if not found:
        raise InvalidInput(
            f"There is no file {written[:100]!r} here, and no symbol of that name is known.",
            "Name a file (src/app.py#L10-L20), or run `waypost init` so that symbols are known.",
        )
    places = {(one.path, one.name): f"{one.path}:{one.line} ({one.name})" for one in reversed(found)}
    if len(places) > 1:  # several definitions of one name in one file are overloads
        told = ", ".join([*places.values()][:5]) + (", …" if len(places) > 5 else "")
        raise InvalidInput(
            f"{written[:100]!r} is the name of {len(places)} symbols: {told}.", "Say which: PATH#NAME, or PATH#L1-L9."
        )
    return replace(given, file_path=found[0].path, symbol_id=None), found[0].name


def _definitions(space: OpenSpace, written: str, name: str) -> list[CodeSketch]:
    last = name.rpartition(".")[2]
    view = View(Moment(space.clock()), CODE_COLLECTIONS, space.identity.checkout_id)
    with space.store.read() as reader:
        if written.startswith(_SCIP):
            numbers = reader.code.symbols_with_id(written, view)
        else:
            numbers = reader.code.symbols_named([last], _MOST_NAMED * 10, view)
        sketches = [one for one in reader.code.sketches(numbers).values() if one.path]
    if written.startswith(_SCIP):
        return sketches
    exact = [one for one in sketches if one.name == name or one.name.endswith(f".{name}")]
    return [one for one in exact if one.name == name] or exact
