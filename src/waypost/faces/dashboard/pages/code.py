"""The project's files with their memories."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from waypost.errors import NotFound, Refused
from waypost.faces.dashboard.pages.code_file import file_values
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, ShowPage
from waypost.flows.index.source_view import FileSeen
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
    """A file or folder."""
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


PAGES = (
    PageRoute("/code", show, "code"),
    PageRoute("/code/{path:path}", show_place, "code"),
)
