"""The folder of a journal on disk."""

import errno
import gzip
import os
import threading
from pathlib import Path

import pytest

from waypost.config import JournalSettings
from waypost.errors import NotFound, SecurityError, StoreBusy, StoreError, StoreFull
from waypost.journal.files import JournalFolder

DAY = "daily/2026-01-30.md"


@pytest.fixture
def folder(tmp_path: Path) -> JournalFolder:
    return JournalFolder(tmp_path / "journal", tmp_path / "journal.lock", JournalSettings(), wait_seconds=0.05)


def test_what_is_appended_follows_after_a_blank_line(folder: JournalFolder) -> None:
    folder.append(DAY, "one\n")
    folder.append(DAY, "two\n\n")
    folder.append(DAY, "three")
    folder.append(DAY, "four\n")
    assert folder.read(DAY) == "one\n\ntwo\n\nthree\n\nfour\n"


def test_a_file_keeps_its_line_ends(folder: JournalFolder) -> None:
    folder.append(DAY, "one\r\ntwo\r\n")
    assert folder.append(DAY, "three\nfour\n") == len("\r\nthree\r\nfour\r\n")
    assert folder.read(DAY) == "one\r\ntwo\r\n\r\nthree\r\nfour\r\n"


def test_a_write_that_fails_half_way_is_taken_back(folder: JournalFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.append(DAY, "one\n")
    real = os.write

    def full(handle: int, content: bytes) -> int:
        real(handle, content[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreFull):
        folder.append(DAY, "two\n")
    monkeypatch.undo()
    assert folder.read(DAY) == "one\n"


def test_a_packed_file_is_read_and_replaced_like_a_plain_one(folder: JournalFolder) -> None:
    folder.append(DAY, "Grüße\n")
    folder.compress(DAY)
    assert [place.name for place in (folder.root / "daily").iterdir()] == ["2026-01-30.md.gz"]
    assert folder.read(DAY) == "Grüße\n"
    assert folder.scan()[DAY].gzipped
    assert folder.replace(DAY, "Bye\n", expected="Grüße\n")
    assert gzip.decompress((folder.root / f"{DAY}.gz").read_bytes()) == b"Bye\n"
    folder.compress(DAY)  # safe to repeat
    folder.remove(DAY)
    assert folder.scan() == {}


def test_of_a_plain_and_a_packed_file_that_a_kill_left_the_plain_one_counts(folder: JournalFolder) -> None:
    folder.append(DAY, "plain\n")
    (folder.root / f"{DAY}.gz").write_bytes(gzip.compress(b"packed\n"))
    assert folder.read(DAY) == "plain\n"
    assert not folder.scan()[DAY].gzipped


def test_a_file_is_replaced_only_if_it_says_what_was_expected(folder: JournalFolder) -> None:
    folder.append(DAY, "one\n")
    assert not folder.replace(DAY, "two\n", expected="something else\n")
    assert not folder.replace(DAY, "two\n", expected=None)
    assert folder.replace(DAY, "two\n", expected="one\n")
    assert folder.read(DAY) == "two\n"
    assert not folder.replace("daily/2026-01-31.md", "x\n", expected="one\n")


def test_bytes_that_are_no_text_survive(folder: JournalFolder) -> None:
    place = folder.root / DAY
    place.parent.mkdir(parents=True)
    place.write_bytes(b"caf\xe9\n")
    text = folder.read(DAY)
    folder.replace(DAY, text + "more\n", expected=text)
    assert place.read_bytes() == b"caf\xe9\nmore\n"


@pytest.mark.parametrize(
    "path", ["../x.md", "daily/../../x.md", "/etc/x.md", "daily\\..\\x.md", "daily/x.txt", "a\0.md", ""]
)
def test_a_path_out_of_the_folder_is_refused(folder: JournalFolder, path: str) -> None:
    with pytest.raises(SecurityError):
        folder.read(path)


def test_links_are_not_followed(folder: JournalFolder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "2026-01-30.md").write_text("secret\n")
    folder.root.mkdir()
    (folder.root / "daily").symlink_to(tmp_path / "elsewhere")
    assert folder.scan() == {}
    with pytest.raises(SecurityError):
        folder.read(DAY)
    with pytest.raises(SecurityError):
        folder.append(DAY, "x\n")
    (folder.root / "daily").unlink()
    (folder.root / "daily").mkdir()
    (folder.root / DAY).symlink_to(tmp_path / "elsewhere" / "2026-01-30.md")
    assert folder.scan() == {}
    with pytest.raises(StoreError):
        folder.append(DAY, "x\n")
    assert (tmp_path / "elsewhere" / "2026-01-30.md").read_text() == "secret\n"


def test_a_damaged_packed_file_is_reported_and_does_not_crash(folder: JournalFolder) -> None:
    place = folder.root / f"{DAY}.gz"
    place.parent.mkdir(parents=True)
    place.write_bytes(gzip.compress(b"words\n" * 100)[:-20])
    with pytest.raises(StoreError, match="damaged"):
        folder.read(DAY)


def test_a_missing_file_is_not_found(folder: JournalFolder) -> None:
    with pytest.raises(NotFound):
        folder.read(DAY)


def test_other_files_than_the_journals_are_not_seen(folder: JournalFolder) -> None:
    folder.append(DAY, "x\n")
    for name in ("notes.md", "daily/.hidden.md", "daily/x.txt", "other/2026-01-30.md", "backups/y.md"):
        (folder.root / name).parent.mkdir(exist_ok=True)
        (folder.root / name).write_text("x\n")
    assert list(folder.scan()) == [DAY]


def test_the_lock_is_entered_again_by_who_has_it_and_kept_from_others(folder: JournalFolder) -> None:
    refused = []

    def other() -> None:
        try:
            with folder.locked():
                pass
        except StoreBusy as error:
            refused.append(error)

    with folder.locked(), folder.locked():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(refused) == 1
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert len(refused) == 1
