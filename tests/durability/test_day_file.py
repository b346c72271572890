"""Many processes write to one day's file while an editor saves it."""

import time
from pathlib import Path

import pytest
from tests.durability.actors import diary_text
from tests.durability.conftest import Cast

from waypost.memory import Memory

DAY, FILE = "2026-01-30T12:00:00Z", "daily/2026-01-30.md"


def fight(cast: Cast, project: Path, writers: int, count: int, way: str, *, thinks: float) -> dict[str, float]:
    memory = Memory.open(project)
    memory.remember("The first entry.", kind="note", time=DAY)
    memory.close()
    editor = cast("edit", project, FILE, way, thinks)
    working = [cast("keep_diary", project, who, count, DAY) for who in range(writers)]
    for actor in (editor, *working):
        actor.wait_ready()
    began = time.monotonic()
    for actor in (editor, *working):
        actor.tell()
    for actor in working:
        assert actor.hear_all() == [{"finished": True}]
    took = time.monotonic() - began
    editor.tell()
    [told] = editor.hear_all()
    wanted = [diary_text(str(who), number) for who in range(writers) for number in range(count)]
    rows = [row for row in memory.list(limit=100_000) if row["session"]]
    assert sorted(row["text"] for row in rows) == sorted(wanted)
    text = (memory.space.folder / "journal" / FILE).read_text()
    assert [words for words in wanted if f"\n{words}\n\n" not in text] == []
    return {"saves": told["saves"], "seconds": round(took, 1), "entries": writers * count}


@pytest.mark.slow
@pytest.mark.usefixtures("fake_engine")
@pytest.mark.parametrize("way", ["in place", "by rename"])
def test_nothing_is_lost_or_torn_while_an_editor_saves_the_file(cast: Cast, project: Path, way: str) -> None:
    assert fight(cast, project, 4, 12, way, thinks=0.02)["saves"] > 2


@pytest.mark.soak
@pytest.mark.usefixtures("fake_engine")
@pytest.mark.parametrize("way", ["in place", "by rename"])
def test_eight_processes_write_two_hundred_entries_each_while_an_editor_saves(
    cast: Cast, project: Path, way: str
) -> None:
    print(f"\nday file, saved {way}: {fight(cast, project, 8, 200, way, thinks=0.2)}")
