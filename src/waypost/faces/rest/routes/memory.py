"""Memories: list, read, store, correct, retract, restore, delete."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from waypost.errors import NotFound, PersonOnly, Refused
from waypost.faces.rest import bodies
from waypost.faces.rest.answers import JsonAnswer
from waypost.faces.rest.caller import Owner, Person, Reader, SpaceAccess, Writer
from waypost.faces.rest.etags import check_match, etag_of, is_known
from waypost.faces.rest.listing import ListingQuery, page_of, read_cursor
from waypost.faces.rest.parameters import (
    LONGEST_LINE,
    Archived,
    AsOf,
    CursorText,
    IfMatch,
    IfNoneMatch,
    KnownAt,
    Limit,
    MemoryId,
)
from waypost.faces.rest.problems import ProblemError
from waypost.faces.rest.strict_route import StrictRoute
from waypost.memory.rows import forgotten_row, full_row, history_row, receipts_row
from waypost.model.draft import MAX_LEVEL
from waypost.model.kinds import KINDS
from waypost.model.receipt import Receipt

router = APIRouter(prefix="/api/v1/spaces/{space}/memories", tags=["Memories"], route_class=StrictRoute)


Kind = Annotated[
    str | None,
    Query(
        description="Only this kind. Indexed code is only listed by kind.",
        json_schema_extra={"anyOf": [{"type": "string", "enum": [*KINDS, "agent"]}, {"type": "null"}]},
    ),
]
LevelNumber = Annotated[int | None, Query(ge=0, le=MAX_LEVEL, description="Only this level.")]
Domain = Annotated[str | None, Query(min_length=1, max_length=LONGEST_LINE, description="Only this domain.")]
Module = Annotated[str | None, Query(min_length=1, max_length=LONGEST_LINE, description="Only this module.")]
Session = Annotated[str | None, Query(min_length=1, max_length=LONGEST_LINE, description="Only this conversation.")]
Tags = Annotated[
    list[str] | None, Query(max_length=20, description="Only memories with this tag, as NAME=VALUE (repeatable).")
]
WithDiff = Annotated[bool, Query(description="Add the code of its code references, and how it changed.")]


async def _listing(
    kind: Kind = None,
    level: LevelNumber = None,
    domain: Domain = None,
    module: Module = None,
    session: Session = None,
    tag: Tags = None,
    archived: Archived = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Limit = 50,
    cursor: CursorText = None,
) -> tuple[ListingQuery, str | None, int]:
    query = ListingQuery(kind, level, domain, module, session, tag or (), archived, as_of, known_at)
    return query, cursor, limit


Listing = Annotated[tuple[ListingQuery, str | None, int], Depends(_listing)]


@router.get("")
def list_memories(access: Reader, listing: Listing) -> dict[str, Any]:
    """List memories, newest first, by pages.

    All pages show the state at the first request, except that forgotten memories are gone.
    """
    return page(access, *listing)


def page(access: SpaceAccess, query: ListingQuery, cursor: str | None, limit: int) -> dict[str, Any]:
    question = {**query.to_json(), "space": access.space_id}
    at = None if cursor is None else read_cursor(cursor, question)
    rows, following = page_of(access.memory, query, at, limit)
    answer = {"memories": rows, "next": following.encode(question) if following else None}
    notices = access.memory.admin.damage_notices()
    return {**answer, "notices": list(notices)} if notices else answer


@router.post("", status_code=201)
def remember(access: Writer, given: bodies.NewMemory, response: Response) -> dict[str, Any]:
    """Store a memory. 201: new. 200: already stored or merged. 202: it would replace a person's memory and needs review.
    409: the value was rejected."""
    receipt = access.memory.remember(**given.given())
    return stored_answer(receipt, response, f"/api/v1/spaces/{access.space}/memories/{receipt.id}")


@router.post("/batch")
def remember_many(access: Writer, given: bodies.MemoriesBody) -> dict[str, Any]:
    """Store many memories, in order. All are checked first, so that an invalid one stores nothing."""
    return receipts_row(access.memory.remember_many([memory.given() for memory in given.memories]))


@router.post("/lift")
def lift(access: Person, given: bodies.Rejected) -> dict[str, Any]:
    """Allow a rejected or forgotten value again, by text, kind and domain. Persons only."""
    if not access.memory.facts.lift_rejection(**given.given()):
        raise NotFound("No such value was rejected.", "Give its exact text, kind and domain.")
    return {"id": None, "status": "lifted"}


@router.get("/{memory_id}", response_model=None)
def show(
    access: Reader,
    memory_id: MemoryId,
    diff: WithDiff = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """All fields of a memory, with the state of its code references. `diff` adds their code and how it changed."""
    linked = access.memory.show(memory_id, as_of=as_of, known_at=known_at)
    etag = etag_of(linked)
    if is_known(if_none_match, etag) and not diff:
        return Response(status_code=304, headers={"ETag": etag})
    row = full_row(linked)
    if diff and linked.links and linked.project is None:
        code = access.memory.code.code_behind(memory_id, as_of=as_of, known_at=known_at)
        row["code_refs"] = [ref | behind.to_json(diff=True) for ref, behind in zip(row["code_refs"], code, strict=True)]
    return JsonAnswer(row, headers={"ETag": etag})


@router.get("/{memory_id}/history")
def history(access: Reader, memory_id: MemoryId, as_of: AsOf = None, known_at: KnownAt = None) -> dict[str, Any]:
    """All versions of a memory, and what it replaced or was replaced by."""
    return history_row(access.memory.history(memory_id, as_of=as_of, known_at=known_at))


@router.get("/{memory_id}/subtree")
def subtree(
    access: Reader,
    memory_id: MemoryId,
    depth: Annotated[int, Query(ge=0, le=100, description="Number of levels.")] = 100,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> dict[str, Any]:
    """A fact and all facts below it, depth first."""
    return {"memories": list(access.memory.facts.subtree(memory_id, depth=depth, as_of=as_of, known_at=known_at))}


@router.post("/{memory_id}/correct")
def correct(
    access: Writer, memory_id: MemoryId, given: bodies.Correction, response: Response, if_match: IfMatch = None
) -> dict[str, Any]:
    """Fix a memory's text; the old version stays in history. 202: it is a person's memory and needs review."""
    with _locked(access, memory_id, if_match):
        return _refused_is_conflict(response, access.memory.correct, memory_id, **given.given())


@router.post("/{memory_id}/retract")
def retract(
    access: Writer,
    memory_id: MemoryId,
    response: Response,
    given: bodies.Retraction | None = None,
    if_match: IfMatch = None,
) -> dict[str, Any]:
    """Retract a memory, or say until when it was true. A memory it replaced becomes valid again. History keeps both. 202: it
    is a person's memory and needs review."""
    with _locked(access, memory_id, if_match):
        proposed = access.memory.retract(memory_id, valid_until=given.valid_until if given else None)
    if proposed is None:
        return {"id": memory_id, "status": "retracted"}
    return _accepted(proposed, response)


