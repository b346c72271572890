"""The parts of a project as its developers would name them, told by its paths alone.

Folders that only hold others (`src`, `packages`, `src/main/java/com/acme`, the one top package) are looked through.
Packages and services of a monorepo are domains. A large one is divided once more, where it is divided by what its parts
are about and not by what they do. Tests, documents, examples and tools are no domains. A flat project has none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from waypost.facts.layout_tree import DEEPEST, SourceFolder, is_beside, is_source, read_tree
from waypost.facts.layout_words import words

__all__ = ["Domain", "Layout", "is_beside", "is_source"]

_MOST_DOMAINS = 40  # the largest: nobody has more parts in mind
_LEAST_FILES = 2  # of source in a folder without a manifest: one file is a module
_TOP_SHARE = 0.7  # of its parent's source: the one folder that holds the project
_LARGE_SHARE = 0.15  # of all source: worth dividing
_LARGE_FILES = 150
_PARTS_OF_LARGE = 3  # a large part is divided where that gives so many
_LEAST_SHARE = 0.005  # of all source, for a part of a large part


@dataclass(frozen=True, slots=True)
class Domain:
    name: str
    folder: str  # "" never: a domain lies in a folder
    files: int  # of source in it, those of its inner domains left out


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of one tree lie."""

    _folders: Mapping[str, str]  # folder of a domain → name
    _open: frozenset[str]  # folders that were looked through
    _found: tuple[Domain, ...]
    _by_last: Mapping[str, str]  # last part of a domain's folder → name, where only one has it

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Layout":
        """Any paths, relative to the root, with `/`. Their order does not matter."""
        root = read_tree(paths)
        opened: set[str] = {""}
        found = _domains(root, opened)
        names = _named(found)
        counts = _counts(root, names)
        listed = [Domain(name, folder, counts[folder]) for folder, name in names.items()]
        listed.sort(key=lambda one: (-one.files, one.name))
        lasts: dict[str, list[str]] = {}
        for folder, name in names.items():
            lasts.setdefault(_last(folder), []).append(name)
        alone = {last: given[0] for last, given in lasts.items() if len(given) == 1}
        return cls(names, frozenset(opened), tuple(listed), alone)

    def domain(self, path: str) -> str:
        """The part that a file or folder belongs to, a test to what it tests; "" when to none."""
        parts = path.strip("/").split("/")
        for length in range(min(len(parts), DEEPEST), 0, -1):
            name = self._folders.get("/".join(parts[:length]))
            if name is not None:
                return name
        return self._tested(parts)

    def module(self, path: str) -> str:
        """What a developer would call this piece of its domain: the folder in it, else the file without its ending."""
        parts = _as_main(path.strip("/").split("/"))
        start = 0
        for length in range(min(len(parts) - 1, DEEPEST), 0, -1):
            folder = "/".join(parts[:length])
            if folder in self._folders or folder in self._open:
                start = length
                break
        rest = parts[start:]
        while len(rest) > 1 and rest[0].lower() in words().containers | words().tests:
            rest = rest[1:]
        return rest[0] if len(rest) > 1 else _stem(rest[0], parts[-2] if len(parts) > 1 else "")

    def domains(self) -> tuple[Domain, ...]:
        """Largest first."""
        return self._found

    def _tested(self, parts: list[str]) -> str:
        known = words()
        at = next((at for at, part in enumerate(parts[:-1]) if part.lower() in known.tests), None)
        if at is None:
            return ""
        inside = parts[at + 1 : -1]
        return next((name for part in inside if (name := self._by_last.get(part.lower())) is not None), "")


# --- which folders are domains


def _domains(root: SourceFolder, opened: set[str]) -> list[SourceFolder]:
    found = _parts(root, opened, layers=False)
    if sum(one.source for one in found) * 3 < root.source:
        inside = {""}
        layers = _parts(root, inside, layers=True)  # they are all the parts it has
        if sum(one.source for one in layers) > sum(one.source for one in found):
            found = layers
            opened.clear()
            opened |= inside
    least = root.source * _LEAST_SHARE
    large_from = max(_LARGE_FILES, root.source * _LARGE_SHARE)
    layer_names = words().layers
    for large in [one for one in found if one.source >= large_from and one.name.lower() not in layer_names]:
        inside = set()
        parts = [one for one in _parts(large, inside, layers=False, divided=True) if one.source >= least]
        if len(parts) >= _PARTS_OF_LARGE:
            found += parts
            opened |= inside
    for one in found:
        _parts(one, opened, layers=True)  # a module is told from below the containers of its domain
    found.sort(key=lambda one: (-one.source, one.path))
    return found[:_MOST_DOMAINS]


