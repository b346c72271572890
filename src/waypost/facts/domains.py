"""The domains of a project: its parts as developers would name them, by paths alone.

Folders that only hold others (`src`, `packages`, `src/main/java/com/acme`, the one top package) are looked through.
Packages and services of a monorepo are domains. A large domain is divided once more, if its parts are subjects rather
than layers. Tests, documents, examples and tools are not domains. A flat project has none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from waypost.facts.layout_tree import DEEPEST, SourceFolder, is_outside_source, is_source, layout_words, read_tree

__all__ = ["Domain", "Layout", "is_outside_source", "is_source"]

_MOST_DOMAINS = 40  # the largest ones
_LEAST_FILES = 2  # of source in a folder without a manifest: one file is a module
_TOP_SHARE = 0.7  # share of the parent's source that makes a folder the project's top package
_LARGE_SHARE = 0.15  # share of all source that makes a domain worth dividing
_LARGE_FILES = 150
_PARTS_OF_LARGE = 3  # least number of parts to divide a large domain
_LEAST_SHARE = 0.005  # share of all source for a part of a large domain


@dataclass(frozen=True, slots=True)
class Domain:
    name: str
    folder: str  # never ""
    files: int  # source files in it, without those of inner domains


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of one project lie."""

    _folders: Mapping[str, str]  # folder of a domain → name
    _containers: frozenset[str]  # containers: folders that were looked through
    _domains: tuple[Domain, ...]
    _by_last: Mapping[str, str]  # last part of a domain's folder → name, if unique

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Layout":
        """Takes any paths relative to the root, with `/`, in any order."""
        root = read_tree(paths)
        containers: set[str] = {""}
        folders = _domains(root, containers)
        names_by_folder = _unique_names(folders)
        counts = _counts(root, names_by_folder)
        domains = [Domain(name, folder, counts[folder]) for folder, name in names_by_folder.items()]
        domains.sort(key=lambda domain: (-domain.files, domain.name))
        names_by_last: dict[str, list[str]] = {}
        for folder, name in names_by_folder.items():
            names_by_last.setdefault(folder.rpartition("/")[2].lower(), []).append(name)
        unique = {last: names[0] for last, names in names_by_last.items() if len(names) == 1}
        return cls(names_by_folder, frozenset(containers), tuple(domains), unique)

    def domain(self, path: str) -> str:
        """The domain of a file or folder, for a test that of the tested code. Empty if it has none."""
        parts = path.strip("/").split("/")
        for length in range(min(len(parts), DEEPEST), 0, -1):
            name = self._folders.get("/".join(parts[:length]))
            if name is not None:
                return name
        return self._tested_domain(parts)

    def module(self, path: str) -> str:
        """The name of a module within its domain: the folder in it, else the file name without its ending."""
        parts = _as_main(path.strip("/").split("/"))
        start = 0
        for length in range(min(len(parts) - 1, DEEPEST), 0, -1):
            folder = "/".join(parts[:length])
            if folder in self._folders or folder in self._containers:
                start = length
                break
        rest = parts[start:]
        while len(rest) > 1 and rest[0].lower() in layout_words()["containers"] | layout_words()["tests"]:
            rest = rest[1:]
        return rest[0] if len(rest) > 1 else _stem(rest[0], parts[-2] if len(parts) > 1 else "")

    def domains(self) -> tuple[Domain, ...]:
        """All domains, largest first."""
        return self._domains

    def _tested_domain(self, parts: list[str]) -> str:
        lists = layout_words()
        at = next((index for index, part in enumerate(parts[:-1]) if part.lower() in lists["tests"]), None)
        if at is None:
            return ""
        inner_parts = parts[at + 1 : -1]
        return next((name for part in inner_parts if (name := self._by_last.get(part.lower())) is not None), "")


# --- which folders are domains


def _domains(root: SourceFolder, containers: set[str]) -> list[SourceFolder]:
    domains = _parts(root, containers, layers=False)
    if sum(folder.source for folder in domains) * 3 < root.source:
        inner = {""}
        layers = _parts(root, inner, layers=True)  # the project may have no other parts
        if sum(folder.source for folder in layers) > sum(folder.source for folder in domains):
            domains = layers
            containers.clear()
            containers |= inner
    least = root.source * _LEAST_SHARE
    large_from = max(_LARGE_FILES, root.source * _LARGE_SHARE)
    layer_names = layout_words()["layers"]
    for large in [part for part in domains if part.source >= large_from and part.name.lower() not in layer_names]:
        inner = set()
        parts = [folder for folder in _parts(large, inner, layers=False, divided=True) if folder.source >= least]
        if len(parts) >= _PARTS_OF_LARGE:
            domains += parts
            containers |= inner
    for folder in domains:
        _parts(folder, containers, layers=True)  # modules lie below the containers of their domain
    domains.sort(key=lambda folder: (-folder.source, folder.path))
    return domains[:_MOST_DOMAINS]


