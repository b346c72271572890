"""Moving a memory into PostgreSQL and back is killed at any step: the source stays whole, and the next run finishes, after
which the target has everything exactly once.

`main` is the process that forks those which are killed; it has nothing open then. It prints a JSON line for each memory whose move was killed, once or several times.
"""

import hashlib
import json
import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.conftest import TestClock
from tests.durability.children import Log, run_child
from tests.durability.conftest import answers_of
from tests.durability.kills.stops import LEVELS, SteppedFiles, Stops
from tests.flows.move.conftest import MACHINE, House, furnish

import waypost.memory.spaces
from waypost import config
from waypost.config import Settings
from waypost.embed.fake import FakeEngine
from waypost.errors import NotFound, StoreError
from waypost.memory.migration import find_stored_space
from waypost.memory.storage import open_store
from waypost.model.memory import StoredSpace

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the test forks and sends signals")
_FAR = 10**9
_ORDER = ("requests", "statements", "system", "files")
_LATER = timedelta(days=2)  # than when the memory was made


@dataclass(frozen=True)
class Bench:
    """Where memories are moved, one after the other, always in the same folder: a memory knows where its tree is."""

    folder: Path
    empty: str  # a database with pgvector and nothing else

    @property
    def used(self) -> Path:
        return self.folder / "used"

    def house(self, dsn: str) -> House:
        clock = TestClock()
        clock.now += _LATER
        files = replace(config.load({"WAYPOST_HOME": str(self.used / "home"), "WAYPOST_BACKGROUND": "0"}), store="")
        files = replace(files, machine=MACHINE)
        return House(files, replace(files, store=dsn), self.used / "work" / "shop", clock)

    def set_up(self, home: Path, database: str) -> House:
        """A copy of a home and of a database."""
        shutil.rmtree(self.used, ignore_errors=True)
        shutil.copytree(home, self.used)
        return self.house(self.copy(database, f"{_name(self.empty)}_used"))

    def copy(self, database: str, name: str) -> str:
        """Under this name, in place of what has it. Returns how to reach it."""
        self._server(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        self._server(f"CREATE DATABASE {name} TEMPLATE {_name(database)} STRATEGY file_copy")
        return database.replace(f"@/{_name(database)}?", f"@/{name}?")

    def _server(self, sql: str) -> None:
        with psycopg.connect(self.empty.replace(f"@/{_name(self.empty)}?", "@/postgres?"), autocommit=True) as server:
            server.execute(sql.encode())


def _name(dsn: str) -> str:
    return dsn.split("@/")[1].split("?", maxsplit=1)[0]


def move(house: House, direction: str) -> str:
    return (house.there if direction == "there" else house.back)().status


def move_counted(house: House, direction: str, log: Log) -> None:
    """Tell how many steps there are at each level."""
    counts = {level: Stops(_FAR) for level in _ORDER}
    for level, stops in counts.items():
        LEVELS[level](stops)
    move(house, direction)
    log({level: _FAR - stops._left for level, stops in counts.items()})


def move_stopped(house: House, direction: str, level: str, chosen: int) -> None:
    LEVELS[level](Stops(chosen))
    move(house, direction)


def look(house: House, direction: str) -> dict[str, Any]:
    """What is in both ends, by a digest for each table and file, and whether it can be used."""
    ends = {"source": house.files, "target": house.database}
    if direction == "back":
        ends = {"source": house.database, "target": house.files}

    def task(log: Log) -> None:
        for settings in ends.values():
            log(
                {
                    "tables": _digests(house, settings),
                    "opens": _opens(house, settings),
                    "files": _files(house, settings),
                }
            )

    lines, *_ = run_child(task)
    return dict(zip(ends, lines, strict=True))


def _space(house: House, settings: Settings) -> StoredSpace | None:
    try:
        return find_stored_space(settings, house.root, None)
    except NotFound:
        return None


def _digests(house: House, settings: Settings) -> dict[str, str]:
    tables = house.tables(settings) if _space(house, settings) is not None else {}
    return {name: hashlib.sha256(repr(sorted(map(repr, rows))).encode()).hexdigest() for name, rows in tables.items()}


def _opens(house: House, settings: Settings) -> bool:
    """Whether somebody can use it. Looks at nothing else: to use it would change it."""
    space = _space(house, settings)
    if space is None:
        return False
    try:
        with open_store(settings, space, settings.memory_root / space.space_id, house.clock).read():
            return True
    except StoreError as error:
        if not re.search("is not complete yet|was moved to", error.what):
            raise
        return False


def _files(house: House, settings: Settings) -> dict[str, str]:
    """The journal and other files that belong to a memory, but for databases, locks and what nobody reads."""
    space = _space(house, settings)
    if space is None:
        return {}
    folder = settings.memory_root / space.space_id
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith((".lock", ".bin", ".tmp"))]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(paths)
        if not path.name.startswith(("memory.db", "metadata.json"))
    }


