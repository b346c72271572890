"""`memory.chat(user)`: the long-term memory of one user of an assistant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost import flows
from waypost.errors import InvalidInput, NotFound
from waypost.journal.chat_commands import ChatCommand, command_phrase, parse_command
from waypost.memory.handle import MemoryHandle, When
from waypost.model.receipt import Receipt

if TYPE_CHECKING:
    from waypost.flows.context.brief import Briefing
    from waypost.memory.facade import Memory

_MOST_LINES = 15  # of an answer to a command: chats limit the length of a message
_MOST_SEARCHED = 1000
_LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """What was stored of a turn."""

    session: str
    question: Receipt
    answer: Receipt | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the stored entries, the question first."""
        receipts = (self.question, self.answer)
        return tuple(receipt.id for receipt in receipts if receipt is not None and receipt.id)


@dataclass(frozen=True, slots=True)
class CommandReply:
    """The answer to a `/memory` command."""

    text: str
    command: str
    data: Mapping[str, Any] = field(default_factory=dict)


class Chat:
    """One user's chat with an assistant. The user's memory is that of the person of this name."""

    def __init__(self, memory: "Memory", handle: MemoryHandle, user: str, assistant: str, pause: timedelta) -> None:
        self._memory, self._handle = memory, handle
        self._user, self._assistant, self._pause = user, assistant, pause

    @property
    def memory(self) -> "Memory":
        """The user's memory, for everything else."""
        return self._memory

    @property
    def user(self) -> str:
        """The name of the user's memory."""
        return self._handle.identity.name

    def turn(
        self, question: str, answer: str | None = None, *, media: str | Path | None = None, time: When = None
    ) -> ChatTurn:
        """Store a question and the answer to it, together.

        Args:
            question: What the user said.
            answer: What the assistant answered; leave it out if there is none.
            media: A picture, recording or file that came with the question; a copy is kept.
            time: When it was said; now by default.

        Returns:
            The session and the receipts. A session ends after a pause of half an hour.
        """
        at = self._handle.time(time, "time") or self._handle.clock()
        turns = [(self._user, question)] + ([(self._assistant, answer)] if answer is not None else [])
        path = None if media is None else Path(media)
        session, receipts = flows.journal.chat.add_turns(
            self._handle.current, turns, self._handle.caller, at=at, pause=self._pause, media=path
        )
        return ChatTurn(session, *receipts)

    def context(self, question: str, tokens: int | None = None) -> "Briefing":
        """Return what the assistant should know before it answers, fenced as data.

        Args:
            question: What the user asks.
            tokens: Budget; half of the context window in the settings by default.
        """
        return self._memory.brief(question, tokens, preset="journal")

    def command(self, text: str) -> CommandReply | None:
        """Answer a `/memory` command in the user's language.

        Args:
            text: The user's message: `/memory stats`, `search WORDS`, `timeline DATE`, `protect WORDS`, `cleanup force`.

        Returns:
            The answer, or None if the message is no command.
        """
        command = parse_command(text)
        if command is None:
            return None
        space = self._handle.current
        language = command.language or flows.journal_files.language.journal_language(space, self._handle.clock())
        return _Commands(self._memory, language).answer(command)


@dataclass(frozen=True, slots=True)
class _Commands:
    """The answers to commands, in one language."""

    memory: "Memory"
    language: str

    def answer(self, command: ChatCommand) -> CommandReply:
        needs_words = {"search": self.search, "timeline": self.timeline, "protect": self.protect}
        if command.name in needs_words:
            return needs_words[command.name](command.rest) if command.rest else self._usage(command.name)
        if command.name == "stats":
            return self.stats()
        return self.cleanup(command.force) if command.name == "cleanup" else CommandReply(self._say("help"), "help")

    def stats(self) -> CommandReply:
        stats = self.memory.journal.stats()
        if not stats["entries"]:
            return CommandReply(self._say("empty"), "stats", stats)
        size = sum(stage["bytes"] for stage in stats["stages"].values()) / 1e6
        names = ("entries", "conversations", "protected")
        text = self._say(
            "stats",
            **{name: stats[name] for name in names},
            first=stats["first_day"],
            last=stats["last_day"],
            size=f"{size:.2f}",
            cleaned=(stats["last_cleanup"] or self._say("never"))[:10],
        )
        return CommandReply(text, "stats", stats)

    def search(self, words: str) -> CommandReply:
        lines = self.memory.journal.search(words, _MOST_SEARCHED)
        rows = [(f"{line.time:%Y-%m-%d} " if line.time else "") + _one_line(line.text) for line in lines]
        data = {"lines": [line.to_json() for line in lines[:_MOST_LINES]]}
        return CommandReply(self._listed(rows) or self._say("nothing", what=words), "search", data)

    def timeline(self, when: str) -> CommandReply:
        try:
            timeline = self.memory.journal.timeline(when)
        except InvalidInput:
            return CommandReply(self._say("when", what=when), "timeline")
        rows = [
            f"{said.entry.at:%Y-%m-%d %H:%M} {said.entry.speaker or ''}: {_one_line(said.entry.held or '')}"
            for said in timeline.entries
            if said.is_held
        ]
        text = self._listed(rows) or self._say("nothing", what=when)
        return CommandReply(text, "timeline", timeline.to_json())

    def protect(self, words: str) -> CommandReply:
        try:
            memory_id = self.memory.journal.protect(words)
        except (NotFound, InvalidInput):
            return CommandReply(self._say("nothing", what=words), "protect")
        text = _one_line(self.memory.show(memory_id).version.text)
        return CommandReply(self._say("protected", text=text), "protect", {"id": memory_id})

    def cleanup(self, force: bool) -> CommandReply:
        done = self.memory.journal.condense(force=force).to_json()
        files = _one_line(", ".join(dict.fromkeys((*done["made"], *done["archived"]))))
        text = (
            self._say("cleaned", steps=files or len(done["steps"]))
            if done["steps"]
            else self._say("nothing_done" if force else "nothing_due")
        )
        return CommandReply(text, "cleanup", done)

    def _usage(self, name: str) -> CommandReply:
        usage = next(line for line in command_phrase("en", "help").split("\n") if name in line)
        return CommandReply(self._say("needs", usage=usage.partition(" - ")[0]), name)

    def _listed(self, rows: list[str]) -> str:
        more = len(rows) - _MOST_LINES
        return "\n".join(rows[:_MOST_LINES] + ([self._say("more", count=more)] if more > 0 else []))

    def _say(self, phrase: str, **fields: object) -> str:
        return command_phrase(self.language, phrase, **fields)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rstrip()}…"
