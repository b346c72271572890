"""The project's files, how much is remembered about each, and a file with its memories beside the lines."""

from collections.abc import Sequence

from waypost.errors import NotFound, Refused
from waypost.faces.dashboard.pages.code_file import file_values
from waypost.faces.dashboard.pages.code_tree import TreeFolder, tree_of_files
from waypost.faces.dashboard.request_context import PagePlace, PageRequest, ShowPage
from waypost.flows.index.source_view import FileSeen
from waypost.model.reference import MAX_LINE

_MOST_ABOUT = 500  # memories about one file
_LISTED = 500  # names that a search among them shows


def show(asked: PageRequest) -> ShowPage:
    """The whole tree, or what of it a name or a filter leaves."""
    return _tree(asked, asked.memory.code.files() if asked.has_tree else (), "")


def show_place(asked: PageRequest) -> ShowPage:
    """A file, or a folder of the tree."""
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
    """A folder; or a file that is gone or cannot be shown, of which something may be remembered all the same."""
    if isinstance(error, NotFound):
        files = asked.memory.code.files()
        if any(one.path.startswith(f"{path}/") for one in files):
            return _tree(asked, files, path)
    hits = asked.memory.code.about(path, limit=_MOST_ABOUT)
    if isinstance(error, NotFound) and not hits:
        raise error
    return ShowPage("code_file.html", path, file_values(path, None, hits) | {"why": error.what})


def _tree(asked: PageRequest, found: Sequence[FileSeen], path: str) -> ShowPage:
    words, only = asked.text("q", limit=200).lower(), asked.one_of("only", ("", "memories", "stale"), "")
    inside = [one for one in found if not path or one.path.startswith(f"{path}/")]
    chosen = [
        one
        for one in inside
        if words in one.path.lower() and (not only or (one.stale if only == "stale" else one.memories))
    ]
    tree: TreeFolder = tree_of_files(chosen, path)
    values = {
        "tree": tree,
        "path": path,
        "q": words,
        "only": only,
        "total": len(inside),
        "listed": sorted(chosen, key=lambda one: one.path)[:_LISTED] if words or only else [],
        "left_out": max(0, len(chosen) - _LISTED) if words or only else 0,
    }
    return ShowPage("code.html", path or "Code", values)


PLACES = (
    PagePlace("/code", show, "code"),
    PagePlace("/code/{path:path}", show_place, "code"),
)
