"""`make bench`: measure Waypost beside other systems in an environment of its own.

    python benchmarks/run.py [--eval DIR] [--tree DIR] [--only PART] [-- OPTIONS OF THE BENCHMARK]

The first run makes `.venv-bench` with Waypost's locked requirements and the pinned peers (benchmarks/requirements.txt);
they bring some gigabytes. `--eval DIR` names a directory with an evaluation of conversation memory (`run_conv.py` and its data) and
adds the quality of retrieval. `--tree DIR` names a tree of code and adds how fast it is indexed, whether its symbols agree
with an independent count, and what is stored of its vectors; `--only big` makes a tree of a million lines instead.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv-bench"
READY = HOME / ".ready"
PYTHON = HOME / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
RESULTS = ROOT / "benchmarks" / "results"
ADAPTER = "python:benchmarks.eval_adapter:conversation"
LISTS = (ROOT / "requirements.lock", ROOT / "benchmarks" / "requirements.txt")


def make_environment() -> None:
    if READY.exists() and READY.stat().st_mtime > max(path.stat().st_mtime for path in LISTS):
        return
    venv.create(HOME, with_pip=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(LISTS[0])], check=True)
    subprocess.run([*pip, "-r", str(LISTS[1])], check=True)
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "-e", str(ROOT)], check=True)
    subprocess.run([str(PYTHON), "-m", "waypost", "model", "install"], check=True)
    READY.touch()


def run(module: str, *arguments: str) -> None:
    print(f"\n## {module}\n", flush=True)
    subprocess.run([str(PYTHON), "-m", f"benchmarks.{module}", *arguments], cwd=ROOT, check=True)


def evaluate(folder: Path, options: list[str]) -> None:
    """The quality of retrieval, by the evaluation's own program with our adapter in it."""
    print("\n## retrieval\n", flush=True)
    RESULTS.mkdir(exist_ok=True)
    command = [str(PYTHON), str(folder / "run_conv.py"), "--out", str(RESULTS), "--system", ADAPTER, *options]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)


def index(tree: Path, only: str | None, options: list[str]) -> None:
    """Code memory on a real tree."""
    for part, module, usual in (
        ("indexing", "indexing", ["--copy"]),
        ("counts", "code_counts", []),
        ("vectors", "vectors_stored", []),
    ):
        if only in (None, part):
            run(module, str(tree), *usual, *options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", type=Path, metavar="DIR", help="evaluation data: measure the quality of retrieval")
    parser.add_argument("--tree", type=Path, metavar="DIR", help="a tree of code: measure how it is indexed")
    parser.add_argument("--only", choices=("speed", "embedding", "retrieval", "indexing", "counts", "vectors", "big"))
    parser.add_argument("options", nargs="*", help="passed on with --only")
    given = parser.parse_args()
    make_environment()
    if given.only in (None, "speed"):
        run("speed", *given.options)
    if given.only in (None, "embedding"):
        run("embedding", *given.options)
    if given.eval is not None and given.only in (None, "retrieval"):
        evaluate(given.eval.absolute(), given.options)
    if given.tree is not None:
        index(given.tree.absolute(), given.only, given.options)
    if given.only == "big":
        with tempfile.TemporaryDirectory() as work:
            run("big_tree", work, *(given.options or ["--compare", "100000", "300000", "1000000"]))


if __name__ == "__main__":
    main()
