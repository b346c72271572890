"""Changes of engine that follow each other, and exports that somebody has touched."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import config
from waypost.embed.fake import FakeEngine
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop


def test_an_engine_that_was_changed_again_before_it_had_everything_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = {f"onnx:{name}": FakeEngine(label=name, fail=name == "b") for name in "abc"}
    monkeypatch.setattr("waypost.memory.spaces.open_engine", lambda name, _settings: engines[name])
    settings = replace(config.load(), multilingual=False)
    for name in engines:
        memory = Memory.open(tmp_path, settings=replace(settings, engine=name))
        memory.remember(f"Written with {name}")
    assert memory.admin.embed_pending() == {"c-64": 0}
    with memory.space.store.read() as reader:
        assert reader.owed() == {"c-64": 0}
    assert len(memory.recall("written with")) == 3


def test_an_export_printed_over_several_lines_can_be_read(memory: Memory, open_memory: OpenMemory) -> None:
    memory.remember("Deploys happen on Mondays")
    path = memory.admin.export(form="json").path
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=2), "utf-8")
    assert [receipt.status for receipt in open_memory("another").admin.import_file(path)] == ["added"]


def test_what_lives_for_a_while_does_so_after_an_import(
    memory: Memory, open_memory: OpenMemory, clock: TestClock
) -> None:
    memory.remember("The build is broken", ttl=60)
    memory.remember("The build was fixed", ttl=10)
    path = memory.admin.export().path
    clock.advance(seconds=20)
    other = open_memory("another")
    list(other.admin.import_file(path))
    assert {row["text"]: row["is_stale"] for row in other.list()} == {
        "The build is broken": False,
        "The build was fixed": True,
    }
    clock.advance(seconds=41)
    assert all(row["is_stale"] for row in other.list())


def test_what_is_protected_stays_protected_after_an_import(memory: Memory, open_memory: OpenMemory) -> None:
    kept = memory.remember("Never deploy without a backup").id
    memory.protect(kept or "")
    path = memory.admin.export().path
    other = open_memory("another")
    list(other.admin.import_file(path))
    assert [row["protected"] for row in other.list()] == [True]
