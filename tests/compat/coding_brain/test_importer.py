"""Import from Coding Brain: references in tags point into this checkout, and an import can be undone."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost.compat.coding_brain.importer import Imported
from waypost.errors import InvalidInput, NotFound
from waypost.memory import Memory
from waypost.model.memory import Caller

pytestmark = pytest.mark.slow  # not for the inner loop

GOLDEN = Path(__file__).parent / "code_tags"
STORAGE = {"code_ref_0_path": "/apps/merlin/src/storage.ts", "code_ref_0_lines": "42-87"}
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def tree(memory: Memory) -> Path:
    """The project's tree: where the memories point, and another file of the same name."""
    for name in ("src/storage.ts", "src/index.ts", "web/index.ts", "README.md"):
        (memory.code.root / name).parent.mkdir(exist_ok=True)
        (memory.code.root / name).write_text("".join(f"export const value{n} = {n}\n" for n in range(200)))
    return memory.code.root


def imported(memory: Memory, *rows: object, form: str = "array") -> Imported:
    """Import these rows from a file in one of the forms that such files have."""
    path = memory.code.root.parent / "memories.json"
    forms = {
        "array": json.dumps(rows),
        "lines": "\n".join(json.dumps(row) for row in rows),
        "memories": json.dumps({"memories": rows}),
        "results": json.dumps({"results": rows, "relations": []}),
    }
    path.write_text(forms[form])
    return memory.admin.import_coding_brain(path)


def places(row: dict[str, Any]) -> list[str]:
    found = []
    for ref in row["code_refs"]:
        lines = ref.get("line_range")
        found.append(ref["file_path"] + (f"#L{lines['start']}-L{lines['end']}" if lines else ""))
    return found


def only(memory: Memory) -> dict[str, Any]:
    (row,) = memory.list()
    return row


def told(done: Imported) -> str:
    return "\n".join(str(note) for note in done.notes)


# -- what is read


def test_the_format_of_the_appendix_is_read_as_expected(memory: Memory, tree: Path) -> None:
    done = memory.admin.import_coding_brain(GOLDEN / "memories.json")
    expected = json.loads((GOLDEN / "expected.json").read_text())
    for row, wanted in zip(memory.list(), expected, strict=True):
        shown = {**row, "places": places(row), "claimed": row.get("claimed")}
        assert {name: shown[name] for name in wanted} == wanted
    assert done.statuses == {"added": 3, "merged": 0, "duplicate": 0, "refused": 0}
    assert (done.references, done.unplaced) == (3, 1)
    assert "'sha256:e3b0c44...' left out" in told(done)
    assert "/apps/ledger/src/numbers.ts#L5-L9 (nextNumber) kept as a tag" in told(done)
    confidences = [
        ref.confidence_score for version in memory.history(memory.list()[0]["id"]).versions for ref in version.refs
    ]
    assert confidences == [0.95, 0.9]


@pytest.mark.parametrize("form", ["array", "lines", "memories", "results"])
@pytest.mark.parametrize("name", ["memory", "text", "content", "data"])
def test_every_form_of_file_and_every_name_of_the_words_is_read(
    memory: Memory, tree: Path, form: str, name: str
) -> None:
    rows = [{name: "Uploads use S3", "tags": STORAGE}, {name: "Deploys run on Fridays"}]
    assert imported(memory, *rows, form=form).statuses["added"] == 2
    assert [places(row) for row in memory.list()] == [["src/storage.ts#L42-L87"], []]


