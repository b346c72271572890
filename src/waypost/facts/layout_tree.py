"""The folders of a project with their source files, and which of them are outside the project's own code."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files

DEEPEST = 24  # nested folders that are examined


@cache
def layout_words() -> Mapping[str, frozenset[str]]:
    """Names of folders and files by meaning. `data/layout.toml` says what each list is for."""
    source = files("waypost.facts").joinpath("data", "layout.toml").read_text(encoding="utf-8")
    return {name: frozenset(words.split()) for name, words in tomllib.loads(source).items()}


@dataclass(slots=True)
class SourceFolder:
    path: str
    source: int = 0  # source files here and below, except in folders that are never a domain
    has_manifest: bool = False
    inner: "dict[str, SourceFolder]" = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def read_tree(paths: Iterable[str]) -> SourceFolder:
    root, lists = SourceFolder(""), layout_words()
    manifest_ends = tuple(lists["manifest_ends"])
    modules: set[str] = set()
    for path in set(paths):
        *folders, name = path.strip("/").split("/")
        folders, lowered = folders[:DEEPEST], name.lower()
        is_source = (
            lowered.rpartition(".")[2] in lists["source"] and "." in lowered and not _has_outside_folder(folders)
        )
        current = root
        current.source += is_source
        for index, folder in enumerate(folders):
            if folder not in current.inner:
                current.inner[folder] = SourceFolder("/".join(folders[: index + 1]))
            current = current.inner[folder]
            current.source += is_source
        if current is not root and (lowered in lists["manifests"] or lowered.endswith(manifest_ends)):
            current.has_manifest = True
        modules |= {current.path} if name == "__init__.py" else set()
    for source_folder in _walk(root):
        if source_folder.path in modules:  # a `setup.py` among modules is one of them
            source_folder.has_manifest = False
    return root


def _walk(root: SourceFolder) -> Iterator[SourceFolder]:
    pending = [root]
    while pending:
        folder = pending.pop()
        pending += folder.inner.values()
        yield folder


def _has_outside_folder(folders: list[str]) -> bool:
    lists = layout_words()
    for index, folder in enumerate(folders):
        if folder.lower() in lists["package_roots"]:
            return any(name.lower() in lists["tests"] for name in folders[index:])
        if _is_never_source(folder):
            return True
    return False


@lru_cache(maxsize=50_000)
def _is_never_source(name: str) -> bool:
    lists, lowered = layout_words(), name.lower()
    is_of_tests = lowered.startswith((*lists["test_starts"],)) or lowered.endswith((*lists["test_ends"],))
    if lowered in lists["never"] or lowered.startswith((".", "_")) or is_of_tests:
        return True
    if name.endswith("Test") and name[0].islower():  # a Gradle source set: `jvmTest`
        return True
    return not lowered.strip() or any(ord(character) < 32 for character in lowered)


def is_source(path: str) -> bool:
    """Whether a path is the project's own source, judged by names."""
    folder, _, name = path.rpartition("/")
    return "." in name and name.lower().rpartition(".")[2] in layout_words()["source"] and not is_outside_source(folder)


@lru_cache(maxsize=50_000)
def is_outside_source(folder: str) -> bool:
    """Whether a folder is outside the project's own code: tests, documents, examples, tools, third-party code."""
    return _has_outside_folder(folder.split("/"))
