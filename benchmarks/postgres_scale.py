"""PostgreSQL beside the embedded store and beside chromadb's server, as the memory grows:

    python -m benchmarks.postgres_scale --passages 20000 200000 1000000 [--only postgres sqlite] [--chroma-python PYTHON]

Texts and vectors are generated (benchmarks/scale_data.py says how, and how like real ones they are). Each system runs alone, in
processes of its own, with an empty store for each size, which is taken away when it was measured. PostgreSQL waits for the disk
and has 2 GB of shared buffers, and is asked after VACUUM and a checkpoint, which it would do by itself within minutes; chromadb is
as it comes. For each: passages a second with and without building indexes, times
of keyword search, of vector search and (of Waypost) of both, for everything and through two filters; how much of the exact
first ten is found; single writes; sizes; memory of the server. CPU is that of the server and of its client for each question: it
depends least on who else uses the machine.

Every step is printed and appended to `results/postgres_scale.jsonl` as soon as it is done. A stage that the disk has no room for
is refused.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.clock import folder_bytes

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "postgres_scale.jsonl"
SYSTEMS = ("postgres", "sqlite", "chroma")
# Bytes on disk for each passage at the worst moment, and for every store whatever its size (such as PostgreSQL's log).
_NEEDED = {"postgres": (6_000, 3_000_000_000), "sqlite": (6_000, 200_000_000), "chroma": (8_000, 200_000_000)}
_SPARE = 1_500_000_000  # that is left to others
Row = dict[str, Any]


def no_room(system: str, count: int, folder: Path) -> str:
    """Why this stage is refused; empty where the disk has room for it."""
    each, fixed = _NEEDED[system]
    needed, free = count * each + fixed + _SPARE, shutil.disk_usage(folder).free
    if needed <= free:
        return ""
    return (
        f"{system} with {count:,} passages can take {needed / 1e9:.1f} GB; {folder} has {free / 1e9:.1f} GB free. "
        "Make room, or name another folder with --work."
    )


def stage(system: str, count: int, work: Path, python: str, *more: str) -> list[Row]:
    """Run a system with so many passages; its steps as they were told."""
    folder = work / f"{system}-{count}"
    command = [python, "-m", "benchmarks.scale_stages", system, str(count), str(folder), *more]
    environment = {**os.environ, "TMPDIR": str(work), "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}
    rows: list[Row] = []
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
            assert process.stdout is not None
            for line in process.stdout:
                rows.append(noted(system, count, json.loads(line)))
                print(f"{system} {count:,}: {_sentence(rows[-1])}", flush=True)
        if process.returncode:
            print(f"{system} {count:,}: ended with {process.returncode}; what it told counts", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows


def noted(system: str, count: int, told: Row) -> Row:
    """Kept at once, with the load of the machine."""
    load = round(os.getloadavg()[0], 1)
    row = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "load": load,
        "system": system,
        "passages": count,
    } | told
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    return row


def _sentence(row: Row) -> str:
    left_out = {"at", "system", "passages", "step"}
    return f"{row['step']} " + ", ".join(f"{name} {value}" for name, value in row.items() if name not in left_out)


# -- tables -------------------------------------------------------------------------------------------------------


def table(rows: Sequence[Row], sizes: Sequence[int]) -> str:
    """One line for each system and size; for each view a line of its own in the second."""
    first = [
        "| | passages | a second, before / with indexes | database, MB | index of vectors, MB | server, MB "
        "| one write p50 / p95, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    second = [
        "| | passages | shown | keywords p50 / p95 (CPU), ms | vectors | both | recall@10 |",
        "|---|---|---|---|---|---|---|",
    ]
    for size in sizes:
        for system in SYSTEMS:
            own = [row for row in rows if row["system"] == system and row["passages"] == size]
            if own:
                first.append(_line_of_sizes(system, size, own))
                second += [_line_of_times(system, size, row) for row in own if row["step"] == "search"]
    return "\n".join([*first, "", *second])


def _line_of_sizes(system: str, size: int, rows: Sequence[Row]) -> str:
    every: Row = {name: value for row in rows for name, value in row.items()}
    rate = next((row["per_second"] for row in rows if row["step"] == "ingest"), None)
    peak = max((row["server_peak_mb"] for row in rows if "server_peak_mb" in row), default=None)
    cells = [
        f"{_number(rate)} / {_number(every.get('per_second_with_ingest'))}",
        _number(every.get("database_mb")),
        _number(every.get("vector_index_mb", every.get("vectors_mb"))),
        _number(peak),
        f"{_number(every.get('write_p50_ms'), 1)} / {_number(every.get('write_p95_ms'), 1)}",
    ]
    return f"| {system} | {size:,} | {' | '.join(cells)} |"


def _line_of_times(system: str, size: int, row: Row) -> str:
    pairs = [
        f"{_number(row.get(f'{name}_p50_ms'), 1)} / {_number(row.get(f'{name}_p95_ms'), 1)}"
        f" ({_number(row.get(f'{name}_cpu_ms'), 1)})"
        for name in ("keywords", "vectors", "both")
    ]
    return f"| {system} | {size:,} | {row['view']} | {' | '.join(pairs)} | {_number(row.get('recall_at_10'), 3)} |"


def _number(value: float | None, places: int = 0) -> str:
    return "–" if value is None else f"{value:,.{places}f}"


def main() -> None:
    options = _options()
    rows: list[Row] = []
    refused: list[str] = []
    with tempfile.TemporaryDirectory(prefix="scale-", dir=options.work) as folder:
        work = Path(folder)
        for size in options.passages:
            for system in options.only:
                if why := no_room(system, size, work):
                    refused.append(why)
                    print(f"refused: {why}", flush=True)
                    continue
                python = options.chroma_python if system == "chroma" else sys.executable
                rows += stage(system, size, work, python, *(["bulk"] if options.bulk else []))
                left = folder_bytes(work)
                assert left < 10**8, f"{left} bytes of {system} were left behind"
    if rows:
        print(f"\n{table(rows, options.passages)}")
        print(f"\nload of the machine {min(r['load'] for r in rows)} to {max(r['load'] for r in rows)}; {RESULTS}")
    if refused:
        sys.exit("\n".join(refused))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, nargs="+", default=[20_000, 200_000, 1_000_000])
    parser.add_argument("--vectors", choices=("generated",), default="generated", help="the only sort there is")
    parser.add_argument("--only", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--bulk", action="store_true", help="write many versions in one call, as indexing a tree does")
    parser.add_argument("--work", type=Path, help="a folder on a disk with room; the system's for temporary files else")
    parser.add_argument(
        "--chroma-python", default=sys.executable, help="an interpreter with chromadb, numpy and psutil"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
