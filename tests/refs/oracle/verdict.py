"""What happened to a piece of a program, derived simply and slowly from the identities of its parts.

A verdict is right if it is one of the defensible ones. There is exactly one, except in these cases:

- Identical copies. A piece that is gone while an equal one exists elsewhere was moved, is `ambiguous`, or was deleted.
  All are true of the same text. A part with a copy in its file is lost with its function's name. A changed part may
  be found in a copy of its function that has more of it.
- Little text. Less than `LITTLE` words of code under another name, or less than `FEW` in a part, occur everywhere.
  Deleted, changed and the right place are all acceptable.
- Something else has its name now, in its file or its file's successor. Readers of the name will find that: changed.
- Changed and moved or renamed at once: changed at its new place, or deleted.
- Gone while something similar (`ALIKE`) exists: changed, or deleted.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.refs.oracle.model import (
    DOCUMENTS,
    File,
    Function,
    Spot,
    Statement,
    Tree,
    blocks,
    common,
    definitions,
    file_tokens,
    find,
    is_word,
    size,
    statement_tokens,
)
from tests.refs.oracle.printer import Printed

from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict

LITTLE = 24
FEW = 4
ALIKE = 0.6
CLEARLY = 0.85


@dataclass(frozen=True, slots=True)
class Target:
    """A definition, statements of one that follow each other, or (with neither) a file."""

    file: int
    definition: int = 0
    statements: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Allowed:
    """A defensible verdict, and the piece whose lines it must report."""

    state: str
    path: str | None = None
    owners: tuple[int, ...] = ()
    overlaps: bool = False  # the lines only need to overlap: the end of a changed piece is undefined


Oracle = list[Allowed]
_Run = tuple[Spot, tuple[Statement, ...]]
GONE = Allowed(DELETED)
UNSURE = Allowed(AMBIGUOUS)


def expected(before: Tree, after: Tree, target: Target) -> Oracle:
    if target.statements:
        return _of_part(before, after, target)
    if target.definition:
        return _of_definition(before, after, target)
    return _of_file(before, after, target)


def complaint(finding: CodeVerdict, allowed: Oracle, now: list[Printed]) -> str:
    """Why the verdict is wrong, or ""."""
    if finding.state == CHANGED and not 0 < finding.amount <= 1:
        return f"changed by {finding.amount}"
    if finding.state != CHANGED and finding.amount:
        return f"{finding.state} by {finding.amount}"
    if any(_fits(finding, defensible, now) for defensible in allowed):
        return ""
    return f"found {finding}, expected one of {allowed}"


def _fits(finding: CodeVerdict, allowed: Allowed, now: list[Printed]) -> bool:
    if finding.state != allowed.state or finding.path != allowed.path:
        return False
    if not allowed.owners or finding.path is None:
        return True
    page = next(candidate for candidate in now if candidate.path == allowed.path)
    if finding.lines is None:
        return False
    reported = range(finding.lines.start, finding.lines.end + 1)
    spoken = {line for owner in allowed.owners for line in page.spoken(owner)}
    if allowed.overlaps:
        return any(line in spoken for line in reported)
    if len(allowed.owners) == 1 and page.language not in DOCUMENTS and allowed.owners[0] in page.definitions:
        return page.span(allowed.owners[0]) == (finding.lines.start, finding.lines.end)
    strange = {number for number, line in enumerate(page.lines, start=1) if line.speaks} - spoken
    return spoken <= set(reported) and not strange & set(reported)


# -- definitions ----------------------------------------------------------------------------------------------


def _of_definition(before: Tree, after: Tree, target: Target) -> Oracle:
    was, now = find(before, target.definition), find(after, target.definition)
    assert was is not None
    said = was.tokens
    namesakes = [spot for spot in definitions(after) if spot.key == was.key]
    if namesakes:
        heir = namesakes[0]
        if heir.tokens == said:
            return [_at(UNCHANGED, heir)]
        if now is None or now.node.id == heir.node.id:
            return [_at(CHANGED, heir)]
        return [_at(CHANGED, heir), _at(MOVED if now.tokens == said else CHANGED, now)]
    equal = [spot for spot in definitions(after) if spot.family == was.family and spot.tokens == said]
    alike = [spot for spot in definitions(after) if spot.family == was.family and common(spot.tokens, said) >= ALIKE]
    # A namesake in the file's successor counts like a namesake in its file.
    alike += [spot for spot in definitions(after) if spot.file.id == was.file.id and spot.qualified == was.qualified]
    loose = [GONE, *(_at(CHANGED, spot) for spot in alike)]
    if now is None:
        return [*loose, *_one_of(equal, was)]
    if now.tokens != said:
        return _edited_elsewhere(was, now, after, loose, equal)
    if size(said) < LITTLE or _twins(before, was):
        return [*loose, *_one_of(equal, was)]
    return _one_of(equal, was)


def _edited_elsewhere(was: Spot, now: Spot, after: Tree, loose: Oracle, equal: list[Spot]) -> Oracle:
    """It must be found if its file was renamed or its class moved, and it changed little."""
    named = [spot for spot in definitions(after) if spot.node.name == was.node.name]
    certain = (
        len(named) == 1
        and now.qualified == was.qualified
        and size(was.tokens) >= LITTLE
        and common(was.tokens, now.tokens) >= CLEARLY
    )
    return [_at(CHANGED, now)] if certain else [_at(CHANGED, now), *loose, *_one_of(equal, was)]


def _twins(before: Tree, was: Spot) -> bool:
    return any(spot.node.id != was.node.id and spot.tokens == was.tokens for spot in definitions(before))


def _one_of(equal: list[Spot], was: Spot) -> Oracle:
    """The only one, in all files or in its own; else one with its name or class; else ambiguous."""
    if len(equal) < 2:
        return [_at(MOVED, spot) for spot in equal]
    named = [spot for spot in equal if spot.node.name == was.node.name]
    near = [spot for spot in equal if spot.around and was.around and spot.around.name == was.around.name]
    own = [spot for spot in equal if spot.node.id == was.node.id]
    here = [spot for spot in equal if spot.file.path == was.file.path]
    alone = here if len(here) == 1 else []
    return [UNSURE, *(_at(MOVED, spot) for spot in (*named, *near, *own, *alone))]


def _at(state: str, spot: Spot) -> Allowed:
    return Allowed(state, spot.file.path, (spot.node.id,))


# -- parts ------------------------------------------------------------------------------------------------------


def runs(tree: Tree, length: int) -> Iterator[_Run]:
    """All sequences of this many statements."""
    for spot in definitions(tree):
        if isinstance(spot.node, Function):
            for block in blocks(spot.node):
                for start in range(len(block) - length + 1):
                    yield spot, block[start : start + length]


def _of_part(before: Tree, after: Tree, target: Target) -> Oracle:
    was = find(before, target.definition)
    assert was is not None
    length = len(target.statements)
    said = next(_said(run) for _, run in runs(before, length) if _ids(run) == target.statements)
    same_before = [run for spot, run in runs(before, length) if spot.node.id == was.node.id and _said(run) == said]
    before_too = {_ids(run): _said(run) for spot, run in runs(before, length) if spot.file.path == was.file.path}
    del before_too[target.statements]
    had_copies = said in before_too.values()
    equal = [(spot, run) for spot, run in runs(after, length) if _said(run) == said]
    # Equal statements elsewhere in its file are different ones. Which is which is unknown once its function has another
    # name and all of them are there.
    is_renamed = any(_ids(run) == target.statements for _, run in equal) and all(
        spot.key != was.key for spot in definitions(after)
    )
    equal = [
        (spot, run)
        for spot, run in equal
        if is_renamed or was.node.id == spot.node.id or spot.key == was.key or _ids(run) not in before_too
    ]
    there = [(spot, run) for spot, run in equal if spot.key == was.key]
    little = size(said) < FEW or len(same_before) > 1
    own = [(spot, run) for spot, run in there if _ids(run) == target.statements]
    changed = _changed_part(was, after, target, length)
    is_told = was.file.language not in DOCUMENTS and bool(own) and _is_told(was, own[0], there, target)
    if own and (is_told or (not little and len(there) == 1)):
        return [_part(UNCHANGED, *own[0])]
    if there:
        return [*(_part(UNCHANGED, *pair) for pair in there), *(changed if little or not own else ())]
    verdicts = [_part(state, *pair) for pair in equal for state in _states(was, pair[0])]
    if len(verdicts) > 1 and was.file.language in DOCUMENTS:
        verdicts.append(UNSURE)  # an entry of a document has a name, and is found like a definition
    now = find(after, target.definition)
    moved_whole = now is not None and any(_ids(run) == target.statements for _, run in equal)
    named = [spot for spot in definitions(after) if now is not None and spot.node.name == was.node.name]
    if now is None or now.node.name != was.node.name:
        is_enough = size(said) >= LITTLE and not had_copies
    else:
        is_enough = not little and len(named) == 1
    if moved_whole and now is not None and is_enough and _can_be_found(was, now):
        return verdicts
    if size(said) >= LITTLE and not equal:
        return changed
    return [*verdicts, *changed]


def _is_told(was: Spot, own: _Run, there: list[_Run], target: Target) -> bool:
    """Whether its surroundings are unchanged and unique among equal parts."""
    context = _context(was, target.statements)
    around = [_context(spot, _ids(run)) for spot, run in there if run is not own[1]]
    return _context(own[0], target.statements) == context and not any(
        other_context[0] == context[0] or other_context[1] == context[1] for other_context in around
    )


def _context(spot: Spot, ids: tuple[int, ...]) -> tuple[list[str], list[str]]:
    """Three words before and three words after."""
    assert isinstance(spot.node, Function)
    for block in blocks(spot.node):
        for start in range(len(block) - len(ids) + 1):
            if _ids(block[start : start + len(ids)]) == ids:
                before, behind = _said(block[:start]), _said(block[start + len(ids) :])
                return _words(before)[-3:], _words(behind)[:3]
    raise LookupError(ids)


def _words(tokens: list[str]) -> list[str]:
    return [token for token in tokens if is_word(token)]


def _can_be_found(was: Spot, now: Spot) -> bool:
    """Parts are searched in their file, and in others by the name of the enclosing symbol."""
    return now.file.path == was.file.path or now.node.name == was.node.name


def _states(was: Spot, spot: Spot) -> tuple[str, ...]:
    if spot.file.path != was.file.path:
        return (MOVED,)
    return (UNCHANGED, MOVED) if spot.qualified != was.qualified else (UNCHANGED,)


def _changed_part(was: Spot, after: Tree, target: Target, length: int) -> Oracle:
    """Changed at its function; deleted only if less than half of it is left there."""
    now = next((spot for spot in definitions(after) if spot.key == was.key), None) or find(after, target.definition)
    if now is None or not isinstance(now.node, Function):
        around = [Allowed(CHANGED, spot.file.path, (spot.node.id,), overlaps=True) for spot in definitions(after)]
        return [GONE, *around]
    left = [statement.id for block in blocks(now.node) for statement in block if statement.id in target.statements]
    if len(left) * 2 > length and now.key == was.key:
        copies = [spot for spot in definitions(after) if spot.file == now.file and _is_copy(was, spot)]
        return [Allowed(CHANGED, now.file.path, (spot.node.id,), overlaps=True) for spot in (now, *copies)]
    return [GONE, *(Allowed(CHANGED, file.path) for file in after)]


def _is_copy(was: Spot, spot: Spot) -> bool:
    """Whether it is so similar to the function that their parts can be confused."""
    return isinstance(spot.node, Function) and common(was.tokens, spot.tokens) >= ALIKE


def _part(state: str, spot: Spot, run: tuple[Statement, ...]) -> Allowed:
    return Allowed(state, spot.file.path, _ids(run))


def _ids(run: tuple[Statement, ...]) -> tuple[int, ...]:
    return tuple(statement.id for statement in run)


def _said(run: tuple[Statement, ...]) -> list[str]:
    return [token for statement in run for token in statement_tokens(statement)]


# -- files ------------------------------------------------------------------------------------------------------


def _of_file(before: Tree, after: Tree, target: Target) -> Oracle:
    was = next(file for file in before if file.id == target.file)
    here = next((file for file in after if file.path == was.path), None)
    said = file_tokens(was)
    if here is not None:
        return [Allowed(UNCHANGED if file_tokens(here) == said else CHANGED, here.path)]
    equal = [Allowed(MOVED, file.path) for file in after if file_tokens(file) == said]
    if equal and size(said) >= LITTLE:
        return equal
    alike = [file for file in after if _is_like(file, said)]
    return [GONE, *equal, *(Allowed(CHANGED, file.path) for file in alike)]


def _is_like(file: File, said: list[str]) -> bool:
    return common(file_tokens(file), said) >= ALIKE / 2
