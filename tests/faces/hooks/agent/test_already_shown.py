"""What a session was told: kept for the session, by any number of processes, and never longer than it is of use."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from waypost.faces.hooks.agent.already_shown import ShownRecord, is_anything_told, lost_at, prune, told_key

AT = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run" / "0123456789abcdef"


def test_a_session_knows_what_it_was_told_and_no_other_does(folder: Path) -> None:
    ShownRecord(folder, "codex", "one").add(["a", "b"])
    ShownRecord(folder, "codex", "one").add(["c"])
    assert ShownRecord(folder, "codex", "one").keys() == {"a", "b", "c"}
    assert ShownRecord(folder, "codex", "two").keys() == frozenset()
    assert ShownRecord(folder, "gemini", "one").keys() == frozenset()


def test_a_corrected_memory_is_something_new() -> None:
    assert told_key("m", AT) != told_key("m", AT + timedelta(microseconds=1))


def test_after_a_compaction_all_may_be_told_again(folder: Path) -> None:
    record = ShownRecord(folder, "codex", "one")
    record.add(["a"])
    assert is_anything_told(record.keys()) and lost_at(record.keys()) is None
    record.forget(AT)
    assert not is_anything_told(record.keys()) and lost_at(record.keys()) == AT
    record.forget(AT + timedelta(days=1))
    record.add(["b"])
    assert is_anything_told(record.keys()) and lost_at(record.keys()) == AT + timedelta(days=1)


def test_without_a_name_of_the_session_nothing_is_kept(folder: Path) -> None:
    record = ShownRecord(folder, "codex", "")
    record.add(["a"])
    assert record.keys() == frozenset()
    assert not folder.exists()


@pytest.mark.parametrize("session", ["../../../etc/passwd", "/etc/passwd", "a/b\\c", "\ud800", ".", "x" * 4000])
def test_whatever_a_session_is_called_its_file_stays_in_the_folder(folder: Path, session: str) -> None:
    ShownRecord(folder, "codex", session).add(["a"])
    (made,) = folder.iterdir()
    assert made.name.startswith("told-")
    assert made.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert ShownRecord(folder, "codex", session).keys() == {"a"}


def test_only_keys_are_written(folder: Path) -> None:
    ShownRecord(folder, "codex", "one").add(["a b", "../x", "ok-1", "line\nbreak", ""])
    assert ShownRecord(folder, "codex", "one").keys() == {"ok-1"}


def test_a_record_stays_bounded_and_keeps_the_newest(folder: Path) -> None:
    record = ShownRecord(folder, "codex", "one")
    for number in range(80):
        record.add(f"{number:04}-{part:035}" for part in range(100))
    (file,) = (one for one in folder.iterdir() if one.name.startswith("told-"))
    assert file.stat().st_size <= 256_000 + 100 * 41
    assert f"{79:04}-{99:035}" in record.keys()  # noqa: SIM118  not a mapping
    assert f"{0:04}-{0:035}" not in record.keys()  # noqa: SIM118


def test_a_link_or_a_pipe_in_place_of_the_record_is_neither_read_nor_written(folder: Path, tmp_path: Path) -> None:
    record = ShownRecord(folder, "codex", "one")
    record.add(["a"])
    (file,) = folder.iterdir()
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    file.unlink()
    file.symlink_to(victim)
    record.add(["b"])
    assert victim.read_text() == "mine\n"
    file.unlink()
    os.mkfifo(file)
    assert record.keys() == frozenset()


def test_a_folder_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    (run / "space").symlink_to(elsewhere)
    record = ShownRecord(run / "space", "codex", "one")
    record.add(["a"])
    assert record.keys() == frozenset()
    assert not list(elsewhere.iterdir())


def test_a_folder_that_others_may_enter_is_not_used(folder: Path) -> None:
    ShownRecord(folder, "codex", "one").add(["a"])
    folder.chmod(0o755)
    assert ShownRecord(folder, "codex", "one").keys() == frozenset()


def test_records_of_old_sessions_go(folder: Path) -> None:
    for session in ("old", "new"):
        ShownRecord(folder, "codex", session).add(["a"])
    now = max(one.stat().st_mtime for one in folder.iterdir())
    old = next(one for one in folder.iterdir())
    os.utime(old, (now - 8 * 86_400, now - 8 * 86_400))
    (folder / "other").write_text("kept")
    prune(folder, now)
    assert not old.exists()
    assert len(list(folder.iterdir())) == 2


def test_of_very_many_sessions_the_newest_are_kept(folder: Path) -> None:
    for number in range(230):
        ShownRecord(folder, "codex", str(number)).add(["a"])
    prune(folder)
    assert len(list(folder.iterdir())) == 200


@pytest.mark.slow
def test_processes_at_once_lose_nothing(folder: Path) -> None:
    ShownRecord(folder, "codex", "one").add(["start"])
    program = (
        "import sys; from pathlib import Path; from waypost.faces.hooks.agent.already_shown import ShownRecord\n"
        "record = ShownRecord(Path(sys.argv[1]), 'codex', 'one')\n"
        "for number in range(200): record.add([f'{sys.argv[2]}-{number}', f'{sys.argv[2]}-{number}-b'])\n"
    )
    workers = [subprocess.Popen([sys.executable, "-c", program, str(folder), name]) for name in "xy"]
    assert [worker.wait(30) for worker in workers] == [0, 0]
    assert len(ShownRecord(folder, "codex", "one").keys()) == 801
