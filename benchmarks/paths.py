"""How long the paths through Waypost are: `python -m benchmarks.paths [--callers] [--files] [--json]`.

It measures a warm `ask`, `ask` with opening the memory, `remember`, a prompt hook and one changed file. The
table has the source files and functions that run, and the read and write transactions that open. `--callers` prints where
each transaction is opened, `--files` which files run.

To measure an older source tree with this tool, put that tree first on the path:

    git archive COMMIT | tar x -C DIR
    PYTHONPATH=DIR/src python -m benchmarks.paths

Only the public library and the entry point of `waypost-hook` are used. The project is small and always the same: three
Python files, facts about them, a conversation and an indexed tree.
"""

import argparse
import faulthandler
import importlib
import json
import os
import sys
import tempfile
import threading
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import waypost
from waypost import Memory

PACKAGE = Path(waypost.__file__).parent
WARM_UPS = 4  # the embedding engine loads for speed at the third question
QUESTION = "How are large files uploaded?"
PROMPT = "fix the retries of the upload to S3"

_FILES = {
    "storage/upload.py": '''"""Upload files to S3."""

PART_SIZE = 8 << 20


def upload(path, client):
    """Upload a large file in parts."""
    return [send_part(client, part) for part in split(path)]


def send_part(client, part):
    """Send one part; retry three times."""
    return client.send(part)


def split(path):
    """Split a file into parts of PART_SIZE bytes."""
    return [path]
''',
    "storage/cache.py": '''"""Keep recently read files in memory."""


class Cache:
    """The last files that were read."""

    def get(self, name):
        """The file, or None if it is not in the cache."""
        return None
''',
    "app.py": '''"""The web application."""

from storage.upload import upload


def handle(request):
    """Store the file of a request."""
    return upload(request.path, request.client)
''',
    "README.md": "# Files\n\nA web application that stores large files in S3.\n",
}
_FACTS = (
    ("Uploads use S3 multipart with parts of 8 MB.", ["storage/upload.py#L6-L8"]),
    ("Failed parts are sent again three times before the upload fails.", ["storage/upload.py#send_part"]),
    ("The cache holds at most 200 files.", ["storage/cache.py"]),
    ("Deployments run on Tuesdays.", []),
    ("We use PostgreSQL in production and SQLite in tests.", []),
)
_TURNS = (
    ("user", "Why do large uploads fail on slow connections?"),
    ("assistant", "A part that takes longer than 30 seconds is cut off by the proxy."),
    ("user", "Then let us retry the part and raise the limit to 60 seconds."),
    ("assistant", "Done: the proxy waits 60 seconds now."),
)


