"""Where the memory of indexing goes: `python -m benchmarks.memory_stages STAGE TREE` prints JSON.

`growth` indexes a tree without vectors and watches the memory of this process and of its children. `conclusions` repeats
what `waypost.flows.index.project_analysis` does with a tree that is indexed, a part at a time, and tells what is held after each.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.indexing_stages import counts
from benchmarks.meter import Cost, measured, own_mb

from waypost import Memory

Figures = dict[str, Any]
T = TypeVar("T")
_POINTS = 40  # of the line that is kept


def growth(project: Path) -> Figures:
    memory, cost = Memory.open(project), Cost()
    began, at = time.perf_counter(), dict[str, float]()

    def note(phase: str, _: int, __: int) -> None:
        at.setdefault(phase, time.perf_counter() - began)

    with measured(cost, every=0.1):
        report = memory.index(wait=False, report=note)
    concluding = at.get("concluding", cost.wall_s)
    step = max(1, len(cost.samples) // _POINTS)
    return counts(memory, report) | {
        "answers_s": report.answers_after,
        "answers_cpu_s": cost.cpu_s,
        "reading_s": concluding,
        "reading_mb": max(own for when, own, _ in cost.samples if when <= concluding),
        "concluding_mb": max((own for when, own, _ in cost.samples if when > concluding), default=0.0),
        "children_mb": cost.children_mb,
        "line": [[round(value, 1) for value in sample] for sample in cost.samples[::step]],
    }


def conclusions(project: Path) -> Figures:
    from waypost.code.architecture import derive_architecture
    from waypost.code.relations import centrality, relate
    from waypost.code.schema import build_schema
    from waypost.flows.index.project_analysis import _FILES, _edge, _ids, _read_tree

    memory = Memory.open(project)
    space = memory.space
    checkout = space.identity.checkout_id
    parts: dict[str, tuple[float, float]] = {"before": (own_mb(), 0.0)}

    def part(name: str, work: Callable[[], T]) -> T:
        began = time.perf_counter()
        result = work()
        took = time.perf_counter() - began
        gc.collect()
        parts[name] = (own_mb(), took)
        return result

    with space.store.read() as reader:
        tree = part("outlines, evidence and schema read", lambda: _read_tree(reader, checkout))
        rows = part(
            "rows of symbols and files", lambda: [r for k in _FILES for r in reader.code.derived_of_kind(checkout, k)]
        )
    part("schema built", lambda: build_schema(tree.changes))
    relations = part("relations", lambda: relate(tree.outlines, tree.manifests))
    part("architecture", lambda: derive_architecture(tree.evidence, list(tree.outlines)))
    ids = part("ids by name", lambda: _ids(rows))
    edges = part("edges", lambda: [e for r in relations.edges if (e := _edge(r, ids)) is not None])
    part("centrality", lambda: centrality(relations))
    return {"parts": parts, "edges": len(edges), "uses": relations.uses, "resolved": relations.resolved}


if __name__ == "__main__":
    stage, tree_path = sys.argv[1:]
    print(json.dumps({"growth": growth, "conclusions": conclusions}[stage](Path(tree_path))))
