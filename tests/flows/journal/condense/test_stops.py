"""Stopped at every step once, before and after it changed a file: the next run finishes, with the same files."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock
from tests.flows.journal.days import (
    DAY,
    START,
    Worlds,
    at_four,
    condensed,
    files_of,
    lost,
    noon,
    root_of,
    space_of,
    talk,
)

from waypost import Memory
from waypost.flows.journal.condense.restore import release, restore
from waypost.journal.bundle import write_bundle
from waypost.journal.files import JournalFolder
from waypost.memory.spaces import open_spaces
from waypost.model.memory import Caller
from waypost.system.platform import remove_file

ANNA = Caller("person", "anna")
CHANGES = ("append", "replace", "remove", "compress")
# Parts of these: between them, a file is both in a bundle and beside it.
INNER: dict[str, Callable[..., Any]] = {
    "waypost.journal.files.write_bundle": write_bundle,
    "waypost.journal.files.remove_file": remove_file,
}
END = date(2028, 1, 3)


class Stopped(BaseException):
    """As a kill: nobody catches it."""


class Stops:
    """Raises at the chosen change of a file, before it or after it. 0 lets all pass and counts them."""

    def __init__(self, chosen: int = 0, *, after: bool = False) -> None:
        self.chosen, self.after, self.count = chosen, after, 0

    def around(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def change(*given: Any, **told: Any) -> Any:
            self.count += 1
            if self.count == self.chosen and not self.after:
                raise Stopped
            result = real(*given, **told)
            if self.count == self.chosen:
                raise Stopped
            return result

        return change


@contextmanager
def stopping(monkeypatch: pytest.MonkeyPatch, stops: Stops) -> Iterator[None]:
    with monkeypatch.context() as patch:
        for name in CHANGES:
            patch.setattr(JournalFolder, name, stops.around(getattr(JournalFolder, name)))
        for place, real in INNER.items():
            patch.setattr(place, stops.around(real))
        yield


def prepared(memory: Memory, clock: TestClock) -> list[str]:
    """Three days in two weeks: enough for every kind of step."""
    words = []
    for day in (START, START + DAY, START + 7 * DAY):
        clock.now = noon(day)
        words += talk(memory, day)
    return words


def without_index(files: dict[str, bytes]) -> dict[str, bytes]:
    """The index page tells what the last run did, which is less when another one was stopped before it."""
    return {path: content for path, content in files.items() if path != "MEMORY.md"}


def stop_everywhere(
    memory: Memory,
    clock: TestClock,
    worlds: Worlds,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    step: int,
    work: Callable[[Memory], object],
) -> int:
    """Do the work undisturbed, then once for every change of a file stopped there. Returns how often."""
    words = prepared(memory, clock)
    clock.now = at_four(END)
    undisturbed = worlds.copy(home)
    stops = Stops()
    with stopping(monkeypatch, stops):
        work(undisturbed)
    expected = without_index(files_of(root_of(undisturbed)))
    assert lost(root_of(undisturbed), words) == []
    for chosen in range(1, stops.count + 1, step):
        for after in (False, True):
            world = worlds.copy(home)
            with stopping(monkeypatch, Stops(chosen, after=after)), pytest.raises(Stopped):
                work(world)
            assert lost(root_of(world), words) == [], f"lost when stopped at {chosen}"
            world = worlds.again()
            work(world)
            assert without_index(files_of(root_of(world))) == expected, f"other files when stopped at {chosen}"
    return stops.count


@pytest.fixture
def worlds(tmp_path: Path, clock: TestClock, monkeypatch: pytest.MonkeyPatch) -> Worlds:
    return Worlds(tmp_path, tmp_path / "work" / "project", clock, monkeypatch)


@pytest.mark.slow
def test_stopped_at_some_steps_the_next_run_ends_with_the_same_files(
    memory: Memory, clock: TestClock, worlds: Worlds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_everywhere(memory, clock, worlds, tmp_path / "home", monkeypatch, step=9, work=condensed)


def killed_everywhere(
    worlds: Worlds,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    work: Callable[[Memory], object],
    compared: Callable[[Path], dict[str, bytes]] = lambda root: without_index(files_of(root)),
) -> int:
    """Do the work once, and keep what a kill before and after every change of a file would leave; then go on from each.
    Returns how often."""
    world = worlds.copy(home)
    left: list[Path] = []

    def around(real: Callable[..., Any]) -> Callable[..., Any]:
        def change(*given: Any, **told: Any) -> Any:
            left.append(worlds.snapshot())
            result = real(*given, **told)
            left.append(worlds.snapshot())
            return result

        return change

    with monkeypatch.context() as patch:
        for name in CHANGES:
            patch.setattr(JournalFolder, name, around(getattr(JournalFolder, name)))
        for place, real in INNER.items():
            patch.setattr(place, around(real))
        work(world)
    expected = compared(root_of(world))
    assert lost(root_of(world), words) == []
    for number, killed in enumerate(left):
        [root] = killed.glob("memory/*/journal")
        assert lost(root, words) == [], f"lost when killed at {number}"
        world = worlds.enter(killed)
        work(world)
        assert compared(root) == expected, f"other files when killed at {number}"
        open_spaces.drop_all()
        shutil.rmtree(killed)
    return len(left)


@pytest.mark.slow
def test_killed_at_every_step_the_next_run_ends_with_the_same_files(
    memory: Memory, clock: TestClock, worlds: Worlds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = prepared(memory, clock)
    clock.now = at_four(END)
    assert killed_everywhere(worlds, tmp_path / "home", monkeypatch, words, condensed) > 50


@pytest.mark.slow
def test_killed_anywhere_in_an_undo_it_can_be_undone_again(
    memory: Memory, clock: TestClock, worlds: Worlds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = prepared(memory, clock)
    clock.now = at_four(START + DAY * 20)
    condensed(memory)
    home = tmp_path / "home"

    def undo(world: Memory) -> None:
        restore(space_of(world), "2026-W03", ANNA)

    assert killed_everywhere(worlds, home, monkeypatch, words, undo, compared=files_of) > 4
    world = worlds.copy(home)
    undo(world)
    release(space_of(world), "2026-W03", ANNA)
