"""The journal: conversations and notes, and their maintenance."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from waypost.faces.rest.bodies import Curation, EntryBody, EntryProtection, Pruning, RunBody, What
from waypost.faces.rest.caller import Reader, Writer
from waypost.faces.rest.jobs import start
from waypost.faces.rest.parameters import LONGEST_LINE
from waypost.faces.rest.routes.memory import stored_answer
from waypost.faces.rest.strict_route import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}/journal", tags=["Journal"], route_class=StrictRoute)

When = Annotated[
    str,
    Query(
        max_length=LONGEST_LINE,
        description="A day, week (2026-W05), month, year, or words such as `last week`; empty for an overview.",
        examples=["2026-01-30"],
    ),
]
WhatPage = Annotated[
    str,
    Query(
        max_length=LONGEST_LINE,
        description="A day, week, month or year, an entry's id, or a file path (default: today).",
        examples=["2026-01-30"],
    ),
]


@router.get("")
def overview(access: Reader) -> dict[str, Any]:
    """An overview: recent days, then weeks, months and years, newest first."""
    return access.memory.journal.timeline("").to_json()


@router.post("", status_code=201)
def add_entry(access: Writer, given: EntryBody, response: Response) -> dict[str, Any]:
    """Add an entry to the file of its day: a note, or with `session` a turn of a conversation."""
    receipt = access.memory.journal.add(**given.given())
    return stored_answer(receipt, response, f"/api/v1/spaces/{access.space}/memories/{receipt.id}")


@router.get("/timeline")
def timeline(access: Reader, when: When = "") -> dict[str, Any]:
    """Show what was said at a time, in the original words."""
    return access.memory.journal.timeline(when).to_json()


@router.get("/page")
def journal_page(access: Reader, what: WhatPage = "") -> dict[str, Any]:
    """A journal file as it is."""
    return access.memory.journal.show(what).to_json()


@router.get("/search")
def search_journal(
    access: Reader,
    q: Annotated[
        str, Query(min_length=1, max_length=LONGEST_LINE, description="The words to find.", examples=["Friday"])
    ],
    limit: Annotated[int, Query(ge=1, le=1000, description="Maximum number of lines.")] = 20,
) -> dict[str, Any]:
    """Find lines with these words in all files, including the archive. Recall searches by meaning."""
    return {"query": q, "lines": [line.to_json() for line in access.memory.journal.search(q, limit)]}


@router.get("/similar")
def similar_conversations(
    access: Reader,
    session: Annotated[
        str,
        Query(
            min_length=1, max_length=LONGEST_LINE, description="A conversation, or an entry's id.", examples=["standup"]
        ),
    ],
    k: Annotated[int, Query(ge=1, le=100, description="Maximum number of conversations.")] = 5,
) -> dict[str, Any]:
    """Find conversations similar to this one, most similar first."""
    return {
        "session": session,
        "similar": [conversation.to_json() for conversation in access.memory.journal.similar(session, k)],
    }


@router.get("/stats")
def journal_stats(access: Reader) -> dict[str, Any]:
    """The journal's size, topics, importance and maintenance state."""
    return access.memory.journal.stats()


@router.get("/log")
def journal_log(
    access: Reader,
    limit: Annotated[int, Query(ge=1, le=1000, description="Maximum number of events.")] = 50,
    event: Annotated[str | None, Query(min_length=1, max_length=100, description="Only this event.")] = None,
) -> dict[str, Any]:
    """Recent changes to the journal and their reasons."""
    return {"events": list(access.memory.journal.events(limit, event))}


@router.get("/topics")
def journal_topics(
    access: Reader,
    by: Annotated[Literal["week", "month", "year"], Query(description="The period.")] = "month",
    most: Annotated[int, Query(ge=1, le=100, description="Maximum number of topics per period.")] = 5,
) -> dict[str, Any]:
    """The most frequent topics over time."""
    periods = access.memory.journal.topics(by, most)
    rows = {name: [{"topic": topic, "entries": n} for topic, n in members] for name, members in periods.items()}
    return {"by": by, "topics": rows}


@router.post("/condense")
def condense(access: Writer, response: Response, given: RunBody | None = None) -> dict[str, Any]:
    """Condense what is due: trim, write weekly, monthly and yearly summaries, compress. A dry run returns the steps (200);
    otherwise a job is started (202)."""
    options = given or RunBody()
    if options.dry_run:
        return access.memory.journal.condense(force=options.force, dry_run=True).to_json()
    return start(access, "condense", response, force=options.force)


@router.post("/restore")
def restore(access: Writer, given: What) -> dict[str, Any]:
    """Undo condensing of a day, week, month, year or entry from the originals. It stays as it is until released."""
    return access.memory.journal.restore(given.what).to_json()


@router.post("/release")
def release(access: Writer, given: What) -> dict[str, Any]:
    """Allow condensing a restored part again."""
    return access.memory.journal.release(given.what).to_json()


@router.post("/protect")
def protect_entry(access: Writer, given: EntryProtection) -> dict[str, Any]:
    """Keep an entry unchanged forever, or stop that."""
    return {"id": access.memory.journal.protect(given.what, on=given.on), "protected": given.on}


@router.post("/prune")
def prune(access: Writer, given: Pruning | None = None) -> dict[str, Any]:
    """Archive old conversations that nobody has read lately. They stay searchable."""
    return access.memory.journal.prune(**(given or Pruning()).model_dump()).to_json()


@router.post("/curate")
def curate(access: Writer, given: Curation) -> dict[str, Any]:
    """Copy an entry into the user's part of MEMORY.md."""
    return access.memory.journal.curate(given.id, given.heading).to_json()