@pytest.mark.parametrize("where", ["tags", "metadata", "metadata.tags", "text", "row"])
def test_tags_are_found_wherever_they_stand(memory: Memory, tree: Path, where: str) -> None:
    tags = {**STORAGE, "code_ref_count": "1", "git_branch": "main"}
    row: dict[str, Any] = {"memory": "Uploads use S3"}
    places_of_tags: dict[str, dict[str, Any]] = {
        "tags": {"tags": tags},
        "metadata": {"metadata": tags},
        "metadata.tags": {"metadata": {"tags": tags}},
        "text": {"tags": json.dumps(tags)},
        "row": tags,
    }
    imported(memory, row | places_of_tags[where])
    assert (places(only(memory)), only(memory)["tags"]) == (["src/storage.ts#L42-L87"], {"git_branch": "main"})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("42-87", "#L42-L87"), ("42", "#L42-L42"), (42, "#L42-L42"), ("L42-L87", "#L42-L87"), ("#L42-87", "#L42-L87"),
        ([42, 87], "#L42-L87"), ({"start": 42, "end": 87}, "#L42-L87"), ("42:87", "#L42-L87"),
    ],
)  # fmt: skip
def test_lines_are_read_in_every_spelling(memory: Memory, tree: Path, written: object, read: str) -> None:
    imported(memory, {"text": "Uploads use S3", "tags": {**STORAGE, "code_ref_0_lines": written}})
    assert places(only(memory)) == [f"src/storage.ts{read}"]


@pytest.mark.parametrize("written", ["87-42", "0-3", "many", "1-2-3", "9" * 30, {"start": None}, [], [[[]]]])
def test_lines_that_are_none_leave_the_file_and_are_told(memory: Memory, tree: Path, written: object) -> None:
    done = imported(memory, {"text": "Uploads use S3", "tags": {**STORAGE, "code_ref_0_lines": written}})
    assert only(memory)["code_refs"][0]["file_path"] == "src/storage.ts"
    assert "are not a range" in told(done) or written == []


def test_references_are_read_whatever_their_count_says(memory: Memory, tree: Path) -> None:
    tags = {"code_ref_count": "ninety", "code_ref_7_path": "src/index.ts", "code_ref_3_path": "src/storage.ts"}
    imported(memory, {"text": "Uploads use S3", "tags": tags})
    assert places(only(memory)) == ["src/storage.ts", "src/index.ts"]


def test_a_hundred_references_are_kept_and_more_are_told(memory: Memory, tree: Path) -> None:
    tags = {f"code_ref_{n}_path": f"/apps/merlin/src/storage.ts#L{n + 1}" for n in range(102)}
    done = imported(memory, {"text": "Uploads use S3", "tags": tags})
    assert (done.references, done.unplaced) == (100, 2)
    assert only(memory)["tags"]["unplaced_refs"].count("storage.ts") == 2


def test_structured_references_are_read_too(memory: Memory, tree: Path) -> None:
    ref = {"file_path": "/apps/merlin/src/storage.ts", "line_start": 42, "line_end": 87, "symbol_id": "Storage#upload"}
    imported(memory, {"memory": "Uploads use S3", "code_refs": [ref, ref, 7]})
    assert places(only(memory)) == ["src/storage.ts#L42-L87"]


def test_a_link_that_says_the_same_as_a_reference_is_no_second_one(memory: Memory, tree: Path) -> None:
    links = {"code_link": "file:///apps/merlin/src/storage.ts#L42-L87"}
    imported(memory, {"memory": "Uploads use S3", "tags": STORAGE | links})
    assert places(only(memory)) == ["src/storage.ts#L42-L87"]


def test_staleness_is_a_state_and_no_tag(memory: Memory, tree: Path) -> None:
    imported(memory, {"memory": "Uploads use S3", "tags": {**STORAGE, "stale": "True", "stale_since": "2026-01-02"}})
    row = only(memory)
    assert row["is_stale"]
    assert row["stale_reason"] == "it was stale where it comes from"
    assert row["tags"] == {}


@pytest.mark.parametrize("said", [False, "false", "0", None, 0, "no", {}])
def test_what_was_fresh_comes_fresh(memory: Memory, tree: Path, said: object) -> None:
    imported(memory, {"memory": "Uploads use S3", "tags": {"stale": said, "stale_reason": "old"}})
    assert not only(memory)["is_stale"]


