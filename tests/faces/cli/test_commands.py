"""The contract of the command line: commands, JSON keys, exit codes."""

import json
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

from waypost import Memory
from waypost.model.memory import Caller

HIT_KEYS = {
    "id", "score", "collection", "type", "name", "path", "line", "end_line", "text", "summary", "level", "confidence",
    "is_stale", "stale_reason", "source", "valid_from", "valid_until", "recorded_at", "code_refs", "key", "kind",
}  # fmt: skip


def remember(waypost: Waypost, text: str, *options: str) -> str:
    done = waypost("remember", text, *options, "--json")
    assert done.code == 0, done
    memory_id: str = done.json["id"]
    return memory_id


def test_what_is_remembered_is_found_with_all_promised_keys(waypost: Waypost, project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "storage.ts").write_text("// code\n" * 100)
    added = waypost("remember", "Uploads use S3 multipart", "--ref", "src/storage.ts#L42-L87", "--json")
    assert (added.code, added.json["status"]) == (0, "added")
    answer = waypost("ask", "how are large files uploaded to S3?", "--json")
    assert answer.code == 0
    assert answer.json.keys() >= {"query", "hits", "took_ms"}
    (hit,) = answer.json["hits"]
    assert hit.keys() >= HIT_KEYS
    assert (hit["path"], hit["line"], hit["end_line"], hit["source"]) == ("src/storage.ts", 42, 87, "agent")
    assert hit["code_refs"][0]["line_range"] == {"start": 42, "end": 87}


def test_nothing_found_is_exit_code_three(waypost: Waypost) -> None:
    done = waypost("ask", "anything at all?", "--json")
    assert (done.code, done.json["hits"]) == (3, [])
    assert waypost("ask", "anything at all?").code == 3


def test_people_get_text_that_names_the_id(waypost: Waypost) -> None:
    memory_id = remember(waypost, "Deploys run on Fridays")
    done = waypost("ask", "when do deploys run?")
    assert "Deploys run on Fridays" in done.out
    assert memory_id[:8] in done.out
    assert waypost("show", memory_id).code == 0


def test_history_names_related_memories_by_short_ids(waypost: Waypost) -> None:
    old = remember(waypost, "Deploys run on Fridays")
    new = waypost("remember", "Deploys run on Mondays", "--replaces", old, "--json").json["id"]
    printed = waypost("history", old).out
    assert new not in printed
    assert f"[{new[:10]}" in printed


@pytest.mark.slow
def test_k_and_budget_are_upper_bounds(waypost: Waypost) -> None:
    for n in range(12):
        remember(waypost, f"Rule number {n} about the deployment of service {n}")
    assert len(waypost("ask", "deployment rules", "-k", "4", "--json").json["hits"]) == 4
    briefing = waypost("context", "deploy a service", "--tokens", "120", "--json").json
    assert briefing.keys() == {"text", "tokens", "memories", "confidence", "explanation", "dna"}
    assert briefing["tokens"] <= 120
    assert len(briefing["text"]) <= 120 * 4
    assert briefing["text"].startswith("<waypost-memory ")


def test_the_life_of_a_memory(waypost: Waypost) -> None:
    fact = remember(waypost, "The port is 8080")
    assert waypost("correct", fact, "The port is 9090", "--json").json == {
        "id": fact, "status": "added", "replaces": fact,
    }  # fmt: skip
    assert [v["text"] for v in waypost("history", fact, "--json").json["versions"]] == [
        "The port is 8080",
        "The port is 9090",
    ]
    assert waypost("protect", fact, "--json").json == {"id": fact, "status": "protected"}
    assert waypost("show", fact, "--json").json["protected"] is True
    assert waypost("retract", fact, "--json").json == {"id": fact, "status": "retracted"}
    assert waypost("ask", "which port?").code == 3
    assert waypost("show", fact).code == 3
    actions = [entry["action"] for entry in waypost("audit", "--json").json["entries"]]
    assert actions == ["retract", "protect", "correct", "remember"]


def test_what_destroys_wants_yes_without_a_terminal(waypost: Waypost) -> None:
    fact = remember(waypost, "The old name is Pathfinder")
    for command in (("forget", fact), ("reject", fact), ("rebuild",)):
        done = waypost(*command)
        assert done.code == 2
        assert "--yes" in done.err
    assert waypost("ask", "old name").code == 0
    assert waypost("reject", fact, "--yes", "--json").json["status"] == "rejected"
    refused = waypost("remember", "The old name is Pathfinder", "--json")
    assert (refused.code, refused.json["status"]) == (1, "refused")
    assert waypost("reject", "--lift", "The old name is Pathfinder").code == 1
    assert waypost("reject", "--lift", "The old name is Pathfinder", "--yes").code == 0
    again = remember(waypost, "The old name is Pathfinder")
    gone = waypost("forget", again, "--yes", "--json").json
    assert gone["status"] == "forgotten"
    assert gone["complete"] is True
    assert any("git" in place for place in gone["beyond_reach"])
    word = waypost("audit", "--json").json["entries"][0]
    assert (word["action"], word["source"], word["details"]["owners_word"]) == ("forget", "agent", True)


