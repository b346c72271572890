import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost import Memory
from waypost.errors import ForeignFile, NotFound, SecurityError
from waypost.space import Metadata, identify_person, open_space, read_metadata, write_metadata

SAMPLE = Metadata("shop", "project", "origin", "https://h.org/shop", datetime(2026, 3, 1, tzinfo=UTC), "minilm", 2)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert write_metadata(tmp_path, SAMPLE)
    assert read_metadata(tmp_path) == SAMPLE
    assert [p.name for p in tmp_path.iterdir()] == ["metadata.json"]


def test_what_a_later_version_added_is_kept(tmp_path: Path) -> None:
    write_metadata(tmp_path, replace(SAMPLE, extra={"colour": ["red"], "new": None}))
    write_metadata(tmp_path, replace(read_metadata(tmp_path), model="other"))
    assert read_metadata(tmp_path) == replace(SAMPLE, model="other", extra={"colour": ["red"], "new": None})


def test_the_first_of_two_creators_wins(tmp_path: Path) -> None:
    assert write_metadata(tmp_path, SAMPLE, replace=False)
    assert not write_metadata(tmp_path, replace(SAMPLE, name="late"), replace=False)
    assert read_metadata(tmp_path).name == "shop"


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_metadata(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"\xff", b"{}", b'{"name": 3}', b"[" * 100_000,
        b'{"name":"x","kind":"project","source":"origin","origin":null,"created":"soon"}',
        b'{"name":"x","kind":"project","source":"origin","origin":null,"created":"2026-01-01T00:00:00"}',
        b'{"name":"x","kind":"project","source":"origin","origin":null,"created":"2026-01-01T00:00Z","model":1}',
        b'{"name":"x","kind":"project","source":"origin","origin":null,"created":"2026-01-01T00:00Z",'
        b'"schema_version":true}',
    ],
)  # fmt: skip
def test_a_malformed_file_is_named_and_never_overwritten(tmp_path: Path, content: bytes) -> None:
    ada = identify_person("Ada")
    directory = tmp_path / ada.space_id
    directory.mkdir(parents=True)
    (directory / "metadata.json").write_bytes(content)
    with pytest.raises(ForeignFile, match=r"metadata\.json"):
        open_space(tmp_path, ada, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    assert (directory / "metadata.json").read_bytes() == content


def test_a_symlink_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "metadata.json").symlink_to(tmp_path / "victim")
    with pytest.raises(SecurityError):
        write_metadata(tmp_path, SAMPLE)
    assert (tmp_path / "victim").read_text() == "precious"


@pytest.mark.slow
def test_the_metadata_say_which_engine_and_schema_the_space_has(memory: Memory) -> None:
    found = json.loads((memory.space.folder / "metadata.json").read_text())
    assert (found["model"], found["schema_version"]) == ("minilm-l6-v2", 12)
