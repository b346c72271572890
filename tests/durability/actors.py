"""What other processes do in these tests: `python -m tests.durability.actors ROLE PROJECT …`.

Every role opens the memory as a library user would and talks JSON lines over its pipes.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.model.receipt import Receipt

BATCH = 10  # drafts of one remember_many; below the size of a transaction, so all or nothing
SHARED_TEXTS = 5  # facts that every writer states in the same words


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


def plan(who: str, count: int) -> Iterator[list[dict[str, Any]]]:
    """The writes of one writer: half in batches, facts and turns, some in words that all writers use."""
    number = 0
    while number < count:
        left = count - number
        size = min(BATCH, left) if number % (2 * BATCH) == BATCH else 1
        yield [draft(who, number + place, f"{who}-{number}" if size > 1 else None) for place in range(size)]
        number += size


def draft(who: str, number: int, batch: str | None) -> dict[str, Any]:
    if batch is not None:
        return {"text": f"Turn {number} said by {who}", "kind": "conversation", "session": f"batch {batch}"}
    if number < SHARED_TEXTS:
        return {"text": f"The shared limit {number} is {number * 100} requests"}
    if number % 3 == 0:
        return {"text": f"Remark {number} of {who}", "kind": "conversation", "session": f"talk {who}", "speaker": who}
    return {"text": f"Server {who}{number} listens on port {number}", "domain": who}


def write(memory: Memory, who: str, count: str) -> None:
    """Write as planned, and say of each write what was acknowledged and how long it took."""
    say(ready=True)
    sys.stdin.readline()
    for drafts in plan(who, int(count)):
        began = time.perf_counter()
        receipts = _remember(memory, drafts)
        took = time.perf_counter() - began
        for given, receipt in zip(drafts, receipts, strict=True):
            say(id=receipt.id, status=receipt.status, took=took / len(drafts), **given)
    say(finished=True)


def _remember(memory: Memory, drafts: list[dict[str, Any]]) -> list[Receipt]:
    if len(drafts) > 1:
        return list(memory.remember_many(drafts))
    return [memory.remember(**drafts[0])]


def read(memory: Memory, *sessions: str) -> None:
    """Read over and over until told to stop; say which sizes each batch was ever seen with."""
    stop = threading.Event()
    say(ready=True)
    sys.stdin.readline()

    def wait() -> None:
        sys.stdin.readline()
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    seen: dict[str, set[int]] = {session: set() for session in sessions}
    rounds, most = 0, 0
    while not stop.is_set():
        for session in sessions:
            seen[session].add(len(memory.list(session=session, limit=1000)))
        found = len(memory.list(limit=100_000))
        if found < most:
            raise AssertionError(f"{most} memories were there, then {found}")
        rounds, most = rounds + 1, found
        memory.recall("Which port does the server listen on?", k=5)
    say(finished=True, rounds=rounds, most=most, seen={session: sorted(sizes) for session, sizes in seen.items()})


UPKEEP = {
    "condense": "journal.condense",
    **{name: f"admin.{name}" for name in ("doctor", "export", "maintain", "rebuild")},
}


def serve(memory: Memory) -> None:
    """Do what each line asks for: {"call": method, "with": arguments}."""
    answers: Mapping[str, Callable[..., Any]] = {
        "remember": lambda **given: memory.remember(**given).to_json(),
        "forget": lambda memory_id: memory.forget(memory_id).complete,
        "do": lambda name, arguments: attrgetter(UPKEEP.get(str(name), str(name)))(memory)(**arguments) and None,
        "recall": lambda question, k=5: [hit.text for hit in memory.recall(question, k)],
        "scores": lambda question, k=5: [(hit.id, round(hit.score, 6)) for hit in memory.recall(question, k)],
        "export": lambda: memory.admin.export().memories,
        "texts": lambda: [row["text"] for row in memory.list(limit=1000)],
        "sidecars": lambda: sorted(path.name for path in memory.space.folder.glob("vectors-*.bin")),
        "problems": lambda: list(memory.space.store.problems()),
    }
    say(ready=True)
    for line in sys.stdin:
        asked = json.loads(line)
        say(answer=answers[asked["call"]](**asked["with"]))


def use_fake_engine(sidecar_from: int) -> None:
    """Vectors without weights, and sidecar files already for a handful of them."""
    import waypost.memory.spaces
    import waypost.retrieve.certainty
    import waypost.store.sqlite.vectors

    engine = FakeEngine()
    waypost.retrieve.certainty.FITTED_FOR = frozenset()  # its cosines are others
    waypost.memory.spaces.open_engine = lambda _name, _settings: engine  # type: ignore[assignment, attr-defined]
    waypost.store.sqlite.vectors._SIDECAR_FROM = sidecar_from


def keep_diary(memory: Memory, who: str, count: str, day: str) -> None:
    """Write entries to one day's file, all of the same moment."""
    say(ready=True)
    sys.stdin.readline()
    for number in range(int(count)):
        memory.remember(diary_text(who, number), kind="conversation", session=f"talk {who}", speaker=who, time=day)
    say(finished=True)


def diary_text(who: str, number: int) -> str:
    return f"Entry {number} of writer {who}.\nIt has a second line, and `code`."


def edit(memory: Memory, path: str, way: str, thinks: str) -> None:
    """An editor: loads the file, thinks, and saves what it loaded with a change of its own, until told to stop."""
    file, stop, saves = memory.space.folder / "journal" / path, threading.Event(), 0
    say(ready=True)
    sys.stdin.readline()

    def wait() -> None:
        sys.stdin.readline()
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    while not stop.is_set():
        loaded = file.read_text()
        if not loaded:
            continue
        stop.wait(float(thinks))
        saves += 1
        if saves % 3 == 1:
            loaded = loaded.replace("\n", f"\n\nA line that a person writes by hand. {saves}\n", 1)
        if way == "in place":
            file.write_text(loaded)
        else:
            temporary = file.with_name(f".editor-{os.getpid()}")
            temporary.write_text(loaded)
            temporary.replace(file)
    say(finished=True, saves=saves)


ROLES: Mapping[str, Callable[..., None]] = {
    "write": write,
    "read": read,
    "serve": serve,
    "keep_diary": keep_diary,
    "edit": edit,
}


def main(role: str, project: str, *arguments: str) -> None:
    if role == "serve" and arguments:
        use_fake_engine(int(arguments[0]))
        arguments = ()
    if role in ("keep_diary", "edit"):
        use_fake_engine(1000)
    with Memory.open(project) as memory:
        ROLES[role](memory, *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
