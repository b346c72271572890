"""An index that one clone exports and another takes over."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory
from tests.flows.conftest import write_files

from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.flows.index import index_import
from waypost.flows.index.file_digest import DIGEST_FORMAT
from waypost.memory import Memory

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
Row = dict[str, Any]


@pytest.fixture
def exported(indexed: Memory, tmp_path: Path) -> Path:
    """The index of the sample project."""
    path = tmp_path / "team.idx"
    indexed.code.export_index(path)
    return path


@pytest.fixture
def clone(tree: Path, open_memory: OpenMemory, exported: Path, fake_engine: FakeEngine) -> Iterator[Memory]:
    """Another clone, not indexed."""
    shutil.copytree(tree, tree.parent / "clone", dirs_exist_ok=True)
    fake_engine.calls = []
    with open_memory("clone") as memory:
        yield memory


def rows_of(path: Path) -> list[Row]:
    with gzip.open(path) as file:
        return [json.loads(line) for line in file]


def rewrite(path: Path, change: Callable[[Row], None]) -> None:
    rows = rows_of(path)
    for row in rows:
        change(row)
    with gzip.open(path, "wb") as file:
        file.writelines(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


def code_of(memory: Memory) -> list[tuple[object, ...]]:
    """Everything read from code, without ids, times and summaries of the project's own name."""
    rows = memory.admin.export_rows(code=True)
    kept = [row for row in rows if row["source"] == "code"]
    return sorted(
        (row["kind"], row["name"] or "", row["text"], json.dumps(row["metadata"], sort_keys=True)) for row in kept
    )


