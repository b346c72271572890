"""`waypost import --from`: another tool's file comes in, and can be taken back."""

import json
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

TAGS = {"code_ref_count": 2, "code_ref_0_path": "/apps/merlin/src/storage.ts", "code_ref_0_lines": "2-3"}
ROWS = [
    {
        "id": "a1",
        "memory": "Uploads use S3",
        "category": "architecture",
        "tags": {**TAGS, "code_ref_1_path": "/x/y.ts"},
    },
    {"id": "a2", "memory": ""},
]


@pytest.fixture
def file(project: Path) -> Path:
    (project / "src").mkdir()
    (project / "src" / "storage.ts").write_text("export const value = 1\n" * 10)
    path = project.parent / "brain.json"
    path.write_text(json.dumps(ROWS))
    return path


def test_an_import_answers_with_counts_reasons_and_its_id(waypost: Waypost, file: Path) -> None:
    done = waypost("import", "--from", "code-tags", str(file), "--json")
    assert done.code == 0
    counts = ("added", "merged", "duplicate", "refused", "references", "unplaced")
    assert [done.json[name] for name in counts] == [1, 0, 0, 1, 1, 1]
    assert [(note["memory"], note["key"]) for note in done.json["notes"]] == [(1, "a1"), (2, None)]
    (listed,) = waypost("list", "--json").json["memories"]
    assert (listed["category"], listed["import"]) == ("architecture", done.json["import"])
    assert listed["code_refs"][0]["file_path"] == "src/storage.ts"


def test_people_are_told_how_to_take_it_back(waypost: Waypost, file: Path) -> None:
    done = waypost("import", "--from", "code-tags", str(file))
    assert "1 added" in done.out
    assert "/x/y.ts kept as a tag" in done.err
    command = done.out.strip().splitlines()[-1].partition(": waypost ")[2].split()
    undone = waypost(*command)
    assert (undone.code, undone.out.startswith("Retracted 1;")) == (0, True)
    assert waypost("list", "--json").json["memories"] == []


def test_the_file_that_was_imported_can_be_named_to_undo_it(waypost: Waypost, file: Path) -> None:
    first = waypost("import", "--from", "code-tags", str(file), "--json").json
    undone = waypost("import", "--from", "code-tags", str(file), "--undo", "--json")
    assert (undone.json["import"], len(undone.json["retracted"]), undone.json["left"]) == (first["import"], 1, [])
    again = waypost("import", "--from", "code-tags", str(file), "--undo", "--json")
    assert (again.code, again.json["retracted"]) == (0, [])


def test_a_corrected_memory_is_left_and_named(waypost: Waypost, file: Path) -> None:
    waypost("import", "--from", "code-tags", str(file))
    memory_id = waypost("list", "--json").json["memories"][0]["id"]
    waypost("correct", memory_id, "Uploads use presigned URLs")
    undone = waypost("import", "--from", "code-tags", "--undo")
    assert "Retracted 0;" in undone.out
    assert f"kept: {memory_id}" in undone.out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--from", "letta", "x.json"], 2, "code-tags"),
        (["--undo"], 2, "--from code-tags"),
        (["--from", "code-tags"], 2, "No file given"),
        ([], 2, "No file given"),
        (["--from", "code-tags", "--undo"], 3, "added anything"),
        (["--from", "code-tags", "none.json"], 2, "cannot be read"),
        (["none.md"], 2, "none.md does not exist"),
    ],
)
def test_wrong_usage_is_answered_with_what_works(waypost: Waypost, arguments: list[str], code: int, said: str) -> None:
    done = waypost("import", *arguments)
    assert done.code == code
    assert said in done.err


