"""Listing memories."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.faces.rest.caller import Hands, Reader
from waypost.faces.rest.cursors import read_cursor
from waypost.faces.rest.listing import ListingQuery, page_of
from waypost.faces.rest.parameters import LONGEST_LINE, Archived, AsOf, CursorText, KnownAt, Limit
from waypost.faces.rest.strict import StrictRoute
from waypost.model.draft import MAX_LEVEL
from waypost.model.kinds import KINDS

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Memories"], route_class=StrictRoute)

Kind = Annotated[
    str | None,
    Query(
        description="Only this kind; what was read out of the tree is shown only so.",
        json_schema_extra={"anyOf": [{"type": "string", "enum": [*KINDS, "agent"]}, {"type": "null"}]},
    ),
]
LevelNumber = Annotated[int | None, Query(ge=0, le=MAX_LEVEL, description="Only this level.")]
Domain = Annotated[str | None, Query(min_length=1, max_length=LONGEST_LINE, description="Only this domain.")]
Module = Annotated[str | None, Query(min_length=1, max_length=LONGEST_LINE, description="Only this module.")]
Session = Annotated[str | None, Query(min_length=1, max_length=LONGEST_LINE, description="Only this conversation.")]
Tags = Annotated[
    list[str] | None, Query(max_length=20, description="Only what has this tag, as NAME=VALUE; repeat it for more.")
]


@router.get("/memories")
def list_memories(
    hands: Reader,
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
) -> dict[str, Any]:
    """What is remembered, the newest first, by pages.

    All pages show what was known when the first one was asked for, whatever is written meanwhile. What is forgotten
    meanwhile is gone from them.
    """
    asked = ListingQuery(kind, level, domain, module, session, tag or (), archived, as_of, known_at)
    return page(hands, asked, cursor, limit)


def page(hands: Hands, asked: ListingQuery, cursor: str | None, limit: int) -> dict[str, Any]:
    """One page as an answer has it."""
    question = {**asked.to_json(), "space": hands.space_id}
    at = None if cursor is None else read_cursor(cursor, question)
    rows, following = page_of(hands.memory, asked, at, limit)
    answer = {"memories": rows, "next": following.written(question) if following else None}
    notices = hands.memory.admin.damage_notices()
    return {**answer, "notices": list(notices)} if notices else answer
