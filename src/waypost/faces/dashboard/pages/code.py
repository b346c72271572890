"""The project's files, how much is remembered about each, and a file with its memories beside the lines."""

from waypost.errors import NotFound, Refused
from waypost.faces.dashboard.asked import Asked, Page, Place
from waypost.faces.dashboard.pages.code_file import file_values
from waypost.faces.dashboard.pages.code_tree import Folder, tree_of_files

_LISTED = 500  # names that a search among them shows


def show(asked: Asked) -> Page:
    """The whole tree, or what of it a name or a filter leaves."""
    return _tree(asked, "")


def show_place(asked: Asked) -> Page:
    """A file, or a folder of the tree."""
    path, first = asked.path["path"].strip("/"), asked.whole("first", 1, 1, 100_000_000)
    memory, source, why = asked.memory, None, ""
    try:
        source = memory.source(path, first)
    except NotFound as error:
        if any(one.path.startswith(f"{path}/") for one in memory.files()):
            return _tree(asked, path)
        why, missing = error.what, error
    except Refused as error:
        why, missing = error.what, None
    else:
        missing = None
    hits = memory.about(source.path if source is not None else path, limit=500)
    if missing is not None and not hits:
        raise missing
    return Page("code_file.html", path, file_values(path, source, hits) | {"why": why})


def _tree(asked: Asked, path: str) -> Page:
    words, only = asked.text("q", limit=200).lower(), asked.one_of("only", ("", "memories", "stale"), "")
    found = asked.memory.files() if asked.has_tree else ()
    inside = [one for one in found if not path or one.path.startswith(f"{path}/")]
    chosen = [
        one
        for one in inside
        if words in one.path.lower() and (not only or (one.stale if only == "stale" else one.memories))
    ]
    tree: Folder = tree_of_files(chosen, path)
    values = {
        "tree": tree,
        "path": path,
        "q": words,
        "only": only,
        "total": len(inside),
        "listed": sorted(chosen, key=lambda one: one.path)[:_LISTED] if words or only else [],
        "left_out": max(0, len(chosen) - _LISTED) if words or only else 0,
    }
    return Page("code.html", path or "Code", values)


PLACES = (
    Place("/code", show, "code"),
    Place("/code/{path:path}", show_place, "code"),
)
