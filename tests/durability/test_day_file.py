"""Many processes write to one day's file while an editor saves it."""

import multiprocessing
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost import config
from waypost.embed.fake import FakeEngine
from waypost.memory import Memory

DAY = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)
NOTE = "A line that a person writes by hand."


def write_entries(project: Path, who: int, count: int, go: object) -> None:
    import waypost.memory.spaces

    waypost.memory.spaces.open_engine = lambda _name, _settings: FakeEngine()
    memory = Memory.open(project, settings=config.load(), clock=lambda: DAY)
    go.wait()  # type: ignore[attr-defined]
    for number in range(count):
        memory.remember(
            f"Entry {number} of writer {who}.\nIt has a second line, and `code`.",
            kind="conversation",
            session=f"talk {who}",
            speaker=f"writer {who}",
            time=DAY,
        )


def save_again_and_again(file: Path, stop: object, saves: object, *, in_place: bool, thinks: float) -> None:
    """An editor: loads the file, thinks, and saves what it loaded with a change of its own."""
    number = 0
    while not stop.is_set():  # type: ignore[attr-defined]
        try:
            loaded = file.read_text()
        except FileNotFoundError:
            continue
        if not loaded:
            continue
        time.sleep(thinks)  # what a person takes; no test waits for it
        number += 1
        changed = (
            loaded.replace("# 2026-01-30\n", f"# 2026-01-30\n\n{NOTE} {number}\n", 1) if number % 3 == 1 else loaded
        )
        if in_place:
            file.write_text(changed)
        else:
            temporary = file.with_name(f".editor-{os.getpid()}")
            temporary.write_text(changed)
            temporary.replace(file)
        saves.value += 1  # type: ignore[attr-defined]


def fight(tmp_path: Path, writers: int, count: int, *, in_place: bool, thinks: float) -> dict[str, float]:
    project = tmp_path / "project"
    project.mkdir()
    context = multiprocessing.get_context("fork")
    go, stop, saves = context.Event(), context.Event(), context.Value("i", 0)
    memory = Memory.open(project, clock=lambda: DAY)
    memory.remember("The first entry.", kind="note", time=DAY)
    file = memory.folder / "journal" / "daily" / "2026-01-30.md"
    memory.close()
    working = [context.Process(target=write_entries, args=(project, who, count, go)) for who in range(writers)]
    editor = context.Process(
        target=save_again_and_again, args=(file, stop, saves), kwargs={"in_place": in_place, "thinks": thinks}
    )
    for process in (*working, editor):
        process.start()
    began = time.monotonic()
    go.set()
    for process in working:
        process.join()
    took = time.monotonic() - began
    stop.set()
    editor.join()
    assert [process.exitcode for process in (*working, editor)] == [0] * (writers + 1)
    rows = [row for row in memory.list(limit=100_000) if row["session"]]
    wanted = {
        f"Entry {number} of writer {who}.\nIt has a second line, and `code`."
        for who in range(writers)
        for number in range(count)
    }
    assert sorted(row["text"] for row in rows) == sorted(wanted)
    text = file.read_text()
    for words in wanted:
        assert f"\n{words}\n\n" in text, words
    return {"saves": saves.value, "seconds": took, "entries": writers * count}


@pytest.mark.slow
@pytest.mark.usefixtures("fake_engine")
@pytest.mark.parametrize("in_place", [True, False])
def test_nothing_is_lost_or_torn_while_an_editor_saves_the_file(tmp_path: Path, in_place: bool) -> None:
    assert fight(tmp_path, 4, 25, in_place=in_place, thinks=0.02)["saves"] > 2


@pytest.mark.soak
@pytest.mark.usefixtures("fake_engine")
@pytest.mark.parametrize("in_place", [True, False])
def test_eight_processes_write_two_hundred_entries_each_while_an_editor_saves(tmp_path: Path, in_place: bool) -> None:
    figures = fight(tmp_path, 8, 200, in_place=in_place, thinks=0.2)
    print(f"\nday file, saved {'in place' if in_place else 'by rename'}: {figures}")
