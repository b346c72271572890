"""Exports in Waypost's folder: create, list, download, delete; and import. No path comes from a client."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Response
from starlette.responses import FileResponse

from waypost.errors import NotFound
from waypost.faces.rest.bodies import ImportBody, NewExport
from waypost.faces.rest.caller import Person, Reader, SpaceAccess, Writer
from waypost.faces.rest.problems import ProblemError
from waypost.faces.rest.strict_route import StrictRoute
from waypost.memory.rows import export_row, receipts_row

if TYPE_CHECKING:
    from waypost.flows.move.export import Export

router = APIRouter(prefix="/api/v1/spaces/{space}", tags=["Exports"], route_class=StrictRoute)

ExportName = Annotated[
    str,
    Path(
        pattern=r"^[0-9]{8}T[0-9]{6}Z(-[0-9]{1,9})?\.(jsonl|json)$",
        description="An export's name, as listed.",
        examples=["20260130T120000Z.jsonl"],
    ),
]

MOST_EXPORTS = 100  # created over HTTP, so that clients cannot fill the disk
_EXPORTS = "exports"  # the key of the lock


@router.get("/exports")
def exports(access: Reader) -> dict[str, Any]:
    """List exports, newest first."""
    return {"exports": [export_row(file) for file in access.memory.admin.exports()]}


@router.post("/exports", status_code=201)
def export(access: Writer, response: Response, given: NewExport | None = None) -> dict[str, Any]:
    """Export all memories to a file in Waypost's folder."""
    options, memory = given or NewExport(), access.memory
    with access.services.locks.of(memory.identity.space_id, _EXPORTS):  # one at a time: each holds all memories
        if len(memory.admin.exports()) >= MOST_EXPORTS:
            raise ProblemError(409, f"There are {MOST_EXPORTS} exports.", "A person must delete old ones first.")
        done = memory.admin.export(form=options.format, **options.model_dump(exclude={"format"}))
    response.headers["Location"] = f"/api/v1/spaces/{access.space}/exports/{done.path.name}"
    return {**export_row(done), "format": options.format}


@router.get("/exports/{name}", response_model=None)
def fetch_export(access: Reader, name: ExportName) -> Response:
    """Download an export."""
    file = _find(access, name)
    kind = "application/json" if name.endswith(".json") else "application/jsonl"
    return FileResponse(file.path, media_type=kind, filename=name)


@router.delete("/exports/{name}")
def delete_export(access: Person, name: ExportName) -> dict[str, Any]:
    """Delete an export. The memories stay. Persons only."""
    _find(access, name).path.unlink(missing_ok=True)
    return {"id": None, "status": "deleted"}


@router.post("/imports")
def import_memories(access: Writer, given: ImportBody) -> dict[str, Any]:
    """Import memories from an export. All are checked first. Existing memories stay; rejected values are refused; authors
    are stored as claims. Indexed code is refused."""
    return receipts_row(list(access.memory.admin.import_rows(given.memories)))


def _find(access: SpaceAccess, name: str) -> "Export":
    export = next((file for file in access.memory.admin.exports() if file.path.name == name), None)
    if export is None:
        raise NotFound("There is no export with that name.", "List exports to see their names.")
    return export