@pytest.mark.parametrize(
    ("name", "content", "origin"),
    [
        ("AGENTS.md", "# Build\n- Run make check before a commit\n", "rules"),
        (".cursor/rules/style.mdc", "---\nglobs: '*.py'\n---\nRun make check before a commit\n", "rules"),
        (
            "memory.jsonl",
            '{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}',
            "server-memory",
        ),
        ("dump.json", '{"results": [{"id": "1", "memory": "Likes tea", "user_id": "ada"}]}', "mem0"),
        ("tags.json", json.dumps(ROWS), "code-tags"),
        ("note.md", "---\ntitle: Tea\npermalink: main/tea\n---\n- [fact] Tea is green\n", "basic-memory"),
    ],
)
def test_a_file_of_another_program_is_recognized(
    waypost: Waypost, project: Path, name: str, content: str, origin: str
) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    done = waypost("import", str(path))
    assert (done.code, "1 added" in done.out) == (0, True), done.err
    assert f"--from {origin}" in done.err
    assert f"--from {origin} --undo" in done.out


def test_conversations_are_recognized_and_go_to_the_journal(waypost: Waypost, project: Path) -> None:
    (project / "conversations.json").write_text(
        '[{"uuid": "1", "name": "Tea", "chat_messages": [{"sender": "human", "text": "Which tea is green?",'
        ' "created_at": "2026-01-30T18:00:15Z"}]}]'
    )
    done = waypost("import", "conversations.json")
    assert (done.code, "1 entry" in done.out) == (0, True), done.err
    assert "waypost journal import" in done.err
    assert "Which tea is green?" in waypost("journal", "show", "2026-01-30").out


@pytest.mark.parametrize("name", ["README.md", "notes", "data.db"])
def test_a_file_that_nobody_recognizes_is_answered_with_the_names(waypost: Waypost, project: Path, name: str) -> None:
    (project / name).mkdir() if name == "notes" else (project / name).write_text("Tea")
    done = waypost("import", name)
    assert done.code == 2
    assert "--from NAME" in done.err
    assert "JSON" not in done.err


def test_an_export_of_waypost_is_still_its_own(waypost: Waypost, project: Path) -> None:
    waypost("remember", "The role and content of a mapping are stored")
    waypost("export", "own.jsonl")
    assert "1 duplicate" in waypost("import", "own.jsonl").out


def test_labels_are_given_by_name(waypost: Waypost) -> None:
    options = ["--label", "category=architecture", "--label", "entity=FileUploadService"]
    memory_id = waypost("remember", "Uploads use S3", *options, "--json").json["id"]
    shown = waypost("show", memory_id, "--json").json
    assert (shown["category"], shown["entity"], shown["scope"]) == ("architecture", "FileUploadService", None)
    (hit,) = waypost("ask", "what do uploads use?", "--json").json["hits"]
    assert hit["category"] == "architecture"


@pytest.mark.parametrize("wrong", ["colour=red", "category", "category=", "domain=x"])
def test_a_label_that_is_none_is_refused_with_the_names(waypost: Waypost, wrong: str) -> None:
    done = waypost("remember", "Uploads use S3", "--label", wrong)
    assert done.code == 2
    assert "access_entity" in done.err


def test_a_batch_takes_labels(waypost: Waypost, tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    path.write_text(json.dumps({"text": "Uploads use S3", "category": "architecture", "scope": "project"}))
    assert waypost("remember", "--batch", str(path)).code == 0
    (listed,) = waypost("list", "--json").json["memories"]
    assert (listed["category"], listed["scope"]) == ("architecture", "project")


def test_rules_of_the_project_come_in_and_out_again(waypost: Waypost, project: Path) -> None:
    (project / "CLAUDE.md").write_text("# Build\n- Run make check before a commit\n- Ok\n")
    done = waypost("import", "--from", "rules")
    assert "1 added" in done.out
    assert "'Ok' is too short" in done.err
    command = done.out.strip().splitlines()[-1].partition(": waypost ")[2].split()
    assert "Retracted 1" in waypost(*command).out
    assert waypost("list", "--json").json["memories"] == []


@pytest.mark.parametrize("source", ["mem0", "server-memory", "mcp-memory-service"])
def test_a_source_without_a_usual_place_needs_a_path(waypost: Waypost, project: Path, source: str) -> None:
    done = waypost("import", "--from", source)
    assert done.code != 0
    assert f"waypost import --from {source} PATH" in done.err
