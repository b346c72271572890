"""A SCIP index replaces what names suggest, for the files that it covers."""

import os
from pathlib import Path

import pytest
from tests.conftest import OpenMemory
from tests.flows.conftest import write_files
from tests.scip_files import scip_index

from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.memory import Memory

FILES = {
    "a.py": "class Cart:\n    def add_item(self): ...\n\n\nclass Box:\n    def add_item(self): ...\n",
    "b.py": "def use(thing):\n    thing.add_item()\n",
}
BOX = "scip-python python shop 1 a/Box#add_item()."
INDEX = scip_index({"a.py": [(6, 8, 16, BOX, 1)], "b.py": [(2, 10, 18, BOX, 0)]}, {})


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "project"
    write_files(folder, FILES)
    return folder


@pytest.fixture
def shop(tree: Path, memory: Memory, fake_engine: FakeEngine) -> Memory:
    assert memory.index().scip_files is None
    assert callees(memory) == []  # two classes have the method
    return memory


def callees(memory: Memory) -> list[tuple[str, float]]:
    return [(row.symbol, row.certainty) for row in memory.code.uses("use", "callees").rows]


def test_an_index_of_a_type_checker_resolves_what_names_do_not(shop: Memory, tmp_path: Path) -> None:
    file = tmp_path / "other.scip"
    file.write_bytes(INDEX)
    assert shop.index(scip=file).to_json()["scip_files"] == 2
    assert callees(shop) == [("Box.add_item", 1.0)]
    assert [row.symbol for row in shop.code.uses("Box.add_item").rows] == ["use"]


def test_an_index_in_the_repository_is_taken_over_once(shop: Memory, tree: Path) -> None:
    (tree / "index.scip").write_bytes(INDEX)
    assert shop.index().scip_files == 2
    assert callees(shop) == [("Box.add_item", 1.0)]
    assert shop.index().scip_files is None  # it is the same


def test_a_file_that_changes_is_resolved_by_names_again(shop: Memory, tree: Path) -> None:
    (tree / "index.scip").write_bytes(INDEX)
    shop.index()
    (tree / "b.py").write_text("import os\n\n\ndef use(thing):\n    thing.add_item()\n")
    shop.index()
    assert callees(shop) == []


def test_a_target_that_moves_in_its_file_is_still_found(shop: Memory, tree: Path) -> None:
    (tree / "index.scip").write_bytes(INDEX)
    shop.index()
    (tree / "a.py").write_text(f"# new\n# lines\n{FILES['a.py']}")
    shop.index()
    assert callees(shop) == [("Box.add_item", 1.0)]


def test_a_file_that_is_not_the_indexed_one_is_left_out(shop: Memory, tree: Path) -> None:
    (tree / "a.py").write_text(f"# new\n# lines\n{FILES['a.py']}")
    shop.index()
    (tree / "index.scip").write_bytes(INDEX)
    assert shop.index().scip_files == 1
    assert callees(shop) == []


def test_a_damaged_index_in_the_repository_does_not_stop_init(shop: Memory, tree: Path) -> None:
    (tree / "index.scip").write_bytes(INDEX[:-3])
    done = shop.index()
    assert done.scip_files is None
    assert "damaged" in done.indexed.skipped["index.scip"]


def test_a_damaged_or_missing_index_that_was_named_is_an_error(shop: Memory, tmp_path: Path) -> None:
    file = tmp_path / "other.scip"
    with pytest.raises(InvalidInput, match="Can't read"):
        shop.index(scip=file)
    file.write_bytes(b"not an index")
    with pytest.raises(InvalidInput, match="damaged"):
        shop.index(scip=file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_a_pipe_is_no_index_and_blocks_nobody(shop: Memory, tree: Path, tmp_path: Path) -> None:
    os.mkfifo(tree / "index.scip")
    assert shop.index().scip_files is None
    os.mkfifo(tmp_path / "pipe.scip")
    with pytest.raises(InvalidInput, match="Can't read"):
        shop.index(scip=tmp_path / "pipe.scip")


@pytest.mark.parametrize("path", ["../../etc/passwd", "/a.py", "x/../../a.py", "a.py\0"])
def test_an_index_that_names_files_outside_of_the_repository_changes_nothing(
    shop: Memory, tmp_path: Path, path: str
) -> None:
    file = tmp_path / "other.scip"
    file.write_bytes(INDEX + scip_index({path: [(1, 0, 4, BOX, 1)]}, {}))
    with pytest.raises(InvalidInput, match="outside of its repository"):
        shop.index(scip=file)
    assert callees(shop) == []


def test_an_index_of_another_repository_is_an_error(shop: Memory, tmp_path: Path) -> None:
    file = tmp_path / "other.scip"
    file.write_bytes(scip_index({"lib/other.py": [(1, 0, 4, BOX, 1)]}, {}))
    with pytest.raises(InvalidInput, match=r"lib/other\.py"):
        shop.index(scip=file)


def test_reading_every_file_again_keeps_what_the_index_said(shop: Memory, tmp_path: Path, tree: Path) -> None:
    file = tmp_path / "other.scip"
    file.write_bytes(INDEX)
    shop.index(scip=file)
    shop.index(force=True)
    assert callees(shop) == [("Box.add_item", 1.0)]
    (tree / "b.py").touch()
    shop.index()
    assert callees(shop) == [("Box.add_item", 1.0)]


def test_an_exported_index_carries_what_a_scip_index_said(
    shop: Memory, tree: Path, tmp_path: Path, open_memory: OpenMemory
) -> None:
    (tree / "index.scip").write_bytes(INDEX)
    shop.index()
    shop.code.export_index(tmp_path / "team.idx")
    write_files(tree.parent / "clone", FILES)
    with open_memory("clone") as clone:
        assert clone.code.import_index(tmp_path / "team.idx").refused == 0
        assert callees(clone) == [("Box.add_item", 1.0)]
