import errno
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from waypost.errors import ForeignFile, InvalidInput, SecurityError, StoreError, StoreFull, StoreReadOnly
from waypost.space import (
    check_claimed_id,
    identify,
    identify_person,
    open_space,
    read_metadata,
    safe_relative_path,
    space_directory,
)

ID = "0123456789abcdef"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def clock() -> datetime:
    return NOON


@pytest.mark.parametrize(
    "forged",
    [
        "", ".", "..", "../0123456789abcd", "/etc", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF",
        "0123456789abcde\n", "0123456789abcdef\n", "0123456789abcde\0", "0123456789abcd/x",
        "０１２３４５６７８９abcdef",
    ],
)  # fmt: skip
def test_only_a_computed_id_names_a_space(tmp_path: Path, forged: str) -> None:
    with pytest.raises(SecurityError):
        space_directory(tmp_path, forged)


def test_the_directory_of_a_space_is_named_but_not_created(tmp_path: Path) -> None:
    assert space_directory(tmp_path / "memory", ID) == tmp_path / "memory" / ID
    assert list(tmp_path.iterdir()) == []


def test_a_symlink_in_place_of_a_space_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ID).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SecurityError, match="symlink"):
        space_directory(tmp_path, ID)
    (tmp_path / ID).unlink()
    (tmp_path / ID).symlink_to(tmp_path / "dangling")
    with pytest.raises(SecurityError, match="symlink"):
        space_directory(tmp_path, ID)


@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal", "memory.db-shm", "metadata.json"])
def test_a_symlink_or_directory_in_place_of_our_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / ID).mkdir()
    (tmp_path / "victim").write_text("{}")
    (tmp_path / ID / name).symlink_to(tmp_path / "victim")
    with pytest.raises(SecurityError, match="symlink"):
        space_directory(tmp_path, ID)
    (tmp_path / ID / name).unlink()
    (tmp_path / ID / name).mkdir()
    with pytest.raises(SecurityError, match="not a plain file"):
        space_directory(tmp_path, ID)


def test_a_file_in_place_of_a_space_is_refused(tmp_path: Path) -> None:
    (tmp_path / ID).write_text("not ours")
    with pytest.raises(SecurityError, match="not a directory"):
        space_directory(tmp_path, ID)


def test_a_nul_in_the_homes_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SecurityError):
        space_directory(tmp_path / "a\0b", ID)


def test_a_memory_root_reached_by_a_symlink_of_its_owner_works(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "disk")
    assert space_directory(tmp_path / "home" / "memory", ID) == tmp_path / "disk" / "memory" / ID


def test_a_caller_that_names_another_id_is_refused() -> None:
    ada = identify_person("Ada")
    check_claimed_id(ada, ada.space_id)
    for claimed in (identify_person("Bob").space_id, "", ada.space_id.upper(), ada.space_id + "\n"):
        with pytest.raises(SecurityError, match="not"):
            check_claimed_id(ada, claimed)


