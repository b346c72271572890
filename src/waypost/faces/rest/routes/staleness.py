"""Memories whose code has changed, and their repair."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.errors import InvalidInput
from waypost.faces.rest.bodies import FilesBody, Relinking, SelectionBody
from waypost.faces.rest.caller import Reader, Writer
from waypost.faces.rest.parameters import LONGEST_PATH
from waypost.faces.rest.strict_route import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}/staleness", tags=["Staleness"], route_class=StrictRoute)


@router.get("")
def stale(
    access: Reader,
    file: Annotated[
        list[Annotated[str, Query(min_length=1, max_length=LONGEST_PATH)]] | None,
        Query(max_length=100, description="Only memories about this file or folder (repeatable)."),
    ] = None,
) -> dict[str, Any]:
    """List memories whose code has changed, with what changed and since when, longest stale first."""
    return access.memory.code.stale(file or None).to_json()


@router.post("/check")
def check(access: Writer, given: FilesBody | None = None) -> dict[str, Any]:
    """Check memories again, even if no file has changed."""
    return access.memory.code.stale((given.files if given else None) or None, check=True).to_json()


@router.post("/verify")
def verify(access: Writer, given: SelectionBody) -> dict[str, Any]:
    """Confirm that memories are still true for the current code. They become fresh again."""
    done = access.memory.verify(given.ids or (), **_where(given))
    return {"status": "verified", **done.to_json()}


@router.post("/relink")
def relink(access: Writer, given: Relinking) -> dict[str, Any]:
    """Point a memory at other code, or where its code moved to. The text does not change."""
    if (given.id is None) != (given.every or (given.drop and given.id is None)):
        raise InvalidInput("Choose a memory by id, or use `every`.", "GET …/staleness shows their ids.")
    if given.add and not given.refs:
        raise InvalidInput("`add` needs a reference to add.", "Give it in `refs`.")
    done = access.memory.code.relink(given.id, given.refs, add=given.add, every=given.every, drop=given.drop)
    return {"status": "relinked", **done.to_json()}


@router.post("/reset")
def reset(access: Writer, given: SelectionBody) -> dict[str, Any]:
    """After a large change: confirm memories for the current code, and remove references to deleted code."""
    memory = access.memory
    done = [memory.verify(given.ids or (), **_where(given))]
    chosen = None if given.ids is None else {memory_id.lower() for memory_id in given.ids}
    still = [row.id for row in memory.code.stale(given.files).memories if chosen is None or row.id in chosen]
    done += [memory.code.relink(memory_id, drop=True) for memory_id in still]
    rows = {row.id: row.to_json() for part in done for row in part.memories}
    left = [line for part in done[1:] for line in part.left] if len(done) > 1 else list(done[0].left)
    return {"status": "reset", "count": len(rows), "memories": list(rows.values()), "left": left}


def _where(given: SelectionBody) -> dict[str, Any]:
    if sum(map(bool, (given.ids, given.files, given.every))) != 1:
        raise InvalidInput("Choose memories by `ids`, `files`, or `every`.", "Use exactly one of the three.")
    return {"files": given.files, "every": given.every}
