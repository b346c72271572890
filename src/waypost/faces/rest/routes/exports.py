"""Exports in Waypost's own folder: made, listed, fetched. No path comes from a client."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from starlette.responses import FileResponse

from waypost.errors import NotFound
from waypost.faces.rest.bodies import NewExport
from waypost.faces.rest.caller import Reader, Writer
from waypost.faces.rest.rows import export_row
from waypost.faces.rest.strict import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}/exports", tags=["Exports"], route_class=StrictRoute)

ExportName = Annotated[
    str,
    Path(
        pattern=r"^[0-9]{8}T[0-9]{6}Z(-[0-9]{1,9})?\.(jsonl|json)$",
        description="The name of an export, as the list has it.",
        examples=["20260130T120000Z.jsonl"],
    ),
]


@router.get("")
def exports(hands: Reader) -> dict[str, Any]:
    """The exports that there are, the newest first."""
    return {"exports": [export_row(one) for one in hands.memory.exports()]}


@router.post("", status_code=201)
def export(hands: Writer, response: Response, given: NewExport | None = None) -> dict[str, Any]:
    """Write all memories to a file in Waypost's own folder."""
    asked = given or NewExport()
    done = hands.memory.export(
        form=asked.format, embeddings=asked.embeddings, code=asked.code, as_of=asked.as_of, known_at=asked.known_at
    )
    response.headers["Location"] = f"/api/v1/spaces/{hands.space}/exports/{done.path.name}"
    return {**export_row(done), "format": asked.format}


@router.get("/{name}", response_model=None)
def fetch_export(hands: Reader, name: ExportName) -> Response:
    """An export as a file."""
    found = next((one for one in hands.memory.exports() if one.path.name == name), None)
    if found is None:
        raise NotFound("There is no export of that name.", "List them to see their names.")
    kind = "application/json" if name.endswith(".json") else "application/jsonl"
    return FileResponse(found.path, media_type=kind, filename=name)
