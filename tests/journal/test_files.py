"""The folder of a journal on disk."""

import bz2
import errno
import gzip
import os
import subprocess
import threading
from pathlib import Path

import pytest

from waypost.config import JournalSettings
from waypost.errors import NotFound, SecurityError, StoreBusy, StoreError, StoreFull
from waypost.journal.bundle import pack_bundle
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
    folder.compress([DAY])
    assert [place.name for place in (folder.root / "daily").iterdir()] == ["2026-01-30.md.gz"]
    assert folder.read(DAY) == "Grüße\n"
    assert folder.scan()[DAY].gzipped
    assert folder.replace(DAY, "Bye\n", expected="Grüße\n")
    assert gzip.decompress((folder.root / f"{DAY}.gz").read_bytes()) == b"Bye\n"
    folder.compress([DAY])  # safe to repeat
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


# -- bundles of the archive's months

FIRST, LAST, WEEK = "archive/daily/2026-01-01.md", "archive/daily/2026-01-31.md", "archive/weekly/2026-W05.md"
BUNDLE = "archive/2026-01.tar.bz2"


def on_disk(folder: JournalFolder) -> list[str]:
    return sorted(path.relative_to(folder.root).as_posix() for path in folder.root.rglob("*") if path.is_file())


def archived(folder: JournalFolder, **texts: str) -> None:
    for path, text in texts.items():
        place = folder.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))


@pytest.fixture
def bundled(folder: JournalFolder) -> JournalFolder:
    archived(
        folder, **{FIRST: "### first \0\n\0", LAST: "last\r\n", WEEK: "caf\udce9\n", "archive/daily/2026-02-01.md": "x"}
    )
    (folder.root / f"{LAST}.gz").write_bytes(gzip.compress(b"older"))  # from a compression that was stopped
    folder.compress([FIRST, LAST, WEEK])
    return folder


def test_the_originals_of_a_month_are_one_file_that_tar_can_open(bundled: JournalFolder, tmp_path: Path) -> None:
    assert on_disk(bundled) == [BUNDLE, "archive/daily/2026-02-01.md"]
    assert list(bundled.scan()) == [FIRST, LAST, "archive/daily/2026-02-01.md", WEEK]
    assert [bundled.read(path) for path in (FIRST, LAST, WEEK)] == ["### first \0\n\0", "last\r\n", "caf\udce9\n"]
    subprocess.run(["tar", "xjf", str(bundled.root / BUNDLE), "-C", str(tmp_path)], check=True)
    assert (tmp_path / WEEK).read_bytes() == b"caf\xe9\n"


def test_the_same_files_make_the_same_bundle_in_any_order(bundled: JournalFolder, tmp_path: Path) -> None:
    other = JournalFolder(tmp_path / "other", tmp_path / "other.lock", JournalSettings())
    archived(other, **{WEEK: "caf\udce9\n", LAST: "last\r\n"})
    other.compress([WEEK])
    other.compress([LAST])
    archived(other, **{FIRST: "### first \0\n\0"})
    other.compress([FIRST, LAST])
    assert (other.root / BUNDLE).read_bytes() == (bundled.root / BUNDLE).read_bytes()
    stamp = bundled.stamp(FIRST)
    assert stamp == other.stamp(FIRST) and stamp is not None and bundled.is_packed(stamp)


def test_a_file_in_a_bundle_is_replaced_appended_to_and_removed(bundled: JournalFolder) -> None:
    before = bundled.scan()
    assert not bundled.replace(FIRST, "changed\n", expected="other")
    assert bundled.replace(FIRST, "changed\n", expected="### first \0\n\0")
    assert [path for path, stamp in bundled.scan().items() if before[path] != stamp] == [FIRST]
    bundled.append(LAST, "more\n")
    assert bundled.read(LAST) == "last\r\n\r\nmore\r\n"
    assert on_disk(bundled) == [BUNDLE, LAST, "archive/daily/2026-02-01.md"]
    bundled.remove(WEEK)
    bundled.remove(FIRST)
    assert not bundled.exists(WEEK)
    assert on_disk(bundled) == [LAST, "archive/daily/2026-02-01.md"]


