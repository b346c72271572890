"""Lists of memories."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from waypost.faces.rest.caller import Reader, SpaceAccess
from waypost.faces.rest.cursors import read_cursor
from waypost.faces.rest.listing import ListingQuery, page_of
from waypost.faces.rest.parameters import LONGEST_LINE, Archived, AsOf, CursorText, KnownAt, Limit
from waypost.faces.rest.strict_route import StrictRoute
from waypost.model.draft import MAX_LEVEL
from waypost.model.kinds import KINDS

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Memories"], route_class=StrictRoute)

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


@router.get("/memories")
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
