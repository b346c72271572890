"""Reading one file: whole, unchanged, decoded, and nothing but that file."""

import hashlib
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from waypost.code.files import reading
from waypost.code.files.decoding import decode
from waypost.code.files.reading import FileText, Unread, read_bytes, read_source


def read_ok(root: Path, path: str) -> FileText:
    found = read_source(root, path)
    assert isinstance(found, FileText), found
    return found


def refusal(root: Path, path: str) -> str:
    found = read_source(root, path)
    assert isinstance(found, Unread), found
    return found.reason


def test_the_hash_is_over_the_bytes_on_disk(tmp_path: Path) -> None:
    raw = "\ufeffeins\r\nzwei\rdrei\n".encode()
    (tmp_path / "a.txt").write_bytes(raw)
    os.utime(tmp_path / "a.txt", ns=(0, 1_700_000_000_000_000_001))
    assert read_ok(tmp_path, "a.txt") == FileText(
        text="eins\nzwei\ndrei\n",
        raw_hash=hashlib.sha256(raw).hexdigest(),
        size=len(raw),
        mtime_ns=1_700_000_000_000_000_001,
        encoding="utf-8",
        line_count=3,
        settled=True,
    )


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"", 0),
        (b"a", 1),
        (b"a\n", 1),
        (b"a\nb", 2),
        (b"a\r\nb\rc\nd", 4),
        (b"\r\r\n\n", 3),
        ("a\fb\vc\u2028d\x85".encode(), 1),
    ],
)
def test_lines_are_those_that_editors_count(tmp_path: Path, raw: bytes, lines: int) -> None:
    (tmp_path / "a.txt").write_bytes(raw)
    assert read_ok(tmp_path, "a.txt").line_count == lines


def test_a_file_written_just_now_is_not_settled(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    now = time.time_ns()
    os.utime(tmp_path / "a.txt", ns=(now, now + 10_000_000))
    assert not read_ok(tmp_path, "a.txt").settled


GERMAN = "Größe der Straße: Übung für Käufer, Maß & Preis 3 € für 2 Stück\n"
RUSSIAN = "# Проверка входных данных: имя пользователя и пароль\nx = 1\n"


@pytest.mark.parametrize(
    ("raw", "encoding", "text"),
    [
        (GERMAN.encode(), "utf-8", GERMAN),
        (GERMAN.encode("cp1252"), "cp1252", GERMAN),
        (RUSSIAN.encode("cp1251"), "cp1251", RUSSIAN),
        (("def f(): pass  # " + GERMAN).encode("cp1252"), "cp1252", "def f(): pass  # " + GERMAN),
        (("<p>ПРИВЕТ</p> <b>да</b>\n").encode("cp1251"), "cp1251", "<p>ПРИВЕТ</p> <b>да</b>\n"),
        ("\ufeff".encode("utf-16-le") + RUSSIAN.encode("utf-16-le"), "utf-16-le", RUSSIAN),
        ("\ufeff".encode("utf-16-be") + GERMAN.encode("utf-16-be"), "utf-16-be", GERMAN),
        ("\ufeff".encode("utf-32-le") + GERMAN.encode("utf-32-le"), "utf-32-le", GERMAN),
        (GERMAN.encode("utf-16-le"), "utf-16-le", GERMAN),
        (GERMAN.encode("utf-16-be"), "utf-16-be", GERMAN),
        (RUSSIAN.encode("utf-16-le"), "utf-16-le", RUSSIAN),
        (GERMAN.encode("utf-32-be"), "utf-32-be", GERMAN),
        (b"x", "utf-8", "x"),
    ],
)
def test_text_is_decoded_as_it_was_meant(raw: bytes, encoding: str, text: str) -> None:
    decoded = decode(raw)
    assert decoded is not None
    assert (decoded.encoding, decoded.text) == (encoding, text)


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("# -*- coding: koi8-r -*-\ns = 'привет'\n", "koi8-r", "koi8_r"),
        ("#!/usr/bin/python\n# vim: set fileencoding=iso-8859-15 :\nprice = '3 €'\n", "iso-8859-15", "iso8859_15"),
        ('<?xml version="1.0" encoding="windows-1251"?>\n<a>да</a>\n', "cp1251", "cp1251"),
        ('<html><head><meta charset="shift_jis"></head>日本語</html>', "shift_jis", "shift_jis"),
        ('@charset "iso-8859-2";\na { content: "žluťoučký" }\n', "iso-8859-2", "iso8859_2"),
        ("# coding: iso-2022-jp\ns = '日本'\n", "iso-2022-jp", "iso2022_jp"),
    ],
)
def test_a_declared_encoding_is_believed(text: str, encoding: str, name: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded is not None
    assert (decoded.encoding, decoded.text) == (name, text)


@pytest.mark.parametrize(
    "name", ["zip", "rot13", "unicode_escape", "punycode", "idna", "base64", "nonsense", "undefined", "utf-7"]
)
def test_a_declared_encoding_that_is_none_is_not_obeyed(name: str) -> None:
    decoded = decode(f"# coding: {name}\n# Käse+AOQ-\\u0041\n".encode())
    assert decoded is not None
    assert decoded.encoding == "utf-8" and "Käse+AOQ-\\u0041" in decoded.text


def test_valid_utf8_is_utf8_whatever_it_declares() -> None:
    decoded = decode("# coding: latin-1\nname = 'Jürgen'\n".encode())
    assert decoded is not None and "Jürgen" in decoded.text


def test_utf8_with_one_broken_byte_stays_readable() -> None:
    decoded = decode(RUSSIAN.encode() + b"\xff" + RUSSIAN.encode())
    assert decoded is not None
    assert decoded.encoding == "utf-8 (damaged)" and decoded.text.count("Проверка") == 2


def test_bytes_of_any_kind_are_decoded_or_refused_without_complaint() -> None:
    generator = random.Random(7)
    for size in (0, 1, 2, 3, 4, 7, 64, 1_000):
        for _ in range(60):
            raw = generator.randbytes(size)
            for variant in (raw, b"\xff\xfe" + raw, b"\x00" + raw, raw.replace(b"\0", b"a"), b"# coding: hz\n" + raw):
                decode(variant)


@pytest.mark.parametrize(
    "raw",
    [
        b"\x00\x01\x02\x03" * 50,
        b"text" * 5_000 + b"\0" + b"more",
        bytes(range(1, 32)) * 20,
        b"\xff\xfe\x00\xd8\x01\x02",
    ],
)
def test_binary_contents_are_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "a.py").write_bytes(raw)
    assert refusal(tmp_path, "a.py") == "binary"


