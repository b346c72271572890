"""Asking: recall, and the context of a task. By GET for people and links, by POST for long questions."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.faces.rest.bodies import ContextTask, RecallQuestion
from waypost.faces.rest.caller import Reader
from waypost.faces.rest.parameters import LONGEST_IN_AN_ADDRESS, LONGEST_LINE, Archived, AsOf, KnownAt, Question
from waypost.faces.rest.strict import StrictRoute
from waypost.memory.facade import PRESETS
from waypost.model.kinds import SCOPES

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Asking"], route_class=StrictRoute)

ScopeName = Annotated[
    str, Query(description="Where to look.", json_schema_extra={"enum": list(SCOPES)}, examples=["all"])
]
PresetName = Annotated[
    str | None,
    Query(
        description="`scope`: code; `route`: facts by level and domain; `inject`: only what is near; `journal`: its files.",
        json_schema_extra={"anyOf": [{"type": "string", "enum": list(PRESETS)}, {"type": "null"}]},
    ),
]
Task = Annotated[
    str,
    Query(min_length=1, max_length=LONGEST_IN_AN_ADDRESS, description="The task.", examples=["Make uploads resumable"]),
]


@router.get("/recall")
def recall(
    hands: Reader,
    q: Question,
    k: Annotated[int, Query(ge=1, le=100, description="How many answers at the most.")] = 5,
    scope: ScopeName = "all",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    fresh: Annotated[bool, Query(description="Leave out what has gone stale.")] = False,
    min_confidence: Annotated[float, Query(ge=0, le=1, description="Leave out what is less certain.")] = 0.0,
    exclude_tag: Annotated[
        list[Annotated[str, Query(min_length=1, max_length=LONGEST_LINE)]] | None,
        Query(max_length=20, description="Leave out what has this tag, as NAME or NAME=VALUE; repeat it for more."),
    ] = None,
    archived: Archived = False,
    explain: Annotated[bool, Query(description="Say how each score came about.")] = False,
) -> dict[str, Any]:
    """The memories that answer a question best: facts, code and journal, ranked as one."""
    answer = hands.memory.recall(
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
def recall_long(hands: Reader, given: RecallQuestion) -> dict[str, Any]:
    """The same for a question in the body. It only reads."""
    options = given.model_dump(exclude={"question", "k", "explain"})
    return hands.memory.recall(given.question, given.k, **options).to_json(explain=given.explain)


@router.get("/context")
def context(
    hands: Reader,
    task: Task,
    tokens: Annotated[int | None, Query(ge=1, le=1_000_000, description="The most that it may cost.")] = None,
    preset: PresetName = None,
    include_stale: Annotated[bool, Query(description="With `route`: stale facts too.")] = False,
    include_l0: Annotated[bool, Query(description="With `route`: what is true of the whole project.")] = True,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> dict[str, Any]:
    """The briefing that an agent gets at the start of a task, fenced as data, within a budget of tokens."""
    briefing = hands.memory.brief(
        task,
        tokens,
        preset=preset,
        include_stale=include_stale,
        include_l0=include_l0,
        as_of=as_of,
        known_at=known_at,
    )
    return briefing.to_json()


@router.post("/context")
def context_long(hands: Reader, given: ContextTask) -> dict[str, Any]:
    """The same for a task in the body. It only reads."""
    return hands.memory.brief(**given.model_dump()).to_json()
