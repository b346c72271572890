"""Print a random sample of calls with their targets, to be checked by hand.

    python -m benchmarks.structure_edges TREE LANGUAGE [COUNT] [SEED]

Each line has the class of the edge (its certainty), the line of the call, and the definition that Waypost resolved it to.
"""

import random
import sys
from collections import Counter
from pathlib import Path

from benchmarks.structure_graph import read_outlines

from waypost.code.relations import relate

SHOWN = 110  # characters of a line


def main() -> None:
    tree, language = Path(sys.argv[1]), sys.argv[2]
    count, seed = (int(value) for value in (sys.argv[3:] + ["100", "23"][len(sys.argv) - 3 :])[:2])
    outlines, manifests, texts = read_outlines(tree)
    calls = [
        edge
        for edge in relate(outlines, manifests).edges
        if edge.kind == "calls" and outlines[edge.source.path].language == language
    ]
    calls.sort(key=lambda edge: (edge.source, edge.target))
    sample = random.Random(seed).sample(calls, min(count, len(calls)))
    print(f"{len(calls)} calls by certainty: {sorted(Counter(round(edge.strength, 2) for edge in calls).items())}")
    print(f"sample: {sorted(Counter(round(edge.strength, 2) for edge in sample).items())}")
    for number, edge in enumerate(sample, 1):
        line = edge.lines[0]
        print(f"{number} [{edge.strength:.2f}] {edge.source.path}:{line} in {edge.source.qualified or '(file)'}")
        print(f"    {_line(texts[edge.source.path], line)}")
        print(f"    -> {edge.target.path}:{edge.target.line} {edge.target.qualified}")


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1].strip()[:SHOWN] if number <= len(lines) else ""


if __name__ == "__main__":
    main()
