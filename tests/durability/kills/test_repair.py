"""A repair is killed at any step: the old content is there or the new one, and the next run ends with the same memory.

`main` is the process that forks those which are killed; it has nothing open then. It prints a JSON line for each kill.
"""

import json
import os
import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.durability.children import Log, run_child
from tests.durability.conftest import answers_of
from tests.durability.kills.kill_server import become_kill_server
from tests.durability.kills.stops import LEVELS, SteppedFiles, Stops
from tests.made_once import hashed
from tests.store.damage.filled import Filled, fill, zero

from waypost.memory.spaces import open_spaces

_FAR = 10**9
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the test forks and sends signals")


def _told(filled: Filled) -> dict[str, Any]:
    """What is there after a repair."""
    memory = filled.open()
    return {
        "memories": {row["id"]: row["text"] for row in memory.list(limit=100_000)},
        "versions": [len(memory.history(one).versions) for one in filled.memories],
        "wrong": [str(one) for one in memory.admin.doctor() if not one.ok],
        "found": [hit.text for hit in memory.recall("Which port does service 22 use?", k=3).hits],
    }


def _repair(filled: Filled, stops: Stops | None, level: str, log: Log) -> None:
    if stops is not None:
        LEVELS[level](stops)
    filled.open(for_repair=True).admin.doctor(fix=True)
    log({"left": stops._left if stops is not None else 0})


def kill_again_and_again(folder: Path, project: Path, kills: int, seed: int) -> Iterator[dict[str, Any]]:
    chance, made = random.Random(seed), list[Filled]()
    whole = fill(folder / "template", project, memories=40, files=3)
    warm_up_repair(whole.copy(folder / "repaired"))
    for name, page in (("header", 1), ("leaf", min(next(iter(whole.places.values()))))):
        damaged = whole.copy(folder / name)
        zero(damaged.database, page)
        made.append(damaged)
    calm: dict[str, dict[str, Any]] = {}
    steps: dict[tuple[str, str], int] = {}
    for damaged in made:
        for level in ("files", "system"):
            home = damaged.copy(folder / f"calm-{damaged.home.name}-{level}")
            (counted,), *_ = run_child(lambda log: _repair(home, Stops(_FAR), level, log))  # noqa: B023
            steps[damaged.home.name, level] = _FAR - int(counted["left"])
        (calm[damaged.home.name],), *_ = run_child(lambda log: log(_told(home)))  # noqa: B023
    for number in range(kills):
        damaged, level = made[number % 2], ("files", "files", "system")[number % 3]
        count, expected = steps[damaged.home.name, level], calm[damaged.home.name]
        # Half of them towards the end, where the new content takes the place of the old.
        chosen = chance.randint(1, count) if number % 4 < 2 else count - chance.randrange(max(1, count // 3))
        home = damaged.copy(folder / f"killed-{number}")
        before = home.database.read_bytes()
        _, ended_by, _ = run_child(lambda log: _repair(home, Stops(chosen), level, log))  # noqa: B023
        run_child(lambda log: _repair(home, None, level, log))  # noqa: B023
        (found,), *_ = run_child(lambda log: log(_told(home)))  # noqa: B023
        kept = list((home.database.parent / "damaged").glob("*.db"))
        yield {
            "killed": ended_by == signal.SIGKILL,
            "step": f"{chosen} of {count}",
            "differs": [name for name in expected if expected[name] != found[name]],
            "kept": any(one.read_bytes() == before for one in kept),
            "left": [one.name for one in (home.database.parent / "damaged").iterdir() if one.name.startswith(".")],
        }
        shutil.rmtree(home.home)


def warm_up_repair(filled: Filled) -> None:
    """Load once what each of the forked processes would load again."""
    zero(filled.database, 1)
    _repair(filled, None, "", lambda _: None)
    _told(filled)
    open_spaces.drop_all()


def killed(folder: Path, project: Path, kills: int, seed: int) -> list[dict[str, Any]]:
    module = "tests.durability.kills.test_repair"
    answers = answers_of(module, folder=str(folder), project=str(project), kills=kills, seed=seed)
    print(f"\n{sum(one['killed'] for one in answers)} kills of a repair")
    assert [one for one in answers if one["differs"]] == []
    assert [one for one in answers if not one["kept"]] == []
    assert [one for one in answers if one["left"]] == []
    return answers


@pytest.mark.slow
def test_a_repair_that_is_killed_is_finished_by_the_next_one(tmp_path: Path, project: Path) -> None:
    assert sum(one["killed"] for one in killed(tmp_path, project, 6, 3)) >= 5


@pytest.mark.soak
def test_a_hundred_kills_inside_a_repair_lose_nothing(tmp_path: Path, project: Path) -> None:
    assert sum(one["killed"] for one in killed(tmp_path, project, 105, 1)) >= 100


def main(request: str) -> None:
    asked = json.loads(request)
    files = SteppedFiles("stepped", "unix", makedefault=True)  # for as long as it is known by a name
    become_kill_server()
    with hashed():
        for answer in kill_again_and_again(
            Path(asked["folder"]), Path(asked["project"]), asked["kills"], asked["seed"]
        ):
            print(json.dumps(answer), flush=True)
    files.unregister()
