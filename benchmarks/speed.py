"""Speed of Waypost beside other stores: `python -m benchmarks.speed` in the repository (or `make bench`).

Everything is measured in one run, on the same texts and vectors, each system in processes of its own. Peers get their
vectors from Waypost's engine, so that stores are compared and not models; Waypost also searches keywords, masks
secrets, looks for duplicates and keeps versions and an audit trail in the times given. 2,000 and 20,000 are real texts
with real vectors; 200,000 are generated (benchmarks/corpus.py). Times are those of the quietest of several rounds.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.clock import Figures, best_process
from benchmarks.peers.table import MODULES

RESULTS = Path(__file__).parent / "results"
SIZES = (2_000, 20_000, 200_000)
MIDDLE = 20_000  # where start, memory and disk are measured
QUESTION = "What do we know about the encoding of file names?"
RUNS = 7
Results = dict[str, Figures]


class Bench:
    """Runs stages in processes and collects their figures by system and size."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.results: Results = {}
        self.environment = os.environ | {
            "WAYPOST_HOME": str(work / "home"),
            "HF_HUB_OFFLINE": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "PYTHONWARNINGS": "ignore",
        }

    def stage(self, into: str, *arguments: Any) -> None:
        """Run one stage; a peer that fails is reported and left out."""
        command = [sys.executable, "-m", "benchmarks.stages", *map(str, arguments)]
        print(f"… {' '.join(map(str, arguments[:3]))}", file=sys.stderr, flush=True)
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"  left out: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return
        self.results.setdefault(into, {}).update(json.loads(done.stdout.splitlines()[-1]))

    def project(self, name: str) -> Path:
        """An empty directory for Waypost to remember for."""
        folder = self.work / "projects" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def measure(self, sizes: tuple[int, ...], names: list[str]) -> None:
        self.stage("embedding", "prepare")
        for name in names:
            for size in sizes:
                self.stage(f"{name} {size}", "peer", name, size, self.work / f"{name}-{size}")
        for size in sizes:
            self.stage(f"waypost {size}", "waypost", size, self.project(str(size)))
        self.stage(f"waypost {MIDDLE}", "read-waypost", self.project(str(MIDDLE)))
        for name in names:
            for size in sizes:
                self.stage(
                    f"beside {name} {size}", "beside", name, self.project(str(size)), self.work / f"{name}-{size}"
                )
            self.stage(f"{name} {MIDDLE}", "read-peer", name, self.work / f"{name}-{MIDDLE}")
        self.lengths()
        self.starts(names)

    def lengths(self) -> None:
        self.stage("lengths waypost", "lengths-waypost", self.project("lengths"))
        for how in ("same", "torch"):
            self.stage(f"lengths {how}", "lengths-chroma", self.work / f"lengths-{how}", how)

    def starts(self, names: list[str]) -> None:
        """New processes from start to end."""
        waypost = shutil.which("waypost", path=str(Path(sys.executable).parent)) or "waypost"
        ask = [waypost, "-C", str(self.project(str(MIDDLE))), "ask", QUESTION]
        start = self.results.setdefault("start", {})
        start["waypost --version"] = self._best([waypost, "--version"])
        start["waypost ask"] = self._best(ask)
        start["waypost ask --json"] = self._best([*ask, "--json"])
        imports = {"nothing": "pass", "waypost": "import waypost", "waypost.Memory": "from waypost import Memory"}
        imports |= {name: f"import {MODULES[name]}" for name in names}
        imports |= {"sentence-transformers": "import sentence_transformers"}
        for name, program in imports.items():
            start[f"import {name}"] = self._best([sys.executable, "-c", program])
        for name in names:
            stage = [sys.executable, "-m", "benchmarks.stages", "cold-peer", name, str(self.work / f"{name}-{MIDDLE}")]
            start[f"{name} ask"] = self._best([*stage, QUESTION])

    def _best(self, command: list[str]) -> float:
        print(f"… {' '.join(command[:4])}", file=sys.stderr, flush=True)
        try:
            return best_process(command, RUNS, env=self.environment, stderr=subprocess.DEVNULL)
        except (subprocess.CalledProcessError, FileNotFoundError):
            return float("nan")


# -- tables -----------------------------------------------------------------------------------------------


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def figure(found: Mapping[str, float] | None, name: str, form: str = "{:.1f}") -> str:
    return "–" if not found or name not in found else form.format(found[name])