def _parts(start: SourceFolder, containers: set[str], *, layers: bool, divided: bool = False) -> list[SourceFolder]:
    """The domains below a folder, looking through containers.

    `layers`: include folders that are only layers. `divided`: the folder is a domain itself, and its layers are not.
    """
    parts, pending = [], [start]
    while pending:
        folder = pending.pop()
        inner = [child for child in folder.inner.values() if child.source]
        layered = _is_layered(inner)
        top = _top(folder, inner, layered)
        for child in inner:
            if child is top or _is_container(child, folder, layered or divided, all_layers=layers and layered):
                containers.add(child.path)
                pending.append(child)
            elif _is_part(child, layered or divided, layers):
                parts.append(child)
    return parts


def _is_container(folder: SourceFolder, parent: SourceFolder, layered: bool, *, all_layers: bool) -> bool:
    lists, name = layout_words(), folder.name.lower()
    if _holds_packages(folder):
        return True
    if all_layers or folder.has_manifest or name == parent.name.lower():
        return False
    return name in lists["containers"] and (not layered or name in lists["slices"] or name not in lists["layers"])


def _is_part(folder: SourceFolder, layered: bool, layers: bool) -> bool:
    lists, name = layout_words(), folder.name.lower()
    if folder.has_manifest:
        return True
    if folder.source < _LEAST_FILES or name in lists["generic"]:
        return False
    return layers or not layered or name not in lists["layers"]


def _is_layered(inner: list[SourceFolder]) -> bool:
    """Whether a folder is divided by what its parts do."""
    lists = layout_words()
    folders = [folder for folder in inner if not folder.has_manifest and folder.source >= _LEAST_FILES]
    layers = [name for folder in folders if (name := folder.name.lower()) in lists["layers"]]
    return sum(name in lists["layer_marks"] for name in layers) > 1 and len(layers) * 2 > len(folders)


def _top(folder: SourceFolder, inner: list[SourceFolder], layered: bool) -> SourceFolder | None:
    """The one folder with nearly all of the source, unless it is a layer or its siblings are packages too."""
    if not inner:
        return None
    top = max(inner, key=lambda child: (child.source, child.path))
    packages = sum(child.has_manifest for child in inner)
    if top.source < folder.source * _TOP_SHARE or (packages > 1 and top.has_manifest) or not top.inner:
        return None
    return None if layered and top.name.lower() in layout_words()["layers"] else top


def _holds_packages(folder: SourceFolder) -> bool:
    """Whether most folders in it are packages of their own, whatever its name."""
    inner = [child for child in folder.inner.values() if child.source]
    return not folder.has_manifest and len(inner) > 1 and sum(child.has_manifest for child in inner) * 2 > len(inner)


# --- names


def _unique_names(source_folders: Iterable[SourceFolder]) -> dict[str, str]:
    """A name for each folder. Equal names get as many parent folders as needed to differ."""
    paths = [folder.path for folder in source_folders]
    lengths = dict.fromkeys(paths, 1)
    for _ in range(DEEPEST):
        by_name: dict[str, list[str]] = {}
        for folder in paths:
            by_name.setdefault(_name(folder, lengths[folder]), []).append(folder)
        ambiguous = [folder for same_name in by_name.values() if len(same_name) > 1 for folder in same_name]
        if not ambiguous:
            break
        for folder in ambiguous:
            lengths[folder] += 1
    return {folder: _name(folder, lengths[folder]) for folder in paths}


def _name(folder: str, length: int) -> str:
    parts = folder.split("/")
    named = [part for part in parts[:-1] if part.lower() not in layout_words()["containers"]] + parts[-1:]
    return "/".join(named[-length:] if length <= len(named) else parts[-length:]).lower()


def _counts(root: SourceFolder, names: Mapping[str, str]) -> dict[str, int]:
    """Source files in each of the folders, without those of inner domains."""
    counts = dict.fromkeys(names, 0)
    pending: list[tuple[SourceFolder, str]] = [(root, "")]
    while pending:
        folder, owner = pending.pop()
        owner = folder.path if folder.path in names else owner
        if owner:
            counts[owner] += folder.source - sum(child.source for child in folder.inner.values())
        pending += [(child, owner) for child in folder.inner.values()]
    return counts


def _as_main(parts: list[str]) -> list[str]:
    """`src/test/java/…` as `src/main/java/…`, which has the same packages."""
    for position, part in enumerate(parts[:-1]):
        if part.lower() in layout_words()["package_roots"] and position and parts[position - 1].lower() == "test":
            return [*parts[: position - 1], "main", *parts[position:]]
    return parts


def _stem(name: str, folder: str) -> str:
    """The name of a file, or of its folder if the file represents it."""
    stem, _, ending = name.partition(".")
    return folder if folder and stem in _FOR_FOLDER.get(ending, ()) else stem or name.lstrip(".")


_FOR_FOLDER = {
    "py": ("__init__", "__main__"),
    "rs": ("mod", "lib", "main"),
    "go": ("main", "doc"),
    **dict.fromkeys(("js", "ts", "jsx", "tsx", "mjs", "cjs", "vue", "svelte"), ("index",)),
}
