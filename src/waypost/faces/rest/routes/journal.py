"""The journal: what was said and noted, through all stages."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from waypost.faces.rest.bodies import EntryBody
from waypost.faces.rest.caller import Reader, Writer
from waypost.faces.rest.parameters import LONGEST_LINE
from waypost.faces.rest.routes.one import written
from waypost.faces.rest.strict import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}/journal", tags=["Journal"], route_class=StrictRoute)

When = Annotated[
    str,
    Query(
        max_length=LONGEST_LINE,
        description="A day, week (2026-W05), month or year, or a time in words; nothing: an overview of all.",
        examples=["2026-01-30"],
    ),
]
WhatPage = Annotated[
    str,
    Query(
        max_length=LONGEST_LINE,
        description="A day, week, month or year, an entry's id, or a file by its path; today unless told.",
        examples=["2026-01-30"],
    ),
]


@router.get("")
def overview(hands: Reader) -> dict[str, Any]:
    """What there is: days that are still whole, then weeks, months and years, the newest first."""
    return hands.memory.journal.timeline("").to_json()


@router.post("", status_code=201)
def add_entry(hands: Writer, given: EntryBody, response: Response) -> dict[str, Any]:
    """Write an entry to the file of its day: a note, or with `session` a turn of a conversation."""
    receipt = hands.memory.journal.add(**given.given())
    return written(receipt, response, f"/api/v1/spaces/{hands.space}/memories/{receipt.id}")


@router.get("/timeline")
def timeline(hands: Reader, when: When = "") -> dict[str, Any]:
    """What was said at a time, with the original words, from whatever stage holds them."""
    return hands.memory.journal.timeline(when).to_json()


@router.get("/page")
def journal_page(hands: Reader, what: WhatPage = "") -> dict[str, Any]:
    """A page of the journal as it stands in its file."""
    return hands.memory.journal.show(what).to_json()


@router.get("/search")
def search_journal(
    hands: Reader,
    q: Annotated[str, Query(min_length=1, max_length=LONGEST_LINE, description="Words.", examples=["Friday"])],
    limit: Annotated[int, Query(ge=1, le=1000, description="At most so many lines.")] = 20,
) -> dict[str, Any]:
    """Lines that hold these words, through all files, the packed archive too. Recall finds by meaning."""
    return {"query": q, "lines": [line.to_json() for line in hands.memory.journal.search(q, limit)]}


@router.get("/similar")
def similar_conversations(
    hands: Reader,
    session: Annotated[
        str,
        Query(
            min_length=1, max_length=LONGEST_LINE, description="A conversation, or an entry's id.", examples=["standup"]
        ),
    ],
    k: Annotated[int, Query(ge=1, le=100, description="How many at the most.")] = 5,
) -> dict[str, Any]:
    """Conversations like this one, the likest first."""
    return {"session": session, "similar": [one.to_json() for one in hands.memory.journal.similar(session, k)]}


@router.get("/stats")
def journal_stats(hands: Reader) -> dict[str, Any]:
    """How much there is, about what, worth what, and how its upkeep stands."""
    return hands.memory.journal.stats()


@router.get("/log")
def journal_log(
    hands: Reader,
    limit: Annotated[int, Query(ge=1, le=1000, description="The latest so many.")] = 50,
    event: Annotated[str | None, Query(min_length=1, max_length=100, description="Only these.")] = None,
) -> dict[str, Any]:
    """What was done to the journal lately, and why."""
    return {"events": list(hands.memory.journal.events(limit, event))}


@router.get("/topics")
def journal_topics(
    hands: Reader,
    by: Annotated[Literal["week", "month", "year"], Query(description="The stretches of time.")] = "month",
    most: Annotated[int, Query(ge=1, le=100, description="At most so many of each.")] = 5,
) -> dict[str, Any]:
    """What was spoken about most, over time."""
    found = hands.memory.journal.topics(by, most)
    rows = {name: [{"topic": topic, "entries": n} for topic, n in members] for name, members in found.items()}
    return {"by": by, "topics": rows}
