"""A Telegram bot that remembers each user: `TELEGRAM_TOKEN=… python examples/chat_bot.py`.

`TELEGRAM_API` names another server. Replace `answer` by a call of your model.
"""

import json
import logging
import os
import urllib.request
from typing import Any

from waypost import Memory

_POLL_SECONDS = 50
_APOLOGY = "Sorry, that went wrong. Please try again."


class Telegram:
    """The two methods of the Bot API that a chat needs."""

    def __init__(self, token: str, server: str = "https://api.telegram.org") -> None:
        self._url = f"{server}/bot{token}"

    def updates(self, offset: int) -> list[dict[str, Any]]:
        """Messages from this number on. Waits until there are some."""
        return list(self._call("getUpdates", offset=offset, timeout=_POLL_SECONDS))

    def send(self, chat_id: int, text: str) -> None:
        self._call("sendMessage", chat_id=chat_id, text=text[:4096])

    def _call(self, method: str, **fields: Any) -> Any:
        request = urllib.request.Request(  # noqa: S310 (the server is yours)
            f"{self._url}/{method}", json.dumps(fields).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_POLL_SECONDS + 10) as response:  # noqa: S310
            return json.load(response)["result"]


def answer(question: str, context: str) -> str:
    """Your model's answer. `context` is what the user said before, fenced as data."""
    return f"To {question!r} I know:\n{context}" if context else f"To {question!r} I know nothing yet."


def reply(memory: Memory, message: dict[str, Any]) -> str:
    """The answer to a message: of a `/memory` command, or of the model. The turn is stored."""
    sender = message["from"]
    chat = memory.chat(sender["id"], name=sender.get("first_name", "user"))
    text = message["text"]
    command = chat.command(text)
    if command is not None:
        return command.text
    said = answer(text, chat.context(text, tokens=2000).text)
    chat.turn(text, said)
    return said


def serve(memory: Memory, telegram: Telegram, offset: int = 0) -> int:
    """Answer what has arrived. Returns the number to go on with."""
    for update in telegram.updates(offset):
        offset = update["update_id"] + 1
        message = update.get("message", {})
        if "text" in message and "from" in message:
            _answer_message(memory, telegram, message)
    return offset


def _answer_message(memory: Memory, telegram: Telegram, message: dict[str, Any]) -> None:
    """Send the answer, or an apology: one message that fails must not stop the bot for everybody."""
    try:
        text = reply(memory, message)
    except Exception:
        logging.exception("A message could not be answered")
        text = _APOLOGY
    try:
        telegram.send(message["chat"]["id"], text)
    except OSError:  # this user has blocked the bot, for example
        logging.exception("An answer could not be sent")


def main() -> None:
    telegram = Telegram(os.environ["TELEGRAM_TOKEN"], os.environ.get("TELEGRAM_API", "https://api.telegram.org"))
    offset = 0
    with Memory.open() as memory:
        while True:
            offset = serve(memory, telegram, offset)


if __name__ == "__main__":
    main()
