"""A killed process loses nothing acknowledged and leaves no lock, no child process, no half-written file."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.durability.conftest import environment
from tests.durability.fork_server import Forked
from tests.durability.kills import kill_server

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="the tests fork and send signals"),
    pytest.mark.slow,  # not for the inner loop
]

# What a killed process may leave: names that nobody reads, removed by forget, by age, with the next of their kind, or, in
# the journal, before it is condensed.
LEFTOVER = re.compile(r"(exports/|journal/daily/)?\.[^/]+\.tmp")
OURS = re.compile(
    r"memory\.db(-wal|-shm)?|metadata\.json|(worker(-\w+)?|journal)\.lock|(accessed|journal)\.log|journal/daily/\d{4}-\d\d-\d\d\.md|exports/\d{8}T\d{6}Z(-\d+)?\.jsonl?|vectors-\d+-\d+\.bin"
)


def killings(tmp_path: Path, project: Path, **asked: object) -> Iterator[dict[str, Any]]:
    """The answers of `kill_server.py`, one after the other."""
    request = json.dumps({"folder": str(tmp_path), "project": str(project), **asked})
    process = Forked([request], environment(), kill_server.__name__)
    try:
        for line in process.stdout:
            yield json.loads(line)
        _, errors = process.communicate()
        assert (errors, process.returncode) == ("", 0)
    finally:
        process.kill()
        process.communicate()


def check_sound(found: dict[str, Any]) -> None:
    """What holds wherever the process was stopped."""
    assert found["problems"] == []
    assert found["impossible"] == {}
    assert found["not found"] == []
    assert found["torn exports"] == []
    assert found["writable"] == "added"
    assert [name for name in found["files"] if not OURS.fullmatch(name) and not LEFTOVER.fullmatch(name)] == []


# What each write of `each_kind_of_write` changes: the texts that go, and the texts that come.
CHANGES = {
    "remember": (set(), {"Epsilon runs on port 82"}),
    "remember_many": (set(), {"Delta said 0", "Delta said 1", "Delta said 2"}),
    "replace": ({"Alpha runs on port 80"}, {"Alpha runs on port 90"}),
    "correct": ({"Beta runs on port 81"}, {"Beta runs on port 91"}),
    "retract": (set(), set()),
    "forget": ({"Gamma is the word xylophonist"}, set()),
    "export": (set(), set()),
}


def check_stopped_once(answer: dict[str, Any]) -> None:
    found, log = answer["found"], answer["log"]
    check_sound(found)
    expected = {one["text"] for one in answer["known"]}
    done = [message["done"] for message in log if "done" in message]
    for name in (*answer["before"], *done):
        goes, comes = CHANGES[name]
        expected = (expected - goes) | comes
    allowed = [expected]
    if log and not done:
        goes, comes = CHANGES[log[0]["begin"]]
        allowed.append((expected - goes) | comes)
    texts = Counter(found["current"].values())
    assert set(texts) in allowed, (answer["step"], log)
    assert set(texts.values()) <= {1}
    assert all(set(message["ids"]) <= set(found["current"]) for message in log if "done" in message)
    if "forget" in {action for action, _ in found["audit"]}:
        assert found["words"] == []  # once it is forgotten, the next opening finds no trace of it in any file


LEVELS = ["functions", "statements", "files", "system"]
# Between two statements or two pages of one transaction all stops are alike: every so manieth stands for the others.
EVERY = {"statements": 9, "files": 20}


def stop_while_writing(
    tmp_path: Path, project: Path, level: str, kinds: list[str], every: int | None = None
) -> Counter[str]:
    """Check what is left after every stop; count the stops for each kind of write."""
    steps = Counter[str]()
    every = every or EVERY.get(level, 1)
    for answer in killings(tmp_path, project, run="writing", level=level, kinds=kinds, every=every):
        check_stopped_once(answer)
        steps[answer["log"][0]["begin"] if answer["log"] else "open"] += 1
    return steps


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_a_writer_stopped_at_any_step_leaves_each_write_whole_or_absent(
    tmp_path: Path, project: Path, level: str
) -> None:
    # Between the pages of a commit all kinds that are one transaction are alike: two of them stand for the others.
    alike = {"replace", "correct", "retract"} if level == "files" else set[str]()
    steps = stop_while_writing(tmp_path, project, level, [kind for kind in CHANGES if kind not in alike])
    for kind in {"forget", "export"} if level == "system" else set(CHANGES) - {"export"} - alike:
        assert steps[kind] > 1  # the control: there were steps to be stopped at, before the receipt and after it


@pytest.mark.slow
def test_what_was_acknowledged_outlasts_a_power_failure(tmp_path: Path, project: Path) -> None:
    steps = stop_while_writing(tmp_path, project, "power", ["remember"])
    assert steps["remember"] > 10


@pytest.mark.soak
def test_soak_every_kind_of_write_stopped_between_any_two_pages_is_whole_or_absent(
    tmp_path: Path, project: Path
) -> None:
    steps = stop_while_writing(tmp_path, project, "files", list(CHANGES), every=1)
    assert all(steps[kind] > 1 for kind in set(CHANGES) - {"export"})


@pytest.mark.soak
def test_soak_every_kind_of_write_outlasts_a_power_failure_at_any_step(tmp_path: Path, project: Path) -> None:
    steps = stop_while_writing(tmp_path, project, "power", list(CHANGES))
    print(f"\nPower failures: {steps.total()} ({dict(steps)}), nothing lost, nothing half")


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_a_space_whose_making_was_stopped_at_any_step_opens_the_next_time(
    tmp_path: Path, project: Path, level: str
) -> None:
    assert stop_while_making(tmp_path, project, level, EVERY.get(level, 1)) > 5


@pytest.mark.soak
@pytest.mark.parametrize("level", EVERY)
def test_soak_a_space_whose_making_was_stopped_at_each_single_step_opens_the_next_time(
    tmp_path: Path, project: Path, level: str
) -> None:
    assert stop_while_making(tmp_path, project, level, 1) > 100


@pytest.mark.soak
def test_soak_a_writer_stopped_at_each_single_statement_leaves_each_write_whole_or_absent(
    tmp_path: Path, project: Path
) -> None:
    steps = stop_while_writing(tmp_path, project, "statements", list(CHANGES), every=1)
    assert all(steps[kind] > 1 for kind in set(CHANGES) - {"export"})


def stop_while_making(tmp_path: Path, project: Path, level: str, every: int) -> int:
    steps = 0
    for answer in killings(tmp_path, project, run="making", level=level, every=every):
        steps += 1
        check_sound(answer["found"])
        assert set(answer["found"]["current"].values()) <= {"The first words ever"}
        for message in answer["log"]:
            assert answer["found"]["current"] == {message["ids"][0]: "The first words ever"}
    return steps


@pytest.mark.parametrize("rounds", [5, pytest.param(100, marks=pytest.mark.soak)])
def test_processes_that_make_a_space_at_the_same_moment_all_get_in(tmp_path: Path, project: Path, rounds: int) -> None:
    for answer in killings(tmp_path, project, run="together", rounds=rounds):
        assert len(answer["ids"]) == 8
        assert set(answer["ids"]) == set(answer["found"]["current"])
        check_sound(answer["found"])


def test_a_killed_worker_holds_no_lock_and_the_next_one_pays_the_rest(tmp_path: Path, project: Path) -> None:
    stopped = list(killings(tmp_path, project, run="worker"))
    assert len(stopped) >= 10
    for answer in stopped:
        assert answer["alone"]
        assert [set(message["owed"].values()) for message in answer["after"]] == [{0}]
        check_sound(answer["found"])
        assert len(answer["found"]["current"]) == 40


def test_a_killed_installation_is_no_installation_and_the_next_one_succeeds(tmp_path: Path, project: Path) -> None:
    stopped = list(killings(tmp_path, project, run="installation"))
    assert len(stopped) >= 8
    for answer in stopped:
        assert answer["before"] in ([], ["tiny"])
        assert answer["after"] == [{"fresh": answer["before"] == [], "intact": [True]}]
        assert all(name == "tiny" or name.startswith(".install-") for name in answer["names"])


class Expectation:
    """What must be there after each of many kills in one space: all that was acknowledged, and nothing half."""

    def __init__(self) -> None:
        self.current: dict[str, str] = {}
        self.undecided = Counter[str]()  # how often a kill came in the middle of each kind of write

    def learn(self, log: list[dict[str, Any]], found: dict[str, Any]) -> None:
        asked: dict[str, Any] = {}
        for message in log:
            if "begin" in message:
                asked = message
            else:
                self._acknowledge(asked, message["ids"])
                asked = {}
        before = dict(self.current)
        if asked:
            self.undecided[asked["begin"]] += 1
            self._settle(asked, found["current"])
        assert found["current"] == self.current, (asked, set(before) ^ set(found["current"]))
        # The check itself has written one memory since.

    def _acknowledge(self, asked: dict[str, Any], ids: list[str]) -> None:
        if asked["begin"] == "remember":
            self.current[ids[0]] = asked["text"]
        elif asked["begin"] == "remember_many":
            self.current |= {one: f"{asked['text']} part {n}" for n, one in enumerate(ids)}
        elif asked["begin"] == "correct":
            self.current[ids[0]] = asked["text"]
        elif asked["begin"] in ("retract", "forget"):
            del self.current[asked["of"]]

    def _settle(self, asked: dict[str, Any], found: dict[str, str]) -> None:
        """The write that was under way happened wholly or not at all: take what is there if it is one of the two."""
        new = {one: text for one, text in found.items() if one not in self.current}
        size = {"remember": 1, "remember_many": asked["size"]}.get(asked["begin"])
        if size == len(new):
            self._acknowledge(asked, list(new))
        elif asked["begin"] == "correct" and found.get(asked["of"]) == asked["text"]:
            self._acknowledge(asked, [asked["of"]])
        elif asked["begin"] in ("retract", "forget") and asked["of"] not in found:
            self._acknowledge(asked, [])


def run_random_kills(tmp_path: Path, project: Path, rounds: int, seed: int) -> tuple[Expectation, set[str]]:
    expectation, leftovers = Expectation(), set[str]()
    for answer in killings(tmp_path, project, run="random", rounds=rounds, seed=seed):
        check_sound(answer["found"])
        assert answer["alone"]  # no process of the killed one's group is left
        expectation.learn(answer["log"], answer["found"])
        expectation.current[answer["found"]["written"]] = answer["found"]["written text"]
        leftovers |= {f"{name.partition('.')[0]}.*.tmp" for name in answer["found"]["files"] if name.endswith(".tmp")}
    return expectation, leftovers


@pytest.mark.slow
def test_a_writer_killed_at_random_moments_loses_nothing_acknowledged(tmp_path: Path, project: Path) -> None:
    expectation, _ = run_random_kills(tmp_path, project, rounds=20, seed=7)
    assert len(expectation.current) > 50
    assert expectation.undecided.total() >= 10  # the control: most kills came in the middle of a write


@pytest.mark.soak
def test_soak_a_thousand_kills(tmp_path: Path, project: Path) -> None:
    undecided, leftovers, acknowledged = Counter[str](), set[str](), 0
    for seed in range(1, 51):  # a new space after every 20 kills, so that looking at it stays quick
        folder = tmp_path / str(seed)
        folder.mkdir()
        expectation, left = run_random_kills(folder, project, rounds=20, seed=seed)
        undecided += expectation.undecided
        acknowledged += len(expectation.current)
        leftovers |= left
    print(
        f"\n1,000 kills: {undecided.total()} in the middle of a write ({dict(undecided)}),"
        f" {acknowledged} memories acknowledged and there, nothing half; left over: {sorted(leftovers) or 'nothing'}"
    )
