"""References pinned anew to the code as it is now: for what somebody says, or confirms, at this moment."""

from collections.abc import Iterable
from dataclasses import replace

from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.links.pin import pin_reference
from waypost.flows.links.staleness import check
from waypost.flows.open_space import OpenSpace
from waypost.model.code_verdict import CHANGED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.memory import Version
from waypost.model.reference import CodeReference
from waypost.store.protocol import ReferenceRow

_FOUND = (UNCHANGED, MOVED, CHANGED)


def reference_rows(versions: Iterable[Version]) -> list[ReferenceRow]:
    return [
        ReferenceRow(version.number, place, version.memory_id, reference)
        for version in versions
        for place, reference in enumerate(version.refs)
    ]


def pinned_at(space: OpenSpace, tree: TreeNow, reference: CodeReference, finding: CodeVerdict) -> CodeReference:
    """The reference pinned anew to the code that it was found to be."""
    there = replace(
        reference,
        file_path=finding.path or reference.file_path,
        line_range=finding.lines,
        symbol_id=None,
        stale_since=None,
        code_hash=None,
        anchor=b"",
    )
    pinned = pin_reference(space, tree, there, space.clock())
    return replace(pinned.reference, whole=reference.whole)


def accepted(space: OpenSpace, version: Version) -> tuple[CodeReference, ...]:
    """Where a version points, as the code is now: for what is said anew about it."""
    if not version.refs or not space.identity.has_tree:
        return version.refs
    verdicts, tree = check(space, reference_rows([version])), TreeNow(space)
    new = []
    for place, reference in enumerate(version.refs):
        verdict = verdicts.get((version.number, place))
        findable = verdict is not None and verdict.finding.state in _FOUND and verdict.finding.path is not None
        new.append(
            pinned_at(space, tree, reference, verdict.finding) if verdict is not None and findable else reference
        )
    return tuple(new)
