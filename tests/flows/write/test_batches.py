"""A reader sees a batch whole or not at all, and everything written before it began to read."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from waypost import Memory, flows
from waypost.embed.fake import FakeEngine


class Ticking:
    """A clock that goes on whenever somebody looks at it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 30, 18, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


@pytest.fixture
def ticking(tmp_path: Path, fake_engine: FakeEngine) -> Memory:
    return Memory.open(tmp_path, clock=Ticking())


def test_what_is_written_together_holds_from_one_moment(ticking: Memory) -> None:
    texts = [f"Turn {number} was said" for number in range(10)]
    ticking.remember_many([{"text": text, "kind": "conversation", "session": "batch"} for text in texts])
    turns = ticking.list(session="batch")
    assert [turn["text"] for turn in turns] == texts
    assert len({turn["valid_from"] for turn in turns}) == 1


def test_what_was_written_while_a_reader_waited_for_the_files_is_seen(
    ticking: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_changes = flows.journal_files.changes.take_changes
    said: list[str] = []

    def write_first(space: flows.open_space.OpenSpace) -> None:
        said.append(f"Written while it waited: {len(said)}")
        ticking.remember(said[-1], kind="conversation", session="meanwhile")
        take_changes(space)

    monkeypatch.setattr(flows.journal_files.changes, "has_changed", lambda *_: True)
    monkeypatch.setattr(flows.journal_files.changes, "take_changes", write_first)
    assert [row["text"] for row in ticking.list(session="meanwhile")] == said
    assert [row["text"] for row in ticking.admin.export_rows()] == said
    assert ticking.admin.export().memories == len(said)
    assert ticking.recall(f"Written while it waited: {len(said)}", k=1, unlikely=True)[0].text == said[-1]
