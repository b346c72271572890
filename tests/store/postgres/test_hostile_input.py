"""What a hostile tree or caller gives: kept by both stores alike, or refused with words, and never with the rest."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from waypost import Memory, config
from waypost.errors import WaypostError

pytestmark = pytest.mark.usefixtures("fake_engine")


def name(at: int) -> str:
    """Of 224 letters that cannot be compressed."""
    return hashlib.sha512(bytes([at])).hexdigest() + hashlib.sha384(bytes([at])).hexdigest()


def deep_file(root: Path, folders: int) -> None:
    """Each folder from the one before: the whole path may be longer than a call may be given."""
    place = os.open(root, os.O_RDONLY)
    for at in range(folders):
        os.mkdir(name(at), dir_fd=place)
        below = os.open(name(at), os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    file = os.open("deep.py", os.O_CREAT | os.O_WRONLY, dir_fd=place)
    os.write(file, b"def deep():\n    return 2\n")
    os.close(file)
    os.close(place)


@pytest.mark.both_stores
@pytest.mark.parametrize(("folders", "is_read"), [(8, True), (9, False), (13, False), (25, False)])
def test_a_file_whose_path_is_too_long_is_left_out_and_the_others_are_read(
    tmp_path: Path, folders: int, is_read: bool
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "fine.py").write_text("def fine():\n    return 1\n")
    deep_file(root, folders)
    with Memory.open(root) as memory:
        indexed = memory.index().indexed
    assert indexed.files == 1 + is_read
    assert [*indexed.skipped.values()] == ([] if is_read else ["its path is longer than 2,000 bytes"])


LONG = "".join(name(at) for at in range(20))


@pytest.mark.parametrize(
    "options",
    [
        {"session": LONG},
        {"session": "s", "speaker": LONG},
        {"domain": LONG},
        {"module": LONG},
        {"key": LONG},
        {"refs": [LONG]},
        {"tags": {LONG: LONG}},
        {"evidence": [LONG]},
        {"session": "a\0b"},
        {"key": "a\0b"},
        {"domain": "a\ud800b"},
        {"session": "a\ud800b", "speaker": "\udfff"},
        {"tags": {"a\0": "\ud800"}},
        {"evidence": ["a\ud800\0"]},
        {"valid_from": "0001-01-01", "valid_until": "9999-12-31T23:59:59.999999Z"},
        {"session": "s", "time": "0001-01-01T00:00:00Z"},
        {"ttl": 10**15},
        {"ttl": 10**30},
        {"level": 10**20},
    ],
    ids=lambda options: str(options)[:40],
)
def test_a_memory_is_kept_or_refused_by_both_stores_alike(
    tmp_path: Path, searched_database: str, options: dict[str, Any]
) -> None:
    told = []
    for store in ("", searched_database):
        with Memory.open(tmp_path, settings=replace(config.load(), store=store)) as memory:
            try:
                kept = memory.remember("The build takes four minutes.", **options)
            except WaypostError as error:
                told.append(error.what)
            else:
                with memory.space.store.read() as reader:
                    (found,) = reader.memories.versions(kept.id or "")
                told.append(str((found.session, found.speaker, found.domain, found.key, found.time, found.tags)))
            memory.remember("Another one.")
            assert memory.recall("how long does the build take")
    assert told[0] == told[1]
