"""What an imported reference pointed at when it was made is looked for in the tree as it is now."""

import hashlib
import json
from typing import Any

import pytest
from tests.conftest import Git, TestClock

from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop

UPLOAD = """def upload(path):
    parts = split(path, size=5_000_000)
    for part in parts:
        send(part, retries=3)
    return len(parts)
"""
OTHER = """def download(name):
    with fetch(name) as stream:
        return stream.read()
"""
THEN = f"{OTHER}\n\n{UPLOAD}"  # upload stands on the lines 6 to 10
TAGS = {"code_ref_0_path": "/apps/merlin/src/storage.py", "code_ref_0_lines": "6-10"}


@pytest.fixture
def commit(memory: Memory, git: Git) -> str:
    """The commit at which the memory was made, on the other machine; shortened, as such tools note it."""
    file = memory.code.root / "src" / "storage.py"
    file.parent.mkdir()
    file.write_text(THEN)
    git(memory.code.root, "init", "-q")
    git(memory.code.root, "add", ".")
    git(memory.code.root, "commit", "-qm", "then")
    return git(memory.code.root, "rev-parse", "HEAD")[:9]


def imported(memory: Memory, **tags: str) -> dict[str, Any]:
    path = memory.code.root.parent / "memories.json"
    path.write_text(json.dumps([{"memory": "Uploads are cut into parts of 5 MB", "tags": TAGS | tags}]))
    memory.admin.import_coding_brain(path)
    (row,) = memory.list()
    return row


def place(row: dict[str, Any]) -> tuple[str, int, int]:
    (ref,) = row["code_refs"]
    return ref["file_path"], ref["line_range"]["start"], ref["line_range"]["end"]


def sha256(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@pytest.mark.parametrize("by", ["commit", "hash", "symbol"])
def test_code_that_moved_down_since_is_pointed_at_where_it_is(memory: Memory, commit: str, by: str) -> None:
    (memory.code.root / "src" / "storage.py").write_text(
        f"import os\n\n{OTHER}\n\n{OTHER.replace('down', 're')}\n\n{UPLOAD}"
    )
    tags = {
        "commit": {"code_ref_0_commit": commit},
        "hash": {"code_ref_0_hash": sha256(UPLOAD)},
        "symbol": {"code_ref_0_symbol": "upload()"},
    }[by]
    row = imported(memory, **tags)
    assert (place(row), row["is_stale"]) == (("src/storage.py", 13, 17), False)


@pytest.mark.parametrize("by", ["commit", "hash"])
def test_code_that_changed_since_makes_the_memory_stale_from_the_start(memory: Memory, commit: str, by: str) -> None:
    changed = UPLOAD.replace("split(path, size=5_000_000)", "[path]").replace("send(part, retries=3)", "post(part)")
    (memory.code.root / "src" / "storage.py").write_text(f"{OTHER}\n\n{changed}")
    tags = {"git_commit": commit} if by == "commit" else {"code_ref_0_hash": sha256(UPLOAD)}
    row = imported(memory, **tags)
    assert row["is_stale"]
    assert row["stale_reason"].startswith("code_changed: src/storage.py:6")


def test_what_was_verified_is_fresh_again(memory: Memory, commit: str) -> None:
    (memory.code.root / "src" / "storage.py").write_text(f"{OTHER}\n\n{UPLOAD.replace('5_000_000', '8_000_000')}")
    row = imported(memory, code_ref_0_hash=sha256(UPLOAD))
    assert row["is_stale"]
    memory.verify([row["id"]])
    assert not memory.list()[0]["is_stale"]


def test_a_second_import_does_not_hide_what_changed_meanwhile(memory: Memory, commit: str, clock: TestClock) -> None:
    assert not imported(memory, code_ref_0_commit=commit)["is_stale"]
    changed = UPLOAD.replace("split(path, size=5_000_000)", "[path]").replace("send(part, retries=3)", "post(part)")
    (memory.code.root / "src" / "storage.py").write_text(f"{OTHER}\n\n{changed}")
    clock.advance(hours=1)
    imported(memory, code_ref_0_commit=commit)
    (hit,) = memory.recall("into which parts are uploads cut?")
    assert hit.is_stale


def test_new_layout_is_no_change(memory: Memory, commit: str) -> None:
    (memory.code.root / "src" / "storage.py").write_text(THEN.replace("retries=3)", "retries=3)  # see RFC 7"))
    row = imported(memory, code_ref_0_commit=commit)
    assert (place(row), row["is_stale"]) == (("src/storage.py", 6, 10), False)


def test_a_file_that_was_renamed_since_is_found_under_its_new_name(memory: Memory, commit: str, git: Git) -> None:
    git(memory.code.root, "mv", "src/storage.py", "src/transfer.py")
    git(memory.code.root, "commit", "-qm", "renamed")
    row = imported(memory, code_ref_0_commit=commit, code_ref_0_path="src/storage.py")
    assert (place(row), row["is_stale"]) == (("src/transfer.py", 6, 10), False)


def test_code_that_is_gone_makes_the_memory_stale(memory: Memory, commit: str) -> None:
    (memory.code.root / "src" / "storage.py").write_text(OTHER)
    row = imported(memory, code_ref_0_commit=commit)
    assert (row["is_stale"], row["stale_reason"]) == (True, "code_changed: src/storage.py (deleted)")


def test_lines_that_still_hold_the_symbol_are_kept(memory: Memory, commit: str) -> None:
    row = imported(memory, code_ref_0_symbol="upload", code_ref_0_lines="7-9")
    assert place(row) == ("src/storage.py", 7, 9)


@pytest.mark.parametrize(
    "wrong", ["abc123def", "HEAD", "--help", "0" * 40, "x\ny", "main:src/storage.py", "a" * 499, "HEAD^{tree}"]
)
def test_a_commit_that_is_unknown_or_none_is_no_obstacle(memory: Memory, commit: str, wrong: str) -> None:
    row = imported(memory, code_ref_0_commit=wrong)
    assert (place(row), row["is_stale"]) == (("src/storage.py", 6, 10), False)


def test_without_git_the_lines_are_taken(memory: Memory) -> None:
    file = memory.code.root / "src" / "storage.py"
    file.parent.mkdir()
    file.write_text(THEN)
    assert place(imported(memory, code_ref_0_commit="abc123def")) == ("src/storage.py", 6, 10)


def test_a_hash_over_lines_without_end_costs_no_time(memory: Memory) -> None:
    file = memory.code.root / "src" / "storage.py"
    file.parent.mkdir()
    file.write_text("x = 1\n" * 8_000)
    row = imported(memory, code_ref_0_lines="1-4000", code_ref_0_hash=sha256("other"))
    assert not row["is_stale"]  # nobody could tell
