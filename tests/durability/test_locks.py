"""No long-lived process loses its locks or its log, whatever it or others do with the memory meanwhile."""

from functools import partial
from pathlib import Path

import pytest
from tests.durability.members import MEMBERS, faults, member, remember_by_command

from waypost import Memory

pytestmark = [
    pytest.mark.slow,  # whole processes
    pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not list locks"),
]


@pytest.mark.usefixtures("no_models")
@pytest.mark.parametrize("name", MEMBERS)
def test_nothing_acknowledged_is_lost_after_something_was_forgotten(name: str, project: Path) -> None:
    """The one who forgot goes on writing, in turn with commands that open and close the memory."""
    folder = Memory.open(project).space.folder
    Memory.open(project).close()
    with member(name, project) as one:
        one.forget(one.remember("The word to forget is quixzanthal"))
        assert faults(one.pid, folder) == []
        kept = {}
        for number in range(3):
            for who, remember in (("member", one.remember), ("command", partial(remember_by_command, project))):
                text = f"The {who} saw gate {number} at dock {number * 7}"
                kept[remember(text)] = text
            assert faults(one.pid, folder) == []
        one.stop()
    memory = Memory.open(project)
    stored = {row["id"]: row["text"] for row in memory.list(limit=1000)}
    assert {memory_id: stored.get(memory_id) for memory_id in kept} == kept
    assert not any("quixzanthal" in text for text in stored.values())
    assert list(memory.space.store.problems()) == []
