"""The stream of events, asked through ASGI. A look is taken when the test says so."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from waypost.faces.rest import streams

PATH = "/api/v1/spaces/here/events"


class Listener:
    """A client of the stream: what it has heard, and when the server looks again."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.headers: dict[bytes, bytes] = {}
        self.status = 0
        self.looks = 0
        self._go = asyncio.Queue[None]()
        self._looked = asyncio.Event()
        self._gone = asyncio.Event()

    async def pause(self, seconds: float) -> None:
        assert seconds == streams.EVERY
        self.looks += 1
        self._looked.set()
        await self._go.get()

    async def look(self) -> None:
        """Wait until the server has looked once more."""
        self._looked.clear()
        self._go.put_nowait(None)
        await asyncio.wait_for(self._looked.wait(), 10)

    async def begun(self) -> None:
        await asyncio.wait_for(self._looked.wait(), 10)

    def leave(self) -> None:
        self._gone.set()

    async def listen(self, served: Any, headers: dict[str, str] | None = None) -> None:
        sent = {"host": "127.0.0.1:8765", "authorization": served.reader.headers["authorization"], **(headers or {})}
        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "method": "GET", "path": PATH,
            "raw_path": PATH.encode(), "query_string": b"", "scheme": "http", "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765),
        }  # fmt: skip
        asked = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if asked:
                return asked.pop()
            await self._gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.status, self.headers = message["status"], dict(message["headers"])
            elif message["body"]:
                self.heard.append(message["body"])

        await served.gate(scope, receive, send)

    def events(self) -> list[tuple[str, Any]]:
        """Name and data of what was heard; what has an id, with it."""
        found = []
        for piece in self.heard:
            fields = dict(line.split(": ", 1) for line in piece.decode().splitlines() if line and line[0] != ":")
            if fields:
                found.append(
                    (fields["event"], json.loads(fields["data"]) | ({"#": fields["id"]} if "id" in fields else {}))
                )
        return found


Told = Callable[[Any, "Listener"], Any]


def run(serve: Any, told: Told, headers: dict[str, str] | None = None, before: Any = None) -> Listener:
    async def main() -> Listener:
        listener = Listener()
        served = serve(pause=listener.pause)
        if before:
            before(served)
        task = asyncio.create_task(listener.listen(served, headers))
        await listener.begun()
        await told(served, listener)
        listener.leave()
        await asyncio.wait_for(task, 10)
        assert len(served.app.state.services.streams) == 0
        return listener

    return asyncio.run(main())


@pytest.mark.slow
def test_changes_are_told_as_they_come(serve: Any) -> None:
    ids = []

    async def told(served: Any, listener: Listener) -> None:
        ids.append(await asyncio.to_thread(served.remember, "Uploads go to S3"))
        await listener.look()

    listener = run(serve, told)
    assert (listener.status, listener.headers[b"content-type"]) == (200, b"text/event-stream; charset=utf-8")
    assert listener.headers[b"cache-control"] == b"no-store"
    hello, change = listener.events()
    assert hello[0] == "hello" and change[0] == "change"
    assert (change[1]["id"], change[1]["source"], change[1]["#"]) == (ids[0], "person", str(change[1]["number"]))
    assert "Uploads" not in b"".join(listener.heard).decode()


@pytest.mark.slow
def test_who_comes_back_hears_what_was_missed(serve: Any) -> None:
    def before(served: Any) -> None:
        for text in ("First thing", "Second thing that is other"):
            served.remember(text)

    async def told(served: Any, listener: Listener) -> None:
        await listener.look()

    listener = run(serve, told, {"last-event-id": "1"}, before)
    numbers = [data["number"] for name, data in listener.events() if name == "change"]
    assert numbers == list(range(2, 2 + len(numbers))) and numbers


@pytest.mark.slow
def test_of_very_many_changes_it_is_said_that_there_are_many(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_AT_ONCE", 1)

    def before(served: Any) -> None:
        for text in ("First thing", "Second thing that is other"):
            served.remember(text)

    async def told(served: Any, listener: Listener) -> None:
        await listener.look()

    names = [name for name, _ in run(serve, told, {"last-event-id": "0"}, before).events()]
    assert names == ["hello", "many"]


@pytest.mark.slow
def test_jobs_are_told_and_silence_is_broken(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT", 2)

    async def told(served: Any, listener: Listener) -> None:
        jobs = served.app.state.services.jobs
        job = jobs.start(served.memory.identity.space_id, "index", "ada", lambda _: {"files": 3})
        await asyncio.to_thread(jobs.wait, job.id, 10)
        for _ in range(3):
            await listener.look()

    listener = run(serve, told)
    (name, data) = listener.events()[-1]
    assert (name, data["status"], data["result"]) == ("job", "done", {"files": 3})
    assert listener.heard[-1] == b": heartbeat\n\n"


@pytest.mark.slow
def test_a_stream_ends_after_a_while(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LONGEST", 3)

    async def at_once(_: float) -> None:
        return None

    served = serve(pause=at_once)
    answer = served.reader.get(PATH)
    assert answer.status_code == 200 and answer.text.startswith("id: ")


@pytest.mark.slow
def test_so_many_streams_and_no_more(serve: Any, problem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_EACH", 1)
    refused = []

    async def told(served: Any, listener: Listener) -> None:
        refused.append(await asyncio.to_thread(served.reader.get, PATH))

    run(serve, told)
    assert refused[0].headers["retry-after"] == "30"
    problem(refused[0], 503)


@pytest.mark.slow
def test_of_many_that_come_at_once_no_more_get_in(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_EACH", 2)

    async def main() -> list[int]:
        listeners = [Listener() for _ in range(6)]
        served = serve(pause=listeners[0].pause)
        tasks = [asyncio.create_task(one.listen(served)) for one in listeners]
        async with asyncio.timeout(10):
            while len(left := [task for task in tasks if not task.done()]) > streams.MOST_EACH:
                await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
        await listeners[0].begun()
        for one in listeners:
            one.leave()
        await asyncio.wait_for(asyncio.gather(*tasks), 10)
        assert len(served.app.state.services.streams) == 0
        return sorted(one.status for one in listeners)

    assert asyncio.run(main()) == [200, 200, 503, 503, 503, 503]


@pytest.mark.slow
def test_what_is_no_number_is_refused(served: Any, problem: Any) -> None:
    for number in ("x", "-1", "9" * 16, "1 2"):
        problem(served.reader.get(PATH, headers={"Last-Event-ID": number}), 422)
    problem(served.reader.get("/api/v1/spaces/0000000000000000/events"), 404)
