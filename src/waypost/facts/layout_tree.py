"""The folders of a tree with their source files, and which of them lie beside the project's own code."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from waypost.facts.layout_words import words

DEEPEST = 24  # folders below each other that are looked into


@dataclass(slots=True)
class SourceFolder:
    path: str
    source: int = 0  # files here and below, without those in what is never a domain
    has_manifest: bool = False
    inner: "dict[str, SourceFolder]" = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def read_tree(paths: Iterable[str]) -> SourceFolder:
    root, known = SourceFolder(""), words()
    modules: set[str] = set()
    for path in set(paths):
        *folders, name = path.strip("/").split("/")
        if len(folders) > DEEPEST:
            folders = folders[:DEEPEST]
        lowered = name.lower()
        is_source = lowered.rpartition(".")[2] in known.source and "." in lowered
        is_source = is_source and not _without_parts(folders)
        here = root
        here.source += is_source
        for at, folder in enumerate(folders):
            if folder not in here.inner:
                here.inner[folder] = SourceFolder("/".join(folders[: at + 1]))
            here = here.inner[folder]
            here.source += is_source
        if here is not root and (lowered in known.manifests or lowered.endswith(known.manifest_ends)):
            here.has_manifest = True
        modules |= {here.path} if name == "__init__.py" else set()
    for one in _all(root):
        if one.path in modules:  # a `setup.py` among modules is one of them
            one.has_manifest = False
    return root


def _all(root: SourceFolder) -> Iterator[SourceFolder]:
    waiting = [root]
    while waiting:
        here = waiting.pop()
        waiting += here.inner.values()
        yield here


def _without_parts(folders: list[str]) -> bool:
    """Whether one of these folders is never part of a project."""
    known = words()
    for at, folder in enumerate(folders):
        if folder.lower() in known.package_roots:
            return any(name.lower() in known.tests for name in folders[at:])
        if _is_never(folder):
            return True
    return False


@lru_cache(maxsize=50_000)
def _is_never(name: str) -> bool:
    known, lowered = words(), name.lower()
    if (
        lowered in known.never
        or lowered.startswith((".", "_", *known.test_starts))
        or lowered.endswith(known.test_ends)
    ):
        return True
    if name.endswith("Test") and name[0].islower():  # a source set of Gradle: `jvmTest`
        return True
    return not lowered.strip() or any(ord(character) < 32 for character in lowered)


def is_source(path: str) -> bool:
    """Whether a path is the project's own source, as far as names tell."""
    folder, _, name = path.rpartition("/")
    return "." in name and name.lower().rpartition(".")[2] in words().source and not is_beside(folder)


@lru_cache(maxsize=50_000)
def is_beside(folder: str) -> bool:
    """Whether a folder lies beside the project's own code: in tests, documents, examples, tools, what others wrote."""
    return _without_parts(folder.split("/"))
