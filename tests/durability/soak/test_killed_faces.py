"""For some minutes every face writes to one memory and forgets, while snapshots are made and restored and repairs run; each
of these processes is killed at a random moment, again and again. In the end everything acknowledged is there, and no byte of
what was forgotten. The same on a disk that is full now and then.
"""

import contextlib
import itertools
import json
import os
import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.durability.conftest import ROOT, environment
from tests.durability.members import COMMAND, Library, McpServer, Member, RestServer, Watcher

from waypost import Memory
from waypost.model.memory import Caller

SECONDS = float(os.environ.get("SOAK_SECONDS", "300"))
MOST_EACH = 30  # memories that one keeps, so that those who check stay quick
UPKEEP = (("doctor", "--fix"), ("backup", "make"), ("export",), ("rebuild",), ("maintain", "--force"))
pytestmark = [
    pytest.mark.soak,
    pytest.mark.usefixtures("no_models"),
    pytest.mark.skipif(os.name != "posix", reason="the test sends signals"),
]


class Attack:
    """What all who take part share."""

    def __init__(self, project: Path, seconds: float, members: int, *, disk_fills: bool) -> None:
        self.project, self.disk_fills = project, disk_fills
        self._until = time.monotonic() + seconds
        self.failures: list[str] = []
        self.counts: Counter[str] = Counter()
        self.numbers = itertools.count()
        self._members = members
        self._turns = threading.Semaphore(members)  # to write takes one of them, to restore takes all

    def is_over(self) -> bool:
        return bool(self.failures) or time.monotonic() > self._until

    def writing(self) -> threading.Semaphore:
        return self._turns

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody writes; all processes that have the memory open go on to have it open, and are killed."""
        for _ in range(self._members):
            self._turns.acquire()
        try:
            yield
        finally:
            self._turns.release(self._members)

    def command(self, kill_after: float | None, *arguments: str) -> str | None:
        """Run one, and kill it after some time. What it said; None if it did not succeed."""
        name = " ".join(arguments[:2]) if arguments[0] == "backup" else arguments[0]
        process = subprocess.Popen(
            [*COMMAND, "-C", str(self.project), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=environment(),
        )
        try:
            said, _ = process.communicate(timeout=kill_after)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.counts[f"killed {name}"] += 1
            return None
        self.counts[name] += 1
        if "Traceback" in said or "is damaged" in said:
            self.failures.append(f"{arguments}: {said[-2000:]}")
        return None if process.returncode else said


class Attacker:
    """Starts processes of one face, writes and forgets through them, and kills them."""

    def __init__(self, number: int, make: Callable[[Path], Member], attack: Attack) -> None:
        self._number, self._make, self._attack = number, make, attack
        self._chance = random.Random(number)
        self.kept: dict[str, str] = {}
        self.gone: list[str] = []  # texts whose forgetting was acknowledged
        self.begun: dict[str, str] = {}  # to forget these was begun, and nobody said that it was done

    def work(self) -> None:
        try:
            while not self._attack.is_over():
                self._live()
        except Exception as error:  # noqa: BLE001  a thread has nobody else to tell it to
            self._attack.failures.append(f"{self._make.__name__}: {type(error).__name__}: {error}")

    def _live(self) -> None:
        killed = threading.Event()
        try:
            process = self._make(self._attack.project)
        except Exception:
            if self._attack.disk_fills:
                return  # it could not begin
            raise

        def kill() -> None:
            killed.set()
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, 9)

        timer = threading.Timer(self._chance.uniform(0.1, 12.0), kill)
        timer.start()
        try:
            while not killed.is_set() and not self._attack.is_over():
                with self._attack.writing():
                    self._step(process)
        except Exception:
            if not killed.is_set() and not self._attack.disk_fills:
                raise
        finally:
            timer.cancel()
            process.kill()
            self._attack.counts[f"killed {self._make.__name__}"] += killed.is_set()

    def _step(self, process: Member) -> None:
        if self.kept and (self._chance.random() < 0.3 or len(self.kept) > MOST_EACH):
            memory_id = self._chance.choice(list(self.kept))
            text = self.begun[memory_id] = self.kept.pop(memory_id)
            if self._chance.random() < 0.5:
                process.forget(memory_id)
            elif self._attack.command(self._chance.uniform(0.3, 4.0), "forget", memory_id, "--yes") is None:
                return
            del self.begun[memory_id]
            self.gone.append(text)
            self._attack.counts["forgotten"] += 1
        else:
            number = next(self._attack.numbers)
            text = (
                f"Attacker {self._number} saw ship vq{self._number}x{number}z at dock {self._chance.randrange(10**9)}"
            )
            self.kept[process.remember(text)] = text
            self._attack.counts["remembered"] += 1


def mark_of(text: str) -> bytes:
    """The word that no other text has."""
    return next(word for word in text.split() if word.startswith("vq")).encode()


def keep_up(attack: Attack) -> None:
    """Upkeep that is killed, one after the other; now and then a restore, which is repeated until it is done."""
    chance = random.Random(99)
    while not attack.is_over():
        if chance.random() < 0.2:
            with attack.alone():
                go_back(attack, chance)
        else:
            attack.command(chance.uniform(0.3, 6.0), *chance.choice(UPKEEP))


def go_back(attack: Attack, chance: random.Random) -> None:
    """To a moment just before, again and again until it has succeeded."""
    made = attack.command(None, "backup", "make", "--json")
    if made is None or attack.command(None, "remember", f"Scratch {next(attack.numbers)}") is None:
        return  # the disk is full
    snapshot = json.loads(made)["id"]
    while attack.command(chance.uniform(0.5, 6.0), "backup", "restore", snapshot, "--yes") is None:
        if attack.is_over() and not attack.disk_fills:
            assert attack.command(None, "backup", "restore", snapshot, "--yes") is not None
            break


def fill(attack: Attack, folder: Path) -> None:
    """Take all the room that there is on the disk, and give it back."""
    chance, filler = random.Random(7), folder / "filler"
    while not attack.is_over():
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(4096)) == 4096:
                pass
        attack.counts["disk full"] += 1
        time.sleep(chance.uniform(0.2, 2.0))
        filler.unlink()
        time.sleep(chance.uniform(0.5, 3.0))


def run(project: Path, seconds: float, *, disk: Path | None = None) -> tuple[Attack, list[Attacker]]:
    (project / "app.py").write_text("def start():\n    return 1\n")
    Memory.open(project).close()
    makes: list[Callable[[Path], Member]] = [RestServer, McpServer, Watcher, Library]
    attack = Attack(project, seconds, len(makes), disk_fills=disk is not None)
    attackers = [Attacker(number, make, attack) for number, make in enumerate(makes)]
    threads = [threading.Thread(target=one.work) for one in attackers]
    threads.append(threading.Thread(target=keep_up, args=(attack,)))
    if disk is not None:
        threads.append(threading.Thread(target=fill, args=(attack, disk)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return attack, attackers


def check(project: Path, attack: Attack, attackers: list[Attacker]) -> None:
    kept, forgotten = sum(len(one.kept) for one in attackers), sum(len(one.gone) for one in attackers)
    print(f"\n{dict(sorted(attack.counts.items()))}; kept {kept}, gone {forgotten}")
    assert attack.failures == []
    home = Path(os.environ["WAYPOST_HOME"])
    with Memory.open(project, caller=Caller("person", "ada")) as memory:
        memory.admin.doctor(fix=True)
        stored = {row["id"]: row["text"] for row in memory.list(limit=1_000_000)}
        for one in attackers:
            for memory_id, text in one.begun.items():
                if memory_id in stored:
                    memory.forget(memory_id)
                one.gone.append(text)
        assert list(memory.space.store.problems()) == []
        assert [
            one.message for one in memory.admin.doctor() if not one.ok and one.kind != "model"
        ] == []  # there is none here
    lost = [text for one in attackers for memory_id, text in one.kept.items() if stored.get(memory_id) != text]
    contents = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    gone = [text for one in attackers for text in one.gone]
    left = [f"{text}: {path}" for text in gone for path, content in contents.items() if mark_of(text) in content]
    assert (lost, left) == ([], [])


def test_every_face_is_killed_while_all_write_and_nothing_acknowledged_is_lost(project: Path) -> None:
    attack, attackers = run(project, SECONDS)
    check(project, attack, attackers)
    assert attack.counts["remembered"] > 0 and attack.counts["forgotten"] > 0


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of some megabytes with the home on it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no small disk can be made here")
    monkeypatch.setenv("WAYPOST_HOME", str(folder / "home"))
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # pipes of those who could not begin
def test_the_same_on_a_disk_that_is_full_now_and_then(project: Path, small_disk: Path) -> None:
    attack, attackers = run(project, SECONDS, disk=small_disk)
    check(project, attack, attackers)
    assert attack.counts["remembered"] > 0 and attack.counts["disk full"] > 0
