"""The routes of LocAI and Coding Brain, by their exact names."""

from pathlib import Path
from typing import Any

import pytest

from waypost import Memory


def test_what_is_written_is_listed_found_and_forgotten(served: Any) -> None:
    made = served.owner.post("/api/memories", json={"text": "Uploads go to S3"})
    assert made.status_code == 201
    memory_id = made.json()["id"]
    assert made.headers["location"] == f"/api/v1/spaces/here/memories/{memory_id}"
    assert [row["text"] for row in served.owner.get("/api/memories").json()["memories"]] == ["Uploads go to S3"]
    hits = served.owner.get("/api/memories/search", params={"q": "where do uploads go"}).json()["hits"]
    assert hits[0]["id"] == memory_id
    gone = served.owner.delete(f"/api/memories/{memory_id}")
    assert gone.status_code == 200 and gone.json()["status"] == "forgotten"
    assert served.owner.get("/api/memories").json() == {"memories": [], "next": None}


def test_only_a_person_deletes(served: Any, problem: Any) -> None:
    memory_id = served.remember("Uploads go to S3")
    told = problem(served.agent.delete(f"/api/memories/{memory_id}"), 403)
    assert "dashboard" in told["remedy"]
    problem(served.reader.delete(f"/api/memories/{memory_id}"), 403)
    assert served.owner.get(f"/api/v1/spaces/here/memories/{memory_id}").status_code == 200


@pytest.mark.slow
def test_pages_hold_together_while_others_write(served: Any, clock: Any) -> None:
    for number in range(7):
        clock.advance(seconds=1)
        served.remember(f"The {number}th fact is about {'abcdefg'[number] * 9}")
    first = served.owner.get("/api/memories", params={"limit": 3}).json()
    clock.advance(seconds=1)
    served.remember("Something quite different was written meanwhile")
    oldest = served.owner.get("/api/memories", params={"limit": 50}).json()["memories"][-1]
    corrected = served.owner.post(
        f"/api/v1/spaces/here/memories/{oldest['id']}/correct", json={"text": "The first fact was corrected"}
    )
    assert corrected.status_code == 200
    texts, page = [row["text"] for row in first["memories"]], first
    while page["next"]:
        page = served.owner.get("/api/memories", params={"limit": 3, "cursor": page["next"]}).json()
        texts += [row["text"] for row in page["memories"]]
    assert texts == [f"The {number}th fact is about {'abcdefg'[number] * 9}" for number in range(6, -1, -1)]


def test_pruning_says_what_would_go(served: Any) -> None:
    answer = served.agent.post("/api/memories/prune", json={"dry_run": True})
    assert answer.json() == {"entries": 0, "ids": [], "files": [], "kept": 0, "dry_run": True}
    assert served.agent.post("/api/memories/prune").status_code == 200


def test_reindexing_is_a_job(served: Any) -> None:
    served.remember("Uploads go to S3")
    answer = served.agent.post("/api/memories/reindex")
    assert answer.status_code == 202
    job = answer.json()
    served.app.state.services.jobs.wait(job["id"], 10)
    done = served.app.state.services.jobs.get(served.memory.identity.space_id, job["id"])
    assert (done.status, done.result["status"], done.started_by[:5]) == ("done", "rebuilt", "agent")


def test_the_memories_about_a_line(served: Any) -> None:
    memory: Memory = served.memory
    source = Path(memory.code.root) / "storage.py"
    source.write_text("def upload():\n    return 1\n\n\ndef other():\n    return 2\n")
    memory_id = served.remember("Upload answers one", refs=["storage.py#L1-L2"])
    found = served.agent.get("/api/v1/code/memories", params={"file_path": "storage.py", "line": 2}).json()
    assert [(one["id"], one["memory"], one["relevance"]) for one in found["memories"]] == [
        (memory_id, "Upload answers one", "direct")
    ]
    assert found["memories"][0]["code_ref"]["line_range"] == {"start": 1, "end": 2}
    far = served.agent.get("/api/v1/code/memories", params={"file_path": str(source), "line": 5}).json()
    assert [one["relevance"] for one in far["memories"]] == ["file"]


def test_a_path_that_leaves_the_project_is_refused(served: Any, problem: Any) -> None:
    for path in ("../../etc/passwd", "/etc/passwd", "a/../../../x", "x" * 300):
        problem(served.owner.get("/api/v1/code/memories", params={"file_path": path}), 403)
    problem(served.owner.get("/api/v1/code/memories?file_path=a%00b"), 400)
    problem(served.owner.get("/api/v1/code/memories"), 422)
