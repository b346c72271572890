"""Paths as a tree of folders, each with the sums of what is in it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from waypost.flows.index.source_view import FileSeen

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