def kill_again_and_again(bench: Bench, rounds: int, seed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(seed)
    run_child(lambda log: furnish(_unmoved(bench)))
    starts = {"there": (bench.folder / "new", bench.empty)}
    bench.used.rename(starts["there"][0])
    before, calm, steps = {}, {}, {}
    for direction in ("there", "back"):
        house = bench.set_up(*starts[direction])
        before[direction] = look(house, direction)["source"]["tables"]
        (steps[direction],), *_ = run_child(lambda log: move_counted(house, direction, log))  # noqa: B023
        calm[direction] = look(house, direction)
        if direction == "there":  # where the other one begins
            starts["back"] = bench.folder / "moved", bench.copy(house.database.store, f"{_name(bench.empty)}_moved")
            shutil.copytree(bench.used, starts["back"][0])
    for turn in range(rounds):
        direction, level = ("there", "back")[turn % 2], _ORDER[turn // 2 % len(_ORDER)]
        house, kills = bench.set_up(*starts[direction]), 0
        for _ in range(chance.choice((1, 1, 2, 3))):  # also those who come to finish it are killed
            chosen = chance.randint(1, steps[direction][level])
            _, ended_by, _ = run_child(lambda log: move_stopped(house, direction, level, chosen))  # noqa: B023
            kills += bool(ended_by)
        after = look(house, direction)
        (told,), *_ = run_child(lambda log: log({"status": move(house, direction)}))  # noqa: B023
        yield {
            "direction": direction,
            "level": level,
            "kills": kills,
            "steps": steps[direction][level],
            "lost": _differ(before[direction], after["source"]["tables"]),
            "usable": after["source"]["opens"] or after["target"]["opens"],
            "half": after["target"]["opens"]
            and _differ(calm[direction]["target"]["tables"], after["target"]["tables"]),
            "status": told["status"],
            "differ": _compared(calm[direction], look(house, direction)),
        }


def _unmoved(bench: Bench) -> House:
    """As it was before there was anything to move."""
    house = bench.house("")
    house.clock.now -= _LATER
    house.root.mkdir(parents=True)
    return house


def _differ(one: dict[str, str], other: dict[str, str]) -> list[str]:
    return sorted(name for name in one | other if one.get(name) != other.get(name))


def _compared(calm: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """What is not as after a move that nobody disturbed."""
    return {
        "source": _differ(calm["source"]["tables"], found["source"]["tables"]),
        "target": _differ(calm["target"]["tables"], found["target"]["tables"]),
        "files": _differ(calm["target"]["files"], found["target"]["files"]),
        "opens": [end for end in ("source", "target") if calm[end]["opens"] != found[end]["opens"]],
    }


def run(tmp_path: Path, empty: str, rounds: int, seed: int) -> Counter[str]:
    """How often it was killed in each direction, at each level."""
    answers = answers_of(
        "tests.durability.kills.test_move", folder=str(tmp_path), empty=empty, rounds=rounds, seed=seed
    )
    for answer in answers:
        assert answer["lost"] == [] and answer["usable"] and not answer["half"], answer
        assert answer["status"] in ("moved", "already"), answer
        assert not any(answer["differ"].values()), answer
    counts = (Counter({f"{answer['direction']} {answer['level']}": answer["kills"]}) for answer in answers)
    return sum(counts, Counter[str]())


@pytest.mark.slow
def test_a_move_that_is_killed_is_finished_by_the_next_one(tmp_path: Path, postgres: str) -> None:
    assert run(tmp_path, postgres, 4, 3).total() >= 4


@pytest.mark.soak
def test_soak_a_hundred_kills_inside_moves(tmp_path: Path, postgres: str) -> None:
    kills = run(tmp_path, postgres, 130, 1)
    print(f"\n{kills.total()} kills of moves ({dict(kills)}), nothing lost, nothing twice")
    assert kills.total() >= 100
    for direction in ("there", "back"):
        assert sum(count for name, count in kills.items() if name.startswith(direction)) >= 50


def main(request: str) -> None:
    asked = json.loads(request)
    engine = FakeEngine()
    waypost.memory.spaces.open_engine = lambda _name, _settings: engine  # type: ignore[assignment, attr-defined]
    os.fsync = lambda fd: None  # no power fails here
    files = SteppedFiles("stepped", "unix", makedefault=True)
    for line in kill_again_and_again(Bench(Path(asked["folder"]), asked["empty"]), asked["rounds"], asked["seed"]):
        print(json.dumps(line), flush=True)
    files.unregister()
