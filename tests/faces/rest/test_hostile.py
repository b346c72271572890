"""What no honest client sends: refused cleanly, each with what is wrong, and nothing is written."""

import base64
import json
from typing import Any

import pytest

from waypost.faces.rest.listing import Cursor, ListingQuery
from waypost.faces.rest.routes import exports, spaces
from waypost.flows.recall import listing as paging

HERE = "/api/v1/spaces/here"
JSON = {"Content-Type": "application/json"}

BODIES: dict[str, tuple[bytes, int]] = {
    "not JSON": (b"{", 400),
    "not UTF-8": (b'{"text": "\xff"}', 400),
    "the same key twice": (b'{"text": "a", "text": "b"}', 400),
    "the same key twice, inside": (b'{"text": "a", "tags": {"x": "1", "x": "2"}}', 400),
    "nested beyond reason": (b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400),
    "nested a little too deep": (b'{"refs": ' + b"[" * 40 + b"]" * 40 + b"}", 400),
    "NaN": (b'{"text": "a", "level": NaN}', 400),
    "infinity": (b'{"text": "a", "level": 1e999}', 400),
    "a number of 5000 digits": (b'{"text": "a", "level": ' + b"9" * 5000 + b"}", 400),
    "lone surrogate": (b'{"text": "\\ud800"}', 400),
    "lone surrogate as a key": (b'{"\\ud800": 1}', 400),
    "NUL": (b'{"text": "a\\u0000b"}', 400),
    "a control character": (b'{"text": "a\\u0007b"}', 422),
    "only terminal escapes": (b'{"text": "\\u001b[31m"}', 422),
    "only invisible characters": (b'{"text": "\\u200b\\ufeff"}', 422),
    "cut off": (b'{"text": "a', 400),
    "no value at all": (b" ", 400),
    "two values": (b'{"text": "a"} {"text": "b"}', 400),
    "an unknown field": (b'{"text": "a", "trust": "owner"}', 422),
    "an inner field that is set by nobody": (b'{"text": "a", "memory_id": "01kg7v5w2m8x4q9z3b6d1f0hjk"}', 422),
    "a list": (b'["text"]', 422),
    "a text as a number": (b'{"text": 5}', 422),
    "a number as a text": (b'{"text": "a", "level": "1"}', 422),
    "a level that there is not": (b'{"text": "a", "level": 4}', 422),
    "no text": (b'{"text": "  \\n "}', 422),
    "too long a text": (b'{"text": "' + b"a" * 1_000_001 + b'"}', 422),
    "a kind that there is not": (b'{"text": "a", "kind": "gospel"}', 422),
    "a kind that only code has": (b'{"text": "a", "kind": "symbol"}', 422),
    "a day that is in no calendar": (b'{"text": "a", "valid_from": "2026-02-30"}', 422),
    "an id that is none": (b'{"text": "a", "replaces": "../../etc"}', 422),
    "a path out of the project": (b'{"text": "a", "refs": ["../../../etc/passwd"]}', 403),
    "a path with a line break": (b'{"text": "a", "refs": ["a\\nb"]}', 422),
}


@pytest.mark.slow
def test_a_body_that_cannot_be_used_writes_nothing(served: Any, problem: Any) -> None:
    for name, (body, status) in BODIES.items():
        answer = served.owner.post(f"{HERE}/memories", content=body, headers=JSON)
        assert answer.status_code == status, (name, answer.text)
        problem(answer, status)
    assert served.owner.get(f"{HERE}/memories").json()["memories"] == []


def test_an_unknown_field_is_named(served: Any, problem: Any) -> None:
    told = problem(served.owner.post(f"{HERE}/memories", json={"text": "a", "trust": 1}), 422)
    assert told["errors"] == [{"field": "body.trust", "message": "unknown field"}]


def test_a_body_of_another_sort_is_refused(served: Any, problem: Any) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", ""):
        problem(served.owner.post(f"{HERE}/memories", content=b'{"text": "a"}', headers={"Content-Type": kind}), 415)


def test_a_body_where_none_belongs_is_refused(served: Any, problem: Any) -> None:
    for body in (b'{"force": true}', b"[]", b"null", b"{", b"0"):
        problem(served.owner.request("GET", f"{HERE}/memories", content=body, headers=JSON), 400)
        problem(served.owner.post("/api/memories/reindex", content=body, headers=JSON), 400)


