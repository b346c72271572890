"""The log of a server: one line each, as JSON or for people, and nothing in it that was sent."""

import io
import json
import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from waypost.errors import StoreBusy
from waypost.faces.guard.access_log import Log, LoggedRequest, current, place_of, request_id
from waypost.faces.guard.identity import TokenIdentity

NOON = datetime(2026, 3, 1, 12, 0, 0, 250_000, UTC)
SECRET = "the words of a memory"


def written(form: str, act: Callable[[Log], None], **options: Any) -> list[str]:
    out = io.StringIO()
    log = Log(form, out, clock=lambda: NOON, **options)
    act(log)
    log.close()
    return out.getvalue().splitlines()


def as_json(act: Callable[[Log], None], **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written("json", act, **options)]


def failing() -> Exception:
    try:
        Log("text", io.StringIO()).event("x", SECRET)
    except KeyError as error:
        return error
    raise AssertionError


def test_a_request_is_a_line_with_who_what_and_how_long() -> None:
    seen = LoggedRequest(
        "abc", TokenIdentity("ci", "agent", "read", "k"), route="/api/v1/spaces/{space}/recall", space="0" * 16
    )
    assert as_json(lambda log: log.request(seen, "GET", 200, 0.0123456)) == [
        {
            "time": "2026-03-01T12:00:00.250Z",
            "level": "info",
            "event": "request",
            "request_id": "abc",
            "method": "GET",
            "route": "/api/v1/spaces/{space}/recall",
            "status": 200,
            "ms": 12.346,
            "actor": "ci",
            "space": "0" * 16,
        }
    ]


def test_a_refusal_says_why_and_a_failure_is_an_error() -> None:
    def act(log: Log) -> None:
        log.request(LoggedRequest("a", refused="rate"), "POST", 429, 0.001)
        log.request(LoggedRequest("b"), "GET", 503, 0.001)

    first, second = as_json(act)
    assert (first["event"], first["level"], first["reason"]) == ("refusal", "warning", "rate")
    assert (second["event"], second["level"]) == ("request", "error")
    assert "actor" not in first and "space" not in first


def test_whoever_is_refused_again_and_again_does_not_fill_the_log() -> None:
    seconds = [0.0]

    def act(log: Log) -> None:
        for _ in range(5_000):
            log.request(LoggedRequest("a", refused="auth"), "GET", 401, 0.001)
        seconds[0] = 1.0
        log.request(LoggedRequest("b", refused="auth"), "GET", 401, 0.001)

    lines = as_json(act, monotonic=lambda: seconds[0])
    assert len(lines) == 101
    assert lines[-1]["request_id"] == "b" and lines[-1]["left_out"] == 4_900


def test_people_are_told_only_what_went_wrong() -> None:
    def act(log: Log) -> None:
        log.event("start", listens="http://127.0.0.1:1")
        log.request(LoggedRequest("a", refused="auth"), "GET", 401, 0.001)
        log.request(LoggedRequest("a"), "GET", 200, 0.001)
        log.event("not ready", "warning", reason="the disk\x1b[31m cannot be written")

    assert written("text", act) == ["warning: not ready (reason=the disk?[31m cannot be written)"]


def test_an_error_and_its_remedy_are_one_line_for_people() -> None:
    def act(log: Log) -> None:
        with log.capturing():
            logging.getLogger("waypost.guard").error("Tokens cannot be checked: %s", StoreBusy("It is away.", "Wait."))

    assert written("text", act) == ["error: Tokens cannot be checked: It is away. Wait. (source=waypost.guard)"]


@pytest.mark.parametrize("form", ["json", "text"])
def test_of_an_error_its_sort_and_place_are_told_and_not_its_message(form: str) -> None:
    error = failing()
    assert SECRET in repr(error)
    lines = written(form, lambda log: log.crash(error))
    assert len(lines) == 1 and SECRET not in lines[0]
    assert "KeyError" in lines[0] and "waypost.faces.guard.access_log:" in lines[0] and "Unexpected error" in lines[0]


