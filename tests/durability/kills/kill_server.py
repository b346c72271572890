"""A warmed process that has opened nothing: it forks children that write and are killed, and others that look after them.

`main` does one of the runs below and prints a JSON line for each kill. Children are
forked, since starting Python anew for each of some hundred kills would take most of the time.
"""

import gc
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.durability.children import Log, Look, look, one_who_looks, open_memory, run_child, start_child
from tests.durability.inspection import inspect
from tests.durability.kills.stops import LEVELS, SteppedFiles, Stops, telling

import waypost.flows.engines.pending_vectors
import waypost.memory.spaces
import waypost.retrieve.certainty
from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.embed.install import install as install_models
from waypost.embed.install import status as model_status
from waypost.embed.weights import Model, ModelFile
from waypost.model.receipt import Receipt

Write = Callable[..., Any]
ENGINE = FakeEngine()


# -- what the writers do ----------------------------------------------------------------------------------------


def prepare(memory: Memory, log: Log) -> None:
    """What is there before the writer that will be stopped begins."""
    for text in ("Alpha runs on port 80", "Beta runs on port 81", "Gamma is the word xylophonist"):
        log({"id": memory.remember(text).id, "text": text})
    memory.admin.export()


def _ids(receipts: Iterable[Receipt]) -> list[str | None]:
    return [receipt.id for receipt in receipts]


TURNS = [{"text": f"Delta said {n}", "kind": "conversation", "session": "s"} for n in range(3)]
# One write of each kind: what it does with the three prepared memories, and the ids that it acknowledges.
WRITES: dict[str, Write] = {
    "remember": lambda memory, *_: _ids([memory.remember("Epsilon runs on port 82")]),
    "remember_many": lambda memory, *_: _ids(memory.remember_many(TURNS)),
    "replace": lambda memory, alpha, *_: _ids([memory.remember("Alpha runs on port 90", replaces=alpha)]),
    "correct": lambda memory, _, beta, __: _ids([memory.correct(beta, "Beta runs on port 91")]),
    "retract": lambda memory, _, beta, __: memory.retract(beta, valid_until="2200-01-01"),
    "forget": lambda memory, _, __, gamma: memory.forget(gamma) and None,
    "export": lambda memory, *_: memory.admin.export() and None,
}


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
            memory.admin.export(form=chance.choice(("json", "jsonl")), embeddings=True)
        else:
            memory.admin.rebuild()
        known += [one for one in ids if one]
        if chosen and kind not in ("correct", "retract", "forget"):
            known.append(chosen)
        log({"done": kind, "ids": ids})


# -- runs -------------------------------------------------------------------------------------------------------


def stop_while_writing(
    folder: Path, project: Path, level: str, kinds: list[str], every: int, look_at: Look
) -> Iterator[dict[str, Any]]:
    """For each kind of write and each telling step of it: kill the writer there, in a copy of a prepared home, and describe
    what is left. The first one is also stopped while it opens the memory."""
    template = folder / "template"
    known, *_ = run_child(lambda log: prepare(open_memory(template, project), log))
    ids = [one["id"] for one in known]
    before: list[str] = []
    looked: dict[str, dict[str, Any]] = {}
    for name, write in ((name, WRITES[name]) for name in kinds):

        def task(log: Log, home: Path, chosen: int, name: str = name, write: Write = write) -> None:
            stops = Stops(chosen, armed=not before)
            LEVELS[level](stops)
            memory = open_memory(home, project)
            stops.armed = True
            log({"begin": name})
            log({"done": name, "ids": write(memory, *ids) or []})
            stops.step("after the receipt")
            log({"steps": stops.noted})

        whole = folder / f"{level}-{name}"
        shutil.copytree(template, whole)
        (*_, told), *_ = run_child(lambda log, task=task, home=whole: task(log, home, 0))  # type: ignore[misc]
        for chosen in telling(told["steps"], every):
            home = folder / f"{level}-{name}-{chosen}"
            shutil.copytree(template, home)
            lines, ended_by, _ = run_child(lambda log, task=task, h=home, c=chosen: task(log, h, c))  # type: ignore[misc]
            assert ended_by == signal.SIGKILL
            if (left := _all_bytes(home)) not in looked:  # as within a transaction: nothing of it is in a file yet
                looked[left] = look_at(home)
            yield {"step": chosen, "known": known, "before": before, "log": lines, "found": looked[left]}
            shutil.rmtree(home)
        template = whole  # where the next kind of write begins
        before.append(name)


def _all_bytes(home: Path) -> str:
    """A digest of all files, with their names. What processes share while they run is made anew by the next one."""
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*")):
        if path.is_file() and not path.name.endswith("-shm"):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(home)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def stop_while_making(folder: Path, project: Path, level: str, every: int, look_at: Look) -> Iterator[dict[str, Any]]:
    """The same for a space that does not exist yet, until its first words are stored."""

    def task(log: Log, home: Path, chosen: int) -> None:
        stops = Stops(chosen)
        LEVELS[level](stops)
        log({"done": "remember", "ids": _ids([open_memory(home, project).remember("The first words ever")])})
        stops.armed = False
        log({"steps": stops.noted})

    (*_, told), *_ = run_child(lambda log: task(log, folder / level, 0))
    for chosen in telling(told["steps"], every):
        home = folder / f"{level}-{chosen}"
        lines, ended_by, _ = run_child(lambda log, h=home, c=chosen: task(log, h, c))  # type: ignore[misc]
        assert ended_by == signal.SIGKILL
        yield {"log": lines, "found": look_at(home)}
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