def test_a_space_is_opened_for_its_owner_only_and_describes_itself(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    identity = identify(project)
    root = tmp_path / "home" / "memory"
    directory = open_space(root, identity, clock=clock, model="minilm", schema_version=3)
    assert directory == root / identity.space_id
    for folder in (directory, root, root.parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert (directory / "metadata.json").stat().st_mode & 0o777 == 0o600
    assert json.loads((directory / "metadata.json").read_text()) == {
        "name": "project",
        "kind": "project",
        "source": "directory",
        "origin": None,
        "created": "2026-03-01T12:00:00+00:00",
        "model": "minilm",
        "schema_version": 3,
    }
    assert [p.name for p in directory.iterdir()] == ["metadata.json"]


def test_opening_again_keeps_what_is_there_and_tightens_permissions(tmp_path: Path) -> None:
    ada = identify_person("Ada")
    directory = open_space(tmp_path, ada, clock=clock)
    directory.chmod(0o755)
    before = (directory / "metadata.json").read_bytes()
    later = datetime(2027, 1, 1, tzinfo=UTC)
    assert open_space(tmp_path, ada, clock=lambda: later, model="other") == directory
    assert (directory / "metadata.json").read_bytes() == before
    assert directory.stat().st_mode & 0o777 == 0o700
    assert read_metadata(directory).created == NOON


def test_nothing_secret_of_the_remote_is_stored(tmp_path: Path, repository: Path) -> None:
    with (repository / ".git" / "config").open("a") as config:
        config.write('[remote "origin"]\n\turl = https://alice:hunter2@h.org/x.git?token=t0ps3cret\n')
    identity = identify(repository)
    open_space(tmp_path / "memory", identity, clock=clock)
    stored = b"".join(p.read_bytes() for p in (tmp_path / "memory").rglob("*") if p.is_file())
    for secret in ("alice", "hunter2", "t0ps3cret"):
        assert secret.encode() not in stored
        assert secret not in repr(identity)


def test_the_same_id_for_another_kind_is_refused(tmp_path: Path) -> None:
    ada = identify_person("Ada")
    directory = open_space(tmp_path, ada, clock=clock)
    path = directory / "metadata.json"
    path.write_text(path.read_text().replace("person", "project"))
    with pytest.raises(ForeignFile, match="has the memory of a project"):
        open_space(tmp_path, ada, clock=clock)


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("x")
    with pytest.raises(SecurityError):
        open_space(tmp_path / "memory", identify_person("Ada"), clock=clock)


@pytest.mark.parametrize(
    ("code", "expected"), [(errno.ENOSPC, StoreFull), (errno.EROFS, StoreReadOnly), (errno.EIO, StoreError)]
)
def test_a_write_that_fails_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, expected: type[StoreError]
) -> None:
    ada = identify_person("Ada")

    def fail(handle: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(expected):
        open_space(tmp_path, ada, clock=clock)
    assert list((tmp_path / ada.space_id).iterdir()) == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("")
    (root / "inside").symlink_to(root / "src")
    (root / "outside").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    return root


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/../src/a.py", "src/a.py"),
        ("src/missing/b.py", "src/missing/b.py"),
        ("inside/a.py", "inside/a.py"),
        ("..dots/..a", "..dots/..a"),
        (".", "."),
        ("src/äö ёж.py", "src/äö ёж.py"),
    ],
)
def test_a_path_inside_the_checkout_is_made_relative(tree: Path, given: str, expected: str) -> None:
    assert safe_relative_path(tree, given) == expected
    assert safe_relative_path(tree, f"{tree}/{given}") == expected


def test_an_absolute_path_by_the_roots_symlink_is_inside(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tree)
    assert safe_relative_path(tmp_path / "link", f"{tmp_path}/link/src/a.py") == "src/a.py"
    assert safe_relative_path(tmp_path / "link", f"{tree}/src/a.py") == "src/a.py"


@pytest.mark.parametrize(
    "given",
    [
        "..", "../x", "src/../../x", "/etc/passwd", "/", "outside/x", "outside/../tree/../x",
        "inside/../../x", "loop/x",
        "a\0b", "a\nb", "a\x1b[0mb", "a\u2028b", "x" * 256, "é" * 128, "a/" * 2049, "C:\\x", "c:/x",
        "\\\\host\\x", "..\\x",
        "a\\..\\..\\x",
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_checkout_is_refused(tree: Path, given: str) -> None:
    with pytest.raises(SecurityError):
        safe_relative_path(tree, given)


@pytest.mark.parametrize("given", ["", "  ", "\ud800.py"])
def test_no_path_at_all_is_invalid(tree: Path, given: str) -> None:
    with pytest.raises(InvalidInput):
        safe_relative_path(tree, given)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from(["..", ".", "", "src", "inside", "outside", "loop", "x", "tree"]), max_size=7))
def test_whatever_is_let_through_is_inside(tree: Path, parts: list[str]) -> None:
    try:
        relative = safe_relative_path(tree, "/".join(parts))
    except (SecurityError, InvalidInput):
        return
    assert not relative.startswith(("/", "../"))
    assert (tree / relative).resolve().is_relative_to(tree.resolve())
    assert safe_relative_path(tree, relative) == relative
