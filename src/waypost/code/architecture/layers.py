"""Layers: their directories, and which layer imports which."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from waypost.code.architecture.frameworks import table
from waypost.code.architecture.result import Layer
from waypost.code.architecture.roles import role_of

MAIN = ("presentation", "application", "domain", "infrastructure")
_MAX_DIRECTORIES = 12


@cache
def _names() -> Mapping[str, str]:
    return {name: layer for layer, entry in table("layers.toml").items() for name in entry["names"]}


def layer_of(path: str) -> tuple[str, str]:
    """The layer of a file and the directory that shows it, or ("", "").

    The outermost name of a main layer counts: `infrastructure/services/x` is infrastructure.
    """
    parts = path.split("/")[:-1]
    fallback = ("", "")
    for depth, part in enumerate(parts):
        layer = _names().get(part.lower().rpartition(".")[2], "")
        is_general = part.lower() in ("web", "core", "api", "lib", "data")
        if layer in MAIN and not (is_general and _has_main_layer(parts[depth + 1 :])):
            return layer, "/".join(parts[: depth + 1])
        if layer and not fallback[0]:
            fallback = (layer, "/".join(parts[: depth + 1]))
    return fallback


def _has_main_layer(parts: Sequence[str]) -> bool:
    """Whether a more specific name follows: `core/services`, `web/controllers`."""
    return any(_names().get(part.lower(), "") in MAIN for part in parts)


def layers_of(paths: Sequence[str], code: frozenset[str], relations: Iterable[tuple[str, str]]) -> tuple[Layer, ...]:
    """The layers of a project. `code` are the paths of source code, `relations` are (importer, imported)."""
    directories: dict[str, Counter[str]] = {}
    for path in paths:
        if path in code and role_of(path) == "":
            layer, directory = layer_of(path)
            if layer:
                directories.setdefault(layer, Counter())[directory] += 1
    arrows: dict[str, Counter[str]] = {}
    for source, target in relations:
        source_layer, target_layer = layer_of(source)[0], layer_of(target)[0]
        if source_layer and target_layer and source_layer != target_layer and role_of(source) == role_of(target) == "":
            arrows.setdefault(source_layer, Counter())[target_layer] += 1
    if sum(layer in directories for layer in MAIN) < 2:
        return ()
    return tuple(
        Layer(
            layer,
            entry["what"],
            tuple(directory for directory, _ in directories[layer].most_common(_MAX_DIRECTORIES)),
            sum(directories[layer].values()),
            tuple(sorted(arrows.get(layer, Counter()).items(), key=lambda pair: (-pair[1], pair[0]))),
        )
        for layer, entry in table("layers.toml").items()
        if layer in directories
    )