def test_a_time_that_is_none_or_has_not_come_is_left_out_and_told(memory: Memory) -> None:
    done = imported(
        memory,
        {"memory": "Uploads use S3", "created_at": "yesterday"},
        {"memory": "Deploys run on Fridays", "created_at": "2999-01-01"},
        {"memory": "Invoices are numbered by the ledger", "created_at": 1767225600},
    )
    assert [row["valid_from"][:10] for row in memory.list()] == ["2026-01-30", "2026-01-30", "2026-01-01"]
    assert "'yesterday' is not a time" in told(done)
    assert "in the future" in told(done)


def test_what_a_file_says_beside_is_named_when_it_is_not_taken(memory: Memory) -> None:
    done = imported(memory, {"memory": "Uploads use S3", "user_id": "anna", "score": 0.4, "hash": None})
    assert told(done) == "memory 1: ignored fields: score, user_id"


# -- where it points


@pytest.mark.parametrize(
    ("written", "here"),
    [
        ("/apps/merlin/src/storage.ts", "src/storage.ts"),
        ("C:\\work\\merlin\\src\\storage.ts", "src/storage.ts"),
        ("src/storage.ts", "src/storage.ts"),
        ("./src/../src/storage.ts", "src/storage.ts"),
        ("storage.ts", "src/storage.ts"),
        ("file:/apps/merlin/src/storage.ts", "src/storage.ts"),
        ("/home/anna/project/README.md", "README.md"),
        ("src/gone.ts", "src/gone.ts"),
    ],
)
def test_a_path_of_another_machine_is_found_in_this_tree(memory: Memory, tree: Path, written: str, here: str) -> None:
    done = imported(memory, {"memory": "Uploads use S3", "tags": {"code_ref_0_path": written}})
    assert (places(only(memory)), done.unplaced) == ([here], 0)


@pytest.mark.parametrize(
    "written",
    [
        "/apps/merlin/index.ts",  # two files have this name
        "/apps/other/README.md",  # every project has one
        "/apps/merlin/lib/storage.ts",
        "../../etc/passwd",
        "/etc/passwd",
        "src/../../secret.ts",
        "\u202esrc/x.ts",
        "x" * 5000,
        "a/" * 3000 + "x.ts",
        "nul\u0001.ts",
        "lone\ud800.ts",
    ],
)  # fmt: skip
def test_what_cannot_be_placed_is_kept_as_a_tag_and_told(memory: Memory, tree: Path, written: str) -> None:
    done = imported(memory, {"memory": "Uploads use S3", "tags": {"code_ref_0_path": written}})
    if done.statuses["refused"]:  # no tag can hold such characters either
        assert "refused" in told(done)
        return
    assert (places(only(memory)), done.unplaced) == ([], 1)
    assert only(memory)["tags"]["unplaced_refs"].endswith(written.strip()[-100:])
    assert "kept as a tag" in told(done)


def test_files_that_are_found_tell_where_the_others_were(memory: Memory, tree: Path) -> None:
    (tree / "copy" / "src").mkdir(parents=True)
    (tree / "copy" / "src" / "index.ts").write_text("export {}\n")
    paths = ["/apps/merlin/src/storage.ts", "/apps/merlin/src/gone.ts", "/apps/merlin/src/index.ts"]
    rows = [{"memory": f"Rule {n} about uploads", "tags": {"code_ref_0_path": path}} for n, path in enumerate(paths)]
    imported(memory, *rows)
    assert [places(row) for row in memory.list()] == [["src/storage.ts"], ["src/gone.ts"], ["src/index.ts"]]


def test_one_chance_likeness_does_not_make_another_project_ours(memory: Memory, tree: Path) -> None:
    paths = ["/apps/other/src/index.ts", "/apps/other/src/a.ts", "/apps/other/src/b.ts"]
    rows = [{"memory": f"Rule {n} about uploads", "tags": {"code_ref_0_path": path}} for n, path in enumerate(paths)]
    imported(memory, *rows)
    assert [places(row) for row in memory.list()] == [["src/index.ts"], [], []]


