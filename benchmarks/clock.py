"""Timing and what a process or a folder takes."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Figures = dict[str, float]


def seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def each(work: Callable[[str], Any], items: Sequence[str]) -> list[float]:
    """Milliseconds for each item."""
    return [seconds(lambda item=item: work(item)) * 1000 for item in items]  # type: ignore[misc]


def percentiles(milliseconds: Sequence[float], name: str) -> Figures:
    ordered = sorted(milliseconds)
    return {f"{name}_p50_ms": ordered[len(ordered) // 2], f"{name}_p95_ms": ordered[int(len(ordered) * 0.95)]}


def recall_round(ask: Callable[[str], Any], questions: Sequence[str]) -> Figures:
    """Times of one round of questions, and the CPU that the process takes for each: busy machines change it less."""
    started = time.process_time()
    milliseconds = each(ask, questions)
    return percentiles(milliseconds, "recall") | {
        "recall_cpu_ms": (time.process_time() - started) * 1000 / len(questions)
    }


def best_round(rounds: Sequence[Figures]) -> Figures:
    """The quietest round: others use the machine too."""
    return min(rounds, key=lambda figures: next(iter(figures.values())))


def best_process(command: Sequence[str], runs: int, **options: Any) -> float:
    """Milliseconds of the fastest of some processes from start to end; one that fails ends everything."""

    def run() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)

    run()  # what the first one reads from disk, the others find in memory
    return min(seconds(run) for _ in range(runs)) * 1000


def resident_mb() -> float:
    """What this process holds in memory now."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
