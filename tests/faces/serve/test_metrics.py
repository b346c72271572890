"""Figures are told whatever becomes of the store, and nobody waits for it."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

from tests.faces.guard.test_metrics import parsed

from waypost.faces.guard.asgi import Message
from waypost.faces.serve.metrics import METRICS, ServerMetrics, StoreFigures, metrics_app


async def told(app: Any) -> set[str]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    await app({"type": "http", "method": "GET", "path": METRICS}, receive, send)
    assert sent[0]["status"] == 200
    return {name for name, _ in parsed(b"".join(one.get("body", b"") for one in sent[1:]))}


def test_a_store_that_does_not_answer_holds_up_no_figures_and_is_asked_once() -> None:
    goes_on, looks = threading.Event(), []

    def status() -> Mapping[str, Any]:
        looks.append(1)
        assert goes_on.wait(20)
        return {"storage_bytes": 7}

    figures = ServerMetrics()
    app = metrics_app(figures.all(), StoreFigures(status, figures))

    async def use() -> None:
        async with asyncio.timeout(10):
            for found in await asyncio.gather(*(told(app) for _ in range(5))):
                assert "waypost_event_streams" in found and "waypost_store_bytes" not in found
        assert len(looks) == 1
        goes_on.set()
        async with asyncio.timeout(10):
            while "waypost_store_bytes" not in await told(app):  # the look that was held up is just coming back
                pass

    asyncio.run(use())
