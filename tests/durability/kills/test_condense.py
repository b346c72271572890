"""Condensing is killed at random moments, 300 times: no word is lost, and the next run ends with the same files.

`main` is the process that forks those which are killed; it has nothing open then. It prints a JSON line for each kill.
"""

import json
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.durability.children import Log, run_child
from tests.durability.conftest import answers_of
from tests.flows.journal.days import START, at_four, files_of, lost, noon, talk

import waypost.memory.spaces
from waypost import Memory, config
from waypost.embed.fake import FakeEngine

KILLS = 300
SAID_ON = (0, 1, 2, 7, 9, 20)  # days after the first
END = date(2028, 1, 3)  # all of it is due: trimmed, three weeks, a month, a year, compressed
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the test forks and sends signals")


def opened(home: Path, project: Path, day: date, *, upkeep: bool) -> Memory:
    now = at_four(day) if upkeep else noon(day)
    return Memory.open(project, settings=replace(config.load(), home=home), clock=lambda: now)


def root_in(home: Path) -> Path:
    (found,) = home.glob("memory/*/journal")
    return found


def told(home: Path) -> dict[str, bytes]:
    """The journal but for the index page, which tells what the last run did."""
    return {path: content for path, content in files_of(root_in(home)).items() if path != "MEMORY.md"}


def kill_again_and_again(folder: Path, project: Path, kills: int, seed: int) -> Iterator[dict[str, Any]]:
    setattr(waypost.memory.spaces, "open_engine", lambda _name, _settings: FakeEngine())  # noqa: B010
    chance, template, home = random.Random(seed), folder / "template", folder / "home"

    def write(log: Log) -> None:
        for after in SAID_ON:
            day = START + timedelta(days=after)
            log({"words": talk(opened(template, project, day, upkeep=False), day)})

    words = [word for line in run_child(write)[0] for word in line["words"]]

    def condense(home: Path, log: Log) -> None:
        log({"begins": time.monotonic()})
        memory = opened(home, project, END, upkeep=True)
        memory.journal.condense(report=lambda line: log({"did": line, "at": time.monotonic()}))
        log({"ends": time.monotonic()})

    calm = folder / "calm"
    shutil.copytree(template, calm)
    steps, *_ = run_child(lambda log: condense(calm, log))
    expected = told(calm)
    pause = (steps[-1]["ends"] - steps[0]["begins"]) / len(steps)
    done = 0
    while done < kills:
        shutil.copytree(template, home)
        for _ in range(chance.choice((1, 1, 2, 3))):  # also those who come to finish it are killed
            last, delay = chance.randint(1, len(steps)), chance.uniform(0, 2 * pause)
            lines, ended_by, _ = run_child(lambda log: condense(home, log), last, delay)
            was_killed = ended_by == signal.SIGKILL and "ends" not in lines[-1]
            done += was_killed
            if was_killed:
                yield {"steps": len(lines) - 1, "lost": lost(root_in(home), words)}
        run_child(lambda log: condense(home, log))
        found = told(home)
        differ = [path for path in expected | found if expected.get(path) != found.get(path)]
        yield {"differ": differ, "left": [path.name for path in root_in(home).rglob(".*.tmp")]}
        shutil.rmtree(home)


@pytest.mark.soak
def test_killed_at_any_moment_nothing_is_lost_and_the_next_run_ends_with_the_same_files(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = time.monotonic()
    monkeypatch.setenv("TZ", "UTC")
    module = "tests.durability.kills.test_condense"
    answers = answers_of(module, folder=str(tmp_path), project=str(project), kills=KILLS, seed=7)
    killed = [answer for answer in answers if "lost" in answer]
    finished = [answer for answer in answers if "differ" in answer]
    after = Counter(answer["steps"] for answer in killed)
    print(
        f"\n{len(killed)} kills of condensing, after 0 to {max(after)} steps of a run ({len(after)} different); "
        f"words lost {sum(len(answer['lost']) for answer in killed)}; journals finished {len(finished)}, "
        f"of which with other files {sum(bool(answer['differ']) for answer in finished)}; "
        f"{time.monotonic() - started:.0f} s"
    )
    assert len(killed) >= KILLS
    assert [answer for answer in killed if answer["lost"]] == []
    assert [answer for answer in finished if answer["differ"]] == []
    assert [answer for answer in finished if answer["left"]] == []  # nor any temporary file
    assert len(after) > 10


def main(request: str) -> None:
    asked = json.loads(request)
    for answer in kill_again_and_again(Path(asked["folder"]), Path(asked["project"]), asked["kills"], asked["seed"]):
        print(json.dumps(answer), flush=True)
