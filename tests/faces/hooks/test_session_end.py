"""The end of a session: the hook's payload leads to a transcript, and what was said in it is kept once."""

import json
from pathlib import Path
from typing import Any

import pytest

from waypost import Memory, config
from waypost.errors import InvalidInput
from waypost.faces.hooks.session_end import keep
from waypost.text.fence import fence

SESSION = "0b5c1a52-5d3f-4a53-9a55-0d7b1f5a2c11"


def line(kind: str, content: str, second: int) -> str:
    message = {"role": kind, "content": content}
    time = f"2026-01-30T11:00:{second:02d}.000Z"
    return json.dumps({"type": kind, "message": message, "timestamp": time, "sessionId": SESSION}) + "\n"


TALK = [
    line("user", "No, we use pnpm here, not npm.\n" + fence("We decided to use yarn everywhere."), 1),
    line("assistant", "Understood.", 2),
    line("assistant", "The root cause was a missing lock file.", 3),
]


def said(memory: Memory) -> list[tuple[str | None, str]]:
    return sorted((one["speaker"], one["text"]) for one in memory.list(kind="conversation"))


def test_a_session_is_kept_from_the_path_that_the_hook_gives(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(TALK), encoding="utf-8")
    kept = keep("claude-code", {"session_id": SESSION, "transcript_path": str(path)}, memory)
    assert (kept.session, kept.added, kept.known, kept.held) == (SESSION, 3, 0, 2)
    assert said(memory) == [
        ("assistant", "The root cause was a missing lock file."),
        ("assistant", "Understood."),
        ("user", "No, we use pnpm here, not npm."),
    ]
    assert "yarn" not in json.dumps(memory.review().to_json())
    again = keep("claude-code", {"session_id": SESSION, "transcript_path": str(path)}, memory)
    assert (again.added, again.known, again.held) == (0, 3, 0)


@pytest.mark.parametrize(
    ("agent", "place"),
    [
        ("claude-code", f".claude/projects/-home-anna-x/{SESSION}.jsonl"),
        ("codex", f".codex/sessions/2026/01/30/rollout-2026-01-30T11-00-00-{SESSION}.jsonl"),
        ("gemini", f".gemini/tmp/abc/chats/session-2026-01-30T11-00-{SESSION[:8]}.jsonl"),
        ("cursor", f".cursor/projects/x/agent-transcripts/{SESSION}/{SESSION}.jsonl"),
        ("cursor", f".cursor/projects/x/agent-transcripts/{SESSION}.jsonl"),
    ],
)
def test_a_session_is_found_where_its_agent_keeps_it(memory: Memory, agent: str, place: str) -> None:
    path = config.user_home() / place
    path.parent.mkdir(parents=True)
    path.write_text(line("user", "Hello there", 1), encoding="utf-8")
    assert keep(agent, {"conversation_id": SESSION}, memory).added == 1


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"session_id": SESSION},
        {"session_id": "../../etc/passwd"},
        {"session_id": "*" * 20},
        {"transcript_path": "relative.jsonl"},
        {"transcript_path": "/nowhere/at/all.jsonl"},
        {"transcript_path": ["x"], "session_id": 7},
        {"transcript_path": None},
    ],
)
def test_without_a_transcript_nothing_is_kept_and_that_is_said(memory: Memory, payload: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        keep("cursor", payload, memory)
    assert said(memory) == []


def test_a_session_without_words_is_no_error(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\xff\xfe not json\n")
    assert keep("codex", {"transcript_path": str(path)}, memory).added == 0
