"""What the index has about a symbol or a file, as far as linking needs it."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from waypost.refs.links.word_lists import link_words

FILE = "file"
TYPES = frozenset({"class", "interface", "trait", "struct", "enum", "type", "module"})
_JOINTS = re.compile(r"[-_.]")


class IndexEntry(NamedTuple):
    name: str  # last part of its name; for a file, the file name
    qualified: str  # within its file, with dots; for a file, its path
    kind: str  # "class", "method" …, or "file"
    path: str
    line: int = 0
    end_line: int = 0
    symbol_id: str = ""
    is_test: bool = False
    referrers: int = 0

    @property
    def is_aside(self) -> bool:
        """Whether it is a test, an example, vendored or generated code."""
        return self.is_test or _is_aside(self.path)


EntriesByName = Mapping[str, Sequence[IndexEntry]]  # by lower-case last name or file name


@lru_cache(maxsize=4096)
def _is_aside(path: str) -> bool:
    folders = path.lower().split("/")[:-1]
    parts = {part for folder in folders for part in (folder, *_JOINTS.split(folder))}
    return path.endswith((".pyi", ".d.ts", ".min.js")) or not link_words()["aside"].isdisjoint(parts)


def path_ends(path: str, ending: str) -> bool:
    """Whether the path equals this ending or ends with it at a folder boundary."""
    return path == ending or path.endswith("/" + ending)