def test_one_crash_of_a_request_is_told_once_with_its_id() -> None:
    error = failing()

    def act(log: Log) -> None:
        token = current.set(LoggedRequest("abc"))
        log.crash(error)
        log.crash(error)
        current.reset(token)
        log.crash(error)

    first, other = as_json(act)
    assert first["request_id"] == "abc" and "request_id" not in other


def test_what_parts_say_by_logging_becomes_lines_while_it_serves() -> None:
    error, logger = failing(), logging.getLogger("waypost.rest")

    def act(log: Log) -> None:
        before = list(logging.getLogger("waypost").handlers)  # a server of other tests may run in this process
        with log.capturing():
            logger.error("A job failed.", exc_info=error)
            logger.error("A request failed: %s", "KeyError", extra={"crash": error})
            logging.getLogger("uvicorn.error").error("Cancel %s running task(s)", 2)
            logger.info("nothing")
        assert logging.getLogger("waypost").handlers == before

    crash, same, problem = as_json(act)
    assert {**crash, "time": ""} == {**same, "time": ""}
    assert crash["event"] == "crash" and crash["error"] == "KeyError" and crash["place"]
    assert (problem["event"], problem["message"]) == ("problem", "Cancel 2 running task(s)")


def test_a_reader_that_does_not_read_holds_up_nobody() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    class Stuck(io.StringIO):
        def write(self, text: str) -> int:
            begun.set()
            goes_on.wait(10)
            return super().write(text)

    out = Stuck()
    log = Log("json", out, most=10)
    log.event("first")
    assert begun.wait(10)
    for _ in range(50):
        log.event("more")
    assert log.lost == 40
    goes_on.set()
    log.close()
    assert len(out.getvalue().splitlines()) == 11


def test_a_log_that_cannot_be_written_ends_nothing() -> None:
    out = io.StringIO()
    log = Log("json", out)
    out.close()
    log.event("start")
    log.close()
    assert log.lost == 1


@pytest.mark.parametrize("sent", [b"abc-1.2_3", b"0", b"7f" * 32])
def test_a_sane_request_id_is_kept(sent: bytes) -> None:
    assert request_id({"headers": [(b"x-request-id", sent)]}) == sent.decode()


@pytest.mark.parametrize("sent", [b"", b"a b", b"a\r\nx: y", b"x" * 65, b"\xff", b'"', b"-a", b"{", "é".encode()])
def test_another_request_id_is_replaced(sent: bytes) -> None:
    made = request_id({"headers": [(b"x-request-id", sent)]})
    assert len(made) == 16 and int(made, 16) >= 0
    assert made != request_id({"headers": [(b"x-request-id", sent)]})


def test_two_request_ids_are_none() -> None:
    assert request_id({"headers": [(b"x-request-id", b"a"), (b"x-request-id", b"b")]}) not in ("a", "b")


def test_an_error_that_was_never_raised_has_no_place() -> None:
    assert place_of(ValueError("x")) == ""


def test_what_others_say_is_a_line_without_what_they_quote() -> None:
    def act(log: Log) -> None:
        with log.capturing():
            logging.getLogger("asyncio").error("Task exception was never retrieved: %r", SECRET)
            logging.getLogger("psycopg.pool").warning(f"error ignored in {SECRET}")
            logging.getLogger("starlette").error(SECRET, exc_info=failing())

    told = as_json(act)
    assert [one["event"] for one in told] == ["problem", "problem", "crash"]
    assert [one.get("source") for one in told] == ["asyncio", "psycopg.pool", None]
    assert SECRET not in json.dumps(told)


def test_a_thread_that_fails_is_a_line_and_not_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ValueError(SECRET)

    def act(log: Log) -> None:
        with log.capturing():
            thread = threading.Thread(target=fail)
            thread.start()
            thread.join()

    [told] = as_json(act)
    assert (told["event"], told["error"]) == ("crash", "ValueError")
    assert SECRET not in json.dumps(told) + capsys.readouterr().err
