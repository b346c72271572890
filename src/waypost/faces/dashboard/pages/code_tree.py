"""Paths as a tree of folders, each with the sums of what is in it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from waypost.flows.index.source_view import FileSeen

UNFOLDED = 150  # files of a folder that is shown folded; a larger one has a page of its own


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

    def add(self, one: FileSeen) -> None:
        self.count += 1
        self.memories += one.memories
        self.stale += one.stale


def tree_of_files(files: Iterable[FileSeen], below: str = "") -> TreeFolder:
    """The files below a folder, folders first in the order of their names. No recursion: a path may be of any depth."""
    root = TreeFolder(below.rpartition("/")[2], below)
    start = len(below) + 1 if below else 0
    for one in sorted(files, key=lambda one: one.path.lower()):
        here = root
        here.add(one)
        for name in one.path[start:].split("/")[:-1]:
            here = here.folders.setdefault(name, TreeFolder(name, f"{here.path}/{name}".lstrip("/")))
            here.add(one)
        here.files.append(one)
    return root
