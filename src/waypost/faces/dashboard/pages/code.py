"""The project's files with their memories. A file is cut where memories begin, so that each is next to its lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from waypost.errors import NotFound, Refused
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, ShowPage
from waypost.flows.index.source_view import FileSeen, SourceSeen
from waypost.model.code_link import AboutHit
from waypost.model.reference import MAX_LINE

_MOST_ABOUT = 500  # memories about one file
_LISTED = 500  # search results shown


UNFOLDED = 150  # files in a folder that is shown inline; larger ones have their own page


@dataclass(slots=True)
class TreeFolder:
    name: str
    path: str
    folders: dict[str, "TreeFolder"] = field(default_factory=dict)
    files: list[FileSeen] = field(default_factory=list)
    count: int = 0  # files in it and below
    memories: int = 0
    stale: int = 0

    @property
    def is_large(self) -> bool:
        return self.count > UNFOLDED

    def add(self, file: FileSeen) -> None:
        self.count += 1
        self.memories += file.memories
        self.stale += file.stale


def tree_of_files(files: Iterable[FileSeen], below: str = "") -> TreeFolder:
    """The files below a folder, sorted by name. Not recursive, because paths can be deep."""
    root = TreeFolder(below.rpartition("/")[2], below)
    start = len(below) + 1 if below else 0
    for file in sorted(files, key=lambda file: file.path.lower()):
        folder = root
        folder.add(file)
        for name in file.path[start:].split("/")[:-1]:
            folder = folder.folders.setdefault(name, TreeFolder(name, f"{folder.path}/{name}".lstrip("/")))
            folder.add(file)
        folder.files.append(file)
    return root


def show(request: PageRequest) -> ShowPage:
    """The whole repository, or the files that match a name or filter."""
    return _tree(request, request.memory.code.files() if request.has_tree else (), "")


def show_place(request: PageRequest) -> ShowPage:
    path, first = request.path["path"].strip("/"), request.whole("first", 1, 1, MAX_LINE)
    if not path:
        return show(request)
    try:
        source = request.memory.code.source(path, first)
    except (NotFound, Refused) as error:
        return _without_text(request, path, error)
    hits = request.memory.code.about(source.path, limit=_MOST_ABOUT)
    return ShowPage("code_file.html", path, file_values(path, source, hits) | {"why": ""})


def _without_text(request: PageRequest, path: str, error: NotFound | Refused) -> ShowPage:
    """A folder; or a file that is deleted or cannot be shown but has memories."""
    if isinstance(error, NotFound):
        files = request.memory.code.files()
        if any(file.path.startswith(f"{path}/") for file in files):
            return _tree(request, files, path)
    hits = request.memory.code.about(path, limit=_MOST_ABOUT)
    if isinstance(error, NotFound) and not hits:
        raise error
    return ShowPage("code_file.html", path, file_values(path, None, hits) | {"why": error.what})


def _tree(request: PageRequest, all_files: Sequence[FileSeen], path: str) -> ShowPage:
    query, only = request.text("q", limit=200).lower(), request.one_of("only", ("", "memories", "stale"), "")
    below = [file for file in all_files if not path or file.path.startswith(f"{path}/")]
    matching = [
        file
        for file in below
        if query in file.path.lower() and (not only or (file.stale if only == "stale" else file.memories))
    ]
    tree: TreeFolder = tree_of_files(matching, path)
    values = {
        "tree": tree,
        "path": path,
        "q": query,
        "only": only,
        "total": len(below),
        "listed": sorted(matching, key=lambda file: file.path)[:_LISTED] if query or only else [],
        "left_out": max(0, len(matching) - _LISTED) if query or only else 0,
    }
    return ShowPage("code.html", path or "Code", values)


_LONGEST_MARK = 400  # lines marked per memory


@dataclass(frozen=True, slots=True)
class CodeLine:
    number: int
    text: str
    mark: str  # "", "marked" or "marked stale-line"


@dataclass(frozen=True, slots=True)
class CodePiece:
    """Consecutive lines, and the memories about code that starts at the first one."""

    lines: tuple[CodeLine, ...]
    hits: tuple[AboutHit, ...]


def file_values(path: str, source: SourceSeen | None, hits: Sequence[AboutHit]) -> dict[str, Any]:
    """The values for a file's page. Without the source, only its memories."""
    related = [hit for hit in hits if hit.related is not None]
    hits = [hit for hit in hits if hit.related is None]
    gone = [hit for hit in hits if hit.link.finding.path is None and hit.link.is_stale]
    whole = [hit for hit in hits if hit not in gone and hit.link.reference.line_range is None]
    placed = [hit for hit in hits if hit not in gone and hit not in whole]
    return {
        "path": path,
        "source": source,
        "hits": hits,
        "related": related,
        "gone": gone,
        "whole": whole,
        "pieces": pieces_of(source, placed) if source is not None else [],
        "elsewhere": _on_other_lines(source, placed),
        "stale": sum(hit.memory.state.is_stale for hit in hits),
    }


def _on_other_lines(source: SourceSeen | None, placed: Sequence[AboutHit]) -> list[AboutHit]:
    if source is None:
        return list(placed)
    visible = range(source.first, source.first + len(source.lines))
    return [hit for hit in placed if _start(hit) not in visible]


def pieces_of(source: SourceSeen, placed: Sequence[AboutHit]) -> list[CodePiece]:
    end = source.first + len(source.lines)
    by_line: dict[int, list[AboutHit]] = {}
    for hit in placed:
        if source.first <= _start(hit) < end:
            by_line.setdefault(_start(hit), []).append(hit)
    marks = _marks(placed, source.first, end)
    cuts = [*sorted({source.first, *by_line}), end]
    return [
        CodePiece(
            tuple(CodeLine(n, source.lines[n - source.first], marks.get(n, "")) for n in range(start, stop)),
            tuple(by_line.get(start, ())),
        )
        for start, stop in pairwise(cuts)
        if stop > start
    ]


def _marks(placed: Sequence[AboutHit], first: int, end: int) -> dict[int, str]:
    marks: dict[int, str] = {}
    for hit in placed:
        lines = hit.link.reference.line_range
        if lines is None:
            continue
        last = min(lines.end, lines.start + _LONGEST_MARK, end - 1)
        for number in range(max(lines.start, first), last + 1):
            if hit.link.is_stale or number not in marks:
                marks[number] = "marked stale-line" if hit.link.is_stale else "marked"
    return marks


def _start(hit: AboutHit) -> int:
    lines = hit.link.reference.line_range
    return lines.start if lines is not None else 0


PAGES = (PageRoute("/code", show, "code"), PageRoute("/code/{path:path}", show_place, "code"))
