"""Verify, relink and judge memories that point at code: concurrent changes, hostile anchors, unreadable files."""

import random
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Git, OpenMemory, TestClock
from tests.home_files import files_with
from tests.refs.other_shapes import OtherShapes

from waypost.errors import InvalidInput
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.links import repair, staleness
from waypost.flows.write import lifecycle
from waypost.memory import Memory
from waypost.model.reference import LineRange
from waypost.refs.anchor import follow_hash
from waypost.refs.follow import FollowedPlace, follow
from waypost.store.sql.references import ReferenceRows
from waypost.store.sqlite.transactions import ReadableCodeRows

pytestmark = pytest.mark.slow  # not for the inner loop

CODE = """\
def parts_of(files):
    parts = []
    for file in files:
        parts.append(file.read(5))
    return parts


def total(items, rate):
    amount = sum(item.price for item in items)
    return amount * rate
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "project"
    folder.mkdir(parents=True)
    (folder / "app.py").write_text(CODE)
    return folder


def edit(tree: Path) -> None:
    (tree / "app.py").write_text(CODE.replace("read(5)", "read(6)"))


def once(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, meanwhile: Callable[[], object]) -> None:
    """Let something happen, as by another process, just after the next call of a function."""
    real = getattr(where, name)

    def raced(*given: Any, **options: Any) -> Any:
        monkeypatch.setattr(where, name, real)
        result = real(*given, **options)
        meanwhile()
        return result

    monkeypatch.setattr(where, name, raced)


# -- several at once ------------------------------------------------------------------------------------------


def test_two_corrections_of_a_linked_memory_at_once_do_not_wait_for_each_other_forever(
    tree: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.remember("Files go in parts of five", refs=["app.py#parts_of"])
    assert made.id is not None
    memory_id = made.id
    once(monkeypatch, lifecycle, "embed_items", lambda: memory.correct(memory_id, "Files go in parts of six"))
    later = threading.Thread(target=memory.correct, args=(memory_id, "Files go in parts of seven"), daemon=True)
    later.start()
    later.join(20)
    assert not later.is_alive()
    shown = memory.show(memory_id)
    assert shown.version.text == "Files go in parts of seven"
    assert [str(link.reference) for link in shown.links] == ["app.py#L1-L5"]


def test_a_check_that_began_before_a_memory_was_verified_does_not_make_it_stale_again(
    tree: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.remember("Files go in parts of five", refs=["app.py#parts_of"])
    assert made.id is not None
    memory_id = made.id
    edit(tree)
    once(monkeypatch, staleness, "follow_reference", lambda: memory.verify(memory_id))
    memory.code.stale()
    assert not memory.show(memory_id).state.is_stale


def test_what_was_corrected_while_somebody_verified_it_is_not_verified(
    tree: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.remember("Files go in parts of five", refs=["app.py#parts_of"])
    assert made.id is not None
    memory_id = made.id
    edit(tree)
    once(monkeypatch, repair, "repin_reference", lambda: memory.correct(memory_id, "Files go in parts of six"))
    done = memory.verify(memory_id)
    assert not done.memories
    assert "just changed by another" in done.left[0]
    assert [entry.action for entry in memory.admin.audit()] == ["correct", "remember"]


def test_a_memory_that_cannot_be_verified_is_left_as_it_is(tree: Path, memory: Memory) -> None:
    (tree / "gone.py").write_text("def gone(a, b, c):\n    return a + b * c - 17 + len(a)\n")
    made = memory.remember("Files go in parts of five", refs=["app.py#parts_of", "gone.py#gone"])
    assert made.id is not None
    edit(tree)
    (tree / "gone.py").unlink()
    assert memory.verify(made.id).left
    assert [link.is_stale for link in memory.show(made.id).links] == [True, True]
    assert [entry.action for entry in memory.admin.audit()] == ["remember"]


def test_a_file_that_is_saved_while_it_is_judged_leaves_no_verdict_on_what_it_was_before(
    tree: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.remember("Files go in parts of five", refs=["app.py#parts_of"])
    assert made.id is not None
    once(monkeypatch, ReferenceRows, "verdicts_for", lambda: edit(tree))
    memory.code.stale()
    assert memory.show(made.id).state.is_stale
    (tree / "app.py").write_text(CODE)
    assert not memory.show(made.id).state.is_stale


def test_a_file_that_goes_away_while_it_is_pinned_is_not_there(
    tree: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    once(monkeypatch, TreeNow, "_digest", (tree / "app.py").unlink)
    made = memory.remember("Files go in parts of five", refs=["app.py#L1-L5"])
    assert made.status == "added"
    assert "was not found" in made.notices[0]


# -- what is not here, or cannot be read ----------------------------------------------------------------------


def test_a_reference_into_another_repository_is_not_looked_for_in_this_one(tree: Path, memory: Memory) -> None:
    there = {"file_path": "x.py", "repo_id": "other", "code_hash": f"sha256:{'ab' * 32}", "line_start": 1}
    made = memory.remember("It is done over there", refs=[there])
    assert made.id is not None
    shown = memory.show(made.id)
    assert shown.links[0].finding.state == "unchecked"
    assert not shown.state.is_stale
    assert not memory.verify(made.id).left
    assert str(memory.show(made.id).links[0].reference) == "x.py#L1-L1"


@pytest.mark.parametrize("what", ["too large", "binary", "a link to nowhere"])
def test_a_file_that_cannot_be_read_any_more_is_not_deleted(tree: Path, memory: Memory, what: str) -> None:
    made = memory.remember("Files go in parts of five", refs=["app.py#parts_of"])
    assert made.id is not None
    path = tree / "app.py"
    if what == "too large":
        path.write_text(CODE + "# padding that says nothing\n" * 500_000)
    elif what == "binary":
        path.write_bytes(b"\0\1\2\3" * 100)
    else:
        path.unlink()
        path.symlink_to("nowhere")
    assert memory.show(made.id).links[0].finding.state == "unchecked"
    path.unlink()
    memory.code.stale(check=True)
    assert memory.show(made.id).links[0].finding.state == "deleted"


# -- hostile data ---------------------------------------------------------------------------------------------


def test_no_anchor_that_an_import_brings_can_break_following(tree: Path, memory: Memory) -> None:
    edit(tree)
    (tree / "other.py").write_text(CODE.replace("parts_of", "pieces"))
    places = ["app.py#parts_of", "app.py#L3-L4", "app.py", "app.py#L1"]
    made = memory.remember("Files go in parts of five", refs=places)
    assert made.id is not None
    anchors = [reference.anchor for reference in memory.show(made.id).version.refs]
    now = TreeNow(memory.space)
    here, other = now.shape("app.py"), now.shape("other.py")
    assert here is not None and other is not None
    chance = random.Random(7)
    for _ in range(3_000):
        spoiled = bytearray(chance.choice(anchors))
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(1, len(spoiled))
            spoiled[place : place + chance.randrange(2)] = chance.randbytes(chance.randrange(3))
        lines = chance.choice([None, LineRange(1, 2), LineRange(5_000, 6_000)])
        elsewhere = OtherShapes(here, [here, other])
        follow(bytes(spoiled), FollowedPlace("app.py", lines), chance.choice([here, other, None]), elsewhere)
    wide = bytes.fromhex(
        "01410808000104000400000000ae7f015903de92c98d8c01e71d70617274735f6f66098685f0ef1b5b9a633046b73dc86da7"
        "070032c97746ad0e0192ad"
    )
    assert follow(wide, FollowedPlace("app.py"), here, OtherShapes(here, [here])).state == "unchecked"


def test_a_hash_of_a_very_long_block_is_looked_for_in_bounded_time() -> None:
    lines = [f"line number {number} of this file" for number in range(50_000)]
    started = time.process_time()
    assert follow_hash(f"sha256:{'00' * 32}", 25_000, lines, 1) is None
    assert time.process_time() - started < 5


# -- what happens to a memory over time -----------------------------------------------------------------------


def test_code_that_a_commit_moved_is_found_before_the_new_file_is_indexed(
    tree: Path, git: Git, open_memory: OpenMemory
) -> None:
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "one")
    memory = open_memory()
    memory.index()
    made = memory.remember("The total is multiplied by the rate", refs=["app.py#total"])
    assert made.id is not None
    (tree / "sums.py").write_text(CODE.replace("* rate", "* rate * 2"))
    (tree / "app.py").write_text("x = 1\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "two")
    memory.code.git_changed()
    (stale,) = memory.code.stale().memories
    assert (stale.links[0].finding.state, stale.links[0].finding.path) == ("changed", "sums.py")


def test_since_when_a_memory_is_stale_is_known_after_another_of_its_places_was_relinked(
    tree: Path, memory: Memory, clock: TestClock
) -> None:
    (tree / "other.py").write_text(
        "def other(rows):\n    return [row.name for row in rows if row.is_open and row.name]\n"
    )
    made = memory.remember("Files go in parts of five", refs=["app.py#parts_of", "other.py#other"])
    assert made.id is not None
    clock.advance(days=1)
    edit(tree)
    memory.code.stale()
    since = memory.show(made.id).stale_since
    assert since == clock.now
    clock.advance(days=5)
    (tree / "other.py").rename(tree / "moved.py")
    assert memory.code.relink(every=True).memories
    shown = memory.show(made.id)
    assert shown.links[1].was.file_path == "moved.py"
    assert shown.stale_since == since
    memory.correct(made.id, "Files go in parts of six")
    (tree / "app.py").write_text("x = 1\n")
    memory.code.stale()
    clock.advance(days=5)
    memory.correct(made.id, "Files went in parts of six")
    assert memory.show(made.id).stale_since == clock.now - timedelta(days=5)


def test_to_verify_code_in_another_file_does_not_change_where_the_memory_pointed_before(
    tree: Path, memory: Memory, clock: TestClock
) -> None:
    made = memory.remember("The total is multiplied by the rate", refs=["app.py#total"])
    assert made.id is not None
    then = clock.now
    clock.advance(hours=1)
    (tree / "app.py").rename(tree / "sums.py")
    clock.advance(hours=1)
    (verified,) = memory.verify([made.id, made.id]).memories
    assert verified.links[0].was.file_path == "sums.py"
    clock.advance(hours=1)
    assert memory.show(made.id, known_at=then).version.refs[0].file_path == "app.py"
    (now,) = memory.list()
    assert now["code_refs"][0]["file_path"] == "sums.py"


def test_the_audit_log_keeps_no_path_of_what_was_forgotten(tree: Path, memory: Memory, tmp_path: Path) -> None:
    (tree / "zebrafish.py").write_text(CODE)
    made = memory.remember("The total is multiplied by the rate", refs=["app.py#total"])
    assert made.id is not None
    memory.code.relink(made.id, ["zebrafish.py#total"])
    memory.show(made.id)
    memory.forget(made.id)
    assert files_with(tmp_path / "home", "") != []
    assert files_with(tmp_path / "home", "zebrafish") == []


# -- many -----------------------------------------------------------------------------------------------------


def test_a_hundred_lost_references_ask_for_the_files_of_the_index_once(
    tree: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"step_{number}" for number in range(100)]
    (tree / "steps.py").write_text("\n\n".join(f"def {name}(a):\n    return a * {name!r}" for name in names))
    memory.index()
    list(memory.remember_many([{"text": f"About {name}", "refs": [f"steps.py#{name}"]} for name in names]))
    (tree / "steps.py").unlink()
    asked: list[object] = []
    real = ReadableCodeRows.files

    def counted(self: ReadableCodeRows, checkout_id: str, *given: Any) -> Any:
        asked.append(given)
        return real(self, checkout_id, *given)

    monkeypatch.setattr(ReadableCodeRows, "files", counted)
    assert memory.code.stale().stale == 100
    assert len([given for given in asked if not given]) <= 1


def test_a_memory_that_is_given_ever_more_places_can_still_be_imported(
    tree: Path, open_memory: OpenMemory, tmp_path: Path
) -> None:
    (tree / "big.py").write_text("\n\n".join(f"def f{number}(a):\n    return a + {number}" for number in range(150)))
    memory = open_memory()
    memory.remember("They add", refs=[f"big.py#f{number}" for number in range(100)])
    memory.remember("They add", refs=[f"big.py#f{number}" for number in range(90, 150)])
    (row,) = memory.list()
    assert len(row["code_refs"]) == 100
    assert {f"{ref['symbol_id']}".rpartition("/")[2] for ref in row["code_refs"]} >= {"f90().", "f149()."}
    export = tmp_path / "all.jsonl"
    memory.admin.export(export)
    assert [receipt.status for receipt in open_memory("another").admin.import_file(export)] == ["added"]


def test_a_reference_that_claims_to_be_verified_in_the_future_fades_like_others(
    tree: Path, memory: Memory, clock: TestClock
) -> None:
    claims = {"last_verified_at": "2099-01-01T00:00:00Z", "created_at": "2099-01-01T00:00:00Z"}
    made = memory.remember("It is elsewhere", refs=[{"file_path": "src/elsewhere.py", **claims}])
    assert made.id is not None
    before = memory.show(made.id).confidence
    clock.advance(days=40)
    assert memory.show(made.id).confidence < before


def test_whoever_points_at_lines_of_a_file_that_is_not_read_is_told_that_all_of_it_counts(
    tree: Path, memory: Memory
) -> None:
    (tree / "big.py").write_text("x = 1  # padding that says nothing\n" * 400_000)
    made = memory.remember("It is one", refs=["big.py#L7-L9"])
    assert made.links == ("big.py",)
    assert "compared as a whole" in made.notices[0]
    assert not memory.remember("It is large", refs=["big.py"]).notices


@pytest.mark.parametrize("lines", [-1, True, 1.5, [1, 2], "L1-", {"start": 1}])
def test_lines_that_are_none_are_refused_in_words(tree: Path, memory: Memory, lines: object) -> None:
    with pytest.raises(InvalidInput):
        memory.remember("Files go in parts of five", refs=[{"file_path": "app.py", "line_range": lines}])


def test_what_is_true_only_later_is_told_when_it_is_verified_or_relinked(tree: Path, memory: Memory) -> None:
    made = memory.remember("From 2030 on it is so", refs=["app.py#total"], valid_from="2030-01-01T00:00:00Z")
    assert made.id is not None
    assert [one.id for one in memory.verify(made.id).memories] == [made.id]
    (relinked,) = memory.code.relink(made.id, ["app.py#parts_of"]).memories
    assert str(relinked.links[0].reference) == "app.py#L1-L5"
