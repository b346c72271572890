"""Modules of JavaScript and TypeScript: relative files, tsconfig paths, packages of the same workspace."""

import json
import posixpath
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from waypost.code.outline import OutlineImport
from waypost.code.resolve.names import ModuleSystem
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value

MOST_EXTENDS = 8  # chained tsconfig files

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro")
_WRITTEN_FOR = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_BUILT = re.compile(r"(?:^|(?<=/))(?:dist|build|lib|out|esm|cjs|es)(?=/)")
_COMMENT_OR_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/|$)')
_LAST_COMMA = re.compile(r",(?=\s*[}\]])")
_CONDITIONS = ("source", "types", "import", "module", "require", "node", "default")


class EcmaModules(ModuleSystem):
    """Finds files as bundlers and TypeScript do. External packages are not followed."""

    def __init__(self, tree: OutlineTree) -> None:
        self._tree = tree
        self._found: dict[tuple[str, str], Value | None] = {}
        self._paths: dict[str, tuple[str, dict[str, list[str]]] | None] = {}

    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        folder = posixpath.dirname(view.path)
        key = (folder, statement.module)
        if key not in self._found:
            path = next((path for base in self._bases(folder, statement.module) if (path := self._file(base))), None)
            self._found[key] = Value("file", path) if path else None
        return self._found[key]

    def _bases(self, folder: str, written: str) -> Iterator[str]:
        """Paths that a module may refer to, without endings, likeliest first."""
        written = written.split("?", 1)[0]
        if written.startswith("."):
            joined = posixpath.normpath(posixpath.join(folder, written))
            if not joined.startswith(".."):
                yield "" if joined == "." else joined
            return
        yield from self._by_tsconfig(folder, written)
        home = self._home(folder)
        if written.startswith("$lib"):
            yield posixpath.join(home, "src/lib" + written[4:])
        elif written.startswith(("@/", "~/")):
            yield from (posixpath.join(home, inside, written[2:]) for inside in ("src", "", "app"))
        elif written.startswith("#"):
            yield from _sources(home, _entry(self._packages_by_folder.get(home, {}).get("imports"), written))
        else:
            yield from self._in_workspace(written)

    def _in_workspace(self, written: str) -> Iterator[str]:
        parts = written.split("/")
        size = 2 if written.startswith("@") else 1
        name, inside = "/".join(parts[:size]), "/".join(parts[size:])
        folder = self._package_folders.get(name)
        if folder is None:
            return
        package = self._packages_by_folder[folder]
        exports = package.get("exports")
        entry = f"./{inside}" if inside else "."
        targets = [exports] if isinstance(exports, str) and not inside else _entry(exports, entry)
        if not inside:
            targets += [
                path for key in ("source", "module", "main", "types") if isinstance(path := package.get(key), str)
            ]
        yield from _sources(folder, targets)
        for root in ("src", ""):
            yield posixpath.join(folder, root, inside) if inside else posixpath.join(folder, root, "index")

    def _by_tsconfig(self, folder: str, written: str) -> Iterator[str]:
        while True:
            config = self._config(folder)
            if config is not None:
                base, paths = config
                for pattern, targets in paths.items():
                    head, star, tail = pattern.partition("*")
                    if star and written.startswith(head) and written.endswith(tail):
                        middle = written[len(head) : len(written) - len(tail)]
                        yield from (
                            posixpath.normpath(posixpath.join(base, target.replace("*", middle))) for target in targets
                        )
                    elif not star and written == pattern:
                        yield from (posixpath.normpath(posixpath.join(base, target)) for target in targets)
                if base or not paths:
                    yield posixpath.normpath(posixpath.join(base, written))
                return
            if not folder:
                return
            folder = posixpath.dirname(folder)

    def _config(self, folder: str) -> tuple[str, dict[str, list[str]]] | None:
        """The base folder and paths that the tsconfig of a folder sets, or None."""
        if folder not in self._paths:
            self._paths[folder] = None
            for name in ("tsconfig.json", "jsconfig.json", "tsconfig.base.json", "tsconfig.app.json"):
                config = self._read_config(posixpath.join(folder, name), MOST_EXTENDS)
                if config is not None:
                    self._paths[folder] = config
                    break
        return self._paths[folder]

    def _read_config(self, path: str, depth: int) -> tuple[str, dict[str, list[str]]] | None:
        data = read_json(self._tree.manifests.get(path, ""))
        options = data.get("compilerOptions")
        folder = posixpath.dirname(path)
        base = options.get("baseUrl") if isinstance(options, dict) else None
        paths = options.get("paths") if isinstance(options, dict) else None
        if isinstance(paths, dict) or isinstance(base, str):
            clean = {
                key: [target for target in value if isinstance(target, str)]
                for key, value in (paths.items() if isinstance(paths, dict) else ())
                if isinstance(value, list)
            }
            return posixpath.normpath(posixpath.join(folder, base if isinstance(base, str) else ".")).removeprefix(
                "."
            ), clean
        above = data.get("extends")
        for base_config in above if isinstance(above, list) else [above]:
            if isinstance(base_config, str) and base_config.startswith(".") and depth:
                name = posixpath.normpath(posixpath.join(folder, base_config))
                config = self._read_config(name if name.endswith(".json") else f"{name}.json", depth - 1)
                if config is not None:
                    return config
        return None

    def _file(self, base: str) -> str | None:
        """The file for a path without its ending."""
        base = base.removeprefix("./")
        if base.startswith(".."):
            return None
        stem, ending = posixpath.splitext(base)
        if base in self._tree.paths:
            return base
        for other in _WRITTEN_FOR.get(ending, ()):
            if stem + other in self._tree.paths:
                return stem + other
        for ending in _ENDINGS:
            if base and base + ending in self._tree.paths:
                return base + ending
        for ending in _ENDINGS:
            if posixpath.join(base, f"index{ending}") in self._tree.paths:
                return posixpath.join(base, f"index{ending}")
        return None

    def _home(self, folder: str) -> str:
        """The root folder of the package that a folder belongs to."""
        while folder and folder not in self._packages_by_folder:
            folder = posixpath.dirname(folder)
        return folder

    @cached_property
    def _packages_by_folder(self) -> dict[str, dict[str, Any]]:
        return {
            posixpath.dirname(path): read_json(text)
            for path, text in sorted(self._tree.manifests.items())
            if posixpath.basename(path) == "package.json"
        }

    @cached_property
    def _package_folders(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for folder, package in self._packages_by_folder.items():
            if isinstance(name := package.get("name"), str):
                names.setdefault(name, folder)
        return names


def read_json(text: str) -> dict[str, Any]:
    """A JSON object that may have comments and trailing commas. Empty if it cannot be parsed."""
    try:
        data = json.loads(plain_json(text))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def plain_json(text: str) -> str:
    """The text without comments and trailing commas."""
    return _LAST_COMMA.sub("", _COMMENT_OR_STRING.sub(lambda match: match[0] if match[0][0] == '"' else " ", text))


def _entry(table: object, name: str) -> list[str]:
    """The paths of a name in `exports` or `imports`; a name may have one `*`."""
    if not isinstance(table, dict):
        return []
    if name in table:
        return list(_targets(table[name]))
    for pattern, target in table.items():
        head, star, tail = pattern.partition("*")
        if star and name.startswith(head) and name.endswith(tail) and len(name) >= len(head) + len(tail):
            return [path.replace("*", name[len(head) : len(name) - len(tail)]) for path in _targets(target)]
    return []


def _sources(folder: str, targets: list[str]) -> Iterator[str]:
    """The paths from which these targets are built, and the targets, below a folder."""
    for path in targets:
        yield from (
            posixpath.normpath(posixpath.join(folder, target)) for target in (_BUILT.sub("src", path, count=1), path)
        )


def _targets(entry: object) -> Iterator[str]:
    """The paths in an entry of `exports` or `imports`, through two levels of conditions; a project may have its own."""
    for target in [entry] if not isinstance(entry, dict) else _by_condition(entry):
        if isinstance(target, str):
            yield target
        elif isinstance(target, dict):
            yield from (inner for inner in _by_condition(target) if isinstance(inner, str))


def _by_condition(entry: dict[str, object]) -> list[object]:
    usual = [key for key in _CONDITIONS if key in entry]
    return [entry[key] for key in (*usual, *(key for key in entry if key not in usual))]