def test_hostile_first_lines_are_not_slow() -> None:
    started = time.process_time()
    for raw in (
        b"#" + b"coding" * 100_000,
        b"<meta " * 100_000,
        b"<?xml " + b" " * 500_000,
        b" " * 500_000,
        b"\xe9\n" * 200_000,
    ):
        decode(raw)
    assert time.process_time() - started < 2


def test_a_file_larger_than_its_kind_may_be_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x" * 1_000_001)
    assert refusal(tmp_path, "a.py") == "too large: 1,000,001 bytes, more than 1,000,000"
    (tmp_path / "b.py").write_bytes(b"x" * 11)
    assert read_source(tmp_path, "b.py", limit=10) == Unread("too large: 11 bytes, more than 10")


def test_what_was_asked_for_by_name_is_read_although_generated(tmp_path: Path) -> None:
    (tmp_path / "a.go").write_text("// Code generated by x. DO NOT EDIT.\n")
    assert refusal(tmp_path, "a.go") == "generated: its first lines say so"
    assert isinstance(read_source(tmp_path, "a.go", named=True), FileText)
    (tmp_path / "b.txt").write_bytes(b"%PDF-1.4")
    assert isinstance(read_source(tmp_path, "b.txt", named=True), Unread)


def test_no_link_is_followed_in_any_part_of_the_path(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "secret.py").write_text("x")
    root = tmp_path / "root"
    (root / "real").mkdir(parents=True)
    (root / "link").symlink_to(outside)
    (root / "real" / "file.py").symlink_to(outside / "deep" / "secret.py")
    for path in ("link/deep/secret.py", "real/file.py"):
        assert refusal(root, path) == "a symbolic link is on its path, or it is no regular file"
    for path in ("../outside/deep/secret.py", "real/../../outside/deep/secret.py", "/etc/passwd", "", "./real", "a//b"):
        assert refusal(root, path) == "cannot be read: a path below the root is expected"


def test_a_root_that_is_a_link_itself_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_text("x")
    (tmp_path / "link").symlink_to("real")
    assert read_ok(tmp_path / "link", "a.py").text == "x"


def test_pipes_folders_and_gone_files_do_not_hold_us_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    assert refusal(tmp_path, "pipe.py") == refusal(tmp_path, "folder.py")
    assert read_source(tmp_path, "none.py") == Unread("it is gone", missing=True)
    assert read_source(tmp_path, "pipe.py/none.py") == Unread("it is gone", missing=True)
    assert refusal(tmp_path, "a\0b.py") == "its name holds control characters"
    assert isinstance(read_bytes(tmp_path, "a\0b.py", 10), Unread)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "a.py").chmod(0)
    assert refusal(tmp_path, "a.py") == "cannot be read: Permission denied"


def writing_during_reads(path: Path, times: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Append a line to the file after each of the first reads. Returns how often that happened."""
    original = reading._read_up_to
    done = 0

    def read_up_to(handle: int, size: int) -> bytes:
        nonlocal done
        raw = original(handle, size)
        if done < times:
            done += 1
            with path.open("a") as file:
                file.write("more\n")
        return raw

    monkeypatch.setattr(reading, "_read_up_to", read_up_to)
    return lambda: done


def test_a_file_that_grows_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("first\n")
    happened = writing_during_reads(tmp_path / "a.py", 2, monkeypatch)
    found = read_ok(tmp_path, "a.py")
    assert found.text == "first\nmore\nmore\n" == (tmp_path / "a.py").read_text()
    assert found.size == os.stat(tmp_path / "a.py").st_size and happened() == 2


def test_a_file_that_never_stops_growing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("first\n")
    writing_during_reads(tmp_path / "a.py", 1_000, monkeypatch)
    assert refusal(tmp_path, "a.py") == "it kept changing while it was read"


def test_no_handle_stays_open(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.py").write_text("x")
    os.mkfifo(tmp_path / "a" / "pipe")
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else None
    for path in ("a/b/c.py", "a/pipe", "a/none/x", "a/b/none.py"):
        read_source(tmp_path, path)
    assert before is None or len(os.listdir("/proc/self/fd")) == before