def test_a_file_beside_its_bundle_hides_it_and_changing_it_leaves_no_other_copy(bundled: JournalFolder) -> None:
    archived(bundled, **{FIRST: "a person unpacked and changed this\n"})
    assert bundled.read(FIRST) == "a person unpacked and changed this\n"
    stamp = bundled.scan()[FIRST]
    assert not bundled.is_packed(stamp)
    assert bundled.replace(FIRST, "now\n", expected="a person unpacked and changed this\n")
    assert b"first" not in bz2.decompress((bundled.root / BUNDLE).read_bytes())
    archived(bundled, **{LAST: "again\n"})
    bundled.remove(LAST)
    assert not bundled.exists(LAST)


def test_a_bundle_that_a_person_packed_again_is_read(bundled: JournalFolder, tmp_path: Path) -> None:
    (tmp_path / "archive/daily").mkdir(parents=True)
    (tmp_path / FIRST).write_text("edited\n")
    (tmp_path / "archive/daily/2027-01-01.md").write_text("of another month\n")
    before = bundled.stamp(FIRST)
    command = ["tar", "cjf", str(bundled.root / BUNDLE), "-C", str(tmp_path), "./archive/daily"]
    subprocess.run(command, check=True)
    assert list(bundled.scan()) == [FIRST, "archive/daily/2026-02-01.md"]
    assert bundled.stamp(FIRST) not in (before, None)
    assert bundled.read(FIRST) == "edited\n"


def test_a_damaged_bundle_is_reported_and_none_of_its_files_counts_as_removed(bundled: JournalFolder) -> None:
    place = bundled.root / BUNDLE
    place.write_bytes(b"BZh9" + b"no archive" * 50)
    assert {FIRST, LAST, WEEK} <= set(bundled.scan())
    with pytest.raises(StoreError, match="damaged"):
        bundled.read(FIRST)
    with pytest.raises(StoreError, match="damaged"):
        bundled.remove(FIRST)
    assert place.exists()


def test_paths_that_lead_out_of_the_archive_are_not_listed(bundled: JournalFolder) -> None:
    outside = ("archive/../../2026-01-05.md", "/archive/daily/2026-01-05.md", "archive/daily/../2026-01-05.md")
    (bundled.root / BUNDLE).write_bytes(pack_bundle(dict.fromkeys(outside, b"x")))
    assert list(bundled.scan()) == ["archive/daily/2026-02-01.md"]


def test_single_packed_files_move_into_bundles_unless_they_are_large(folder: JournalFolder) -> None:
    (folder.root / "archive/daily").mkdir(parents=True)
    (folder.root / f"{FIRST}.gz").write_bytes(gzip.compress(b"words\n"))
    (folder.root / f"{LAST}.gz").write_bytes(gzip.compress(b"### " + os.urandom(1_100_000)))
    assert [folder.is_packed(stamp) for stamp in folder.scan().values()] == [False, True]
    folder.compress([FIRST, LAST])
    assert on_disk(folder) == [BUNDLE, f"{LAST}.gz"]
    assert folder.disk_sizes() == {
        path: (folder.root / file).stat().st_size for path, file in ((FIRST, BUNDLE), (LAST, f"{LAST}.gz"))
    }


def test_a_repository_gets_no_bundles(folder: JournalFolder, bundled: JournalFolder) -> None:
    bundled.unbundle()
    assert on_disk(bundled) == sorted([f"{path}.gz" for path in (FIRST, LAST, WEEK)] + ["archive/daily/2026-02-01.md"])
    assert bundled.read(WEEK) == "caf\udce9\n"
    folder.bundles = False
    folder.compress(["archive/daily/2026-02-01.md"])
    assert "archive/daily/2026-02-01.md.gz" in on_disk(folder)
