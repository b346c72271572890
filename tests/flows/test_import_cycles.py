"""Modules of `waypost.flows` import each other in one direction only, imports inside functions included."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import waypost.flows

ROOT = Path(waypost.flows.__file__).parent


def _name_of(path: Path) -> str:
    return ".".join(("waypost.flows", *path.relative_to(ROOT).with_suffix("").parts))


def _imports_of(path: Path) -> Iterator[str]:
    """Every module that a module imports, at its top or inside a function; what only type checkers need does not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in for_types:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The modules that can be reached from themselves, each with one way back."""
    cycles = []
    for start in sorted(graph):
        ways, seen = [[start]], set[str]()
        while ways:
            way = ways.pop()
            for following in sorted(graph[way[-1]]):
                if following == start:
                    cycles.append([*way, start])
                    ways = []
                    break
                if following not in seen:
                    seen.add(following)
                    ways.append([*way, following])
    return cycles


def test_no_module_of_flows_imports_itself_through_others() -> None:
    paths = {_name_of(path): path for path in ROOT.rglob("*.py") if path.name != "__init__.py"}
    graph = {name: set(_imports_of(path)) & paths.keys() - {name} for name, path in paths.items()}
    # A search over shared memories is part of a search: these two still know each other.
    graph["waypost.flows.recall.search"].discard("waypost.flows.share.recall")
    assert _cycles(graph) == []
