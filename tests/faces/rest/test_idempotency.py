"""A write with an Idempotency-Key is done once, also over a restart, and by many at once."""

import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from waypost.faces.rest import replies
from waypost.faces.rest.problems import ProblemError
from waypost.faces.rest.replies import Claim, Replies, StoredReply

HERE = "/api/v1/spaces/here"
NOTE = {"text": "We agreed to ship on Friday"}


def entries(served: Any) -> int:
    return int(served.reader.get(f"{HERE}/journal/stats").json()["entries"])


@pytest.mark.slow
def test_the_same_request_again_is_answered_as_before_and_writes_nothing(served: Any) -> None:
    first = served.agent.post(f"{HERE}/journal", json=NOTE, headers={"Idempotency-Key": "one"})
    again = served.agent.post(f"{HERE}/journal", json=NOTE, headers={"Idempotency-Key": "one"})
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert first.headers["location"] == again.headers["location"]
    assert "idempotency-replayed" not in first.headers and again.headers["idempotency-replayed"] == "true"
    assert entries(served) == 1


@pytest.mark.slow
def test_a_key_is_for_one_request_of_one_token(served: Any, problem: Any) -> None:
    headers = {"Idempotency-Key": "one"}
    assert served.agent.post(f"{HERE}/journal", json=NOTE, headers=headers).status_code == 201
    problem(served.agent.post(f"{HERE}/journal", json={"text": "Something else"}, headers=headers), 422)
    problem(served.agent.post(f"{HERE}/memories", json=NOTE, headers=headers), 422)
    other = served.owner.post(f"{HERE}/memories", json=NOTE, headers=headers)
    assert other.status_code == 201 and "idempotency-replayed" not in other.headers


@pytest.mark.slow
def test_what_is_no_key_is_refused(served: Any, problem: Any) -> None:
    for key in ("", "with space", "x" * 201, "\xe4"):
        sent = [(b"Idempotency-Key", key.encode("latin-1"))]
        problem(served.agent.post(f"{HERE}/journal", json=NOTE, headers=sent), 422)
    assert entries(served) == 0


@pytest.mark.slow
def test_what_was_refused_may_be_tried_again_with_its_key(served: Any, problem: Any) -> None:
    headers = {"Idempotency-Key": "one"}
    problem(served.agent.post(f"{HERE}/journal", json={"text": " "}, headers=headers), 422)
    assert served.agent.post(f"{HERE}/journal", json=NOTE, headers=headers).status_code == 201


@pytest.mark.slow
def test_a_restart_remembers_what_was_done_without_its_words(serve: Any) -> None:
    before = serve()
    body = {"text": "Zanzibar is the word", "because": ["Quixotic reasons"]}
    first = before.owner.post(f"{HERE}/decisions", json=body, headers={"Idempotency-Key": "one"})
    after = serve(before.memory)
    again = after.owner.post(f"{HERE}/decisions", json=body, headers={"Idempotency-Key": "one"})
    assert again.headers["idempotency-replayed"] == "true"
    assert again.status_code == 201 and again.json()["id"] == first.json()["id"]
    assert [one["id"] for one in again.json()["reasons"]] == [one["id"] for one in first.json()["reasons"]]
    file = Path(after.app.state.services.spaces.home) / replies.FILE
    assert file.stat().st_mode & 0o077 == 0
    content = file.read_bytes()
    assert not any(word in content for word in (b"Zanzibar", b"Quixotic", b"one\x00", b"owner"))


@pytest.mark.slow
def test_of_an_answer_with_words_a_file_keeps_none(served: Any) -> None:
    (Path(served.memory.code.root) / "a.py").write_text("x = 1\n")
    memory_id = served.remember("Zanzibar is the word", refs=["a.py"])
    body, headers = {"ids": [memory_id]}, {"Idempotency-Key": "one"}
    first = served.owner.post(f"{HERE}/staleness/verify", json=body, headers=headers)
    assert "Zanzibar" in first.text
    again = served.owner.post(f"{HERE}/staleness/verify", json=body, headers=headers)
    assert again.content == first.content
    file = Path(served.app.state.services.spaces.home) / replies.FILE
    assert b"Zanzibar" not in file.read_bytes()
    assert served.owner.delete(f"/api/memories/{memory_id}").status_code == 200
    later = served.owner.post(f"{HERE}/staleness/verify", json=body, headers=headers)
    assert later.headers["idempotency-replayed"] == "true" and "Zanzibar" not in later.text


@pytest.mark.slow
def test_many_at_once_do_it_once(served: Any) -> None:
    statuses: list[int] = []
    start = threading.Barrier(8)

    def send() -> None:
        start.wait()
        statuses.append(served.agent.post(f"{HERE}/journal", json=NOTE, headers={"Idempotency-Key": "k"}).status_code)

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) <= {201, 409} and 201 in statuses
    assert entries(served) == 1


def test_what_was_begun_before_a_crash_is_not_done_again(tmp_path: Path, clock: Any) -> None:
    claim = Claim("token", "key", b"POST /x\n\n{}")
    assert Replies(tmp_path, clock).begin(claim) is None
    with pytest.raises(ProblemError, match="outcome is unknown"):
        Replies(tmp_path, clock).begin(claim)


def test_keys_are_kept_for_a_day_and_bounded_for_each_token(
    tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "MOST_EACH", 3)
    kept = Replies(tmp_path, clock)

    def write(caller: str, key: str) -> bool:
        """Whether it was done, not answered from before."""
        clock.advance(seconds=1)
        claim = Claim(caller, key, b"")
        new = kept.begin(claim) is None
        if new:
            kept.finish(claim, StoredReply(201, b'{"id": "x", "status": "added"}'))
        return new

    assert write("other", "0")
    assert [write("token", str(number)) for number in (0, 1, 2, 3)] == [True] * 4
    assert not write("token", "1") and not write("other", "0")
    assert write("token", "0")  # the oldest of four had to go
    clock.advance(days=1)
    assert write("other", "0")
    assert timedelta(days=1) == replies.KEPT
