"""Score systems on the cases that `build` made.

python -m benchmarks.staleness.run FILE.json… [--system waypost git again method filehash linehash linediff] [--misses DIR]
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.staleness.baselines import FileHash, LineDiff, LineHash, System
from benchmarks.staleness.scores import RIGHT, Answer, Scores, relocated, score

LABELS = tuple(RIGHT)


def _waypost(**options: bool) -> System:
    from benchmarks.staleness.product import Product

    return Product(**options)


def _method() -> System:
    from benchmarks.staleness.product import Pure

    return Pure()


SYSTEMS: dict[str, Callable[[], System]] = {
    "waypost": _waypost,
    "git": lambda: _waypost(git=True),
    "again": lambda: _waypost(again=True),
    "method": _method,
    "filehash": FileHash,
    "linehash": LineHash,
    "linediff": LineDiff,
}


def answers(data: Mapping[str, Any], system: System) -> list[tuple[Mapping[str, Any], Answer]]:
    """Each case with what the system says of it."""
    by_pair: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for case in data["cases"]:
        by_pair[case["pair"]].append(case)
    out: list[tuple[Mapping[str, Any], Answer]] = []
    for pair in data["pairs"]:
        before, after = (
            {path: data["blobs"][blob] for path, blob in pair[tree].items()} for tree in ("tree_a", "tree_b")
        )
        said = system.answers(before, after, by_pair[pair["id"]])
        out += [(case, said[case["id"]]) for case in by_pair[pair["id"]]]
    return out


def line(name: str, found: Scores) -> str:
    flags = " ".join(f"{label} {found.flagged[label][1]:.2f}" for label in LABELS if label in found.flagged)
    return (
        f"{name:10} n={found.cases} precision {found.precision:.3f} recall {found.recall:.3f} F1 {found.f1:.3f} "
        f"class {found.right:.3f} relocation {found.relocation:.3f} | flagged {flags} | relocated "
        + " ".join(f"{label} {found.relocated[label]:.2f}" for label in LABELS if label in found.relocated)
    )


def misses(rows: Sequence[tuple[Mapping[str, Any], Answer]]) -> list[dict[str, Any]]:
    """Cases with another status than their class asks for, or found in another place."""
    out = []
    for case, said in rows:
        wrong = RIGHT[case["label"]] != said.status
        if wrong or ("new" in case and not relocated(case, said)):
            out.append({**case, "status": said.status, "at": [said.path, said.start], "wrong": wrong})
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument(
        "--system", nargs="+", choices=sorted(SYSTEMS), default=["waypost", "filehash", "linehash", "linediff"]
    )
    parser.add_argument("--misses", type=Path, help="folder for what was wrong, one file for each language and system")
    options = parser.parse_args()
    for file in options.files:
        data = json.loads(file.read_text("utf-8"))
        print(f"{data['language']}: {len(data['pairs'])} pairs, {len({p['repo'] for p in data['pairs']})} repositories")
        for name in options.system:
            begun = time.perf_counter()
            rows = answers(data, SYSTEMS[name]())
            print(" ", line(name, score(rows)), f"({time.perf_counter() - begun:.0f} s)", flush=True)
            if options.misses:
                options.misses.mkdir(parents=True, exist_ok=True)
                target = options.misses / f"{data['language']}-{name}.json"
                target.write_text(json.dumps(misses(rows), indent=1, ensure_ascii=False), "utf-8")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