def test_an_empty_object_is_taken_for_no_body(served: Any) -> None:
    for body in (b"{}", b" { } "):
        assert served.owner.request("GET", f"{HERE}/memories", content=body, headers=JSON).status_code == 200
        assert served.owner.post("/api/memories/reindex", content=body, headers=JSON).status_code in (
            202,
            409,  # the one before is still at work
        )


def test_broken_json_is_answered_with_the_place_where_it_breaks(served: Any, problem: Any) -> None:
    told = problem(served.owner.post(f"{HERE}/memories", content=b'{"text": "a",\n "kind" "fact"}', headers=JSON), 400)
    assert "line 2" in told["detail"] and "JSON" in told["detail"]


def test_terminal_escapes_are_cleaned_from_what_is_sent(served: Any) -> None:
    body = b'{"text": "red \\u001b[31malert\\u001b[0m"}'
    assert served.owner.post(f"{HERE}/memories", content=body, headers=JSON).status_code == 201
    assert [row["text"] for row in served.owner.get(f"{HERE}/memories").json()["memories"]] == ["red alert"]


def test_a_parameter_that_there_is_not_is_refused(served: Any, problem: Any) -> None:
    assert "offset" in problem(served.owner.get("/api/memories?offset=1"), 422)["detail"]
    problem(served.owner.get("/api/memories?limit=1&limit=2"), 422)
    problem(served.owner.get("/api/memories/search?q=a%FF"), 400)
    problem(served.owner.get("/api/memories/search?q=a%00"), 400)
    for limit in ("0", "201", "-1", "1.5", "9" * 400, "x", ""):
        problem(served.owner.get(f"/api/memories?limit={limit}"), 422)


@pytest.mark.slow
def test_a_cursor_is_what_the_page_before_gave(served: Any, problem: Any) -> None:
    for text in ("First thing", "Second thing that is other"):
        served.remember(text)
    good = served.owner.get("/api/memories?limit=1").json()["next"]
    assert served.owner.get(f"/api/memories?limit=1&cursor={good}").status_code == 200
    made_up = [
        "x", "%20", "A" * 201, good[:-2], good + "A", "Å",
        *(base64.urlsafe_b64encode(text).decode().rstrip("=") for text in (
            b"null", b"[]", b'[1,-1,0,"a"]', b'[1,true,0,"a"]', b'[1,1e9,0,"a"]', b'[2,1,1,"a"]', b"[" * 100,
            json.dumps([1, 10**30, 0, "a"]).encode(),
        )),
    ]  # fmt: skip
    for cursor in made_up:
        problem(served.owner.get(f"/api/memories?limit=1&cursor={cursor}"), 422)
    told = problem(served.owner.get(f"/api/memories?limit=1&kind=fact&cursor={good}"), 422)
    assert "another query" in told["detail"]
    problem(served.owner.get(f"{HERE}/audit?cursor={good}"), 422)


@pytest.mark.slow
def test_no_path_leads_out_of_the_project(served: Any, problem: Any) -> None:
    asked = (
        ("code/memories", "file_path"),
        ("code/analyze", "path"),
        ("code/summary", "file_path"),
        ("staleness", "file"),
    )
    for path in ("../x", "/etc/passwd", "a/../../b", "C:\\x", "..\\..\\x", "x" * 256):
        for place, name in asked:
            problem(served.owner.get(f"{HERE}/{place}", params={name: path}), 403)
        problem(served.owner.post(f"{HERE}/staleness/verify", json={"files": [path]}), 403)
        problem(served.owner.post(f"{HERE}/staleness/check", json={"files": [path]}), 403)


@pytest.mark.slow
def test_no_page_of_the_journal_is_a_file_elsewhere(served: Any, problem: Any) -> None:
    for what in ("../../../../etc/passwd.md", "/etc/passwd.md", "daily/../../secret.md"):
        answer = served.owner.get(f"{HERE}/journal/page", params={"what": what})
        assert answer.status_code in (403, 404, 422)
        problem(answer, answer.status_code)