def open_together(folder: Path, project: Path, rounds: int) -> Iterator[dict[str, Any]]:
    """Several processes make the same space at the same moment."""
    for turn in range(rounds):
        home = folder / f"together-{turn}"
        waiting, go = os.pipe()

        def task(log: Log, home: Path = home, waiting: int = waiting, go: int = go) -> None:
            os.close(go)
            os.read(waiting, 1)  # until the parent closes its end
            log({"id": open_memory(home, project).remember(f"Said by process {os.getpid()}", kind="note").id})

        children = [start_child(task) for _ in range(8)]
        os.close(waiting)
        os.close(go)
        lines = []
        for child, reading in children:
            with os.fdopen(reading, "r", encoding="utf-8") as pipe:
                lines += [json.loads(line)["id"] for line in pipe]
            assert os.waitpid(child, 0)[1] == 0
        yield {"ids": lines, "found": look(home, project)}


def stop_the_worker(folder: Path, project: Path) -> Iterator[dict[str, Any]]:
    """Kill the worker before and after each of its transactions; the next one must finish the work."""
    template = folder / "template"
    waypost.flows.engines.pending_vectors._BATCH = 8

    def owe(log: Log) -> None:
        ENGINE.fail = True
        memory = open_memory(template, project)
        memory.remember_many([{"text": f"Entry {n} of the log", "kind": "note"} for n in range(40)])

    def work(home: Path, stops: Stops | None, log: Log) -> None:
        if stops is not None:
            LEVELS["functions"](stops)
        log({"owed": open_memory(home, project).admin.run_worker()})

    run_child(owe)
    for chosen in itertools.count(1):
        home = folder / f"worker-{chosen}"
        shutil.copytree(template, home)
        _, ended_by, alone = run_child(lambda log, h=home, c=chosen: work(h, Stops(c), log))  # type: ignore[misc]
        if not ended_by:
            return
        after, *_ = run_child(lambda log, h=home: work(h, None, log))  # type: ignore[misc]
        yield {"alone": alone, "after": after, "found": look(home, project)}


def stop_the_installation(folder: Path) -> Iterator[dict[str, Any]]:
    """Kill an installation of a small model before each thing it does to a file; the next one must succeed."""
    content = {"big.bin": b"weights " * 1000, "words.txt": b"one\ntwo\n"}
    source = folder / "source"
    source.mkdir()
    for name, data in content.items():
        (source / name).write_bytes(data)
    files = tuple(ModelFile(n, len(d), hashlib.sha256(d).hexdigest(), f"tiny/{n}") for n, d in content.items())
    model = Model("tiny", "tiny==1", files, ("index.bin",), _derive)

    def install(parent: Path, stops: Stops | None, log: Log) -> None:
        if stops is not None:
            LEVELS["system"](stops)
        settings = replace(config.load(), models=(parent,))
        (done,) = install_models(settings, source, models=[model])
        log({"fresh": done.fresh, "intact": [s.intact for s in model_status(settings, models=[model])]})

    for chosen in itertools.count(1):
        parent = folder / f"models-{chosen}"
        _, ended_by, alone = run_child(lambda log, p=parent, c=chosen: install(p, Stops(c), log))  # type: ignore[misc]
        if not ended_by:
            return
        before = sorted(path.name for path in parent.glob("[!.]*")) if parent.exists() else []
        after, *_ = run_child(lambda log, p=parent: install(p, None, log))  # type: ignore[misc]
        yield {"alone": alone, "before": before, "after": after, "names": sorted(p.name for p in parent.iterdir())}


def _derive(folder: Path) -> None:
    (folder / "index.bin").write_bytes((folder / "words.txt").read_bytes()[::-1])


def do_everything_once(folder: Path) -> None:
    """Load and compile all that the children use, in a space of its own, so that each of them begins at once."""
    folder.mkdir()
    with open_memory(folder / "home", folder) as memory:
        known: list[Any] = []
        prepare(memory, known.append)
        for call in WRITES.values():
            call(memory, *(one["id"] for one in known))
        inspect(memory)
        memory.recall("loaded", k=1)
        memory.admin.run_worker()


def become_kill_server() -> None:
    """In a process that the fork server has forked: everything was done once there."""
    waypost.memory.spaces.open_engine = lambda _name, _settings: ENGINE  # type: ignore[assignment, attr-defined]
    waypost.retrieve.certainty.FITTED_FOR = frozenset()  # the cosines of the fake engine are others
    os.fsync = lambda fd: None  # no power fails here
    gc.collect()
    gc.freeze()  # children share what is loaded instead of copying it
    gc.disable()


def main(request: str) -> None:
    asked = json.loads(request)
    folder, project = Path(asked["folder"]), Path(asked["project"])
    files = SteppedFiles("stepped", "unix", makedefault=True)
    become_kill_server()
    runs: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
        "writing": lambda: stop_while_writing(folder, project, asked["level"], asked["kinds"], asked["every"], look_at),
        "making": lambda: stop_while_making(folder, project, asked["level"], asked["every"], look_at),
        "random": lambda: kill_at_random(folder, project, asked["rounds"], asked["seed"]),
        "together": lambda: open_together(folder, project, asked["rounds"]),
        "worker": lambda: stop_the_worker(folder, project),
        "installation": lambda: stop_the_installation(folder),
    }
    with one_who_looks(project) as look_at:
        for answer in runs[asked["run"]]():
            print(json.dumps(answer), flush=True)
    files.unregister()
