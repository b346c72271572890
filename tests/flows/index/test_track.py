"""The index at the side of a tree that somebody works on."""

import os
import shutil
from pathlib import Path

import pytest

from waypost.errors import InvalidInput, SecurityError
from waypost.memory import Memory


def edit(path: Path, old: str, new: str) -> None:
    before = path.stat().st_mtime_ns
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    os.utime(path, ns=(before + 5_000_000_000, before + 5_000_000_000))


def test_an_answer_shows_the_file_as_it_is_now(tree: Path, indexed: Memory) -> None:
    edit(tree / "shop/storage.py", "def find_user", "\n\n\ndef find_user")
    hit = indexed.recall("look a customer up by name", scope="functions", k=1)[0]
    assert (hit.name, hit.line) == ("find_user", 7)


def test_an_answer_does_not_show_a_file_that_is_gone(tree: Path, indexed: Memory) -> None:
    (tree / "shop/storage.py").unlink()
    assert all(hit.path != "shop/storage.py" for hit in indexed.recall("look a customer up by name", k=20))


def test_a_tree_that_is_away_is_not_an_empty_tree(tree: Path, indexed: Memory) -> None:
    tree.rename(tree.with_name("away"))
    assert indexed.recall("look a customer up by name", k=1)[0].path == "shop/storage.py"


def test_a_tracked_file_is_found_by_the_next_question(tree: Path, indexed: Memory) -> None:
    (tree / "shop/refunds.py").write_text('def refund_customer():\n    """Give the money back."""\n')
    indexed.code.track("shop/refunds.py", "create")
    assert indexed.recall("give the money back", k=1)[0].path == "shop/refunds.py"


def test_the_worker_indexes_what_was_tracked(tree: Path, indexed: Memory) -> None:
    (tree / "shop/refunds.py").write_text("def refund_customer(): ...\n")
    indexed.code.track(tree / "shop/refunds.py")
    indexed.admin.run_worker()
    assert "refund_customer" in {row["name"] for row in indexed.list(kind="symbol", limit=100)}


def test_tracking_refuses_what_is_outside_and_what_is_no_action(indexed: Memory) -> None:
    with pytest.raises(SecurityError):
        indexed.code.track("../elsewhere.py")
    with pytest.raises(InvalidInput, match="no action"):
        indexed.code.track("shop/auth.py", "explode")


def test_a_finished_task_is_remembered_with_its_files(tree: Path, indexed: Memory) -> None:
    edit(tree / "shop/auth.py", "limit: int = 5", "limit: int = 3")
    receipt = indexed.code.finish_task("tighten the login throttle")
    record = indexed.show(receipt.id or "")
    assert record.version.kind == "learning"
    assert record.version.text == "Task completed: tighten the login throttle"
    assert [ref.file_path for ref in record.version.refs] == ["shop/auth.py"]


def test_update_names_what_it_did(tree: Path, indexed: Memory) -> None:
    edit(tree / "shop/auth.py", "limit: int = 5", "limit: int = 3")
    (tree / "shop/storage.py").unlink()
    done = indexed.code.update(["shop/auth.py", "shop/storage.py", "README.md"])
    assert (done.read, done.removed, sorted(done.changed)) == (1, 1, ["shop/auth.py", "shop/storage.py"])


def test_a_folder_that_is_gone_takes_all_its_files_with_it(tree: Path, indexed: Memory) -> None:
    shutil.rmtree(tree / "shop")
    done = indexed.code.update(["shop"])
    assert done.removed == 3
    assert indexed.status()["tree"]["files"] == 2


def test_an_index_of_another_format_is_made_again(indexed: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.flows.index.build.DIGEST_FORMAT", "other")
    assert indexed.index().indexed.read == 5
    assert indexed.index().indexed.read == 0


def test_what_is_asked_for_is_embedded_first(tree: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.flows.engines.query.ON_THE_SPOT", 0)
    memory.index(wait=False)
    engine = memory.space.engines.main.name

    def next_paths() -> set[str]:
        with memory.space.store.read() as reader:
            assert reader.vectors.pending()[engine] > 3
            return {version.refs[0].file_path for version in reader.vectors.pending_versions(engine, 2)}

    assert memory.recall("containers built by the pipeline and rolled out", k=1)[0].path == "README.md"
    assert next_paths() == {"README.md"}
