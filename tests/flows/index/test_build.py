"""A tree in the index: what is found, and what a second look costs."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.home_files import files_with

from waypost.code.schema import build_schema
from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.flows.admin.init import init
from waypost.memory import Memory
from waypost.model.memory import Caller


def ids(memory: Memory, kind: str = "symbol") -> dict[str, str]:
    return {row["name"]: row["id"] for row in memory.list(kind=kind, limit=1000)}


def embedded(engine: FakeEngine) -> int:
    return sum(len(texts) for texts in engine.calls or ())


def write(path: Path, text: str) -> None:
    """As an editor would a moment later: with another time, however fast the test is."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 5_000_000_000, before + 5_000_000_000))


def test_questions_are_answered_with_the_line_of_the_definition(indexed: Memory) -> None:
    hit = indexed.recall("where is a password compared with its hash?", scope="code")[0]
    assert (hit.path, hit.line, hit.end_line) == ("shop/auth.py", 6, 9)
    assert (hit.name, hit.kind, hit.type, hit.source) == ("check_password", "symbol", "function", "code")
    assert hit.summary == "Compare a password with the stored hash."
    assert hit.code_refs[0].symbol_id is not None


def test_methods_classes_files_and_sections_are_all_found(indexed: Memory) -> None:
    names = {(hit.type, hit.name) for hit in indexed.recall("throttle login address", k=20)}
    assert {("class", "LoginThrottle"), ("method", "LoginThrottle.allow")} <= names
    section = indexed.recall("containers rolled out at night", k=1)[0]
    assert (section.path, section.type) == ("README.md", "section")
    assert {"shop/auth.py", "shop/storage.py"} <= set(ids(indexed, "file"))


def test_the_report_counts_what_is_there(tree: Path, memory: Memory) -> None:
    report = memory.index().to_json()
    assert {name: report[name] for name in ("files", "functions", "classes", "read", "unchanged", "pending")} == {
        "files": 5,
        "functions": 6,
        "classes": 1,
        "read": 5,
        "unchanged": 0,
        "pending": {"minilm-l6-v2": 0},
    }
    assert report["storage_bytes"] > 0


def test_tests_are_embedded_last_and_counted_until_then(tree: Path, memory: Memory, fake_engine: FakeEngine) -> None:
    """With a background worker, `init` leaves tests to it; `status` counts them as pending."""
    (tree / "tests").mkdir(exist_ok=True)
    (tree / "tests" / "test_owls.py").write_text("def test_owls_are_let_in_at_night():\n    assert True\n")
    space = replace(
        memory.space, settings=replace(memory.space.settings, background=True), start_worker=lambda _space: None
    )
    fake_engine.calls = []
    init(space, Caller("person", "anna"))
    pending = memory.status()["pending"]["minilm-l6-v2"]
    assert pending >= 2  # the test and its file
    assert not any("owls" in text for texts in fake_engine.calls for text in texts)
    memory.recall("password")  # a question does not wait for them
    assert memory.status()["pending"]["minilm-l6-v2"] == pending
    memory.admin.embed_pending()
    assert memory.status()["pending"]["minilm-l6-v2"] == 0
    assert any("owls" in text for texts in fake_engine.calls for text in texts)
    assert "test_owls_are_let_in_at_night" in {hit.name for hit in memory.recall("tests about owls", scope="code")}


def test_a_second_look_reads_nothing(indexed: Memory, fake_engine: FakeEngine) -> None:
    before = embedded(fake_engine)
    report = indexed.index()
    assert (report.indexed.read, report.indexed.unchanged) == (0, 5)
    assert embedded(fake_engine) == before


def test_only_what_changed_is_embedded_again_and_the_rest_keeps_its_id(
    tree: Path, indexed: Memory, fake_engine: FakeEngine
) -> None:
    known, before = ids(indexed), embedded(fake_engine)
    path = tree / "shop/storage.py"
    write(path, "# a line above\n" + path.read_text().replace("object store in parts", "object store in one piece"))
    report = indexed.index()
    assert (report.indexed.read, report.indexed.unchanged) == (1, 4)
    assert ids(indexed) == known
    assert 0 < embedded(fake_engine) - before <= 3  # the changed function, and perhaps its file's card
    hit = indexed.recall("look a customer up by name", scope="functions", k=1)[0]
    assert (hit.name, hit.line) == ("find_user", 5)


def test_a_touched_file_is_known_by_its_hash(tree: Path, indexed: Memory) -> None:
    write(tree / "shop/auth.py", (tree / "shop/auth.py").read_text())
    report = indexed.index()
    assert (report.indexed.read, report.indexed.unchanged) == (0, 5)


def test_a_renamed_file_keeps_its_memories(tree: Path, indexed: Memory, fake_engine: FakeEngine) -> None:
    known = ids(indexed)
    (tree / "shop/storage.py").rename(tree / "shop/customers.py")
    report = indexed.index()
    assert (report.indexed.renamed, report.indexed.removed) == (1, 0)
    assert ids(indexed) == known
    assert indexed.recall("look a customer up by name", scope="functions")[0].path == "shop/customers.py"