@router.post("/{memory_id}/reject")
def reject(access: Person, memory_id: MemoryId, if_match: IfMatch = None) -> dict[str, Any]:
    """Retract a memory and never store its value again. A memory it replaced becomes valid again. Persons only."""
    with _locked(access, memory_id, if_match):
        access.memory.reject(memory_id)
    return {"id": memory_id, "status": "rejected"}


@router.post("/{memory_id}/restore")
def restore_memory(
    access: Writer, memory_id: MemoryId, given: bodies.Restoration | None = None, if_match: IfMatch = None
) -> dict[str, Any]:
    """Undo a retraction or rejection. With `version`, restore that version from its history. Only a person can restore what
    a person removed."""
    with _locked(access, memory_id, if_match):
        access.memory.restore(memory_id, version=given.version if given else None)
    return {"id": memory_id, "status": "restored"}


@router.post("/{memory_id}/protect")
def protect(
    access: Writer, memory_id: MemoryId, given: bodies.Protection | None = None, if_match: IfMatch = None
) -> dict[str, Any]:
    """Protect a memory from ageing, pruning and expiry, or stop that."""
    on = given is None or given.on
    with _locked(access, memory_id, if_match):
        access.memory.protect(memory_id, on=on)
    return {"id": memory_id, "status": "protected" if on else "unprotected"}


