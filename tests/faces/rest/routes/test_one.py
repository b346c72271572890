"""One memory over the wire: written, read, changed by who has read it last, and gone."""

from typing import Any

import pytest

HERE = "/api/v1/spaces/here/memories"
REVIEW = "/api/v1/spaces/here/candidates"


def test_the_token_says_who_wrote_and_the_body_only_claims(served: Any) -> None:
    made = served.agent.post(HERE, json={"text": "Ada said so", "source": "person", "actor": "Ada"}).json()
    row = served.reader.get(f"{HERE}/{made['id']}").json()
    assert (row["source"], row["actor"][:5]) == ("agent", "agent")
    assert row["claimed"] == {"actor": "Ada", "source": "person"}


def test_what_is_known_already_is_no_second_memory(served: Any) -> None:
    first = served.agent.post(HERE, json={"text": "Uploads go to S3"})
    again = served.agent.post(HERE, json={"text": "Uploads go to S3"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["id"] == first.json()["id"] and again.json()["status"] == "duplicate"


def test_a_key_that_is_taken_is_a_conflict_that_nobody_has_to_lift(served: Any, problem: Any) -> None:
    served.agent.post(HERE, json={"text": "Uploads end at 5 MB", "key": "limit"})
    taken = problem(served.agent.post(HERE, json={"text": "Uploads end at 9 MB", "key": "limit"}), 409)
    assert "key belongs to" in taken["detail"] and "lift" not in taken["remedy"]


@pytest.mark.slow
def test_a_rejected_value_is_a_conflict_until_a_person_lifts_it(served: Any, problem: Any) -> None:
    memory_id = served.remember("Uploads go to FTP")
    problem(served.agent.post(f"{HERE}/{memory_id}/reject"), 403)
    assert served.owner.post(f"{HERE}/{memory_id}/reject").json() == {"id": memory_id, "status": "rejected"}
    told = problem(served.agent.post(HERE, json={"text": "Uploads go to FTP"}), 409)
    assert told["receipt"]["status"] == "refused"
    other = served.remember("Uploads go to S3")
    problem(served.owner.post(f"{HERE}/{other}/correct", json={"text": "Uploads go to FTP"}), 409)
    assert "lift" in told["remedy"]
    problem(served.agent.post(f"{HERE}/lift", json={"text": "Uploads go to FTP"}), 403)
    assert served.owner.post(f"{HERE}/lift", json={"text": "Uploads go to FTP"}).json()["status"] == "lifted"
    problem(served.owner.post(f"{HERE}/lift", json={"text": "Uploads go to FTP"}), 404)
    assert served.agent.post(HERE, json={"text": "Uploads go to FTP"}).status_code == 201


def test_an_unchanged_memory_is_not_sent_again(served: Any) -> None:
    memory_id = served.remember("Uploads go to S3")
    first = served.reader.get(f"{HERE}/{memory_id}")
    etag = first.headers["etag"]
    same = served.reader.get(f"{HERE}/{memory_id}", headers={"If-None-Match": f'"other", W/{etag}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", etag)
    served.owner.post(f"{HERE}/{memory_id}/protect")
    changed = served.reader.get(f"{HERE}/{memory_id}", headers={"If-None-Match": etag})
    assert changed.status_code == 200 and changed.headers["etag"] != etag


@pytest.mark.slow
def test_who_has_not_read_the_latest_changes_nothing(served: Any, problem: Any) -> None:
    memory_id = served.remember("Uploads go to S3")
    etag = served.owner.get(f"{HERE}/{memory_id}").headers["etag"]
    done = served.owner.post(
        f"{HERE}/{memory_id}/correct", json={"text": "Uploads go to R2"}, headers={"If-Match": etag}
    )
    assert done.status_code == 200
    changes: tuple[tuple[str, str, Any], ...] = (
        ("POST", "/correct", {"text": "Uploads go to GCS"}),
        ("POST", "/retract", {}),
        ("POST", "/reject", None),
        ("POST", "/protect", {"on": True}),
        ("POST", "/promote", {"level": 0}),
        ("PUT", "/ttl", {"seconds": 60}),
        ("DELETE", "", None),
    )
    for method, place, body in changes:
        answer = served.owner.request(method, f"{HERE}/{memory_id}{place}", json=body, headers={"If-Match": etag})
        problem(answer, 412)
        assert answer.headers["etag"] != etag
    row = served.owner.get(f"{HERE}/{memory_id}").json()
    assert (row["text"], row["protected"], row["level"], row["expires_at"]) == ("Uploads go to R2", False, 1, None)
    problem(served.owner.post(f"{HERE}/{memory_id}/protect", headers={"If-Match": "no tag"}), 400)
    assert served.owner.post(f"{HERE}/{memory_id}/protect", headers={"If-Match": "*"}).status_code == 200


@pytest.mark.slow
def test_the_life_of_a_memory(served: Any, problem: Any) -> None:
    memory_id = served.remember("Uploads go to S3", domain="storage")
    below = served.remember("Parts have 8 MB", parent=memory_id)
    assert served.owner.post(f"{HERE}/{memory_id}/promote", json={"level": 0, "domain": ""}).status_code == 200
    lasting = served.owner.put(f"{HERE}/{memory_id}/ttl", json={"seconds": 60, "on_expire": "archive"}).json()
    assert (lasting["ttl"], lasting["on_expire"], lasting["expires_at"]) == (60, "archive", "2026-01-30T12:01:00Z")
    assert served.owner.put(f"{HERE}/{memory_id}/ttl", json={}).json()["expires_at"] is None
    tree = served.reader.get(f"{HERE}/{memory_id}/subtree").json()["memories"]
    assert [(row["id"], row["depth"]) for row in tree] == [(memory_id, 0), (below, 1)]
    assert served.owner.post(f"{HERE}/{memory_id}/retract").json()["status"] == "retracted"
    versions = served.reader.get(f"{HERE}/{memory_id}/history").json()["versions"]
    assert [row["level"] for row in versions] == [1, 0]
    problem(served.reader.get(f"{HERE}/{memory_id}"), 404)
    gone = served.owner.delete(f"{HERE}/{memory_id}").json()
    assert (gone["status"], gone["versions"]) == ("forgotten", 2)
    problem(served.reader.get(f"{HERE}/{memory_id}/history"), 404)


@pytest.mark.slow
def test_an_agents_change_of_a_persons_memory_needs_review(served: Any, problem: Any) -> None:
    memory_id = served.remember("Uploads go to S3", domain="storage")
    before = served.reader.get(f"{HERE}/{memory_id}").json()
    changes: dict[str, tuple[str, dict[str, Any]]] = {
        "replace": ("", {"text": "Uploads go to R2", "domain": "storage", "replaces": memory_id}),
        "correct": (f"/{memory_id}/correct", {"text": "Uploads go to GCS"}),
        "retract": (f"/{memory_id}/retract", {}),
    }
    ids = []
    for place, body in changes.values():
        answer = served.agent.post(HERE + place, json=body)
        assert (answer.status_code, "location" in answer.headers) == (202, False)
        told = answer.json()
        assert (told["status"], told["review"], told["replaces"]) == ("added", True, memory_id)
        ids.append(told["id"])
    decision = {"text": "Use R2", "because": ["It is cheaper"], "replaces": memory_id}
    answer = served.agent.post("/api/v1/spaces/here/decisions", json=decision)
    assert (answer.status_code, answer.json()["review"]) == (202, True)
    for method, place, body in (
        ("POST", "/promote", {"level": 0}),
        ("POST", "/protect", {"on": True}),
        ("PUT", "/ttl", {"seconds": 60}),
    ):
        told = problem(served.agent.request(method, f"{HERE}/{memory_id}{place}", json=body), 403)
        assert "only a person can" in told["detail"]
    assert served.reader.get(f"{HERE}/{memory_id}").json() == before
    assert len(served.reader.get(HERE).json()["memories"]) == 1
    waiting = served.reader.get(REVIEW).json()["candidates"]
    assert {one["id"] for one in waiting} >= set(ids)
    assert {one["replaces_text"] for one in waiting} == {"Uploads go to S3"}
    assert served.owner.post(f"{REVIEW}/{ids[0]}/approve").json()["status"] == "approved"
    assert served.reader.get(f"{HERE}/{ids[0]}").json()["said_by"]["source"] == "agent"
    assert served.owner.post(f"{HERE}/{ids[0]}/reject").json()["status"] == "rejected"
    assert served.reader.get(f"{HERE}/{memory_id}").json()["text"] == "Uploads go to S3"


@pytest.mark.slow
def test_undo_restores_the_same_memory(served: Any, problem: Any) -> None:
    memory_id = served.remember("Uploads go to S3", domain="storage", evidence=["ADR-1"])
    before = served.reader.get(f"{HERE}/{memory_id}").json()
    for ending in ("retract", "reject"):
        served.owner.post(f"{HERE}/{memory_id}/{ending}")
        problem(served.agent.post(f"{HERE}/{memory_id}/restore"), 403)
        assert served.owner.post(f"{HERE}/{memory_id}/restore").json() == {"id": memory_id, "status": "restored"}
        assert served.reader.get(f"{HERE}/{memory_id}").json() == before
    served.owner.post(f"{HERE}/{memory_id}/correct", json={"text": "Uploads go to R2"})
    number = served.reader.get(f"{HERE}/{memory_id}/history").json()["versions"][0]["number"]
    served.owner.post(f"{HERE}/{memory_id}/restore", json={"version": number})
    assert served.reader.get(f"{HERE}/{memory_id}").json() == before
    served.owner.delete(f"{HERE}/{memory_id}")
    assert "forgotten" in problem(served.owner.post(f"{HERE}/{memory_id}/restore"), 404)["remedy"]


@pytest.mark.slow
def test_a_rejected_candidate_is_restored(served: Any, problem: Any) -> None:
    memory_id = served.remember("Uploads go to S3")
    proposed = served.agent.post(f"{HERE}/{memory_id}/correct", json={"text": "Uploads go to R2"}).json()["id"]
    served.owner.post(f"{REVIEW}/{proposed}/reject")
    found = served.reader.get(REVIEW, params={"rejected": True}).json()
    assert ([one["id"] for one in found["rejected"]], found["candidates"]) == ([proposed], [])
    problem(served.agent.post(f"{REVIEW}/{proposed}/restore"), 403)
    assert served.owner.post(f"{REVIEW}/{proposed}/restore").json()["status"] == "restored"
    assert [one["id"] for one in served.reader.get(REVIEW).json()["candidates"]] == [proposed]


def test_a_batch_is_written_whole_or_not_at_all(served: Any, problem: Any) -> None:
    told = problem(served.agent.post(f"{HERE}/batch", json={"memories": [{"text": "Good"}, {"text": " "}]}), 422)
    assert "Memory 1" in told["detail"]
    assert served.reader.get(HERE).json()["memories"] == []
    done = served.agent.post(f"{HERE}/batch", json={"memories": [{"text": "Good"}, {"text": "Good"}]}).json()
    assert done["counts"] == {"added": 1, "duplicate": 1}


@pytest.mark.slow
def test_a_listing_is_filtered(served: Any) -> None:
    served.remember("Uploads go to S3", domain="storage", tags={"team": "core", "area": "io"})
    served.remember("Sessions live an hour", domain="login", kind="learning", tags={"team": "core"})

    def texts(**asked: Any) -> list[str]:
        return [row["text"] for row in served.reader.get(HERE, params=asked).json()["memories"]]

    assert texts(domain="storage") == texts(level=1) == texts(tag=["team=core", "area=io"]) == ["Uploads go to S3"]
    assert texts(kind="learning") == texts(level=2) == ["Sessions live an hour"]
    assert texts(tag="team=core") == ["Sessions live an hour", "Uploads go to S3"]
    assert texts(as_of="2020-01-01") == texts(known_at="2020-01-01") == texts(kind="symbol") == []
