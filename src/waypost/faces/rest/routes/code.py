"""A project's code: memories about it, and what was indexed."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from waypost.faces.rest.caller import Reader
from waypost.faces.rest.listing import ListingQuery, page_of, read_cursor
from waypost.faces.rest.parameters import LONGEST_PATH, AboutLimit, AsOf, CursorText, FilePath, KnownAt, Limit, Line
from waypost.faces.rest.strict_route import StrictRoute
from waypost.flows.structure.answers import DIRECTIONS

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

    `relevance`: `direct` (the line is inside), `symbol` (about the code around the line), or `file`. Memories about code
    that the place calls or overrides are `called` or `overridden` and have a `label`.
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


_SYMBOL = "A name, `Type.method`, `path#Type.method`, `path:line` or an id."
SymbolText = Annotated[
    str, Query(min_length=1, max_length=LONGEST_PATH, description=_SYMBOL, examples=["Storage.save"])
]
OptionalSymbol = Annotated[str | None, Query(min_length=1, max_length=LONGEST_PATH, description=_SYMBOL)]
PlacePath = Annotated[
    str | None, Query(min_length=1, max_length=LONGEST_PATH, description="Only in this file or folder.")
]
SymbolKind = Annotated[
    str | None, Query(min_length=1, max_length=50, description="Only this kind: `class`, `function`, `method` …")
]
RowLimit = Annotated[int, Query(ge=1, le=10_000, description="Maximum number of rows. `total` counts all.")]


@router.get("/symbols")
def symbols(
    access: Reader,
    name: OptionalSymbol = None,
    path: PlacePath = None,
    kind: SymbolKind = None,
    members: Annotated[bool, Query(description="List what is directly inside of these symbols.")] = False,
    limit: RowLimit = 100,
) -> dict[str, Any]:
    """Find symbols by their exact name, or list the symbols of a file or folder.

    If `found` is empty, no such symbol exists, and `nearest` has similar names.
    """
    return access.memory.code.symbols(name or "", path=path, kind=kind, members=members, limit=limit).to_json()


@router.get("/uses")
def uses(
    access: Reader,
    symbol: SymbolText,
    direction: Annotated[
        str, Query(description="Which relation.", json_schema_extra={"enum": list(DIRECTIONS)})
    ] = "callers",
    depth: Annotated[
        int | None, Query(ge=1, le=5, description="Steps to follow; 1 by default, all for implementors.")
    ] = None,
    tests: Annotated[bool | None, Query(description="Only uses in tests (`true`), or none of them (`false`).")] = None,
    limit: RowLimit = 100,
) -> dict[str, Any]:
    """Show who uses a symbol, with the line of each use; or what it uses.

    If several symbols have the name, `candidates` lists them.
    """
    return access.memory.code.uses(symbol, direction, depth=depth, tests=tests, limit=limit).to_json()


@router.get("/impact")
def impact(
    access: Reader,
    symbol: OptionalSymbol = None,
    staged: Annotated[bool, Query(description="What is staged in git.")] = False,
    diff: Annotated[
        str | None, Query(min_length=1, max_length=400, description="All changes since this git revision.")
    ] = None,
    limit: RowLimit = 100,
) -> dict[str, Any]:
    """Show what a change may break: code, tests, endpoints, tables, environment variables and memories.

    Without parameters: the changes that are not committed.
    """
    return access.memory.code.impact(symbol or "", staged=staged, diff=diff, limit=limit).to_json()


@router.get("/unused")
def unused(access: Reader, path: PlacePath = None, kind: SymbolKind = None, limit: RowLimit = 100) -> dict[str, Any]:
    """List symbols that nothing in the repository uses, without entry points and framework handlers."""
    return access.memory.code.unused(path, kind=kind, limit=limit).to_json()


@router.get("/architecture")
def architecture(access: Reader) -> dict[str, Any]:
    """Show how the project is built: frameworks, patterns, endpoints, authentication, layers, with places."""
    return access.memory.code.architecture()


@router.get("/summary")
def summary(access: Reader, file_path: FilePath) -> dict[str, Any]:
    """The summary of a file."""
    return {"path": file_path, "summary": access.memory.code.summary(file_path)}