def test_people_see_short_ids_in_the_audit_log(waypost: Waypost) -> None:
    memory_id = remember(waypost, "The old name is Pathfinder")
    printed = waypost("audit").out
    assert memory_id[:10] in printed
    assert memory_id not in printed


def test_a_rejected_candidate_can_be_forgotten(waypost: Waypost, project: Path) -> None:
    person = Memory.open(project, caller=Caller("person", "ada"))
    fact = str(person.remember("Payroll runs on alpha").id)
    proposal = waypost("correct", fact, "Payroll of Jane runs on beta", "--json").json["id"]
    person.facts.reject(proposal)
    assert "Jane" in waypost("review", "--rejected").out
    asked = waypost("forget", proposal)
    assert (asked.code, "--yes" in asked.err) == (2, True)
    assert waypost("forget", proposal, "--yes").code == 0
    assert "Jane" not in waypost("review", "--rejected").out
    assert waypost("show", fact).code == 0


def test_rebuild_gives_the_same_answers(waypost: Waypost) -> None:
    for n in range(5):
        remember(waypost, f"Queue {n} has a limit of {n * 100} messages")
    before = waypost("ask", "queue limit", "--json").json["hits"]
    assert waypost("rebuild", "--yes", "--json").json["status"] == "rebuilt"
    assert waypost("ask", "queue limit", "--json").json["hits"] == before


def test_a_batch_answers_line_by_line_with_its_keys(waypost: Waypost, tmp_path: Path) -> None:
    rows = [
        {"text": "I moved to Lisbon", "kind": "conversation", "session": "s1", "speaker": "Ana", "time": "2026-01-02", "key": "t1"},
        {"text": "Nice!", "kind": "conversation", "session": "s1", "speaker": "Ben", "time": "2026-01-02", "key": "t2"},
        {"text": "I moved to Lisbon", "kind": "conversation", "session": "s1", "speaker": "Ana", "time": "2026-01-02", "key": "t1"},
    ]  # fmt: skip
    path = tmp_path / "turns.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    done = waypost("remember", "--batch", str(path), "--json")
    assert [(line["key"], line["status"]) for line in done.lines] == [
        ("t1", "added"),
        ("t2", "added"),
        ("t1", "duplicate"),
    ]
    hit = waypost("ask", "where did Ana move to, Lisbon?", "--in", "journal", "--json").json["hits"][0]
    assert (hit["key"], hit["session"], hit["speaker"]) == ("t1", "s1", "Ana")


def test_list_filters(waypost: Waypost) -> None:
    assert "No memories yet" in waypost("list").out
    assert waypost("list", "--as-of", "yesterday").out == "No memory matches.\n"
    remember(waypost, "Tokens expire after an hour", "--domain", "auth", "--level", "2", "--tag", "team=core")
    remember(waypost, "Invoices are PDFs", "--domain", "billing", "--kind", "decision")
    for options, expected in (
        (("--domain", "auth"), ["Tokens expire after an hour"]),
        (("--kind", "decision"), ["Invoices are PDFs"]),
        (("--level", "2"), ["Tokens expire after an hour"]),
        (("--tag", "team=core"), ["Tokens expire after an hour"]),
        ((), ["Tokens expire after an hour", "Invoices are PDFs"]),
    ):
        assert [row["text"] for row in waypost("list", *options, "--json").json["memories"]] == expected


def test_export_and_import_carry_everything_and_overwrite_nothing(waypost: Waypost, tmp_path: Path) -> None:
    remember(waypost, "The queue is RabbitMQ", "--domain", "infra", "--evidence", "ADR-2", "--tag", "team=core")
    remember(waypost, "Ana likes tea", "--kind", "conversation", "--session", "s1", "--time", "2026-01-02T10:00:00Z")
    path = tmp_path / "out.jsonl"
    assert waypost("export", str(path), "--json").json["memories"] == 2
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(row.keys() >= {"id", "text", "source", "recorded_at", "valid_from", "valid_until"} for row in rows)
    assert waypost("export", str(path)).code == 2  # it exists
    again = waypost("import", str(path), "--json").lines
    assert [line["status"] for line in again] == ["duplicate", "duplicate"]
    other = ("--person", "someone")
    assert [line["status"] for line in waypost(*other, "import", str(path), "--json").lines] == ["added", "added"]
    copied = waypost(*other, "list", "--json").json["memories"]
    for key in ("id", "text", "kind", "domain", "evidence", "tags", "session", "time", "valid_from"):
        assert [row[key] for row in copied] == [row[key] for row in rows]
    rows[0]["text"] = "The queue is Kafka"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    assert waypost("import", str(path), "--json").lines[0]["status"] == "refused"


