"""Copies of a database, and how large it is while they come and go."""

import os
from pathlib import Path

import pytest
from tests.home_files import contents

from waypost.errors import StoreBusy
from waypost.store.sqlite.snapshot import check_file, overwrite
from waypost.store.sqlite.store import SqliteStore


def test_files_that_vanish_while_the_size_is_told_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path)
    (tmp_path / "a").write_bytes(b"123")
    (tmp_path / "gone").write_bytes(b"123")
    lstat, stat = os.lstat, os.stat

    def vanishing(path: str) -> os.stat_result:
        if path.endswith("gone"):
            Path(path).unlink(missing_ok=True)
        return stat(path)

    before = store.size_bytes()
    monkeypatch.setattr(os, "lstat", vanishing)
    assert store.size_bytes() == before - 3
    monkeypatch.setattr(os, "lstat", lstat)
    store.close()


def test_a_damaged_file_is_overwritten_with_its_old_log_gone_unless_somebody_has_it_open(tmp_path: Path) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "bad").mkdir()
    good, bad = tmp_path / "good" / "memory.db", tmp_path / "bad" / "memory.db"
    store = SqliteStore(good.parent)
    with store.write() as writer:
        writer.meta.set("whose", "the good one's")
    store.close()
    other = SqliteStore(bad.parent)
    with other.write() as writer:
        writer.meta.set("whose", "the bad one's")
    log = contents(bad.parent)[Path(f"{bad}-wal")]
    with pytest.raises(StoreBusy, match="another process has it open"):
        overwrite(good, bad, busy_seconds=0.1)
    other.close()
    bad.write_bytes(os.urandom(40_000))
    Path(f"{bad}-wal").write_bytes(
        log
    )  # as a process leaves it that is killed: it must not be played over the new pages
    assert check_file(bad)
    overwrite(good, bad, busy_seconds=0.1)
    assert check_file(bad) == []
    again = SqliteStore(bad.parent)
    with again.read() as reader:
        assert reader.meta.get("whose") == "the good one's"
    again.close()
