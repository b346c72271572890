"""A warmed process that has opened nothing: it forks children that write and are killed, and others that look after them.

`python -m tests.durability.killing` reads one JSON line after another and answers each. Children are forked, since
starting Python anew for each of some hundred kills would take most of the time.
"""

import gc
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
from tests.durability.inspection import inspect

import waypost.flows.prepare
import waypost.memory
from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.store.sqlite.store import SqliteStore

Log = Callable[[dict[str, Any]], None]


def open_memory(home: Path, project: Path) -> Memory:
    return Memory.open(project, settings=replace(config.load(), home=home, busy_timeout_seconds=30.0))


# -- children ---------------------------------------------------------------------------------------------------


def run_child(task: Callable[[Log], None], last: int | None = None, delay: float = 0.0) -> tuple[list[Any], int, bool]:
    """Fork, run the task, collect what it logs. When `last` lines were heard, the child is killed after a delay.
    Returns the lines, the signal that ended it, and whether nothing that it started is left."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        code = 1
        try:
            task(lambda line: _write_line(writing, line))
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    lines = []
    with os.fdopen(reading, "r", encoding="utf-8") as pipe:
        if last == 0:
            time.sleep(delay)
            os.kill(child, signal.SIGKILL)
        for line in pipe:
            lines.append(json.loads(line))
            if len(lines) == last:
                time.sleep(delay)
                os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"a child failed after {lines[-3:]}")
    return lines, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, _group_is_gone(child)


def _write_line(pipe: int, line: dict[str, Any]) -> None:
    os.write(pipe, json.dumps(line).encode() + b"\n")


def _group_is_gone(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return True
    return False


def look(home: Path, project: Path) -> dict[str, Any]:
    """Open the space as a new process would, and describe what is there."""

    def task(log: Log) -> None:
        log(inspect(open_memory(home, project)))

    (found,), *_ = run_child(task)
    assert isinstance(found, dict)
    return found


# -- what the writers do ----------------------------------------------------------------------------------------


def prepare(memory: Memory, log: Log) -> None:
    """What is there before the writer that will be stopped begins."""
    for text in ("Alpha runs on port 80", "Beta runs on port 81", "Gamma is the word xylophonist"):
        log({"id": memory.remember(text).id, "text": text})
    memory.export()


def each_kind_of_write(memory: Memory, known: list[str], log: Log) -> None:
    """One write of each kind, announced before and acknowledged after."""
    alpha, beta, gamma = known

    def do(name: str, call: Callable[[], Any]) -> None:
        log({"begin": name})
        call_result = call()
        log({"done": name, "ids": call_result if isinstance(call_result, list) else []})

    turns = [{"text": f"Delta said {n}", "kind": "conversation", "session": "s"} for n in range(3)]
    do("remember", lambda: [memory.remember("Epsilon runs on port 82").id])
    do("remember_many", lambda: [receipt.id for receipt in memory.remember_many(turns)])
    do("replace", lambda: [memory.remember("Alpha runs on port 90", replaces=alpha).id])
    do("correct", lambda: memory.correct(beta, "Beta runs on port 91"))
    do("retract", lambda: memory.retract(beta, valid_until="2200-01-01"))
    do("forget", lambda: memory.forget(gamma))
    do("export", memory.export)


def write_without_end(memory: Memory, seed: int, log: Log) -> None:
    """Every kind of write in random order, as fast as possible."""
    chance = random.Random(seed)
    known: list[str] = []
    for number in range(1_000_000):
        kind = chance.choices(
            ("remember", "remember_many", "correct", "retract", "forget", "rebuild", "export"), (8, 3, 3, 2, 2, 1, 1)
        )[0]
        if kind in ("correct", "retract", "forget") and not known:
            kind = "remember"
        text = f"Fact {seed}x{number} says item{seed}x{number}"
        drafts = [{"text": f"{text} part {n}", "kind": "note"} for n in range(chance.randint(2, 30))]
        chosen = known.pop(chance.randrange(len(known))) if known else ""
        log({"begin": kind, "text": text, "of": chosen, "size": len(drafts)})
        ids: list[str | None] = []
        if kind == "remember":
            ids = [memory.remember(text).id]
        elif kind == "remember_many":
            ids = [receipt.id for receipt in memory.remember_many(drafts)]
        elif kind == "correct":
            ids = [memory.correct(chosen, text).id]
        elif kind in ("retract", "forget"):
            (memory.retract if kind == "retract" else memory.forget)(chosen)
        elif kind == "export":
            memory.export(form=chance.choice(("json", "jsonl")), embeddings=True)
        else:
            memory.rebuild()
        known += [one for one in ids if one]
        if chosen and kind not in ("correct", "retract", "forget"):
            known.append(chosen)
        log({"done": kind, "ids": ids})


# -- stops ------------------------------------------------------------------------------------------------------


class Stops:
    """Counts the steps of the write path, and kills the process at the chosen one."""

    def __init__(self, chosen: int) -> None:
        self._chosen = chosen
        self.names: list[str] = []

    def step(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self._chosen:
            os.kill(os.getpid(), signal.SIGKILL)


def stop_at_functions(stops: Stops) -> None:
    for name in ("mask", "embed_items", "finish"):
        for module in (waypost.flows.prepare, waypost.flows.remember, waypost.flows.lifecycle):
            if hasattr(module, name):
                setattr(module, name, _stepping(getattr(module, name), name, stops))
    plain = SqliteStore.write

    def write(store: SqliteStore) -> Any:
        return _Stepped(plain(store), stops)

    SqliteStore.write = write  # type: ignore[method-assign, assignment]


def _stepping(function: Callable[..., Any], name: str, stops: Stops) -> Callable[..., Any]:
    def stepped(*given: Any, **named: Any) -> Any:
        stops.step(f"before {name}")
        result = function(*given, **named)
        stops.step(f"after {name}")
        return result

    return stepped


class _Stepped:
    """A write transaction with a stop before it begins and after it is committed, before anybody is told."""

    def __init__(self, inner: Any, stops: Stops) -> None:
        self._inner = inner
        self._stops = stops

    def __enter__(self) -> Any:
        self._stops.step("before the transaction")
        return self._inner.__enter__()

    def __exit__(self, *error: Any) -> Any:
        done = self._inner.__exit__(*error)
        self._stops.step("after the commit")
        return done


def stop_at_statements(stops: Stops) -> None:
    def trace(_cursor: Any, statement: str, _values: Any) -> bool:
        if not statement.startswith("SELECT"):  # reading leaves nothing; the next statement stops in the same state
            stops.step(" ".join(statement.split())[:60])
        return True

    def hook(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(hook)


def stop_at_file_operations(stops: Stops) -> None:
    """A stop before everything that SQLite does to a file: between the pages of one commit, before each sync."""
    SteppedFile.step = stops.step


class SteppedFile(apsw.VFSFile):
    step: Callable[[str], None] = staticmethod(lambda _: None)

    def __init__(self, name: Any, flags: Any) -> None:
        super().__init__("unix", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        SteppedFile.step("write to a file")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        """Only counted: what a killed process has written stays in the system's memory, synced or not."""
        SteppedFile.step("sync a file")

    def xTruncate(self, size: int) -> None:
        SteppedFile.step("truncate a file")
        super().xTruncate(size)