def test_exports_are_listed_and_a_pipe_gets_the_lines(waypost: Waypost) -> None:
    remember(waypost, "Only one")
    piped = waypost("export")
    assert [line["text"] for line in piped.lines] == ["Only one"]
    assert waypost("export", "--format", "json", "--json").json["format"] == "json"
    listed = waypost("exports", "--json").json["exports"]
    assert [row["memories"] for row in listed] == [1, 1]


@pytest.mark.slow
def test_status_and_doctor(waypost: Waypost) -> None:
    remember(waypost, "Only one")
    status = waypost("status", "--json").json
    assert status.keys() >= {
        "space",
        "collections",
        "memories",
        "storage_bytes",
        "model",
        "pending",
        "initialised_at",
        "updated_at",
    }
    assert (status["memories"], status["collections"]) == (1, {"facts": 1})
    assert isinstance(status["pending"], dict)
    report = waypost("doctor", "--json").json
    assert report.keys() >= {"ok", "findings", "problems", "notes"}
    [database] = [row for row in report["findings"] if row["check"] == "database"]
    assert database.items() >= {"check": "database", "ok": True, "message": "It is sound.", "remedy": ""}.items()
    printed = waypost("doctor").out
    assert "maintenance: It is not overdue." in printed and "upkeep" not in printed


def test_one_of_a_thing_is_told_in_the_singular(waypost: Waypost, project: Path) -> None:
    (project / "shop.py").write_text("OPEN = 9\n")
    waypost("init", "--no-facts")
    assert "1 file, 1 line" in waypost("status").out
    memory = remember(waypost, "Only one")
    assert waypost("export", str(project.parent / "all.json")).out.startswith("1 memory written to ")
    assert "(1 version)." in waypost("forget", memory, "--yes").out


def test_only_the_status_of_a_project_tells_of_a_tree(waypost: Waypost) -> None:
    assert "not indexed" in waypost("status").out
    told = waypost("--person", "anna", "status").out
    assert "anna" in told and "tree" not in told and "indexed" not in told


@pytest.mark.usefixtures("fitted")
def test_a_persons_memory_is_another_one(waypost: Waypost) -> None:
    remember(waypost, "The project uses tabs")
    assert waypost("--person", "ask", "tabs").code == 3
    assert waypost("--person", "anna", "remember", "Anna uses spaces").code == 0
    assert waypost("--person", "anna", "ask", "spaces", "--json").json["hits"][0]["text"] == "Anna uses spaces"
    assert waypost("ask", "tabs", "--json").json["hits"][0]["text"] == "The project uses tabs"
    assert waypost("ask", "spaces").code == 3
    assert waypost("--person", "ben", "ask", "spaces").code == 3


def test_the_directory_option_names_the_project(waypost: Waypost, tmp_path: Path) -> None:
    other = tmp_path / "work" / "other"
    other.mkdir()
    assert waypost("-C", str(other), "remember", "Other project").code == 0
    assert waypost("ask", "other project").code == 3
    assert waypost("-C", str(other), "ask", "other project").code == 0
    missing = waypost("-C", str(tmp_path / "nowhere"), "ask", "x")
    assert missing.code == 2
    assert "nowhere" in missing.err


@pytest.mark.parametrize("arguments", [("--help",), ("remember", "--help"), ("model", "--help")])
def test_help_is_there(waypost: Waypost, arguments: tuple[str, ...]) -> None:
    done = waypost(*arguments)
    assert done.code == 0
    assert "Usage" in done.out


def test_an_error_is_two_lines_and_json_when_asked(waypost: Waypost) -> None:
    done = waypost("show", "not-an-id", "--json")
    assert done.code == 2
    assert done.json["error"].startswith("'not-an-id'")
    assert done.err.splitlines() == [f"error: {done.json['error']}", done.json["remedy"]]


def test_explain_says_how_the_score_came_about(waypost: Waypost) -> None:
    remember(waypost, "Retries use exponential backoff")
    hit = waypost("ask", "retries backoff", "--explain", "--json").json["hits"][0]
    assert hit["why"]["keywords"] > 0
