"""What an agent waits for at a prompt: `python -m benchmarks.prompt_hook [--passages 20000] [--runs 40] [--work DIR]`.

Every figure is of whole processes, from start to end, as agents start them: one prompt each, in sessions of their own.
`cold`: no Waypost runs; `running`: `waypost mcp` serves the project and answers over its socket; `hanging`: what listens there
takes connections and never answers. `stages` are the parts of one cold process, the best of some. The texts are real, so are
the vectors (benchmarks/corpus.py). With `--work` the store is kept and used again.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import corpus
from benchmarks.clock import Figures, percentiles
from benchmarks.stages import CACHE, data, in_parts, payload, prepare

from waypost import Memory
from waypost.faces.hooks.agent.formats import HookInput
from waypost.faces.hooks.socket.client import ask_running
from waypost.faces.hooks.socket.place import prepare_run_folder, run_folder

RESULTS = Path(__file__).parent / "results"
PATIENCE = 30.0  # seconds for a server to listen
STAGES = 7  # processes, of which the best counts

# The parts of a cold process in its own order. Prints milliseconds, after the start of Python itself.
_STAGES = """
import gc, json, os, sys, time
gc.disable()
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
marks = [("begin", time.perf_counter())]
def mark(name): marks.append((name, time.perf_counter()))
from waypost import config
from waypost.faces.hooks import agent_event
from waypost.faces.hooks.agent.formats import HookInput
mark("import: the hook")
settings, given = config.load(), HookInput("prompt", "claude-code", cwd=sys.argv[1], prompt=sys.argv[2])
agent_event.project_of(given, settings)
mark("settings, which project")
from waypost.faces.hooks.agent.context import HookMemory
from waypost.memory.handle import open_handle
from waypost import flows
flows.context.inject
mark("import: reading a memory")
import numpy
mark("import: numpy")
space = open_handle(given.cwd, settings=settings).current
mark("open the memory, look at the journal")
question = flows.engines.query.EngineQuestion(space, given.prompt)
question.by_engine([space.engines.main], flows.engines.query.WHOLE)
mark("embed the prompt")
HookMemory(open_handle(given.cwd, settings=settings)).relevant(given.prompt)
mark("embed again, search, render")
print(json.dumps({name: 1000 * (at - before) for (_, before), (name, at) in zip(marks, marks[1:])}))
"""


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).absolute()
        work.mkdir(parents=True, exist_ok=True)
        os.environ |= {"WAYPOST_HOME": str(work / "home"), "WAYPOST_BACKGROUND": "0"}
        project = work / "project"
        passages = _fill(project, options.passages)
        results = _measure(project, options.runs)
    machine = {"machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count()}
    report = {**machine, "passages": passages, "runs": options.runs, "load": os.getloadavg()[0], **results}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "prompt_hook.json").write_text(json.dumps(report, indent=1), "utf-8")
    print(json.dumps(report, indent=1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--work", type=Path)
    return parser.parse_args()


def _fill(project: Path, size: int) -> int:
    """A store of so many real texts; their vectors are given, as they were computed once for all benchmarks."""
    project.mkdir(exist_ok=True)
    memory = Memory.open(project)
    known: int = memory.status()["memories"]
    if known:
        return known
    from waypost.flows.versions.prepare import Embedded, put
    from waypost.flows.versions.prepare import prepare as ready
    from waypost.memory.handle import LIBRARY
    from waypost.model.draft import Draft

    if not (CACHE / "vectors.npy").exists():
        prepare()
    texts, vectors = data()
    space = memory.space
    engine, key = space.engines.main.name, space.tombstone_key()
    for part in in_parts(enumerate(texts[:size]), 256):
        items = [(place, ready(space, Draft.of(payload(place, text)), LIBRARY, key)) for place, text in part]
        with space.store.write() as writer:
            for place, item in items:
                given = {item.passages[0].content_hash: vectors[place]}
                put(writer, item.version, item.passages[:1], Embedded((engine,), {engine: given}))
    memory.recall("What is here?")  # what only the first reader does is done
    return size


def _measure(project: Path, runs: int) -> dict[str, Figures]:
    texts, _ = data()
    questions = corpus.questions(texts[:2000], runs)
    results = {
        "nothing": percentiles([_process([sys.executable, "-c", "pass"], b"")[0] for _ in range(runs)], "python"),
        "cold": _hooks(project, questions),
    }
    with _server(project):
        _hooks(project, questions[:5])  # the model is loaded with the first
        results["running"] = _hooks(project, questions) | _answers(project, questions)
    with _hanging(project):
        results["hanging"] = _hooks(project, questions[: runs // 2])
    results["stages"] = _stages(project, questions)
    return results


def _hooks(project: Path, questions: list[str]) -> Figures:
    """Times of both events; and how many prompts were answered: one that takes too long is not."""
    prompts, processor, starts, answered = [], [], [], 0
    for question in questions:
        given = json.dumps({"cwd": str(project), "prompt": question, "source": "startup"}).encode()
        taken, used, said = _process([*_hook(), "prompt", "--agent", "claude-code"], given)
        answered += bool(said)
        prompts.append(taken)
        processor.append(used)
        starts.append(_process([*_hook(), "session-start", "--agent", "claude-code"], given)[0])
    figures = percentiles(prompts, "prompt") | percentiles(processor, "prompt_processor")
    return figures | percentiles(starts, "session_start") | {"answered": answered / len(questions)}


def _hook() -> list[str]:
    found = shutil.which("waypost-hook", path=str(Path(sys.executable).parent))
    return [found] if found else [sys.executable, "-m", "waypost.faces.hooks.agent.entry"]


def _process(command: list[str], given: bytes) -> tuple[float, float, bytes]:
    """Milliseconds from start to end and of the processor, and what it said."""
    before, started = _processor_ms(), time.perf_counter()
    done = subprocess.run(command, input=given, check=True, stdout=subprocess.PIPE)
    return 1000 * (time.perf_counter() - started), _processor_ms() - before, done.stdout


def _processor_ms() -> float:
    """Of all processes that we have waited for: what else the machine does weighs little in it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