def test_a_deleted_file_takes_its_memories_with_it(tree: Path, indexed: Memory) -> None:
    (tree / "shop/storage.py").unlink()
    report = indexed.index()
    assert report.indexed.removed == 1
    assert "find_user" not in ids(indexed)
    assert all(hit.path != "shop/storage.py" for hit in indexed.recall("find_user customer by name", k=50))


def test_patterns_hold_until_others_are_given(tree: Path, memory: Memory) -> None:
    memory.index(include=["shop/**"], exclude=["shop/auth.py"])
    assert set(ids(memory, "file")) == {"shop/__init__.py", "shop/storage.py"}
    (tree / "other.py").write_text("def other(): ...\n")
    assert memory.index().indexed.read == 0
    memory.index(include=[], exclude=[])
    assert "other.py" in ids(memory, "file")


def test_force_reads_everything_again_and_changes_nothing(indexed: Memory, fake_engine: FakeEngine) -> None:
    known, before = ids(indexed), embedded(fake_engine)
    assert indexed.index(force=True).indexed.read == 5
    assert (ids(indexed), embedded(fake_engine)) == (known, before)


def test_a_broken_file_gives_what_can_be_read(tree: Path, memory: Memory) -> None:
    (tree / "shop/broken.py").write_text("def fine():\n    return 1\n\ndef broken(:\n    retur\n")
    report = memory.index()
    assert report.indexed.broken == ["shop/broken.py"]
    assert "fine" in ids(memory)


def test_secrets_are_masked_with_the_lines_kept(tree: Path, memory: Memory) -> None:
    (tree / "shop/keys.py").write_text(
        f'\n\nAWS = "AKIA{"Z7QX3LMNPW2RTY6K"}"\n\ndef after_the_key():\n    return AWS\n'
    )
    (tree / ".env").write_text("DATABASE_PASSWORD=correct-horse-battery\n")
    report = memory.index()
    assert report.indexed.masked == 1
    assert memory.recall("after_the_key", k=1)[0].line == 5
    memory.admin.export(code=True)
    memory.close()
    assert files_with(memory.space.folder, "AKIAZ7QX") == []
    assert files_with(memory.space.folder, "correct-horse") == []


def test_what_is_read_out_of_the_tree_cannot_be_changed_by_hand(indexed: Memory) -> None:
    memory_id = ids(indexed)["find_user"]
    for change in (indexed.retract, indexed.reject, indexed.forget, indexed.protect):
        with pytest.raises(InvalidInput, match=r"read out of shop/storage\.py"):
            change(memory_id)
    with pytest.raises(InvalidInput):
        indexed.correct(memory_id, "something else")


def test_lists_and_exports_leave_the_tree_out_unless_asked(indexed: Memory) -> None:
    indexed.remember("Invoices are kept for ten years.")
    assert [row["kind"] for row in indexed.list()] == ["fact"]
    assert [row["kind"] for row in indexed.admin.export_rows()] == ["fact"]
    assert {row["kind"] for row in indexed.admin.export_rows(code=True)} >= {"fact", "symbol", "file"}


def test_an_import_leaves_out_what_was_read_out_of_a_tree(indexed: Memory, tmp_path: Path) -> None:
    indexed.remember("Invoices are kept for ten years.")
    exported = indexed.admin.export(tmp_path / "all.jsonl", code=True)
    *receipts, refusal = indexed.admin.import_file(exported.path)
    assert [receipt.status for receipt in receipts] == ["duplicate"]
    assert refusal.status == "refused" and "waypost index import" in (refusal.reason or "")


def test_rebuild_makes_the_same_index_again(indexed: Memory, fake_engine: FakeEngine) -> None:
    question = "compare a password with the stored hash"
    before = [(hit.id, round(hit.score, 6)) for hit in indexed.recall(question, k=10)]
    indexed.admin.rebuild()
    assert [(hit.id, round(hit.score, 6)) for hit in indexed.recall(question, k=10)] == before


def test_facts_and_code_stand_in_one_answer(indexed: Memory) -> None:
    indexed.remember("Passwords are compared in constant time since the audit.")
    kinds = {hit.kind for hit in indexed.recall("how are passwords compared?", k=5)}
    assert {"fact", "symbol"} <= kinds


def test_a_person_has_no_tree(tmp_path: Path, fake_engine: FakeEngine) -> None:
    anna = Memory.open(person="anna")
    for use in (anna.index, anna.code.analyze, anna.code.architecture, anna.code.summarize, anna.code.ignores):
        with pytest.raises(InvalidInput, match="no tree"):
            use()
    for look in (anna.code.summary, anna.code.track):
        with pytest.raises(InvalidInput, match="no tree"):
            look("a.py")


def test_a_briefing_names_places_not_lines_of_source(indexed: Memory) -> None:
    text = indexed.brief("make the password check safer", tokens=400).text
    assert "shop/auth.py: check_password(name, password) 6" in text
    assert "user.matches" not in text


def test_a_file_that_cannot_be_read_does_not_make_the_rest_new(tree: Path, memory: Memory) -> None:
    (tree / "shop/data.txt").write_bytes(b"text\0" * 100)
    memory.index()
    concluded = []

    def noted(changes: object) -> object:
        concluded.append(1)
        return build_schema(changes)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("waypost.flows.index.project_analysis.build_schema", noted)
        memory.index()
    assert concluded == []