class SteppedFiles(apsw.VFS):
    def xOpen(self, name: Any, flags: Any) -> SteppedFile:
        return SteppedFile(name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        SteppedFile.step("delete a file")
        super().xDelete(filename, False)


LEVELS = {"functions": stop_at_functions, "statements": stop_at_statements, "files": stop_at_file_operations}


# -- runs -------------------------------------------------------------------------------------------------------


def stop_everywhere(folder: Path, project: Path, level: str, fresh: bool) -> Iterator[dict[str, Any]]:
    """For every step of the writer: kill it there, in a copy of the prepared home, and describe what is left."""
    template = folder / "template"
    known: list[Any] = []
    if not fresh:
        known, *_ = run_child(lambda log: prepare(open_memory(template, project), log))
    chosen = 0
    while True:
        chosen += 1
        home = folder / f"{level}-{chosen}"
        if not fresh:
            shutil.copytree(template, home)

        def task(log: Log, home: Path = home, chosen: int = chosen) -> None:
            stops = Stops(chosen)
            LEVELS[level](stops)
            memory = open_memory(home, project)
            if fresh:
                log({"done": "remember", "ids": [memory.remember("The first words ever").id]})
            else:
                each_kind_of_write(memory, [one["id"] for one in known], log)
            log({"steps": len(stops.names)})

        lines, ended_by, _ = run_child(task)
        if not ended_by:
            yield {"steps": lines[-1]["steps"]}
            return
        yield {"step": chosen, "log": lines, "known": known, "found": look(home, project)}
        shutil.rmtree(home)


def kill_at_random(folder: Path, project: Path, rounds: int, seed: int) -> Iterator[dict[str, Any]]:
    """Again and again in one space: a writer is killed after a random number of its messages."""
    chance, home = random.Random(seed), folder / "random"
    for turn in range(rounds):

        def task(log: Log, seed: int = seed * 10_000 + turn) -> None:
            write_without_end(open_memory(home, project), seed, log)

        lines, ended_by, alone = run_child(task, chance.randint(0, 40), chance.uniform(0.0, 0.02))
        assert ended_by == signal.SIGKILL
        yield {"turn": turn, "log": lines, "alone": alone, "found": look(home, project)}


def warm_up(folder: Path) -> None:
    """Load and compile everything once, in a space of its own, so that each child begins at once."""
    engine = FakeEngine()
    waypost.memory.open_engine = lambda _name, _settings: engine  # type: ignore[assignment, attr-defined]
    os.fsync = lambda fd: None  # no power fails here
    folder.mkdir()
    with open_memory(folder / "home", folder) as memory:
        known: list[Any] = []
        prepare(memory, known.append)
        each_kind_of_write(memory, [one["id"] for one in known], lambda _: None)
        inspect(memory)
    gc.collect()
    gc.freeze()  # children share what is loaded instead of copying it
    gc.disable()


def main() -> None:
    asked = json.loads(sys.argv[1])
    folder, project = Path(asked["folder"]), Path(asked["project"])
    files = SteppedFiles("stepped", "unix", makedefault=True)
    warm_up(folder / "warm")
    if asked["run"] == "steps":
        answers = stop_everywhere(folder, project, asked["level"], asked["fresh"])
    else:
        answers = kill_at_random(folder, project, asked["rounds"], asked["seed"])
    for answer in answers:
        print(json.dumps(answer), flush=True)
    files.unregister()


if __name__ == "__main__":
    main()