def report(results: Results, sizes: tuple[int, ...], names: list[str]) -> str:
    systems = ["waypost", *names]

    def row(system: str, cell: Callable[[Mapping[str, float], int], str]) -> list[str]:
        return [system, *(cell(results.get(f"{system} {size}", {}), size) for size in sizes)]

    def both(name: str) -> Callable[[Mapping[str, float], int], str]:
        return lambda found, _: f"{figure(found, f'{name}_p50_ms')} / {figure(found, f'{name}_p95_ms')}"

    def ingest(system: str) -> Callable[[Mapping[str, float], int], str]:
        def cell(found: Mapping[str, float], size: int) -> str:
            if "ingest_s" not in found:
                return "–"
            rate = results.get("embedding", {}).get("embed_per_second", float("inf"))
            embedding = 0.0 if system == "waypost" or size > MIDDLE else size / rate
            return f"{found['ingest_s'] + embedding:.0f}"

        return cell

    head = ["", *(f"{size:,}" for size in sizes)]
    middle = {system: results.get(f"{system} {MIDDLE}", {}) for system in systems}
    start = results.get("start", {})
    parts = [
        "Recall, warm, with embedding the question: p50 / p95 in ms",
        table(head, [row(system, both("recall")) for system in systems]),
        "The same, CPU of the process for each question in ms",
        table(head, [row(system, lambda found, _: figure(found, "recall_cpu_ms")) for system in systems]),
        "Times of Waypost, by time (by CPU), asked in turns with a peer in one process",
        table(head, [_beside(results, name, sizes) for name in names]),
        "One memory written and recallable, with embedding it: p50 / p95 in ms",
        table(head, [row(system, both("write")) for system in systems]),
        "Ingest in seconds, with embedding (peers: the engine's rate on 2,000 of these texts; 200,000: vectors are given)",
        table(head, [row(system, ingest(system)) for system in systems]),
        f"At {MIDDLE:,}: a new process that asks once, resident memory after 100 questions, disk",
        table(
            ["", "ask, new process, ms", "import, ms", "memory, MB", "bytes a text"],
            [
                [
                    system,
                    figure(start, f"{system} ask", "{:.0f}"),
                    figure(start, f"import {'waypost.Memory' if system == 'waypost' else system}", "{:.0f}"),
                    figure(middle[system], "rss_mb", "{:.0f}"),
                    figure(middle[system], "disk_bytes", "{:.0f}"),
                ]
                for system in systems
            ],
        ),
        "Start-up in ms",
        table(["", "ms"], [[name, f"{value:.0f}"] for name, value in start.items()]),
        "Ingest by length, texts a second (and how many times chromadb with sentence-transformers)",
        _lengths(results),
    ]
    return "\n".join(parts)


def _beside(results: Results, name: str, sizes: tuple[int, ...]) -> list[str]:
    ratios = [results.get(f"beside {name} {size}") for size in sizes]
    form = "{:.2f}×"
    return [
        name,
        *(
            f"{figure(some, 'ratio_recall_p50_ms', form)} ({figure(some, 'ratio_recall_cpu_ms', form)})"
            for some in ratios
        ),
    ]


def _lengths(results: Results) -> str:
    labels = {
        "lengths waypost": "waypost",
        "lengths same": "chromadb, Waypost's engine",
        "lengths torch": "chromadb, sentence-transformers",
    }
    tokens = ("30", "100", "254")
    base = results.get("lengths torch", {})
    rows = []
    for key, label in labels.items():
        found = results.get(key, {})
        cells = []
        for count in tokens:
            name = f"per_second_{count}"
            ratio = f" ({found[name] / base[name]:.1f}×)" if name in found and name in base else ""
            cells.append(figure(found, name, "{:.0f}") + ratio)
        rows.append([label, *cells])
    return table(["", *(f"{count} tokens" for count in tokens)], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="leave out larger sets")
    parser.add_argument("--peers", nargs="*", default=list(MODULES), help=f"of {', '.join(MODULES)}")
    parser.add_argument("--only", choices=("lengths", "starts"), help="repeat one part on a kept --work directory")
    parser.add_argument("--work", type=Path, help="keep the stores here (default: a temporary directory)")
    given = parser.parse_args()
    sizes = tuple(size for size in SIZES if size <= given.most)
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench((given.work or Path(temporary)).absolute())
        if given.only == "lengths":
            bench.lengths()
        elif given.only == "starts":
            bench.starts(given.peers)
        else:
            bench.measure(sizes, given.peers)
    RESULTS.mkdir(exist_ok=True)
    machine = {"machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count()}
    (RESULTS / "speed.json").write_text(json.dumps(machine | {"figures": bench.results}, indent=1), "utf-8")
    print(report(bench.results, sizes, given.peers))


if __name__ == "__main__":
    main()
