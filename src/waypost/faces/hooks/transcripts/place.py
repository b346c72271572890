"""Where an agent stores a session's transcript: as its hook says, else in the agent's usual folder."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

_PATHS = ("transcript_path", "transcriptPath")
_SESSIONS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "thread-id", "trajectory_id")
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,127}")  # without characters special in paths and globs
_MOST_LOOKED_AT = 1000
# By agent, below the home directory. {id} is the session; {start} its first eight characters.
_KEPT = {
    "claude-code": (".claude/projects/*/{id}.jsonl",),
    "codex": (".codex/sessions/*/*/*/rollout-*-{id}.jsonl",),
    "copilot": (".copilot/session-state/{id}/events.jsonl",),
    "gemini": (".gemini/tmp/*/chats/session-*-{start}.jsonl", ".gemini/tmp/*/chats/session-*-{start}.json"),
    "cursor": (
        ".cursor/projects/*/agent-transcripts/{id}/{id}.jsonl",
        ".cursor/projects/*/agent-transcripts/{id}.jsonl",
    ),
    "qwen": (".qwen/projects/*/chats/{id}.jsonl",),
    "windsurf": (".windsurf/transcripts/{id}.jsonl",),
}


def session_of(payload: Mapping[str, Any]) -> str:
    """The session that a hook was called for, or "" if it names none."""
    names = (payload.get(key) for key in _SESSIONS)
    return next((name for name in names if isinstance(name, str) and _SESSION.fullmatch(name)), "")


def transcript_path(agent: str, payload: Mapping[str, Any], home: Path) -> Path | None:
    """The transcript's path, or None if neither the hook nor the agent's usual folder has it."""
    given = next((payload[name] for name in _PATHS if isinstance(payload.get(name), str) and payload[name]), None)
    if given is not None:
        path = Path(given)
        return path if path.is_absolute() else None
    session = session_of(payload)
    return next(_kept(agent, session, home), None) if session else None


def _kept(agent: str, session: str, home: Path) -> Iterator[Path]:
    for pattern in _KEPT.get(agent, ()):
        glob = pattern.format(id=session, start=session[:8])
        yield from islice(home.glob(glob), _MOST_LOOKED_AT)
