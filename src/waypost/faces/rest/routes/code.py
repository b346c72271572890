"""A project's code: memories about it, and what was indexed."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.faces.rest.caller import Reader
from waypost.faces.rest.listing import ListingQuery, page_of, read_cursor
from waypost.faces.rest.parameters import LONGEST_PATH, AboutLimit, AsOf, CursorText, FilePath, KnownAt, Limit, Line
from waypost.faces.rest.strict_route import StrictRoute

router = APIRouter(prefix="/api/v1/spaces/{space}/code", tags=["Code"], route_class=StrictRoute)

AnalyzedPath = Annotated[
    str, Query(min_length=1, max_length=LONGEST_PATH, description="A file or folder of the project.", examples=["src"])
]


@router.get("/memories")
def code_memories(
    access: Reader,
    file_path: FilePath,
    line: Line = None,
    limit: AboutLimit = 50,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> dict[str, Any]:
    """List memories about a file, folder or line, nearest first.

    `relevance`: `direct` (the line is inside), `symbol` (about the code around the line), or `file`.
    """
    hits = access.memory.code.about(file_path, line, limit=limit, as_of=as_of, known_at=known_at)
    return {"path": file_path, "line": line, "memories": [hit.to_json() for hit in hits]}


@router.get("/files")
def code_files(access: Reader, limit: Limit = 100, cursor: CursorText = None) -> dict[str, Any]:
    """List indexed files by pages, most recently indexed first."""
    question = {"files": True, "space": access.space_id}
    at = None if cursor is None else read_cursor(cursor, question)
    rows, following = page_of(access.memory, ListingQuery(kind="file"), at, limit)
    files = [{"path": row["name"], "id": row["id"], "summary": row["text"], **row["metadata"]} for row in rows]
    return {"files": files, "next": following.encode(question) if following else None}


@router.get("/analyze")
def analyze(access: Reader, path: AnalyzedPath = ".") -> dict[str, Any]:
    """Show what a file or folder defines: classes, functions, imports. Stores nothing."""
    return access.memory.code.analyze(path).to_json()


@router.get("/architecture")
def architecture(access: Reader) -> dict[str, Any]:
    """Show how the project is built: frameworks, patterns, endpoints, authentication, layers, with places."""
    return access.memory.code.architecture()


@router.get("/summary")
def summary(access: Reader, file_path: FilePath) -> dict[str, Any]:
    """The summary of a file."""
    return {"path": file_path, "summary": access.memory.code.summary(file_path)}
