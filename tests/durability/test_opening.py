"""Opening memories in several threads: one whose database does not answer is waited for by nobody else."""

import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from waypost import config
from waypost.errors import StoreUnavailable
from waypost.flows.open_space import OpenSpace
from waypost.memory import spaces
from waypost.memory.spaces import OpenSpaces
from waypost.model.time import utc_now
from waypost.space.identity import identify
from waypost.store.postgres import connection

SECONDS = 20.0


@dataclass(slots=True)
class Silent:
    """A port that takes connections and never says a word."""

    listening: socket.socket
    taken: list[socket.socket] = field(default_factory=list)
    first: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return (
            f"postgresql://nobody@127.0.0.1:{self.listening.getsockname()[1]}/none?sslmode=disable&connect_timeout=60"
        )

    def run(self) -> None:
        while True:
            try:
                self.taken.append(self.listening.accept()[0])
            except OSError:
                return
            self.first.set()

    def hang_up(self) -> None:
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        for one in self.taken:
            one.close()


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Silent]:
    monkeypatch.setattr(connection, "_FIRST_PATIENCE_SECONDS", 0.0)
    one = Silent(socket.create_server(("127.0.0.1", 0)))
    thread = threading.Thread(target=one.run)
    thread.start()
    address = one.address
    yield one
    thread.join(SECONDS)
    connection.release(address)


@pytest.fixture
def opening() -> Iterator[OpenSpaces]:
    ours = OpenSpaces()
    yield ours
    ours.drop_all()


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody who opens a memory in a thread of their own."""

    open: Callable[[], OpenSpace]
    found: list[OpenSpace] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=self._run)
        thread.start()
        return thread

    def _run(self) -> None:
        try:
            self.found.append(self.open())
        except StoreUnavailable as error:
            self.told.append(error.what)


def asking(opening: OpenSpaces, project: Path, store: str = "") -> Asked:
    project.mkdir(exist_ok=True)
    settings = replace(config.load(), store=store)
    return Asked(lambda: opening.get(identify(project), settings, utc_now))


def test_a_database_that_does_not_answer_holds_up_no_other_memory(
    silent: Silent, opening: OpenSpaces, tmp_path: Path
) -> None:
    dead, alive = asking(opening, tmp_path / "dead", silent.address), asking(opening, tmp_path / "alive")
    waiting = dead.start()
    assert silent.first.wait(SECONDS)
    done = alive.start()
    done.join(SECONDS)
    assert len(alive.found) == 1
    assert waiting.is_alive()
    opening.forget("0" * 16)  # nor is who hears of a change
    silent.hang_up()
    waiting.join(SECONDS)
    assert len(dead.told) == 1


def test_all_who_wait_for_one_database_are_told_when_the_first_is(
    silent: Silent, opening: OpenSpaces, tmp_path: Path
) -> None:
    asked = [asking(opening, tmp_path / "dead", silent.address) for _ in range(4)]
    threads = [one.start() for one in asked]
    assert silent.first.wait(SECONDS)
    waited = threading.Event()
    while sum(one.waiting for one in opening._openings.values()) < len(asked):
        assert not waited.wait(0.005)
    silent.hang_up()
    for thread in threads:
        thread.join(SECONDS)
    assert [len(one.told) for one in asked] == [1, 1, 1, 1]
    assert len(silent.taken) == 1  # nobody tried after the first
    assert not opening._openings


def test_the_threads_that_want_one_memory_get_the_same(opening: OpenSpaces, tmp_path: Path) -> None:
    asked = [asking(opening, tmp_path / "one") for _ in range(6)]
    for thread in [one.start() for one in asked]:
        thread.join(SECONDS)
    assert len({id(one.found[0]) for one in asked}) == 1
    assert not opening._openings


def test_what_was_changed_while_it_was_opened_is_opened_anew_by_the_next(
    opening: OpenSpaces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = spaces._wire

    def interrupted(*given: object) -> OpenSpace:
        space = wire(*given)  # type: ignore[arg-type]
        opening.forget(space.identity.space_id)
        return space

    one = asking(opening, tmp_path / "one")
    monkeypatch.setattr(spaces, "_wire", interrupted)
    first = one.open()
    monkeypatch.setattr(spaces, "_wire", wire)
    second = one.open()
    assert first is not second
    assert one.open() is second
