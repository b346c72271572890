"""`examples/chat_bot.py` against a fake Telegram server."""

import json
import runpy
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory

BOT = Path(__file__).parents[2] / "examples" / "chat_bot.py"
TOKEN = "1:test"


class FakeTelegram(HTTPServer):
    """Hands out messages once their number is asked for, and keeps what is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.updates: list[dict[str, Any]] = []
        self.sent: list[tuple[int, str]] = []
        self.refuses = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def receive(self, user: int, text: str) -> None:
        message = {"from": {"id": user, "first_name": "Anna"}, "chat": {"id": user}, "text": text}
        self.updates.append({"update_id": len(self.updates) + 1, "message": message})


class _Handler(BaseHTTPRequestHandler):
    server: FakeTelegram

    def do_POST(self) -> None:
        fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path.startswith(f"/bot{TOKEN}/")
        result: object = True
        if self.path.endswith("/getUpdates"):
            result = [update for update in self.server.updates if update["update_id"] >= fields["offset"]]
        else:
            self.server.sent.append((fields["chat_id"], fields["text"]))
        body = json.dumps({"ok": True, "result": result}).encode()
        self.send_response(403 if self.server.refuses and not self.path.endswith("/getUpdates") else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output free of requests."""


@pytest.fixture
def telegram() -> Iterator[FakeTelegram]:
    server = FakeTelegram()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_bot_remembers_each_user_and_answers_memory_commands(
    open_memory: OpenMemory, telegram: FakeTelegram
) -> None:
    bot = runpy.run_path(str(BOT))
    memory, client = open_memory(), bot["Telegram"](TOKEN, telegram.address)
    telegram.receive(1, "Ich wohne in Leipzig und arbeite als Ärztin.")
    offset = bot["serve"](memory, client)
    telegram.receive(1, "Wo wohne ich?")
    telegram.receive(2, "Wo wohne ich?")
    telegram.receive(1, "/memory stats")
    assert bot["serve"](memory, client, offset) == 5
    first, known, stranger, stats = [text for _, text in telegram.sent]
    assert "know nothing yet" in first
    assert "Leipzig" in known
    assert "Leipzig" not in stranger
    assert "4" in stats
    assert [user for user, _ in telegram.sent] == [1, 1, 2, 1]
    rows = memory.chat(1).memory.list()
    assert len({row["session"] for row in rows}) == 1


def test_messages_without_text_are_passed_over(open_memory: OpenMemory, telegram: FakeTelegram) -> None:
    bot = runpy.run_path(str(BOT))
    telegram.updates.append({"update_id": 9, "message": {"chat": {"id": 1}, "photo": []}})
    assert bot["serve"](open_memory(), bot["Telegram"](TOKEN, telegram.address)) == 10
    assert telegram.sent == []


def test_a_message_that_fails_gets_an_apology_and_the_next_an_answer(
    open_memory: OpenMemory, telegram: FakeTelegram
) -> None:
    bot = runpy.run_path(str(BOT))
    telegram.receive(1, "\0")  # cannot be stored
    telegram.receive(2, "Ich wohne in Leipzig.")
    assert bot["serve"](open_memory(), bot["Telegram"](TOKEN, telegram.address)) == 3
    assert ["Sorry" in text for _, text in telegram.sent] == [True, False]


def test_an_answer_that_cannot_be_sent_stops_nothing(open_memory: OpenMemory, telegram: FakeTelegram) -> None:
    bot = runpy.run_path(str(BOT))
    telegram.receive(1, "Ich wohne in Leipzig.")
    telegram.refuses = True
    assert bot["serve"](open_memory(), bot["Telegram"](TOKEN, telegram.address)) == 2
