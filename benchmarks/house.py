"""How large the source is: files and lines by package, class chains and names. `python -m benchmarks.house [TREE…]`.

Each TREE holds `src/waypost`; by default it is this repository. For an older state: `git archive COMMIT src | tar x -C TREE`.
`python -m benchmarks.paths` counts what runs.
"""

import ast
import sys
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.speed import table

Trees = dict[Path, ast.Module]


def main() -> None:
    here = Path(__file__).parent.parent
    packages = [Path(tree) / "src" / "waypost" for tree in sys.argv[1:] or [here]]
    measured = [{path: ast.parse(path.read_text("utf-8")) for path in sorted(p.rglob("*.py"))} for p in packages]
    columns = [_by_package(package, trees) for package, trees in zip(packages, measured, strict=True)]
    names = sorted(set().union(*columns))
    cells = [[text for column in columns for text in column.get(name, ("–", "–"))] for name in names]
    print(table(["package", *["files", "lines"] * len(columns)], [[n, *c] for n, c in zip(names, cells, strict=True)]))
    rows = [_figures(package, trees) for package, trees in zip(packages, measured, strict=True)]
    print(table(["", *map(str, packages)], [[name, *(row[name] for row in rows)] for name in rows[0]]))


def _by_package(package: Path, trees: Trees) -> dict[str, tuple[str, str]]:
    paths: dict[str, list[Path]] = defaultdict(list)
    for path in trees:
        parts = path.relative_to(package).parts
        paths[parts[0] if len(parts) > 1 else "(top)"].append(path)
    return {name: (str(len(some)), f"{sum(map(_lines, some)):,}") for name, some in paths.items()}


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def _figures(package: Path, trees: Trees) -> dict[str, str]:
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    names = Counter(node.name for node in classes if not node.name.startswith("_"))
    largest, most = Counter(path.parent for path in trees).most_common(1)[0]
    length, longest = max((_chain(node.name, classes), node.name) for node in classes)
    return {
        "files": str(len(trees)),
        "lines": f"{sum(map(_lines, trees)):,}",
        "functions": f"{sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes):,}",
        "classes": f"{len(classes):,}",
        "largest folder": f"{largest.relative_to(package)}: {most} files",
        "longest class chain": f"{length} ({longest})",
        "public class names used more than once": str(sum(count > 1 for count in names.values())),
    }


def _chain(name: str, classes: list[ast.ClassDef]) -> int:
    """How many classes of the package make up a class: itself, its bases and theirs, each once."""
    bases = {node.name: [base.id for base in node.bases if isinstance(base, ast.Name)] for node in classes}
    reached, todo = set[str](), [name]
    while todo:
        current = todo.pop()
        if current in bases and current not in reached:
            reached.add(current)
            todo += bases[current]
    return len(reached)


if __name__ == "__main__":
    main()