def test_a_link_out_of_the_tree_is_not_followed(memory: Memory, tree: Path) -> None:
    (tree / "out").symlink_to(tree.parent)
    (tree.parent / "secret.ts").write_text("x")
    done = imported(memory, {"memory": "Uploads use S3", "tags": {"code_ref_0_path": "out/secret.ts"}})
    assert (done.references, done.unplaced) == (0, 1)


def test_many_references_to_other_projects_fit_beside_the_tags(memory: Memory) -> None:
    tags = {f"code_ref_{n}_path": f"/apps/elsewhere/packages/core/src/module{n}.ts" for n in range(100)}
    done = imported(memory, {"memory": "Uploads use S3", "tags": tags | {f"tag{n}": n for n in range(50)}})
    assert (done.statuses["added"], done.unplaced) == (1, 100)
    kept = " ".join(value for name, value in only(memory)["tags"].items() if name.startswith("unplaced_refs"))
    assert kept.count("/module") == 100


def test_a_person_without_a_tree_keeps_the_paths(open_memory: OpenMemory, tmp_path: Path) -> None:
    memory = open_memory(person="anna")
    path = tmp_path / "memories.json"
    path.write_text(json.dumps([{"memory": "Uploads use S3", "tags": STORAGE}]))
    memory.admin.import_coding_brain(path)
    assert places(only(memory)) == ["/apps/merlin/src/storage.ts#L42-L87"]


# -- through the gateway


def test_a_second_import_finds_duplicates_and_changes_nothing(memory: Memory, tree: Path) -> None:
    memory.admin.import_coding_brain(GOLDEN / "memories.json")
    before = memory.list()
    done = memory.admin.import_coding_brain(GOLDEN / "memories.json")
    assert (done.id, done.statuses["duplicate"], done.notes) == (None, 3, ())
    assert memory.list() == before


def test_secrets_are_masked_in_what_is_stored_and_in_what_is_told(memory: Memory) -> None:
    row = {"id": TOKEN, "memory": f"Use {TOKEN}", "entity": TOKEN, "tags": {"a": TOKEN, "code_ref_0_hash": TOKEN}}
    done = imported(memory, {**row, "code_refs": [{"file_path": f"/x/{TOKEN}.ts"}]})
    assert done.statuses["added"] == 1
    assert done.masked
    assert TOKEN not in json.dumps(memory.list())
    assert TOKEN not in json.dumps(done.to_json())


def test_what_was_rejected_stays_out(memory: Memory) -> None:
    receipt = memory.remember("Uploads use S3")
    assert receipt.id
    memory.reject(receipt.id)
    done = imported(memory, {"memory": "Uploads use S3"})
    assert done.statuses["refused"] == 1
    assert "refused" in told(done)


def test_the_source_is_the_caller_and_never_the_file(memory: Memory) -> None:
    imported(memory, {"memory": "Uploads use S3", "source": "person"})
    assert (only(memory)["source"], only(memory)["claimed"]) == ("agent", {"source": "person"})


def test_what_is_known_is_given_its_references(memory: Memory, tree: Path) -> None:
    memory.remember("Uploads use S3")
    done = imported(memory, {"memory": "Uploads use S3", "tags": STORAGE})
    assert (done.statuses["merged"], done.references) == (1, 1)
    assert places(only(memory)) == ["src/storage.ts#L42-L87"]


def test_what_a_person_said_stays_as_it_is_and_is_told(memory: Memory, tree: Path, clock: TestClock) -> None:
    known = Memory.open(tree, caller=Caller("person", "anna"), clock=clock).remember("Uploads use S3")
    done = imported(memory, {"memory": "Uploads use S3", "tags": STORAGE})
    assert (done.statuses["duplicate"], done.references) == (1, 0)
    assert f"{known.id} already says this" in told(done)


# -- hostile files