@dataclass(slots=True)
class Trace:
    """What ran between start and end of a traced block."""

    functions: set[CodeType] = field(default_factory=set)
    transactions: Counter[str] = field(default_factory=Counter)  # "read" and "write"
    callers: list[str] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        return {code.co_filename for code in self.functions}

    def note_call(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Module and class bodies run only when something is imported. Comprehensions belong to their function.
        is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(str(PACKAGE)):
            self.functions.add(code)

    def note_transaction(self, sort: str) -> None:
        self.transactions[sort] += 1
        stack = [frame for frame in traceback.extract_stack() if frame.filename.startswith(str(PACKAGE))]
        places = [f"{Path(frame.filename).relative_to(PACKAGE)}:{frame.lineno} {frame.name}" for frame in stack[-3:]]
        self.callers.append(f"{sort}  {' > '.join(places)}")


@contextmanager
def traced(store: object) -> Iterator[Trace]:
    """Trace all threads until the block ends."""
    trace, kind = Trace(), type(store)
    originals = {name: getattr(kind, name) for name in ("read", "write")}

    def counting(name: str) -> Callable[..., Any]:
        def counted(self: object, *arguments: Any, **options: Any) -> Any:
            trace.note_transaction(name)
            return originals[name](self, *arguments, **options)

        return counted

    for name in originals:
        setattr(kind, name, counting(name))
    threading.setprofile(trace.note_call)
    sys.setprofile(trace.note_call)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        for name, original in originals.items():
            setattr(kind, name, original)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callers", action="store_true", help="print where each transaction is opened")
    parser.add_argument("--files", action="store_true", help="print the files that run")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        os.environ |= {"WAYPOST_HOME": f"{work}/home", "WAYPOST_BACKGROUND": "0"}
        traces = measure(Path(work) / "project")
    figures = {
        name: {"files": len(trace.files), "functions": len(trace.functions)}
        | {f"{sort}s": trace.transactions[sort] for sort in ("read", "write")}
        for name, trace in traces.items()
    }
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    print("| path | files | functions | read transactions | write transactions |\n|---|---|---|---|---|")
    for name, row in figures.items():
        print(f"| {name} | {row['files']} | {row['functions']} | {row['reads']} | {row['writes']} |")
    for name, trace in traces.items():
        if options.callers:
            print(f"\n{name}:", *trace.callers, sep="\n  ")
        if options.files:
            counts = Counter(str(Path(code.co_filename).relative_to(PACKAGE)) for code in trace.functions)
            print(f"\n{name}:", *(f"{count:4} {path}" for path, count in sorted(counts.items())), sep="\n  ")


def measure(project: Path) -> dict[str, Trace]:
    for name, text in _FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, "utf-8")
    memory: Any = Memory.open(project)
    memory.index()
    for text, refs in _FACTS:
        memory.remember(text, refs=refs)
    for speaker, text in _TURNS:
        memory.remember(text, kind="conversation", session="s1", speaker=speaker)
    store = (memory.space if hasattr(memory, "space") else memory._space).store
    update = memory.code.update if hasattr(memory, "code") else memory.update
    hook = _hook()

    def open_and_ask() -> None:
        memory.close()
        Memory.open(project).recall(QUESTION)

    def edit(turn: int) -> None:
        path = project / "storage" / "cache.py"
        path.write_text(path.read_text("utf-8") + f"\n\ndef clear_{turn}():\n    return {turn}\n", "utf-8")
        update(["storage/cache.py"])

    paths: dict[str, Callable[[int], object]] = {
        "ask": lambda _: memory.recall(QUESTION),
        "open and ask": lambda _: open_and_ask(),
        "remember": lambda turn: memory.remember(f"Build number {turn} of the installer is signed.", refs=["app.py"]),
        "prompt hook": lambda turn: hook(project, f"session-{turn}"),
        "one changed file": edit,
    }
    traces = {}
    for name, work in paths.items():
        for turn in range(WARM_UPS):
            work(turn)
        with traced(store) as trace:
            work(WARM_UPS)
        traces[name] = trace
    return traces


class _Left(BaseException):
    pass


def _hook() -> Callable[[Path, str], None]:
    """Answer a prompt as `waypost-hook prompt` does, in this process."""
    project = tomllib.loads((PACKAGE.parent.parent / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["scripts"]["waypost-hook"].partition(":")
    entry = getattr(importlib.import_module(module), function)

    def leave(_: int) -> None:
        raise _Left

    def run(folder: Path, session: str) -> None:
        event = {"cwd": str(folder), "prompt": PROMPT, "session_id": session}
        arguments, leave_for_good, report = sys.argv, os._exit, threading.excepthook
        sys.argv, os._exit = ["waypost-hook", "prompt", "--agent", "claude-code"], leave  # type: ignore[assignment]
        try:
            with suppress(_Left), _standard_streams(json.dumps(event).encode()) as output:
                entry()
        finally:
            faulthandler.cancel_dump_traceback_later()
            sys.argv, os._exit, threading.excepthook = arguments, leave_for_good, report
        if b"retr" not in output():
            raise SystemExit("The hook did not answer.")

    return run


@contextmanager
def _standard_streams(given: bytes) -> Iterator[Callable[[], bytes]]:
    """Files in place of standard input and output. Yields how to read what was written."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(given)
        source.seek(0)
        kept = [os.dup(0), os.dup(1)]
        written = b""
        os.dup2(source.fileno(), 0)
        os.dup2(target.fileno(), 1)
        original = sys.stdin
        try:
            with open(0, closefd=False) as sys.stdin:
                yield lambda: written
        finally:
            sys.stdin = original
            target.seek(0)
            written = target.read()
            for number, handle in enumerate(kept):
                os.dup2(handle, number)
                os.close(handle)


if __name__ == "__main__":
    main()
