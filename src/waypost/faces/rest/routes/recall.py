"""Recall and context. GET for links, POST for long questions."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.faces.rest.bodies import ContextTask, RecallQuestion
from waypost.faces.rest.caller import Reader
from waypost.faces.rest.parameters import LONGEST_IN_AN_ADDRESS, LONGEST_LINE, Archived, AsOf, KnownAt, Question
from waypost.faces.rest.strict_route import StrictRoute
from waypost.memory.facade import PRESETS
from waypost.model.kinds import SCOPES

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Asking"], route_class=StrictRoute)

ScopeName = Annotated[
    str, Query(description="Where to search.", json_schema_extra={"enum": list(SCOPES)}, examples=["all"])
]
PresetName = Annotated[
    str | None,
    Query(
        description="`scope`: code; `route`: facts by level and domain; `inject`: close matches only; `journal`: journal files.",
        json_schema_extra={"anyOf": [{"type": "string", "enum": list(PRESETS)}, {"type": "null"}]},
    ),
]
Task = Annotated[
    str,
    Query(min_length=1, max_length=LONGEST_IN_AN_ADDRESS, description="The task.", examples=["Make uploads resumable"]),
]


@router.get("/recall")
def recall(
    access: Reader,
    q: Question,
    k: Annotated[int, Query(ge=1, le=100, description="Maximum number of results.")] = 5,
    scope: ScopeName = "all",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    fresh: Annotated[bool, Query(description="Leave out stale memories.")] = False,
    min_confidence: Annotated[float, Query(ge=0, le=1, description="Leave out memories with lower confidence.")] = 0.0,
    exclude_tag: Annotated[
        list[Annotated[str, Query(min_length=1, max_length=LONGEST_LINE)]] | None,
        Query(max_length=20, description="Leave out memories with this tag, as NAME or NAME=VALUE (repeatable)."),
    ] = None,
    archived: Archived = False,
    explain: Annotated[bool, Query(description="Show how each score was computed.")] = False,
) -> dict[str, Any]:
    """Search memories and code in plain language: facts, code and journal in one ranking."""
    answer = access.memory.recall(
        q,
        k,
        scope=scope,
        as_of=as_of,
        known_at=known_at,
        fresh=fresh,
        min_confidence=min_confidence,
        exclude_tags=exclude_tag or (),
        archived=archived,
    )
    return answer.to_json(explain=explain)


@router.post("/recall")
def recall_long(access: Reader, given: RecallQuestion) -> dict[str, Any]:
    """Same as GET, with the question in the body. Only reads."""
    options = given.model_dump(exclude={"question", "k", "explain"})
    return access.memory.recall(given.question, given.k, **options).to_json(explain=given.explain)


@router.get("/context")
def context(
    access: Reader,
    task: Task,
    tokens: Annotated[int | None, Query(ge=1, le=1_000_000, description="Token budget.")] = None,
    preset: PresetName = None,
    include_stale: Annotated[bool, Query(description="With `route`: include stale facts.")] = False,
    include_l0: Annotated[bool, Query(description="With `route`: include project-wide facts.")] = True,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> dict[str, Any]:
    """The context an agent gets at the start of a task, fenced as data, within a token budget."""
    briefing = access.memory.brief(
        task, tokens, preset=preset, include_stale=include_stale, include_l0=include_l0, as_of=as_of, known_at=known_at
    )
    return briefing.to_json()


@router.post("/context")
def context_long(access: Reader, given: ContextTask) -> dict[str, Any]:
    """Same as GET, with the task in the body. Only reads."""
    return access.memory.brief(**given.model_dump()).to_json()
