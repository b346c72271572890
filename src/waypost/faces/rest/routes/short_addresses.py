"""Short addresses that LocAI and Coding Brain clients use, for the memory that the server was started in."""

from typing import Any

from fastapi import APIRouter, Response

from waypost.faces.rest.bodies import NewMemory, Pruning
from waypost.faces.rest.caller import OwnerHere, ReaderHere, WriterHere
from waypost.faces.rest.jobs import start
from waypost.faces.rest.parameters import AboutLimit, AsOf, FilePath, KnownAt, Limit, Line, MemoryId, Question
from waypost.faces.rest.routes.code import code_memories
from waypost.faces.rest.routes.journal import prune
from waypost.faces.rest.routes.memory import Listing, erase, page, stored_answer
from waypost.faces.rest.strict_route import StrictRoute

router = APIRouter(prefix="/api", tags=["Here"], route_class=StrictRoute)


@router.get("/memories")
def memories_here(access: ReaderHere, listing: Listing) -> dict[str, Any]:
    """List memories, newest first, by pages."""
    return page(access, *listing)


@router.post("/memories", status_code=201)
def remember_here(access: WriterHere, given: NewMemory, response: Response) -> dict[str, Any]:
    """Store a memory. 201: new. 200: already stored or merged. 409: the value was rejected."""
    receipt = access.memory.remember(**given.given())
    return stored_answer(receipt, response, f"/api/v1/spaces/here/memories/{receipt.id}")


@router.get("/memories/search")
def search_here(access: ReaderHere, q: Question, limit: Limit = 5, as_of: AsOf = None) -> dict[str, Any]:
    """Search by meaning and by keywords."""
    return access.memory.recall(q, limit, as_of=as_of).to_json()


@router.post("/memories/prune")
def prune_here(access: WriterHere, given: Pruning | None = None) -> dict[str, Any]:
    """Archive old conversations that nobody has read lately. They stay searchable; nothing is deleted."""
    return prune(access, given)


@router.post("/memories/reindex", status_code=202)
def reindex_here(access: WriterHere, response: Response) -> dict[str, Any]:
    """Rebuild the index: passages, keywords, vectors. Starts a job."""
    return start(access, "reindex", response)


@router.delete("/memories/{memory_id}")
def forget_here(access: OwnerHere, memory_id: MemoryId) -> dict[str, Any]:
    """Delete a memory with every version and trace, permanently. Persons only."""
    return erase(access, memory_id)


@router.get("/v1/code/memories")
def code_memories_here(
    access: ReaderHere,
    file_path: FilePath,
    line: Line = None,
    limit: AboutLimit = 50,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> dict[str, Any]:
    """List memories about a file or a line, nearest first.

    `relevance`: `direct` (the line is inside), `symbol` (about the code around the line), or `file`. Memories about code
    that the place calls or overrides are `called` or `overridden` and have a `label`.
    """
    return code_memories(access, file_path, line, limit, as_of, known_at)