@pytest.mark.parametrize(
    "row",
    [
        None, 7, "text", [], {}, {"memory": ""}, {"memory": 7}, {"memory": "\ud800"}, {"memory": "bell\x07"},
        {"memory": "x", "tags": {"\n": "x"}}, {"memory": "x", "tags": {f"t{n}": 1 for n in range(101)}},
        {"memory": "x", "evidence": ["e"] * 101}, {"memory": "x" * 1_000_001},
    ],
)  # fmt: skip
def test_a_memory_that_is_none_is_refused_alone_with_its_reason(memory: Memory, row: object) -> None:
    done = imported(memory, row, {"memory": "Uploads use S3"})
    assert (done.statuses["refused"], done.statuses["added"]) == (1, 1)
    assert told(done).startswith("memory 1: refused: ")


@pytest.mark.parametrize(
    "row",
    [
        {"tags": "free, words"}, {"tags": ["a", 7, None]}, {"tags": "{broken"}, {"tags": 7}, {"metadata": [1]},
        {"tags": {"a": {"b": [1, {"c": None}]}}}, {"tags": {"a": "x" * 501}}, {"tags": {"a": "x\ny"}}, {"id": 7},
        {"id": {"a": 1}}, {"id": "x" * 600}, {"category": ["a"]}, {"categories": ["a", "b"]}, {"evidence": "ADR-1"},
        {"evidence": {"a": 1}}, {"code_refs": "x"}, {"code_refs": [None, {}, {"file_path": 7}]}, {"created_at": 1e300},
        {"created_at": -1e18}, {"created_at": [1]}, {"created_at": True}, {"tags": {"code_ref_0_confidence": "NaN"}},
        {"tags": {"code_ref_0_confidence": [1]}}, {"tags": {"code_ref_x_path": "x"}}, {"tags": {"code_ref_0_path": 7}},
        {"tags": {"code_ref_0_path": "x#L9-L1"}}, {"tags": {"code_link": "file:"}}, {"tags": {"code_link": "#L1"}},
        {"tags": {"code_ref_99999999999_path": "x"}}, {"tags": {"git_commit": "x" * 600, **STORAGE}},
        {"tags": {**STORAGE, "code_ref_0_symbol": "a\nb"}}, {"tags": {**STORAGE, "code_ref_0_hash": 7}},
    ],
)  # fmt: skip
def test_odd_values_never_cost_a_memory(memory: Memory, tree: Path, row: dict[str, Any]) -> None:
    assert imported(memory, {"memory": "Uploads use S3", **row}).statuses["added"] == 1


