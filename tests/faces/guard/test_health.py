"""Whether a server can do its work: looked at once a second at the most, one look at a time, and told without secrets."""

import asyncio
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import StoreBusy, StoreCorrupt
from waypost.faces.guard.asgi import Message
from waypost.faces.guard.health import HEALTH, READY, Readiness, health_app


class Store:
    def __init__(self) -> None:
        self.looks = 0
        self.error: Exception | None = None
        self.goes_on: threading.Event | None = None

    def __call__(self) -> None:
        self.looks += 1
        if self.goes_on is not None:
            assert self.goes_on.wait(10)
        if self.error is not None:
            raise self.error


class Seconds:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def ask(readiness: Readiness, path: str = READY, method: str = "GET") -> tuple[int, dict[str, Any]]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    await health_app(readiness, "1.2")({"type": "http", "method": method, "path": path}, receive, send)
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], json.loads(body)


def test_a_store_that_can_be_read_on_a_disk_that_can_be_written_is_ready(tmp_path: Path) -> None:
    store = Store()
    assert asyncio.run(ask(Readiness(store, tmp_path))) == (200, {"status": "ok", "version": "1.2"})
    assert store.looks == 1 and list(tmp_path.iterdir()) == [], "the look leaves nothing"


def test_being_alive_asks_nothing_of_the_store(tmp_path: Path) -> None:
    store = Store()
    store.error = StoreCorrupt("broken", "")
    assert asyncio.run(ask(Readiness(store, tmp_path), HEALTH))[0] == 200
    assert store.looks == 0


def test_a_store_that_cannot_be_read_is_told_without_its_place(tmp_path: Path) -> None:
    store, heard = Store(), list[tuple[str, BaseException]]()
    store.error = StoreBusy("/home/anna/.waypost/memory has been held by another process.", "")
    status, told = asyncio.run(ask(Readiness(store, tmp_path, on_failure=lambda *one: heard.append(one))))
    assert status == 503 and told == {"status": "not ready", "reason": "the store cannot be read (StoreBusy)"}
    assert heard == [("the store cannot be read", store.error)], "whoever runs it can log more"


@pytest.mark.skipif(os.name != "posix", reason="folders")
def test_a_disk_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    status, told = asyncio.run(ask(Readiness(Store(), tmp_path / "gone")))
    assert status == 503 and told["reason"] == "the disk cannot be written (FileNotFoundError)"


def test_a_verdict_is_good_for_a_second(tmp_path: Path) -> None:
    store, seconds = Store(), Seconds()
    readiness = Readiness(store, tmp_path, clock=seconds)

    async def use() -> None:
        for _ in range(100):
            assert (await ask(readiness))[0] == 200
        assert store.looks == 1
        store.error = StoreBusy("", "")
        seconds.now = 1.5
        assert (await ask(readiness))[0] == 503
        assert store.looks == 2

    asyncio.run(use())


def test_a_store_that_does_not_answer_is_looked_at_by_one(tmp_path: Path) -> None:
    store = Store()
    store.goes_on = threading.Event()
    readiness = Readiness(store, tmp_path, patience=0.01)

    async def use() -> None:
        answers = await asyncio.gather(*(ask(readiness) for _ in range(20)))
        assert {status for status, _ in answers} == {503}
        assert answers[0][1]["reason"] == "the store does not answer"
        assert (await ask(readiness))[0] == 503
        assert store.looks == 1
        assert store.goes_on is not None and readiness._running is not None
        store.goes_on.set()
        await readiness._running
        assert (await ask(readiness))[0] == 200
        assert store.looks == 1

    asyncio.run(use())


def test_a_server_that_stops_is_not_ready(tmp_path: Path) -> None:
    readiness = Readiness(Store(), tmp_path)
    readiness.ending = True
    assert asyncio.run(ask(readiness)) == (503, {"status": "not ready", "reason": "the server is stopping"})
    assert asyncio.run(ask(readiness, HEALTH))[0] == 200


def test_health_is_only_to_look_at(tmp_path: Path) -> None:
    assert asyncio.run(ask(Readiness(Store(), tmp_path), method="POST"))[0] == 405


def test_who_asks_while_a_store_does_not_answer_waits_for_it_no_more(tmp_path: Path) -> None:
    store, seconds = Store(), Seconds()
    store.goes_on = threading.Event()
    readiness = Readiness(store, tmp_path, clock=seconds, patience=5.0)

    async def use() -> None:
        first = asyncio.ensure_future(ask(readiness))
        await asyncio.sleep(0)
        seconds.now = 6.0  # the look has taken longer than anybody waits
        async with asyncio.timeout(2.0):
            assert (await ask(readiness))[1]["reason"] == "the store does not answer"
        assert store.goes_on is not None
        store.goes_on.set()
        assert (await first)[0] == 200

    asyncio.run(use())
