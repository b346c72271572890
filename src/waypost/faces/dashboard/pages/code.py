"""The project's files with their memories."""

from collections.abc import Sequence

from waypost.errors import NotFound, Refused
from waypost.faces.dashboard.pages.code_file import file_values
from waypost.faces.dashboard.pages.code_tree import TreeFolder, tree_of_files
from waypost.faces.dashboard.request_context import PagePlace, PageRequest, ShowPage
from waypost.flows.index.source_view import FileSeen
from waypost.model.reference import MAX_LINE

_MOST_ABOUT = 500  # memories about one file
_LISTED = 500  # search results shown


def show(asked: PageRequest) -> ShowPage:
    """The whole repository, or the files that match a name or filter."""
    return _tree(asked, asked.memory.code.files() if asked.has_tree else (), "")


def show_place(asked: PageRequest) -> ShowPage:
    """A file or folder."""
    path, first = asked.path["path"].strip("/"), asked.whole("first", 1, 1, MAX_LINE)
    if not path:
        return show(asked)
    try:
        source = asked.memory.code.source(path, first)
    except (NotFound, Refused) as error:
        return _without_text(asked, path, error)
    hits = asked.memory.code.about(source.path, limit=_MOST_ABOUT)
    return ShowPage("code_file.html", path, file_values(path, source, hits) | {"why": ""})


def _without_text(asked: PageRequest, path: str, error: NotFound | Refused) -> ShowPage:
    """A folder; or a file that is deleted or cannot be shown but has memories."""
    if isinstance(error, NotFound):
        files = asked.memory.code.files()
        if any(file.path.startswith(f"{path}/") for file in files):
            return _tree(asked, files, path)
    hits = asked.memory.code.about(path, limit=_MOST_ABOUT)
    if isinstance(error, NotFound) and not hits:
        raise error
    return ShowPage("code_file.html", path, file_values(path, None, hits) | {"why": error.what})


def _tree(asked: PageRequest, all_files: Sequence[FileSeen], path: str) -> ShowPage:
    query, only = asked.text("q", limit=200).lower(), asked.one_of("only", ("", "memories", "stale"), "")
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


PLACES = (
    PagePlace("/code", show, "code"),
    PagePlace("/code/{path:path}", show_place, "code"),
)
