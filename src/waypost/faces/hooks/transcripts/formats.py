"""Record formats of agents' transcripts: who said what and when.

    Claude Code   {"type": "user", "message": {"content": …}, "timestamp": …, "sessionId": …, "uuid": …}
    Qwen Code     the same, with "parts" in place of "content"
    Codex         {"type": "response_item", "payload": {"type": "message", "role": …, "content": […]}, "timestamp": …}
    Gemini CLI    {"sessionId": …, "messages": [{"type": "gemini", "content": …, "timestamp": …}]}, or its lines
    Cursor        {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>…"}]}}; without times
    Copilot       {"type": "user.message", "data": {"content": …}, "timestamp": …}
    Windsurf      {"type": "user_input", "user_input": {"user_response": …}, "status": "done"}; without times
    others        {"role": …, "content": …, "time": …}

No vendor guarantees these formats. Records of an unknown type are skipped. Claude Code repeats requests to the model in some
of them (`api-request-blob`), where the user has the results of tools. Also skipped: tool calls and their results, thinking,
messages between agents and sub-agents, summaries of earlier turns.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.compat.chat.messages import time_of
from waypost.errors import InvalidInput
from waypost.model.session_turn import ASSISTANT, USER, SessionTurn

_ROLES = {"user": USER, "human": USER, "assistant": ASSISTANT, "model": ASSISTANT, "gemini": ASSISTANT, "ai": ASSISTANT}
_TIMES = ("timestamp", "time", "created_at", "at", "ts")
_SESSIONS = ("sessionId", "session_id", "session", "conversation_id", "thread_id")
_CONTENT = ("content", "text")
_NOT_SAID = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
    "planContent",
)
_TEXT_TYPES = ("text", "input_text", "output_text", "")
_SAID_TYPES = (None, "message", "user", "assistant")  # of records that have only a role and content
_IDS = ("uuid", "id")  # of a message
_STEPS = {"user_input": (USER, "user_response"), "planner_response": (ASSISTANT, "response")}  # of Windsurf
_MADE_UP = "<synthetic>"  # Claude Code's own text under the model's name
_MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True)
class About:
    """What a record says about the whole session."""

    session: str = ""
    is_sub_agent: bool = False  # the user of this session is another agent


def messages_of(record: Mapping[str, Any]) -> Iterator[SessionTurn]:
    """The messages of a record, unfiltered."""
    kind = record.get("type")
    messages = _message_list(record)
    if messages is not None:
        for message in messages:
            if isinstance(message, Mapping):
                yield from _gemini(message) if message.get("type") in ("user", "gemini") else _generic(message)
    elif isinstance(record.get("payload"), Mapping):
        yield from _codex(record, record["payload"])
    elif kind == "attachment":
        yield from _queued(record)
    elif kind in ("user", "assistant") and isinstance(record.get("message"), Mapping):
        yield from _claude(record, record["message"])
    elif kind in ("user.message", "assistant.message") and isinstance(record.get("data"), Mapping):
        yield from _copilot(str(kind), record, record["data"])
    elif kind in ("user", "gemini"):
        yield from _gemini(record)
    elif kind in ("user_input", "planner_response"):
        yield from _windsurf(str(kind), record)
    elif kind in _SAID_TYPES:
        yield from _generic(record)


def about(record: Mapping[str, Any]) -> About:
    inner = record.get("payload") if record.get("type") == "session_meta" else record
    fields = inner if isinstance(inner, Mapping) else {}
    if record.get("type") == "session_meta":
        source = fields.get("source")
        is_sub_agent = isinstance(source, Mapping) and any(str(name).startswith("sub") for name in source)
        return About(_name(fields.get("id")), is_sub_agent)
    return About(
        next((name for key in _SESSIONS if (name := _name(fields.get(key)))), ""), fields.get("kind") == "subagent"
    )


def _message_list(record: Mapping[str, Any]) -> list[Any] | None:
    """The messages that one record lists: a whole session, or an update of it."""
    changed = record.get("$set")
    for holder in (record, changed if isinstance(changed, Mapping) else {}):
        if isinstance(holder.get("messages"), list):
            return list(holder["messages"])
    return None


def _claude(record: Mapping[str, Any], message: Mapping[str, Any]) -> Iterator[SessionTurn]:
    if any(record.get(name) for name in _NOT_SAID) or message.get("model") == _MADE_UP:
        return
    speaker = _ROLES.get(str(message.get("role") or record["type"]))
    if speaker is not None:
        yield from _turn(speaker, message.get("content", message.get("parts")), record)


def _queued(record: Mapping[str, Any]) -> Iterator[SessionTurn]:
    """What a person typed while the agent was working."""
    attachment = record.get("attachment")
    if not isinstance(attachment, Mapping) or attachment.get("type") != "queued_command" or record.get("isSidechain"):
        return
    if attachment.get("commandMode") in (None, "prompt") and not attachment.get("isMeta"):
        yield from _turn(USER, attachment.get("prompt"), record)


def _codex(record: Mapping[str, Any], payload: Mapping[str, Any]) -> Iterator[SessionTurn]:
    """Most messages are there twice, as an item and as an event; `read_transcript` removes repetitions."""
    kind = payload.get("type")
    if record.get("type") == "response_item" and kind == "message":
        speaker = _ROLES.get(str(payload.get("role")))
        if speaker is not None:
            yield from _turn(speaker, payload.get("content"), record)
    elif record.get("type") == "event_msg" and kind in ("user_message", "agent_message"):
        yield from _turn(USER if kind == "user_message" else ASSISTANT, payload.get("message"), record)


def _copilot(kind: str, record: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[SessionTurn]:
    if not data.get("source"):  # otherwise a skill or a hook speaks as the user
        yield from _turn(USER if kind == "user.message" else ASSISTANT, data.get("content"), record)


def _gemini(record: Mapping[str, Any]) -> Iterator[SessionTurn]:
    yield from _turn(_ROLES[str(record["type"])], record.get("content"), record)


def _windsurf(kind: str, record: Mapping[str, Any]) -> Iterator[SessionTurn]:
    speaker, name = _STEPS[kind]
    step = record.get(kind)
    if isinstance(step, Mapping) and record.get("status") in (None, "done"):
        yield from _turn(speaker, step.get(name), record)


def _generic(record: Mapping[str, Any]) -> Iterator[SessionTurn]:
    """Role and content, as Cursor and most others write them."""
    inner = record.get("message")
    holder = inner if isinstance(inner, Mapping) else record
    role = record.get("role") or holder.get("role")
    speaker = _ROLES.get(role.casefold()) if isinstance(role, str) else None
    if speaker is not None and not any(record.get(name) for name in _NOT_SAID):
        content = (
            inner if isinstance(inner, str) else next((holder[name] for name in _CONTENT if holder.get(name)), None)
        )
        yield from _turn(speaker, content, record, holder)


def _turn(speaker: str, content: object, *records: Mapping[str, Any]) -> Iterator[SessionTurn]:
    """A turn with the text parts of a message, if there are any. Its time and id are those of the first record that has them."""
    parts = content[:_MOST_PARTS] if isinstance(content, list) else [content]
    texts = [text for part in parts if (text := _text(part))]
    if texts:
        at = next((at for record in records if (at := _time(record)) is not None), None)
        names = (_name(record.get(key)) for record in records for key in _IDS)
        yield SessionTurn(speaker, "\n\n".join(texts), at, next(filter(None, names), ""))


def _text(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("thought") or part.get("type", "") not in _TEXT_TYPES:
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _time(record: Mapping[str, Any]) -> datetime | None:
    value = next((record[name] for name in _TIMES if record.get(name) is not None), None)
    try:
        return None if value is None else time_of(value)
    except InvalidInput:
        return None


def _name(value: object) -> str:
    return value if isinstance(value, str) else ""
