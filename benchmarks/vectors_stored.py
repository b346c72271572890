"""What compression, lazy loading and batches are worth: `python -m benchmarks.vectors_stored TREE`.

Compression: vectors are kept as two bytes a number. Their cosines and first ten answers are compared with those of four
bytes, on the texts and names of a real tree (`--questions FILE` adds questions, a line each).
Lazy loading: a new process that asks once, with the memory-mapped file beside the database and without it, when every
row is read; both with the files in the system's cache and dropped from it. The vectors are drawn with the mean and
covariance of the tree's own.
Batches: texts embedded one at a time, by 32 in the order they come, by 256 sorted by length; files digested in this
process, in one child, in two.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks import corpus
from benchmarks.indexing_stages import questions
from benchmarks.meter import Cost, measured
from benchmarks.speed import table

from waypost import Memory, config
from waypost.embed import batches as rows_in_batches
from waypost.embed.registry import open_engine
from waypost.retrieve.passages import passages_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

ROOT = Path(__file__).resolve().parent.parent
SIZES = (20_000, 60_000)
MOST_TEXTS = 4000
RUNS = 5
K = 10
_BATCH_TEXTS = 512
_DATABASE = "vectors.db"


# -- compression ------------------------------------------------------------------------------------------


def owed_texts(memory: Memory) -> list[str]:
    """What a tree that was read owes to the engine, the most urgent first."""
    space = memory.space
    with space.store.read() as reader:
        versions = reader.vectors.pending_versions(space.engines.main.name, MOST_TEXTS)
    passages = {one.content_hash: one.text for version in versions for one in passages_of(version) if one.content_hash}
    return list(passages.values())[:MOST_TEXTS]


def compression(vectors: "Floats", asked: "Floats") -> str:
    def best(matrix: "Floats") -> list[set[int]]:
        return [set(np.argsort(-(matrix @ one), kind="stable")[:K].tolist()) for one in asked]

    whole, exact = best(vectors), vectors @ asked.T
    rows = [["four bytes", f"{vectors.shape[1] * 4:,}", "0", "0", "100.00", "100.0"]]
    scale = np.abs(vectors).max(1, keepdims=True) / 127
    forms = {"two bytes (stored)": vectors.astype("<f2"), "one byte, for comparison": np.round(vectors / scale)}
    for name, packed in forms.items():
        read = packed.astype(np.float32) * (scale if packed.dtype == np.float32 else 1)
        error = np.abs(read @ asked.T - exact)
        found = best(read)
        overlap = np.mean([len(one & other) / K for one, other in zip(whole, found, strict=True)])
        same = np.mean([one == other for one, other in zip(whole, found, strict=True)])
        size = vectors.shape[1] * (2 if packed.dtype == np.dtype("<f2") else 1) + 4 * (packed.dtype == np.float32)
        rows.append(
            [
                name,
                f"{size:,}",
                f"{error.mean():.1e}",
                f"{error.max():.1e}",
                f"{100 * overlap:.2f}",
                f"{100 * same:.1f}",
            ]
        )
    head = ["", "bytes a vector", "cosine error, mean", "largest", f"first {K} in common, %", f"all {K} the same, %"]
    return f"{len(vectors):,} texts, {len(asked)} questions\n\n" + table(head, rows)


# -- lazy loading -----------------------------------------------------------------------------------------


def build(folder: Path, vectors: "Floats") -> None:
    """A database with these vectors, and the file beside it."""
    import apsw

    from waypost.store.sql.packed import pack
    from waypost.store.sqlite.schema import migrate
    from waypost.store.sqlite.vectors import EngineVectors

    connection = apsw.Connection(str(folder / _DATABASE))
    migrate(connection, _DATABASE, datetime.now(UTC))
    with connection:
        connection.execute("INSERT INTO engines VALUES (1, 'bench', ?)", (vectors.shape[1],))
        connection.executemany(
            "INSERT INTO vectors (engine_id, hash, language, packed) VALUES (1, ?, 'code', ?)",
            ((place.to_bytes(16, "big"), pack(vector)) for place, vector in enumerate(vectors)),
        )
    EngineVectors(folder, 1, vectors.shape[1]).snapshot(connection)
    connection.close()


def cold(folder: Path, how: str) -> dict[str, float]:
    """In a new process: from opening the database to the best ten."""
    import apsw

    from waypost.store.sqlite import vectors as stored

    if how == "rows":
        stored._SIDECAR_FROM = 10**9
    question = np.random.default_rng(3).standard_normal(384).astype(np.float32)
    before, began, busy = _memory(), time.perf_counter(), time.process_time()
    connection = apsw.Connection(str(folder / _DATABASE), flags=apsw.SQLITE_OPEN_READONLY)
    engine = stored.EngineVectors(folder, 1, 384)
    engine.snapshot(connection).scores(question).best(K)
    first, worked, after = time.perf_counter() - began, time.process_time() - busy, _memory()
    began = time.perf_counter()
    engine.snapshot(connection).scores(question).best(K)
    return {
        "first_ms": first * 1000,
        "first_cpu_ms": worked * 1000,
        "next_ms": (time.perf_counter() - began) * 1000,
        "own_mb": after[0] - before[0],
        "shared_mb": after[1] - before[1],
    }


def _memory() -> tuple[float, float]:
    """MB of this process alone, and MB of files that the system can take back and share."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0, 0.0
    told = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
    return int(told["RssAnon"].split()[0]) / 1024, int(told["RssFile"].split()[0]) / 1024