@router.post("/{memory_id}/promote")
def promote(
    access: Writer, memory_id: MemoryId, given: bodies.PlaceBody, response: Response, if_match: IfMatch = None
) -> dict[str, Any]:
    """Change a fact's level, parent, domain or module."""
    with _locked(access, memory_id, if_match):
        return _refused_is_conflict(response, access.memory.facts.promote, memory_id, **given.given())


@router.put("/{memory_id}/ttl")
def set_ttl(
    access: Writer, memory_id: MemoryId, given: bodies.LifetimeBody, if_match: IfMatch = None
) -> dict[str, Any]:
    """Set when a memory expires, what restarts its TTL, and what happens then. Without fields it never expires."""
    with _locked(access, memory_id, if_match):
        return access.memory.facts.set_ttl(memory_id, **given.given()).to_json()


@router.delete("/{memory_id}")
def forget(access: Owner, memory_id: MemoryId, if_match: IfMatch = None) -> dict[str, Any]:
    """Delete a memory with every version and trace, permanently. Persons only."""
    return erase(access, memory_id, if_match)


def erase(access: SpaceAccess, memory_id: str, if_match: str | None = None) -> dict[str, Any]:
    with _locked(access, memory_id, if_match):
        forgotten = access.memory.forget(memory_id)
    access.services.replies.forget_full_replies()
    return forgotten_row(forgotten)


def stored_answer(receipt: Receipt, response: Response, place: str) -> dict[str, Any]:
    """A receipt as an answer. Raises ProblemError if nothing was stored."""
    if receipt.review or receipt.status == "refused":
        return _accepted(receipt, response)
    if receipt.status != "added":
        response.status_code = 200
    response.headers["Location"] = place
    return receipt.to_json()


def _accepted(receipt: Receipt, response: Response) -> dict[str, Any]:
    """Answer 202 for what needs review. Raises ProblemError if it was refused."""
    if receipt.status == "refused":
        raise _conflict(receipt.reason or "It was refused", receipt)
    response.status_code = 202
    return receipt.to_json()


def _refused_is_conflict(response: Response, change: Any, memory_id: str, **given: Any) -> dict[str, Any]:
    """Answer 409 if a rejected value blocks the change: that is a conflict, not a missing right."""
    try:
        receipt: Receipt = change(memory_id, **given)
    except PersonOnly:
        raise
    except Refused as error:
        raise ProblemError(409, error.what, _remedy(error.what, error.remedy)) from error
    if receipt.review or receipt.status == "refused":
        return _accepted(receipt, response)
    return receipt.to_json()


def _remedy(reason: str, otherwise: str = "Change the request as the detail says, and send it again.") -> str:
    return "A person can allow it again: POST …/memories/lift." if "rejected" in reason else otherwise


def _conflict(reason: str, receipt: Receipt) -> ProblemError:
    what = reason[:1].upper() + reason[1:].rstrip(".") + "."
    return ProblemError(409, what, _remedy(what), receipt=receipt.to_json())


@contextmanager
def _locked(access: SpaceAccess, memory_id: str, if_match: str | None) -> Iterator[None]:
    """Hold the memory's lock between the check and the change."""
    with access.services.locks.of(access.space_id, memory_id):
        check_match(access, memory_id, if_match)
        yield