@pytest.mark.parametrize(
    "content",
    [
        b"", b"7", b'"x"', b"{}", b'{"memories": 7}', b"[", b'[{"memory": "x"}', b"\xff\xfe", b"[" * 100_000,
        b'{"memory": "x"}\nbroken', b'{"memory": "x"}\n' + b'{"a":' * 100_000, b"[" + b"9" * 5000 + b"]", b"null",
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_refused_whole(memory: Memory, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput):
        memory.admin.import_coding_brain(path)
    assert memory.list() == []
    with pytest.raises(InvalidInput, match="cannot be read"):
        memory.admin.import_coding_brain(tmp_path / "none.json")


def test_a_deeply_nested_value_is_survived(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    deep = '{"a":' * 400 + "1" + "}" * 400
    path.write_text(f'[{{"memory": "x", "tags": {{"deep": {deep}}}}}, {{"memory": "Uploads use S3"}}]')
    assert memory.admin.import_coding_brain(path).statuses["added"] == 2


# -- undo


def ids(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def test_undo_takes_back_exactly_what_the_import_added(memory: Memory) -> None:
    before = memory.remember("Deploys run on Fridays").id
    done = imported(memory, {"memory": "Uploads use S3"}, {"memory": "Deploys run on Fridays"})
    added = [row["id"] for row in memory.list() if row.get("import") == done.id]
    undone = memory.admin.undo_import(done.id)
    assert (undone.retracted, undone.left) == (tuple(added), ())
    assert ids(memory.list()) == [before]
    assert memory.history(added[0]).versions[0].text == "Uploads use S3"


def test_undo_without_an_id_means_the_latest_and_again_changes_nothing(memory: Memory, clock: TestClock) -> None:
    first = imported(memory, {"memory": "Uploads use S3"})
    clock.advance(hours=1)
    second = imported(memory, {"memory": "Deploys run on Fridays"})
    imported(memory, {"memory": "Deploys run on Fridays"})  # adds nothing, and is nothing to undo
    assert memory.admin.undo_import().id == second.id
    again = memory.admin.undo_import()
    assert (again.id, again.retracted) == (second.id, ())
    assert only(memory)["import"] == first.id


def test_undo_by_file_means_the_latest_import_of_that_file(memory: Memory, tmp_path: Path) -> None:
    done = memory.admin.import_coding_brain(GOLDEN / "memories.json")
    imported(memory, {"memory": "Deploys run on Fridays"})
    assert memory.admin.undo_import(GOLDEN / "memories.json").id == done.id
    assert only(memory)["text"] == "Deploys run on Fridays"
    with pytest.raises(NotFound):
        memory.admin.undo_import(tmp_path / "another.json")


def test_undo_leaves_what_was_corrected_since(memory: Memory, clock: TestClock) -> None:
    imported(memory, {"memory": "Uploads use S3"}, {"memory": "Deploys run on Fridays"})
    corrected = memory.list()[0]["id"]
    clock.advance(hours=1)
    memory.correct(corrected, "Uploads use presigned URLs")
    undone = memory.admin.undo_import()
    assert (undone.left, len(undone.retracted)) == ((corrected,), 1)
    assert only(memory)["text"] == "Uploads use presigned URLs"


def test_undo_restores_what_it_was_merged_into(memory: Memory, clock: TestClock) -> None:
    known = str(memory.remember("Uploads use S3", valid_from="2026-01-20", evidence=["ADR-1"]).id)
    before = memory.show(known).version
    rows = ({"memory": "Uploads use S3", "created_at": "2026-01-10"}, {"memory": "Deploys run daily"})
    clock.advance(hours=1)
    assert imported(memory, *rows).statuses["merged"] == 1
    assert memory.show(known).version.period != before.period
    clock.advance(hours=1)
    assert memory.admin.undo_import().restored == (known,)
    assert ids(memory.list()) == [known]
    after = memory.show(known).version
    assert replace(after, recorded_at=before.recorded_at, number=before.number) == before
    clock.advance(hours=1)
    imported(memory, *rows)
    memory.facts.promote(known, 0)
    assert memory.admin.undo_import().restored == (), "somebody has changed it since"
    assert memory.show(known).version.level == 0


def test_what_an_undo_took_back_can_be_imported_again(memory: Memory, clock: TestClock) -> None:
    rows = ({"memory": "Uploads use S3", "created_at": "2026-01-02"}, {"memory": "Deploys run on Fridays"})
    imported(memory, *rows)
    by_hand = memory.list()[1]["id"]
    clock.advance(hours=1)
    memory.retract(by_hand)
    clock.advance(hours=1)
    memory.admin.undo_import()
    clock.advance(hours=1)
    done = imported(memory, *rows)
    assert (done.statuses["added"], done.statuses["refused"]) == (1, 1)
    assert only(memory)["text"] == "Uploads use S3"


def test_undo_stands_in_the_audit_with_its_import(memory: Memory) -> None:
    done = imported(memory, {"memory": "Uploads use S3"})
    memory_id = only(memory)["id"]
    memory.admin.undo_import()
    (entry, *_) = memory.admin.audit(memory_id)
    assert (entry.action, entry.details["import"]) == ("retract", done.id)


def test_without_an_import_there_is_nothing_to_undo(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.admin.undo_import()
