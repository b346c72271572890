"""Odd input has a clear answer: text that nobody sees, terminal escapes, empty files, a full disk."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from waypost import Memory
from waypost.config import Settings
from waypost.errors import InvalidInput
from waypost.model.characters import without_escapes

INVISIBLE = {
    "zero width": "\u200b\u200c\u200d\ufeff",
    "tags": "\U000e0069\U000e0067",
    "selectors": "\ufe0f\ufe0e",
    "blank signs": "\u2800 \u3164",
    "direction": "\u202e\u2066",
}


@pytest.mark.parametrize("text", INVISIBLE.values(), ids=INVISIBLE)
def test_a_text_that_nobody_can_see_is_refused_in_clear_words(memory: Memory, text: str) -> None:
    for write in (memory.remember, memory.journal.add):
        with pytest.raises(InvalidInput, match="only invisible characters"):
            write(text)
    with pytest.raises(InvalidInput, match="question has only invisible characters"):
        memory.recall(text)
    with pytest.raises(InvalidInput, match="only invisible characters"):
        memory.remember("Deploys run on Fridays", domain=text)
    assert memory.list() == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("red \x1b[1;31malert\x1b[0m", "red alert"),
        ("\x1b]0;title\x07done", "done"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred\x9b0m", "red"),
        ("N\bNA\bAM\bME\bE of a page", "NAME of a page"),
        ("\x1b(Bplain\x1b7", "plain"),
        ("a\x1bb", "ab"),
        ("progress\x1b[2K\x1b[1Gdone", "progressdone"),
        ("10%\b\b\b20%\b\b\bdone", "done"),
    ],
)
def test_terminal_escapes_are_cleaned_from_what_is_stored(memory: Memory, given: str, kept: str) -> None:
    memory.remember(given)
    assert [row["text"] for row in memory.list()] == [kept]


def test_an_escape_without_end_does_not_take_the_text_with_it() -> None:
    assert without_escapes("\x1b]0;no end\nthe next line") == "\nthe next line"
    assert len(without_escapes("\x1b]" + "x" * 100_000)) > 90_000
    assert without_escapes("\x1b[" * 100_000) == ""


def test_another_control_character_is_still_refused_by_its_name(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"U\+0007"):
        memory.remember("alarm \x07 bell")


@pytest.mark.parametrize(
    "content", [b"", b"\n \n\t\n", b"\xef\xbb\xbf"], ids=["nothing", "blank lines", "a mark of order"]
)
def test_an_empty_file_to_import_is_said_to_be_empty(memory: Memory, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(content)
    for bring in (
        lambda: memory.admin.import_file(path),
        lambda: memory.admin.import_coding_brain(path),
        lambda: memory.journal.import_chat(path),
        lambda: memory.journal.import_folder("crowdbot", path),
    ):
        with pytest.raises(InvalidInput, match="is empty"):
            bring()
    assert memory.list() == []
    assert not list(memory.space.folder.rglob("*backup*"))  # nothing was kept of it


# --- who can read the files


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
@pytest.mark.usefixtures("open_umask")
def test_every_file_of_a_memory_is_for_its_owner_alone_whatever_the_umask(memory: Memory) -> None:
    (memory.code.root or Path()).joinpath("app.py").write_text("def deploy(): ...\n")
    memory.index(facts=True)
    memory.remember("Deploys run on Fridays")
    memory.journal.add("We talked about deploys")
    memory.recall("deploys")
    memory.admin.export()
    for path in (memory.space.folder, *memory.space.folder.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path.name


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_database_that_others_could_read_is_closed_to_them(tmp_path: Path, settings: Settings) -> None:
    child(FILL, str(tmp_path), "killed")  # it leaves its log behind
    (folder,) = (settings.home / "memory").iterdir()
    for path in folder.glob("memory.db*"):
        path.chmod(0o644)
    assert (
        child("import sys; from waypost import Memory; print(len(Memory.open(sys.argv[1]).list()))", str(tmp_path))
        == "2"
    )
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.glob("memory.db*")} == {0o600}


# --- a disk without room

FULL = """
import os, resource, sys
from types import SimpleNamespace
from waypost import Memory
from waypost.errors import StoreFull

resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # from now on no file can grow
os.statvfs = lambda path: SimpleNamespace(f_bavail=0, f_frsize=4096)
memory = Memory.open(sys.argv[1])
told = [row["text"] for row in memory.list()]
answer = memory.recall("when do deploys run?")
found = [hit.text for hit in answer]
assert any("disk is full" in notice for notice in answer.notices), answer.notices
assert memory.recall("where is deploy?", scope="functions")
memory.show(sys.argv[2]); memory.history(sys.argv[2]); memory.brief("deploys"); memory.code.stale(); memory.code.about("app.py")
assert memory.status()["memories"] >= 1
assert memory.journal.timeline() and memory.journal.show()
for fix in (False, True):
    found_wrong = [one.check for one in memory.admin.doctor(fix=fix) if not one.ok]
    assert found_wrong[:1] == ["disk"] and "database" not in found_wrong, found_wrong
assert sorted(row["text"] for row in memory.admin.export_rows()) == sorted(told)  # what an export to another disk writes
for write in (lambda: memory.remember("More"), lambda: memory.index(), lambda: memory.journal.add("More")):
    try:
        write()
    except StoreFull as error:
        assert "No room left" in error.what
    else:
        raise AssertionError("it was written")
print(len(told), found[0])
"""


FILL = """
import os, sys
from waypost import Memory
memory = Memory.open(sys.argv[1])
memory.index(wait=False)
memory.journal.add("We talked about deploys")
print(memory.remember("Deploys run on Fridays").id, flush=True)
if sys.argv[2] == "killed":
    os._exit(0)
"""


def child(script: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits are of POSIX")
@pytest.mark.parametrize("end", ["closed", "killed"])  # without a log, and with the log that a killed process left
def test_reads_go_on_when_the_disk_is_full(tmp_path: Path, settings: Settings, end: str) -> None:
    (tmp_path / "app.py").write_text("def deploy():\n    return 1\n")
    kept = child(FILL, str(tmp_path), end)
    (folder,) = (settings.home / "memory").iterdir()
    assert bool((folder / "memory.db-wal").exists()) is (end == "killed")
    (folder / "memory.db-shm").unlink(missing_ok=True)
    (tmp_path / "app.py").write_text("def deploy():\n    return 2\n\n\ndef more(): ...\n")  # it cannot be indexed
    assert child(FULL, str(tmp_path), kept) == "2 Deploys run on Fridays"
    with Memory.open(tmp_path) as memory:
        assert memory.remember("Room").status == "added"
