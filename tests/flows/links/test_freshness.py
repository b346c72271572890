"""What an answer reads again of the tree, and what it leaves to the worker."""

import os

import pytest

from waypost import Memory


def test_a_file_that_an_answer_reads_again_has_its_conclusions_drawn_by_the_worker(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = memory.code.root / "shop.py"
    target.write_text("def price():\n    return 1\n")
    memory.index()
    called: list[str] = []
    monkeypatch.setattr("waypost.flows.admin.worker.start_worker", lambda space: called.append(space.identity.space_id))
    assert memory.recall("price", scope="code").hits
    assert called == []
    target.write_text("def price(of):\n    return of * 2\n")
    os.utime(target, ns=(target.stat().st_mtime_ns + 5_000_000_000,) * 2)
    assert memory.recall("price", scope="code").hits
    assert not memory.status()["tree"]["complete"]
    assert called