@pytest.mark.slow
def test_an_export_is_fetched_by_its_name_alone(served: Any, problem: Any) -> None:
    for name in ("..%2F..%2Ftoken", "metadata.json", "20260130T120000Z.jsonl%00", "20260130T120000Z.JSONL"):
        assert served.owner.get(f"{HERE}/exports/{name}").status_code in (400, 404, 422)
    problem(served.owner.get(f"{HERE}/exports/20260130T120000Z.jsonl"), 404)
    problem(served.owner.post(f"{HERE}/exports", json={"path": "/tmp/x"}), 422)


@pytest.mark.slow
def test_a_memory_that_there_is_not(served: Any, problem: Any) -> None:
    for space in ("0" * 16, "there", "..%2f..", "0" * 15, "F" * 16, "%00"):
        answer = served.owner.get(f"/api/v1/spaces/{space}/memories")
        assert answer.status_code in (404, 422)
        problem(answer, answer.status_code)
        assert served.owner.post(f"/api/v1/spaces/{space}/memories", json={"text": "a"}).status_code in (404, 422)


@pytest.mark.slow
def test_addresses_and_methods_that_there_are_not(served: Any, problem: Any) -> None:
    problem(served.owner.get("/api/v2/memories"), 404)
    problem(served.owner.get("/api/memories/"), 404)
    answer = served.owner.delete("/api/memories")
    problem(answer, 405)
    assert answer.headers["allow"] == "GET, POST"
    answer = served.owner.delete("/api/memories/prune")
    problem(answer, 405)
    assert answer.headers["allow"] == "POST"


def test_a_fault_of_ours_tells_the_client_nothing_of_it(
    served: Any, problem: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a secret detail")

    monkeypatch.setattr("waypost.memory.facade.Memory.status", broken)
    answer = served.owner.get(f"{HERE}/status")  # would raise here if anything were handed on to the server
    assert "secret" not in str(problem(answer, 500)) + caplog.text
    assert "in broken" in (served.app.state.services.spaces.home / "crash.log").read_text()


def test_stored_words_come_back_as_they_are_in_json(served: Any) -> None:
    text = "<script>alert(1)</script> \u202e\u2028 \"'\\ &amp; \U0001f600"
    memory_id = served.remember(text)
    answer = served.owner.get(f"{HERE}/memories/{memory_id}")
    assert answer.json()["text"] == text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_forged_cursor_reads_no_more_than_a_page_needs(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("First thing", "Second thing that is other", "Third"):
        served.remember(text)
    begins, read = [], paging._before

    def watched(reader: Any, view: Any, chosen: Any, before: int, limit: int) -> Any:
        begins.append((before, reader.memories.last_number()))
        return read(reader, view, chosen, before, limit)

    monkeypatch.setattr(paging, "_before", watched)
    question = {**ListingQuery().to_json(), "space": served.memory.identity.space_id}
    forged = Cursor((1 << 56) - 1, (1 << 56) - 1).encode(question)
    found = served.reader.get(f"{HERE}/memories", params={"cursor": forged}).json()["memories"]
    assert [one["text"] for one in found] == ["Third", "Second thing that is other", "First thing"]
    ((before, last),) = begins
    assert before == last + 1


def test_a_forged_cursor_has_not_the_whole_record_read(
    served: Any, problem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spaces, "DEEPEST_AUDIT", 1)
    for text in ("First thing", "Second thing that is other"):
        served.remember(text)
    forged = Cursor(1, 0).encode({"audit": None, "space": served.memory.identity.space_id})
    assert "Pages go back" in problem(served.reader.get(f"{HERE}/audit", params={"cursor": forged}), 422)["detail"]


@pytest.mark.slow
def test_who_may_not_write_leaves_no_key(served: Any, problem: Any) -> None:
    problem(served.reader.post(f"{HERE}/journal", json={"text": "x"}, headers={"Idempotency-Key": "one"}), 403)
    assert not (served.app.state.services.spaces.home / "replies.db").exists()


@pytest.mark.slow
def test_nobody_fills_the_disk_with_exports(served: Any, problem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "MOST_EXPORTS", 1)
    served.remember("Uploads go to S3")
    place = served.agent.post(f"{HERE}/exports").headers["location"]
    assert "delete old ones" in problem(served.agent.post(f"{HERE}/exports"), 409)["remedy"]
    problem(served.agent.delete(place), 403)
    assert served.owner.delete(place).json()["status"] == "deleted"
    problem(served.owner.delete(place), 404)
    assert served.agent.post(f"{HERE}/exports").status_code == 201
