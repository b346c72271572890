"""How long an agent waits for its memory: `python -m benchmarks.mcp_start [--runs 7] [--python PYTHON]`.

From the start of the process to the answer to `initialize`, to `tools/list`, and to the first real call, on a store that
has been prepared, for Waypost and two other MCP servers in the same run. Each is installed by name into an environment of
its own in a temporary directory. `--python`: the interpreter for them; mcp-memory-service needs one whose sqlite3 loads
extensions.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

OPENING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
MEMORIES = 300
STAGES = ("initialize", "tools/list", "first call")
ROOT = Path(__file__).parents[1]
# semble's own model is on a hub only. This one has as many numbers and no meaning, which a clock does not notice.
STAND_IN = """
import sys, numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer, models, pre_tokenizers
words = {"[UNK]": 0, **{f"word{n}": n for n in range(1, 62500)}}
tokenizer = Tokenizer(models.WordLevel(words, "[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
vectors = np.random.default_rng(1).standard_normal((62500, 256)).astype(np.float32)
StaticModel(vectors, tokenizer).save_pretrained(sys.argv[1])
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    command: list[str]
    environment: Mapping[str, str]
    folder: Path
    call: Mapping[str, Any]  # the first real one
    prepare: tuple[Mapping[str, Any], ...] = ()


class Client:
    """As little of a client as a measurement needs."""

    def __init__(self, candidate: Candidate) -> None:
        self._began = time.perf_counter()
        self._process = subprocess.Popen(
            candidate.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=candidate.folder,
            env={**os.environ, **candidate.environment},
        )
        self._number = 0

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> tuple[float, dict[str, Any]]:
        """Seconds since the process was started, and the answer."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params or {}})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._number:
                return time.perf_counter() - self._began, message
        raise SystemExit(f"{self._process.args!r} ended instead of answering {method}.")

    def note(self, method: str) -> None:
        self._send({"method": method})

    def cpu_and_memory(self) -> tuple[float, float]:
        """Seconds of CPU and MiB of memory until now."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        pages = int(fields[21])
        ticks = os.sysconf("SC_CLK_TCK")
        return (int(fields[11]) + int(fields[12])) / ticks, pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def close(self) -> None:
        self._process.communicate()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


def main() -> None:
    options = _options()
    work = Path(tempfile.mkdtemp(prefix="mcp-start-"))
    try:
        candidates = [_waypost(work), _memory_service(work, options.python), _semble(work, options.python)]
        for candidate in candidates:
            _prepare(candidate)
        seen: dict[str, list[list[float]]] = {candidate.name: [] for candidate in candidates}
        for _ in range(options.runs):
            for candidate in candidates:  # by turns: what else the machine does hits all of them
                seen[candidate.name].append(_measure(candidate))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"median of {options.runs}\n")
    print("| | " + " | ".join(STAGES) + " | CPU until then | memory |\n|---|---|---|---|---|---|")
    for name, rows in seen.items():
        *times, cpu, size = (median(column) for column in zip(*rows, strict=True))
        print(f"| {name} | " + " | ".join(f"{1000 * t:,.0f} ms" for t in times) + f" | {cpu:.1f} s | {size:.0f} MiB |")


def _measure(candidate: Candidate) -> list[float]:
    client = Client(candidate)
    opened, _ = client.ask("initialize", OPENING)
    client.note("notifications/initialized")
    listed, _ = client.ask("tools/list")
    called, answer = client.ask("tools/call", candidate.call)
    cpu, size = client.cpu_and_memory()
    client.close()
    _check(candidate, answer)
    return [opened, listed, called, cpu, size]


def _prepare(candidate: Candidate) -> None:
    client = Client(candidate)
    client.ask("initialize", OPENING)
    client.note("notifications/initialized")
    for call in (*candidate.prepare, candidate.call):
        _check(candidate, client.ask("tools/call", call)[1])
    client.close()


def _check(candidate: Candidate, answer: Mapping[str, Any]) -> None:
    """An error is fast, and no answer."""
    result = answer.get("result", {})
    said = json.dumps(result.get("content", answer))
    if "error" in answer or result.get("isError") or "Failed" in said or "Error" in said:
        raise SystemExit(f"{candidate.name}: {said[:500]}")


# -- the candidates -----------------------------------------------------------------------------------------------


def _texts() -> list[str]:
    places = ("harbor", "bridge", "archive", "market", "station", "library", "tunnel")
    return [f"Number {n}: the {places[n % 7]} door {n} opens with the {places[n % 5]} key." for n in range(MEMORIES)]


def _tree(work: Path, name: str) -> Path:
    return Path(shutil.copytree(ROOT / "src", work / name / "src")).parent


def _waypost(work: Path) -> Candidate:
    from waypost import Memory

    tree, home = _tree(work, "waypost"), work / "waypost-home"
    os.environ |= {"WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0"}
    memory = Memory.open(tree)
    memory.index()
    for text in _texts():
        memory.remember(text)
    return Candidate(
        f"Waypost, {MEMORIES} memories and its own source",
        [str(Path(sys.executable).with_name("waypost")), "mcp"],
        {},
        tree,
        {"name": "recall", "arguments": {"question": "How does the door of the archive open?"}},
    )


def _memory_service(work: Path, python: str) -> Candidate:
    tree = work / "memory-service"
    program = _installed(work / "memory-service-env", python, "mcp-memory-service")
    return Candidate(
        f"mcp-memory-service, {MEMORIES} memories",
        [str(program / "memory"), "server"],
        {"HOME": str(_made(tree)), "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "1"},
        tree,
        {"name": "memory_search", "arguments": {"query": "How does the door of the archive open?"}},
        tuple({"name": "memory_store", "arguments": {"content": text}} for text in _texts()),
    )


def _semble(work: Path, python: str) -> Candidate:
    tree = _tree(work, "semble")
    program = _installed(work / "semble-env", python, "semble[mcp]")
    model = work / "semble-model"
    subprocess.run([program / "python", "-c", STAND_IN, model], check=True)
    return Candidate(
        "semble, Waypost's source",
        [str(program / "semble")],
        {"HOME": str(_made(work / "semble-home")), "SEMBLE_MODEL_NAME": str(model), "HF_HUB_OFFLINE": "1"},
        tree,
        {"name": "search", "arguments": {"query": "open the store", "repo": str(tree)}},
    )


def _installed(folder: Path, python: str, package: str) -> Path:
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    target = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(target), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, package], check=True, stderr=subprocess.DEVNULL)
    return folder / "bin"


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--python", default=sys.executable)
    return parser.parse_args()


if __name__ == "__main__":
    main()
