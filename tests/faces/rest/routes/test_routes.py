"""The other routes, each once with what it is for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from waypost import Memory
from waypost.memory.handle import LIBRARY
from waypost.model.candidate import Candidate

HERE = "/api/v1/spaces/here"
CODE = "def upload():\n    return 1\n"


@pytest.fixture
def source(served: Any) -> Path:
    path = Path(served.memory.code.root) / "storage.py"
    path.write_text(CODE)
    return path


def test_recall_by_address_and_by_body_say_the_same(served: Any) -> None:
    memory_id = served.remember("Uploads go to S3", tags={"team": "core"})
    asked = {"k": 3, "scope": "facts", "fresh": True, "explain": True}
    by_get = served.reader.get(f"{HERE}/recall", params={"q": "where do uploads go", **asked}).json()
    by_post = served.reader.post(f"{HERE}/recall", json={"question": "where do uploads go", **asked}).json()
    assert [(hit["id"], hit["why"]) for hit in by_get["hits"]] == [(hit["id"], hit["why"]) for hit in by_post["hits"]]
    assert by_get["hits"][0]["id"] == memory_id
    without = served.reader.get(f"{HERE}/recall", params={"q": "uploads", "exclude_tag": ["x", "team=core"]}).json()
    assert without["hits"] == []
    assert served.reader.get(f"{HERE}/recall", params={"q": "uploads", "as_of": "2020-01-01"}).json()["hits"] == []


def test_recall_of_what_there_is_not(served: Any, problem: Any) -> None:
    problem(served.reader.get(f"{HERE}/recall", params={"q": "x", "scope": "everywhere"}), 422)
    problem(served.reader.get(f"{HERE}/recall", params={"q": "x", "as_of": "yesterday-ish"}), 422)
    problem(served.reader.post(f"{HERE}/recall", json={"question": "x" * 10_001}), 422)
    problem(served.reader.post(f"{HERE}/recall", json={"question": "x", "min_confidence": 2}), 422)


@pytest.mark.slow
def test_the_context_of_a_task(served: Any, source: Path) -> None:
    served.remember("Uploads go to S3 in parts")
    for preset in ({}, *({"preset": name} for name in ("scope", "route", "inject", "journal"))):
        asked = {"task": "make uploads resumable", "tokens": 300, **preset}
        by_get = served.reader.get(f"{HERE}/context", params=asked)
        by_post = served.reader.post(f"{HERE}/context", json=asked)
        assert by_get.status_code == by_post.status_code == 200
        assert by_get.json()["tokens"] <= 300
        assert by_get.json()["text"] == by_post.json()["text"]


@pytest.mark.slow
def test_what_is_stale_is_shown_and_put_right(served: Any, source: Path) -> None:
    kept, moved = (
        served.remember("Upload answers one", refs=["storage.py#L1-L2"]),
        served.remember("Storage is small", refs=["storage.py"]),
    )
    assert served.reader.get(f"{HERE}/staleness").json()["fresh"] == 2
    source.write_text("def upload():\n    log()\n    return 2\n")
    report = served.reader.get(f"{HERE}/staleness", params={"file": ["storage.py"]}).json()
    assert {one["id"] for one in report["memories"]} <= {kept, moved} and report["stale"] >= 1
    assert served.agent.post(f"{HERE}/staleness/verify", json={"ids": [kept]}).status_code == 403
    done = served.owner.post(f"{HERE}/staleness/verify", json={"ids": [kept]}).json()
    assert (done["status"], done["count"]) == ("verified", 1)
    source.write_text("x = 1\n")
    assert served.agent.post(f"{HERE}/staleness/check").json()["stale"] >= 1
    reset = served.agent.post(f"{HERE}/staleness/reset", json={"every": True}).json()
    assert any("only a person" in line for line in reset["left"])  # the owner said where they point
    reset = served.owner.post(f"{HERE}/staleness/reset", json={"every": True}).json()
    assert reset["status"] == "reset" and reset["left"] == []
    assert served.reader.get(f"{HERE}/staleness").json()["stale"] == 0
    linked = served.owner.post(f"{HERE}/staleness/relink", json={"id": kept, "refs": ["storage.py#L1-L1"]}).json()
    assert linked["memories"][0]["code_refs"][0]["line_range"] == {"start": 1, "end": 1}


@pytest.mark.slow
def test_which_memories_are_meant_is_said_in_one_way(served: Any, source: Path, problem: Any) -> None:
    an_id = served.remember("Storage is small", refs=["storage.py"])
    for body in ({}, {"every": False}, {"ids": [an_id], "every": True}, {"files": ["storage.py"], "every": True}):
        problem(served.agent.post(f"{HERE}/staleness/verify", json=body), 422)
        problem(served.agent.post(f"{HERE}/staleness/reset", json=body), 422)
    for body in ({}, {"id": an_id, "every": True}, {"id": an_id, "add": True}):
        problem(served.agent.post(f"{HERE}/staleness/relink", json=body), 422)


@pytest.mark.slow
def test_code_is_described(served: Any, source: Path, problem: Any) -> None:
    symbols = served.reader.get(f"{HERE}/code/analyze", params={"path": "storage.py"}).json()["files"][0]["symbols"]
    assert [one["name"] for one in symbols] == ["upload"]
    assert "upload" in served.reader.get(f"{HERE}/code/summary", params={"file_path": "storage.py"}).json()["summary"]
    problem(served.reader.get(f"{HERE}/code/summary", params={"file_path": "nothing.py"}), 404)
    served.memory.index()
    assert served.reader.get(f"{HERE}/code/architecture").json()["languages"][0]["name"] == "Python"
    assert served.reader.get(f"{HERE}/code/symbols", params={"name": "upload"}).json()["total"] == 1
    assert served.reader.get(f"{HERE}/code/symbols", params={"name": "uploat"}).json()["nearest"] == ["upload"]
    problem(served.reader.get(f"{HERE}/code/symbols"), 422)
    answer = served.reader.get(f"{HERE}/code/uses", params={"symbol": "upload", "direction": "callers"}).json()
    assert (answer["symbol"]["path"], answer["rows"]) == ("storage.py", [])
    problem(served.reader.get(f"{HERE}/code/uses", params={"symbol": "upload", "direction": "up"}), 422)
    assert served.reader.get(f"{HERE}/code/impact", params={"symbol": "upload"}).json()["total"] == 0
    assert [one["name"] for one in served.reader.get(f"{HERE}/code/unused").json()["rows"]] == ["upload"]
    served.remember("Upload answers one", refs=["storage.py#L1-L2"])
    found = served.reader.get(f"{HERE}/code/memories", params={"file_path": "storage.py", "line": 1}).json()
    assert found["memories"][0]["relevance"] == "direct"


def proposed(memory: Memory, *texts: str) -> list[str]:
    """Candidates that wait for a person."""
    from waypost.flows.facts.candidates import take

    take(memory.space, [Candidate(text, 0.5, "git_diff") for text in texts], LIBRARY)
    return [row.candidate_id for row, _ in memory.facts.review().candidates]


@pytest.mark.slow
def test_a_person_decides_on_candidates(served: Any, problem: Any) -> None:
    ids = proposed(
        served.memory, "Retries are three", "Timeouts are ten seconds", "Logs go to syslog", "Caches are warm"
    )
    listed = served.reader.get(f"{HERE}/candidates").json()
    assert listed["pending_approval"] == 4
    by_text = {one["text"]: one["id"] for one in listed["candidates"]}
    assert sorted(by_text.values()) == sorted(ids)
    retries, timeouts = by_text["Retries are three"], by_text["Timeouts are ten seconds"]
    problem(served.agent.post(f"{HERE}/candidates/{retries}/approve"), 403)
    edited = served.owner.post(f"{HERE}/candidates/{retries}/edit", json={"text": "Retries are four"}).json()
    assert edited == {"id": retries, "status": "edited", "text": "Retries are four"}
    approved = served.owner.post(f"{HERE}/candidates/{retries}/approve").json()
    assert approved["status"] == "approved"
    row = served.reader.get(f"{HERE}/memories/{approved['id']}").json()
    assert (row["text"], row["source"]) == ("Retries are four", "person")
    assert served.owner.post(f"{HERE}/candidates/{timeouts}/reject").json()["status"] == "rejected"
    many = served.owner.post(f"{HERE}/candidates/approve", json={"ids": [by_text["Logs go to syslog"]]}).json()
    assert [one["status"] for one in many["decided"]] == ["approved"]
    gone = served.owner.post(f"{HERE}/candidates/reject", json={"ids": [by_text["Caches are warm"]]}).json()
    assert [one["status"] for one in gone["decided"]] == ["rejected"]
    problem(served.owner.post(f"{HERE}/candidates/{timeouts}/approve"), 404)


@pytest.mark.slow
def test_why_something_was_decided(served: Any) -> None:
    body = {
        "text": "We use FastAPI for the API",
        "because": ["It checks input"],
        "given": ["Python only"],
        "leads_to": ["uvicorn runs it"],
    }
    made = served.agent.post(f"{HERE}/decisions", json=body)
    assert made.status_code == 201 and len(made.json()["edges"]) == 3
    chain = served.reader.get(f"{HERE}/decisions/why", params={"q": "why do we use FastAPI"}).json()
    assert [one["content"] for one in chain["chain"]["reasons"]] == ["It checks input"]
    assert chain["mermaid"].startswith("flowchart") or chain["mermaid"].startswith("graph")
    assert served.reader.get(f"{HERE}/decisions/why", params={"q": "zzz"}).json()["status"] == "not_found"


@pytest.mark.slow
def test_the_journal_through_its_stages(served: Any, clock: Any, problem: Any) -> None:
    made = served.agent.post(
        f"{HERE}/journal", json={"text": "We agreed to ship on Friday", "speaker": "Ada", "session": "s"}
    )
    entry = made.json()["id"]
    assert served.reader.get(f"{HERE}/journal").json()["overview"][0]["name"] == "2026-01-30"
    said = served.reader.get(f"{HERE}/journal/timeline", params={"when": "2026-01-30"}).json()["entries"]
    assert [(one["id"], one["speaker"]) for one in said] == [(entry, "Ada")]
    assert "ship on Friday" in served.reader.get(f"{HERE}/journal/page").json()["text"]
    assert served.reader.get(f"{HERE}/journal/search", params={"q": "Friday"}).json()["lines"][0]["id"] == entry
    assert served.reader.get(f"{HERE}/journal/stats").json()["entries"] == 1
    assert served.reader.get(f"{HERE}/journal/topics", params={"by": "week"}).json()["by"] == "week"
    assert served.agent.post(f"{HERE}/journal/protect", json={"what": entry}).json() == {"id": entry, "protected": True}
    refused = served.agent.post(f"{HERE}/journal/curate", json={"id": entry, "heading": "Rules from the owner"})
    assert (refused.status_code, "only a person" in refused.json()["detail"]) == (403, True)
    curated = served.agent.post(f"{HERE}/journal/curate", json={"id": entry}).json()
    assert (curated["added"], curated["heading"]) == (True, "From agents")
    assert served.agent.post(f"{HERE}/journal/prune", json={"dry_run": True}).json()["dry_run"]
    clock.advance(days=10)
    planned = served.agent.post(f"{HERE}/journal/condense", json={"dry_run": True, "force": True})
    assert planned.status_code == 200 and planned.json()["made"] == ["weekly/2026-W05.md"]
    started = served.agent.post(f"{HERE}/journal/condense", json={"force": True})
    assert started.status_code == 202
    served.app.state.services.jobs.wait(started.json()["id"], 30)
    assert served.reader.get(started.headers["location"]).json()["result"]["made"] == ["weekly/2026-W05.md"]
    restored = served.agent.post(f"{HERE}/journal/restore", json={"what": "2026-W05"}).json()
    assert restored["files"] == ["daily/2026-01-30.md"]
    assert served.agent.post(f"{HERE}/journal/release", json={"what": "2026-W05"}).status_code == 200
    assert served.reader.get(f"{HERE}/journal/log", params={"limit": 1}).json()["events"][0]["action"] == "release"
    problem(served.agent.post(f"{HERE}/journal/restore", json={"what": "1999-01-01"}), 404)
    problem(served.agent.post(f"{HERE}/journal", json={"text": "x", "kind": "fact"}), 422)
    problem(served.agent.post(f"{HERE}/journal", json={"text": "x", "media": "/etc/passwd"}), 422)


@pytest.mark.slow
def test_other_memories_of_the_home_by_their_ids(served: Any, open_memory: Callable[..., Memory], problem: Any) -> None:
    other = open_memory("other")
    other.remember("Something of another project")
    found = served.reader.get("/api/v1/spaces").json()
    assert found["here"] == served.memory.identity.space_id
    assert sorted(one["name"] for one in found["spaces"]) == ["other", "project"]
    place = f"/api/v1/spaces/{other.identity.space_id}"
    assert served.reader.get(place).json()["name"] == "other"
    assert served.reader.get(f"{place}/status").json()["memories"] == 1
    texts = [row["text"] for row in served.reader.get(f"{place}/memories").json()["memories"]]
    assert texts == ["Something of another project"]
    memory_id = served.remember("Something of this one")
    problem(served.reader.get(f"{place}/memories/{memory_id}"), 404)
    cursor = served.owner.get(f"{HERE}/memories?limit=1")
    assert cursor.json()["next"] is None
    written = served.agent.post(f"{place}/memories", json={"text": "Written from elsewhere"})
    assert written.headers["location"].startswith(place)


@pytest.mark.slow
def test_a_persons_memory_is_created_once_and_then_used(served: Any, problem: Any) -> None:
    problem(served.reader.post("/api/v1/spaces", json={"person": "4711"}), 403)
    made = served.agent.post("/api/v1/spaces", json={"person": "4711"})
    again = served.agent.post("/api/v1/spaces", json={"person": "4711"})
    assert (made.status_code, made.json()["kind"], made.json()["name"]) == (201, "person", "4711")
    assert (again.status_code, again.headers["location"]) == (200, made.headers["location"])
    turn = {"kind": "conversation", "session": "s", "speaker": "user", "text": "I live in Lisbon"}
    served.agent.post(f"{made.headers['location']}/memories", json=turn)
    assert served.reader.get(f"{made.headers['location']}/status").json()["memories"] == 1
    assert served.reader.get(f"{HERE}/status").json()["memories"] == 0


@pytest.mark.slow
def test_the_audit_by_pages(served: Any, problem: Any) -> None:
    ids = [served.remember(text) for text in ("First thing", "Second thing that is other", "Third one about cheese")]
    whole = served.reader.get(f"{HERE}/audit").json()["entries"]
    page = served.reader.get(f"{HERE}/audit", params={"limit": 1}).json()
    entries = page["entries"]
    served.remember("Meanwhile something else was written")
    while page["next"]:
        page = served.reader.get(f"{HERE}/audit", params={"limit": 1, "cursor": page["next"]}).json()
        entries += page["entries"]
    assert entries == whole and len(whole) >= 3
    mine = served.reader.get(f"{HERE}/audit", params={"memory_id": ids[0]}).json()["entries"]
    assert {entry["id"] for entry in mine} == {ids[0]}
    problem(served.reader.get(f"{HERE}/audit", params={"memory_id": "x"}), 422)


@pytest.mark.slow
def test_exports_are_made_listed_and_fetched(served: Any) -> None:
    served.remember("Uploads go to S3")
    made = served.agent.post(f"{HERE}/exports", json={"format": "json"})
    assert made.status_code == 201 and made.json()["memories"] == 1
    assert [one["name"] for one in served.reader.get(f"{HERE}/exports").json()["exports"]] == [made.json()["name"]]
    fetched = served.reader.get(made.headers["location"])
    assert fetched.json()["memories"][0]["text"] == "Uploads go to S3"
    assert fetched.headers["content-disposition"].startswith("attachment")


@pytest.mark.slow
def test_the_doctor_looks_and_mends(served: Any) -> None:
    assert {one["check"] for one in served.reader.get(f"{HERE}/doctor").json()["findings"]} >= {"database", "vectors"}
    assert served.agent.post(f"{HERE}/doctor", json={"fix": True}).status_code == 200
