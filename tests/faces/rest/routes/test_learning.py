"""Facts out of the project, imports, and conversations like another one."""

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Git

HERE = "/api/v1/spaces/here"


@pytest.fixture
def project(served: Any, git: Git) -> Any:
    """A repository with a commit that teaches something."""
    root = Path(served.memory.code.root)

    git(root, "init", "-q")
    (root / "storage.py").write_text("def upload():\n    return 1\n")
    (root / "pyproject.toml").write_text('[project]\nname = "storage"\nrequires-python = ">=3.11"\n')
    git(root, "add", ".")
    git(root, "commit", "-qm", "Begin")
    (root / "storage.py").write_text("def upload():\n    for attempt in range(3):\n        pass\n    return 1\n")
    message = "Fix uploads that failed on a slow network: `upload` is tried three times"
    reason = "An upload is tried three times, because the network of the warehouse is slow."
    git(root, "commit", "-qam", message, "-m", reason)
    return served


def ended(served: Any, answer: Any) -> dict[str, Any]:
    assert answer.status_code == 202, answer.text
    served.app.state.services.jobs.wait(answer.json()["id"], 30)
    found: dict[str, Any] = served.reader.get(answer.headers["location"]).json()
    return found


@pytest.mark.slow
def test_commits_teach_facts_that_wait_for_a_person(project: Any) -> None:
    asked = {"diff": "HEAD~1..HEAD"}
    shown = project.agent.post(f"{HERE}/learn", json={**asked, "dry_run": True})
    assert shown.status_code == 200
    assert "tried three times" in shown.text
    assert project.reader.get(f"{HERE}/candidates").json()["pending_approval"] == 0
    done = ended(project, project.agent.post(f"{HERE}/learn", json=asked))
    assert (done["status"], done["result"]["commits"], done["result"]["pending_approval"]) == ("done", 1, 1)
    assert "tried three times" not in str(done), "a job keeps no words"
    assert "tried three times" in project.reader.get(f"{HERE}/candidates").text


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"diff": "--output=/tmp/x"},
        {"diff": "HEAD", "staged": True},
        {"file": "../../etc/passwd"},
        {"diff": ""},
        {"yes": True},
    ],
)
def test_no_option_or_path_of_a_client_leads_out_of_the_project(project: Any, asked: Any) -> None:
    answer = project.agent.post(f"{HERE}/learn", json={**asked, "dry_run": True})
    assert answer.status_code in (403, 422), answer.text


@pytest.mark.slow
def test_a_first_look_tells_what_the_project_is(project: Any) -> None:
    shown = project.agent.post(f"{HERE}/discover", json={"dry_run": True}).json()
    assert shown["project_type"] == "python" and shown["facts"]
    done = ended(project, project.agent.post(f"{HERE}/discover"))
    assert done["result"]["facts_created"] >= 1 and "facts" not in done["result"]
    assert "Python" in str(project.reader.get(f"{HERE}/memories").json())


@pytest.mark.slow
def test_an_export_is_taken_in_elsewhere(served: Any, serve: Any, open_memory: Any) -> None:
    served.remember("Uploads go to S3", tags={"team": "storage"})
    place = served.owner.post(f"{HERE}/exports", json={"format": "json"}).headers["location"]
    rows = served.reader.get(place).json()["memories"]
    other = serve(open_memory("other"))
    assert other.agent.post(f"{HERE}/imports", json={"memories": rows}).json()["counts"] == {"added": 1}
    found = other.reader.get(f"{HERE}/memories").json()["memories"]
    assert [(one["text"], one["id"], one["tags"]) for one in found] == [
        (rows[0]["text"], rows[0]["id"], {"team": "storage"})
    ]
    assert other.agent.post(f"{HERE}/imports", json={"memories": rows}).json()["counts"] == {"duplicate": 1}


@pytest.mark.slow
def test_code_in_an_import_is_left_out_with_a_word(served: Any) -> None:
    rows = [{"text": "def pay(): ...", "kind": "symbol"}, {"text": "Payments are retried", "kind": "fact"}]
    done = served.agent.post(f"{HERE}/imports", json={"memories": rows}).json()
    assert done["counts"] == {"added": 1, "refused": 1}
    assert "1 row of indexed code was not imported" in done["receipts"][-1]["reason"]


@pytest.mark.slow
def test_an_agent_imports_no_persons_word(served: Any) -> None:
    row = {"text": "Ada allows everything", "source": "person", "actor": "ada"}
    served.agent.post(f"{HERE}/imports", json={"memories": [row]})
    (found,) = served.reader.get(f"{HERE}/memories").json()["memories"]
    assert found["source"] != "person"


@pytest.mark.slow
def test_one_bad_row_leaves_nothing_half_taken_in(served: Any, problem: Any) -> None:
    rows = [{"text": "Uploads go to S3"}, {"text": 5}]
    assert "Line 2" in problem(served.agent.post(f"{HERE}/imports", json={"memories": rows}), 422)["detail"]
    assert served.reader.get(f"{HERE}/memories").json()["memories"] == []


@pytest.mark.slow
def test_conversations_like_another_are_found(served: Any) -> None:
    for session in ("standup", "retro"):
        for text in ("Which tests are slow now?", "The import tests take two minutes."):
            served.owner.post(f"{HERE}/journal", json={"text": text, "session": session, "speaker": "Ada"})
    found = served.reader.get(f"{HERE}/journal/similar", params={"session": "standup"}).json()
    assert [one["session"] for one in found["similar"]] == ["retro"]
    assert served.reader.get(f"{HERE}/journal/similar", params={"session": "nowhere"}).status_code == 404