def _answers(project: Path, questions: list[str]) -> Figures:
    """Only the question over the socket and back, from a process that has everything imported."""
    folder = _folder(project)
    taken = []
    for question in questions:
        given = HookInput("prompt", "claude-code", cwd=str(project), prompt=question)
        started = time.perf_counter()
        assert ask_running(folder, {"input": given.to_json(), "told": []}, PATIENCE) is not None
        taken.append(1000 * (time.perf_counter() - started))
    return percentiles(taken, "answer")


def _folder(project: Path) -> Path:
    return run_folder(Path(os.environ["WAYPOST_HOME"]), Memory.open(project).identity.space_id)


@contextmanager
def _server(project: Path) -> Iterator[None]:
    """`waypost mcp`, as an agent keeps it running."""
    command = [sys.executable, "-m", "waypost", "-C", str(project), "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as server:
        folder, given_up = _folder(project), time.monotonic() + PATIENCE
        while not (folder / f"{server.pid}.sock").exists() and not (folder / f"{server.pid}.at").exists():
            if time.monotonic() > given_up or server.poll() is not None:
                raise SystemExit("`waypost mcp` does not listen for hooks.")
            time.sleep(0.05)
        yield
        server.communicate(timeout=PATIENCE)


@contextmanager
def _hanging(project: Path) -> Iterator[None]:
    folder = _folder(project)
    prepare_run_folder(folder)
    path = folder / f"{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1000)
        yield
    path.unlink()


def _stages(project: Path, questions: list[str]) -> Figures:
    found = []
    for question in questions[:STAGES]:
        command = [sys.executable, "-c", _STAGES, str(project), question]
        found.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    return {name: min(one[name] for one in found) for name in found[0]}


if __name__ == "__main__":
    main()