def lazy(real: "Floats", work: Path) -> str:
    rows = []
    for size in SIZES:
        for how in ("mapped", "rows"):
            folder = work / f"{size}-{how}"
            folder.mkdir()
            build(folder, corpus.generated_vectors(real, size))
            if how == "rows":
                for path in folder.glob("vectors-*.bin"):
                    path.unlink()
            disk = {path.suffix: path.stat().st_size / 1e6 for path in folder.iterdir()}
            for cached in (True, False):
                figures = _quietest(folder, how, cached)
                label = "mapped file" if how == "mapped" else "rows read"
                cells = [f"{figures[name]:,.0f}" for name in ("first_ms", "first_cpu_ms")]
                cells += [f"{figures[name]:,.1f}" for name in ("next_ms", "own_mb", "shared_mb")]
                told = f"{disk['.db']:.0f} + {disk.get('.bin', 0):.0f}"
                rows.append([f"{size:,}", label, "in the cache" if cached else "dropped", *cells, told])
    head = ["vectors", "", "files", "first answer, ms", "processor, ms", "next, ms", "own MB", "shared MB", "disk, MB"]
    return table(head, rows)


def _quietest(folder: Path, how: str, cached: bool) -> dict[str, float]:
    rounds = []
    for _ in range(RUNS):
        if not cached:
            _drop_from_cache(folder)
        command = [sys.executable, "-m", "benchmarks.vectors_stored", "--cold", how, str(folder)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        rounds.append(json.loads(done.stdout.splitlines()[-1]))
    return min(rounds, key=lambda figures: figures["first_ms"])


def _drop_from_cache(folder: Path) -> None:
    if hasattr(os, "posix_fadvise"):
        for path in folder.iterdir():
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(handle)


# -- batches ----------------------------------------------------------------------------------------------


def batches(texts: Sequence[str], tree: Path) -> str:
    engine: Any = open_engine("minilm", config.load())
    engine.warm()
    chosen = list(texts[:_BATCH_TEXTS])
    rows = []

    def measure(label: str, count: int, unit: str, work: Callable[[], object]) -> None:
        cost = Cost()
        with measured(cost):
            work()
        peak = cost.peak_mb + cost.children_mb
        rows.append(
            [label, f"{count / cost.wall_s:,.0f} {unit}", f"{cost.wall_s:.1f}", f"{cost.cpu_s:.1f}", f"{peak:,.0f}"]
        )

    for label, size in (("one at a time", 1), ("by 32, as they come", 32), ("by 256, sorted (as stored)", 256)):
        measure(f"texts, {label}", len(chosen), "texts/s", lambda size=size: _embed(engine, chosen, size))  # type: ignore[misc]
    usual = rows_in_batches._TOKENS_PER_BATCH
    for tokens in (256, 512, 1024, 2048, 4096):  # of one call of the model: what fits the caches of a processor
        rows_in_batches._TOKENS_PER_BATCH = tokens
        measure(f"texts, sorted, {tokens} tokens a call", len(chosen), "texts/s", lambda: _embed(engine, chosen, 256))
    rows_in_batches._TOKENS_PER_BATCH = usual
    jobs = _jobs(tree)
    for children in (0, 1, 2):
        label = f"in {children} child{'ren' * (children > 1)}" if children else "in this process"
        measure(f"files, {label}", len(jobs), "files/s", lambda n=children: _digest(tree, jobs, n))  # type: ignore[misc]
    return table(["", "a second", "seconds", "processor, s", "peak MB"], rows)


def _embed(engine: Any, texts: Sequence[str], size: int) -> None:
    for start in range(0, len(texts), size):
        engine.embed(texts[start : start + size])


def _jobs(tree: Path) -> list[Any]:
    from waypost.code.files.walk import walk
    from waypost.flows.index.file_digest import DigestJob

    return [DigestJob(entry.path, entry.named) for entry in walk(tree) if not entry.skipped][:1500]


def _digest(tree: Path, jobs: list[Any], children: int) -> None:
    from waypost.flows.index.digest_pool import _Crew
    from waypost.flows.index.file_digest import digest_file

    outcomes: Iterator[Any] = (
        _Crew(tree, jobs, children).run() if children else (digest_file(tree, job) for job in jobs)
    )
    for _ in outcomes:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--questions", type=Path, help="a file with more questions, one on each line")
    parser.add_argument("--only", choices=("compression", "lazy", "batches"))
    parser.add_argument("--cold", choices=("mapped", "rows"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.cold:
        print(json.dumps(cold(given.tree, given.cold)))
        return
    tree = given.tree.absolute()
    with tempfile.TemporaryDirectory() as temporary:
        home = {"WAYPOST_HOME": f"{temporary}/home", "WAYPOST_BACKGROUND": "0"}
        memory = Memory.open(tree, settings=config.load(os.environ | home))
        memory.index(wait=False)
        texts, asked = owed_texts(memory), questions(memory)
        memory.close()
        if given.questions:
            asked += [line for line in given.questions.read_text("utf-8").splitlines() if line.strip()]
        engine: Any = open_engine("minilm", config.load())
        if given.only in (None, "compression", "lazy"):
            vectors = engine.embed(texts)
        if given.only in (None, "compression"):
            print(compression(vectors, np.stack([engine.embed_question(one) for one in asked])), flush=True)
        if given.only in (None, "lazy"):
            print(lazy(vectors, Path(temporary)), flush=True)
        if given.only in (None, "batches"):
            print(batches(texts, tree), flush=True)


if __name__ == "__main__":
    main()
