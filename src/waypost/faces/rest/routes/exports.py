"""Exports in Waypost's own folder: made, listed, fetched, deleted; and taking one in. No path comes from a client."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Response
from starlette.responses import FileResponse

from waypost.errors import NotFound
from waypost.faces.rest.bodies import ImportBody, NewExport
from waypost.faces.rest.caller import Hands, Person, Reader, Writer
from waypost.faces.rest.problems import ProblemError
from waypost.faces.rest.rows import export_row, receipts_row
from waypost.faces.rest.strict import StrictRoute
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.flows.move.export import Export

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Exports"], route_class=StrictRoute)

ExportName = Annotated[
    str,
    Path(
        pattern=r"^[0-9]{8}T[0-9]{6}Z(-[0-9]{1,9})?\.(jsonl|json)$",
        description="The name of an export, as the list has it.",
        examples=["20260130T120000Z.jsonl"],
    ),
]

MOST_EXPORTS = 100  # that are made over HTTP: nobody fills the disk with copies of all memories
_EXPORTS = "exports"  # whose turn it is


@router.get("/exports")
def exports(hands: Reader) -> dict[str, Any]:
    """The exports that there are, the newest first."""
    return {"exports": [export_row(one) for one in hands.memory.admin.exports()]}


@router.post("/exports", status_code=201)
def export(hands: Writer, response: Response, given: NewExport | None = None) -> dict[str, Any]:
    """Write all memories to a file in Waypost's own folder."""
    asked, memory = given or NewExport(), hands.memory
    with hands.services.turns.of(memory.identity.space_id, _EXPORTS):  # one after the other: each holds all memories
        if len(memory.admin.exports()) >= MOST_EXPORTS:
            raise ProblemError(409, f"There are {MOST_EXPORTS} exports.", "A person has to delete old ones first.")
        done = memory.admin.export(
            form=asked.format, embeddings=asked.embeddings, code=asked.code, as_of=asked.as_of, known_at=asked.known_at
        )
    response.headers["Location"] = f"/api/v1/spaces/{hands.space}/exports/{done.path.name}"
    return {**export_row(done), "format": asked.format}


@router.get("/exports/{name}", response_model=None)
def fetch_export(hands: Reader, name: ExportName) -> Response:
    """An export as a file."""
    found = _named(hands, name)
    kind = "application/json" if name.endswith(".json") else "application/jsonl"
    return FileResponse(found.path, media_type=kind, filename=name)


@router.delete("/exports/{name}")
def delete_export(hands: Person, name: ExportName) -> dict[str, Any]:
    """Delete an export. The memories stay. Only a person may."""
    _named(hands, name).path.unlink(missing_ok=True)
    return {"id": None, "status": "deleted"}


@router.post("/imports")
def import_memories(hands: Writer, given: ImportBody) -> dict[str, Any]:
    """Take in memories as an export has them. All are checked first. What is here already stays as it is; what was rejected
    is refused; who said what is kept as a claim. What was read out of a tree is left out."""
    receipts = list(hands.memory.admin.import_rows(given.memories))
    left_out = len(given.memories) - len(receipts)
    told = f"{counted(left_out, 'row was', 'rows were')} left out: code is indexed where it is, not imported."
    return receipts_row(receipts) | ({"notices": [told]} if left_out else {})


def _named(hands: Hands, name: str) -> "Export":
    found = next((one for one in hands.memory.admin.exports() if one.path.name == name), None)
    if found is None:
        raise NotFound("There is no export of that name.", "List them to see their names.")
    return found
