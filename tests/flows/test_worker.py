"""The detached worker, as a real process: it pays what is owed and ends."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from waypost import Memory


@pytest.mark.slow
def test_a_worker_embeds_what_a_write_left_owed_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def watched(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr("waypost.flows.worker.subprocess.Popen", watched)
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    with Memory.open(tmp_path) as memory:
        receipt = memory.remember("Wir liefern jeden Dienstag eine neue Fassung aus")
        assert receipt.pending == ("use-multilingual-v3",)
        (worker,) = started
        assert worker.wait(120) == 0
        assert memory.status()["pending"] == {"minilm-l6-v2": 0, "use-multilingual-v3": 0}
        assert memory.recall("Когда выходит новая версия?").hits[0].id == receipt.id