@pytest.mark.both_stores
def test_a_clone_takes_everything_over_without_parsing_or_embedding(
    clone: Memory, indexed: Memory, exported: Path, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(_root: Path, jobs: list[object]) -> Iterator[Any]:
        assert not jobs, "parsed"
        return iter(())

    monkeypatch.setattr(index_import, "digest_files", parse)
    done = clone.code.import_index(exported)
    assert (done.taken, done.refused, done.notices) == (done.report.indexed.files, 0, ())
    assert done.vectors > 0
    assert fake_engine.calls == []
    assert set(done.report.pending.values()) == {0}
    assert code_of(clone) == code_of(indexed)
    callers = [row.symbol for row in clone.code.uses("find_user").rows]
    assert callers == [row.symbol for row in indexed.code.uses("find_user").rows] != []
    assert clone.recall("Compare a password with the stored hash")[0].name == "check_password"


def test_files_that_differ_are_read_as_usual(clone: Memory, exported: Path, fake_engine: FakeEngine) -> None:
    (clone.code.root / "shop" / "auth.py").write_text("def only_here():\n    return 1\n")
    (clone.code.root / "shop" / "new.py").write_text("def brand_new():\n    return 2\n")
    done = clone.code.import_index(exported)
    assert done.taken == done.report.indexed.files - 2
    names = {symbol.qualified for symbol in clone.code.symbols(path="shop").symbols}
    assert {"only_here", "brand_new", "find_user"} <= names
    assert "check_password" not in names
    assert {text for call in fake_engine.calls or () for text in call}, "new texts are embedded"


def test_the_file_contains_no_kept_memories(indexed: Memory, tmp_path: Path) -> None:
    indexed.remember("The vault code is in the blue folder", refs=["shop/auth.py"])
    indexed.journal.add("We meet at the harbour at noon")
    indexed.code.export_index(tmp_path / "all.idx")
    text = json.dumps(rows_of(tmp_path / "all.idx"))
    assert "blue folder" not in text and "harbour" not in text
    assert "check_password" in text


def test_vectors_of_another_model_are_not_used(clone: Memory, exported: Path, fake_engine: FakeEngine) -> None:
    rewrite(
        exported,
        lambda row: row.update(
            {key: ["other-64"] if key == "engines" else "other-64" for key in ("engines", "engine") if key in row}
        ),
    )
    done = clone.code.import_index(exported)
    assert (done.vectors, done.refused) == (0, 0)
    assert done.taken == done.report.indexed.files
    assert "made by other-64" in done.notices[0]
    assert fake_engine.calls, "embedded here"


def damage_vectors(row: Row) -> None:
    if "values" in row:
        row["values"] = row["values"][:-8] + "////fw=="  # NaN


def shorten_vectors(row: Row) -> None:
    if "values" in row:
        row["values"] = row["values"][: len(row["values"]) // 8 * 4]


@pytest.mark.parametrize("change", [damage_vectors, shorten_vectors])
def test_vectors_that_are_none_are_not_used(
    clone: Memory, exported: Path, fake_engine: FakeEngine, change: Callable[[Row], None]
) -> None:
    rewrite(exported, change)
    assert clone.code.import_index(exported).vectors == 0
    assert fake_engine.calls, "embedded here"


def memory_change(change: Callable[[Row], None]) -> Callable[[Row], None]:
    def apply(row: Row) -> None:
        if row.get("path") == "shop/auth.py":
            change(next(memory for memory in row["memories"] if memory["name"] == "check_password"))

    return apply


def file_change(change: Callable[[Row], None]) -> Callable[[Row], None]:
    def apply(row: Row) -> None:
        if row.get("path") == "shop/auth.py":
            change(row)

    return apply


HOSTILE = {
    "a secret": memory_change(lambda row: row.update(text=f'token = "{SECRET}"')),
    "a text of another size": memory_change(lambda row: row.update(text="x" * 100_000)),
    "lines beyond the file": memory_change(lambda row: row.update(lines=[1, 99_999])),
    "lines that are none": memory_change(lambda row: row.update(lines=["1", 2])),
    "another kind": memory_change(lambda row: row.update(kind="fact")),
    "a name that is no text": memory_change(lambda row: row.update(name=["x"])),
    "unknown details": memory_change(lambda row: row["details"].update(owner="root")),
    "details of another type": memory_change(lambda row: row["details"].update(embedded="text")),
    "another file": memory_change(lambda row: row["details"].update(place="../../etc/passwd")),
    "no memories": file_change(lambda row: row.pop("memories")),
    "another language": file_change(lambda row: row.update(language="cobol")),
    "an outline that is none": file_change(lambda row: row["facts"]["outline"].update(symbols=[[1] * 9])),
    "an owner that does not exist": file_change(lambda row: row["facts"]["outline"].update(uses=[[99, "", "f", 1]])),
    "an outline of another format": file_change(lambda row: row["facts"]["outline"].update(format=1)),
    "unknown facts": file_change(lambda row: row["facts"].update(more=1)),
    "deep facts": file_change(lambda row: row["facts"].update(schema=[{"action": "x", "lines": [1, 2], "table": {}}])),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_with_implausible_content_is_parsed_instead(clone: Memory, exported: Path, what: str) -> None:
    rewrite(exported, HOSTILE[what])
    done = clone.code.import_index(exported)
    assert (done.refused, done.taken) == (1, done.report.indexed.files - 1)
    assert "parsed instead" in done.notices[0]
    (symbol,) = clone.code.symbols("check_password").symbols
    assert symbol.path == "shop/auth.py"
    assert SECRET not in json.dumps([row["text"] for row in clone.admin.export_rows(code=True)])


def test_a_path_outside_of_the_repository_is_ignored(clone: Memory, exported: Path, tmp_path: Path) -> None:
    def move(row: Row) -> None:
        if row.get("path") == "shop/auth.py":
            row["path"] = str(tmp_path / "secret.py")

    (tmp_path / "secret.py").write_bytes((clone.code.root / "shop" / "auth.py").read_bytes())
    rewrite(exported, move)
    done = clone.code.import_index(exported)
    assert done.taken == done.report.indexed.files - 1
    assert all(not path.is_absolute() for path in map(Path, (file.path for file in clone.code.files())))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def drop_end(path: Path) -> None:
    rows = rows_of(path)[:-1]
    with gzip.open(path, "wb") as file:
        file.writelines(json.dumps(row).encode() + b"\n" for row in rows)


def bomb(path: Path) -> None:
    with gzip.open(path, "wb") as file:
        file.write(b'{"waypost_index":1}\n')
        for _ in range(64):
            file.write(b"0" * 1_000_000)


def other_version(path: Path) -> None:
    rewrite(path, lambda row: row.update(digest_format=f"{DIGEST_FORMAT}9") if "digest_format" in row else None)


WRONG_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut": (cut, "is damaged"),
    "without an end": (drop_end, "is not complete"),
    "a bomb": (bomb, "unpacks to more"),
    "of another version": (other_version, "another version of Waypost"),
    "plain text": (lambda path: path.write_text("hello"), "is damaged, or not an index"),
    "another archive": (lambda path: path.write_bytes(gzip.compress(b"[1]\n")), "is not an index of Waypost"),
    "empty": (lambda path: path.write_bytes(b""), "is not an index of Waypost"),
    "missing": (lambda path: path.unlink(), "cannot be read"),
}


@pytest.mark.parametrize("what", WRONG_FILES)
def test_a_file_that_is_no_whole_index_changes_nothing(clone: Memory, exported: Path, what: str) -> None:
    spoil, message = WRONG_FILES[what]
    spoil(exported)
    with pytest.raises(InvalidInput, match=message) as refused:
        clone.code.import_index(exported)
    assert refused.value.remedy
    assert clone.code.files() == ()


def test_an_existing_file_is_not_overwritten(indexed: Memory, exported: Path) -> None:
    before = exported.read_bytes()
    with pytest.raises(InvalidInput, match="exists"):
        indexed.code.export_index(exported)
    assert exported.read_bytes() == before
    assert sorted(path.name for path in exported.parent.iterdir() if path.name.startswith(".")) == []


def test_without_an_index_there_is_nothing_to_export(memory: Memory, tree: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No code is indexed"):
        memory.code.export_index(tmp_path / "none.idx")
    assert not (tmp_path / "none.idx").exists()


def test_a_secret_that_newer_rules_recognise_is_not_exported(
    indexed: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.flows.index import index_export

    monkeypatch.setattr(index_export, "has_secret", lambda row: row["path"] == "shop/auth.py")
    done = indexed.code.export_index(tmp_path / "new.idx")
    assert done.left_out == 1
    assert all(row.get("path") != "shop/auth.py" for row in rows_of(tmp_path / "new.idx"))


def test_indexed_code_in_an_export_of_memories_is_reported(
    indexed: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    indexed.remember("Passwords are compared as hashes")
    indexed.admin.export(tmp_path / "all.jsonl", code=True, embeddings=True)
    with open_memory("elsewhere") as other:
        *added, last = other.admin.import_file(tmp_path / "all.jsonl")
    assert [receipt.status for receipt in added] == ["added"]
    assert last.status == "refused"
    assert "rows of indexed code were not imported" in (last.reason or "")
    assert "waypost index import" in (last.reason or "")


def test_an_export_embeds_what_is_pending_first(
    tree: Path, memory: Memory, tmp_path: Path, fake_engine: FakeEngine
) -> None:
    write_files(tree, {"test_shop.py": "def test_shop():\n    assert True\n"})
    memory.index(wait=False)
    assert memory.code.export_index(tmp_path / "early.idx", wait=False).pending > 0
    assert memory.code.export_index(tmp_path / "whole.idx").pending == 0
