"""How large the house is: files and lines by folder, class chains and names. `python -m benchmarks.house [TREE]`.

TREE holds `src/waypost`; by default it is this repository. For an older state: `git archive COMMIT src | tar x -C TREE`.
`python -m benchmarks.paths` counts what runs.
"""

import ast
import sys
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.speed import table


def main() -> None:
    package = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent) / "src" / "waypost"
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(package.rglob("*.py"))}
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in trees}
    folders = Counter(path.parent for path in trees if path.name != "__init__.py")
    packages: dict[str, list[Path]] = defaultdict(list)
    for path in trees:
        parts = path.relative_to(package).parts
        packages[parts[0] if len(parts) > 1 else "(top)"].append(path)
    rows = [
        [name, str(len({p.parent for p in paths})), str(len(paths)), f"{sum(lines[p] for p in paths):,}"]
        for name, paths in sorted(packages.items())
    ]
    print(table(["package", "folders", "files", "lines"], rows))
    classes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    functions = sum(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) for t in trees.values() for n in ast.walk(t))
    names = Counter(node.name for node in classes if not node.name.startswith("_"))
    largest, most = folders.most_common(1)[0]
    length, deepest = max((_chain(node.name, classes), node.name) for node in classes)
    print(f"\nfiles {len(trees)}, lines {sum(lines.values()):,}, functions {functions:,}, classes {len(classes):,}")
    print(f"largest folder: {largest.relative_to(package)}, {most} files beside __init__.py")
    print(f"longest class chain, with itself: {length} ({deepest})")
    print(f"public class names used more than once: {sum(count > 1 for count in names.values())}")


def _chain(name: str, classes: list[ast.ClassDef]) -> int:
    """How many classes of the package a class is made of: itself, its bases, and theirs, each once."""
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