def _parts(start: SourceFolder, opened: set[str], *, layers: bool, divided: bool = False) -> list[SourceFolder]:
    """The domains below a folder, containers looked through.

    `layers`: also what is only a layer. `divided`: the folder is a domain itself, and a layer of it is no other one.
    """
    found, waiting = [], [start]
    while waiting:
        here = waiting.pop()
        inner = [one for one in here.inner.values() if one.source]
        layered = _is_layered(inner)
        top = _top(here, inner, layered)
        for one in inner:
            if one is top or _is_opened(one, here, layered or divided, all_layers=layers and layered):
                opened.add(one.path)
                waiting.append(one)
            elif _is_part(one, layered or divided, layers):
                found.append(one)
    return found


def _is_opened(folder: SourceFolder, parent: SourceFolder, layered: bool, *, all_layers: bool) -> bool:
    known, name = words(), folder.name.lower()
    if _holds_packages(folder):
        return True
    if all_layers or folder.has_manifest or name == parent.name.lower():
        return False
    return name in known.containers and (not layered or name in known.slices or name not in known.layers)


def _is_part(folder: SourceFolder, layered: bool, layers: bool) -> bool:
    known, name = words(), folder.name.lower()
    if folder.has_manifest:
        return True
    if folder.source < _LEAST_FILES or name in known.generic:
        return False
    return layers or not layered or name not in known.layers


def _is_layered(inner: list[SourceFolder]) -> bool:
    """Whether a place is divided by what its parts do."""
    known = words()
    named = [one.name.lower() for one in inner if not one.has_manifest and one.source >= _LEAST_FILES]
    layers = [name for name in named if name in known.layers]
    return sum(name in known.layer_marks for name in layers) > 1 and len(layers) * 2 > len(named)


def _top(here: SourceFolder, inner: list[SourceFolder], layered: bool) -> SourceFolder | None:
    """The one folder that holds nearly all of the source, unless it is a layer or its siblings are packages too."""
    if not inner:
        return None
    top = max(inner, key=lambda one: (one.source, one.path))
    packages = sum(one.has_manifest for one in inner)
    if top.source < here.source * _TOP_SHARE or (packages > 1 and top.has_manifest) or not top.inner:
        return None
    return None if layered and top.name.lower() in words().layers else top


def _holds_packages(folder: SourceFolder) -> bool:
    """Whether most of what lies in it are packages of their own, whatever it is called."""
    inner = [one for one in folder.inner.values() if one.source]
    return not folder.has_manifest and len(inner) > 1 and sum(one.has_manifest for one in inner) * 2 > len(inner)


# --- names


def _named(found: Iterable[SourceFolder]) -> dict[str, str]:
    """Folders by name. Two of one name are told apart by as many folders above them as it needs."""
    folders = [one.path for one in found]
    lengths = dict.fromkeys(folders, 1)
    for _ in range(DEEPEST):
        by_name: dict[str, list[str]] = {}
        for folder in folders:
            by_name.setdefault(_name(folder, lengths[folder]), []).append(folder)
        same = [folder for given in by_name.values() if len(given) > 1 for folder in given]
        if not same:
            break
        for folder in same:
            lengths[folder] += 1
    return {folder: _name(folder, lengths[folder]) for folder in folders}


def _name(folder: str, length: int) -> str:
    parts = folder.split("/")
    kept = [part for part in parts[:-1] if part.lower() not in words().containers] + parts[-1:]
    return "/".join(kept[-length:] if length <= len(kept) else parts[-length:]).lower()


def _counts(root: SourceFolder, names: Mapping[str, str]) -> dict[str, int]:
    """The source files in each of the folders, those of its inner domains left out."""
    counts = dict.fromkeys(names, 0)
    waiting: list[tuple[SourceFolder, str]] = [(root, "")]
    while waiting:
        here, owner = waiting.pop()
        owner = here.path if here.path in names else owner
        if owner:
            counts[owner] += here.source - sum(one.source for one in here.inner.values())
        waiting += [(one, owner) for one in here.inner.values()]
    return counts


def _as_main(parts: list[str]) -> list[str]:
    """`src/test/java/…` as `src/main/java/…`: the same packages lie there."""
    for at, part in enumerate(parts[:-1]):
        if part.lower() in words().package_roots and at and parts[at - 1].lower() == "test":
            return [*parts[: at - 1], "main", *parts[at:]]
    return parts


def _last(folder: str) -> str:
    return folder.rpartition("/")[2].lower()


def _stem(name: str, folder: str) -> str:
    """The name of a file; one that speaks for its folder is called like it."""
    stem, _, ending = name.partition(".")
    return folder if folder and stem in _FOR_FOLDER.get(ending, ()) else stem or name.lstrip(".")


_FOR_FOLDER = {
    "py": ("__init__", "__main__"),
    "rs": ("mod", "lib", "main"),
    "go": ("main", "doc"),
    **dict.fromkeys(("js", "ts", "jsx", "tsx", "mjs", "cjs", "vue", "svelte"), ("index",)),
}
