"""Whether the definition of a name comes first when you ask for that name.

    python -m benchmarks.signal.exact --work DIR TREE…

Functions, methods and classes are sampled from the source by regular expressions, tests among them.
"""

import argparse
import os
import random
import re
import subprocess
from pathlib import Path

from benchmarks.eval_adapter import keep_vectors

from waypost import Memory, config

SAMPLE = 100
_PATTERNS = {
    ".py": re.compile(r"^[ \t]*(?:async[ ]+)?(?:def|class)[ ]+(\w+)", re.M),
    ".go": re.compile(r"^(?:func(?:[ ]+\([^)]*\))?|type)[ ]+(\w+)", re.M),
    ".java": re.compile(
        r"^[ \t]*(?:public|private|protected|static|final|abstract|[ ])*(?:class|interface|enum)[ ]+(\w+)", re.M
    ),
}


def names_in(tree: Path, sample: int = SAMPLE, seed: int = 7) -> list[str]:
    """Names that the tracked files of a tree define, some of them tests."""
    files = subprocess.run(["git", "-C", str(tree), "ls-files"], check=True, capture_output=True, text=True).stdout
    names: dict[str, None] = {}
    for path in files.splitlines():
        pattern = _PATTERNS.get(Path(path).suffix)
        if pattern is not None and ".pb." not in path and (tree / path).is_file():
            names |= dict.fromkeys(pattern.findall((tree / path).read_text("utf-8", "replace")))
    telling = [name for name in names if len(name) > 2 and not name.startswith("__")]
    return random.Random(seed).sample(telling, min(sample, len(telling)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("trees", type=Path, nargs="+")
    given = parser.parse_args()
    if os.environ.get("EVAL_VECTORS"):
        keep_vectors(os.environ["EVAL_VECTORS"])
    settings = config.load({**os.environ, "WAYPOST_HOME": str(given.work / "home"), "WAYPOST_BACKGROUND": "0"})
    for tree in given.trees:
        with Memory.open(tree, settings=settings) as memory:
            memory.index(facts=True)
            names = names_in(tree)
            places = {name: place(memory, name) for name in names}
        first, eight = (sum(at <= limit for at in places.values()) for limit in (1, 8))
        print(f"{tree.name}: of {len(names)} names, first {first}, among eight {eight}")
        print("  not first: " + ", ".join(f"{name} ({at})" for name, at in places.items() if at > 1))


def place(memory: Memory, name: str) -> int:
    hits = memory.recall(name, 8).hits
    return next((at for at, hit in enumerate(hits, 1) if (hit.name or "").rpartition(".")[2] == name), 99)


if __name__ == "__main__":
    main()
