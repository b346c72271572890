"""From the payload of a hook to the transcript of its session, and from there to the journal."""

import json
from pathlib import Path
from typing import Any

import pytest

from waypost import Memory
from waypost.faces.hooks.transcripts.place import session_of, transcript_path
from waypost.faces.hooks.transcripts.read import read_transcript
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


def test_a_transcript_is_kept_once_and_our_own_briefing_is_no_part_of_it(memory: Memory, tmp_path: Path) -> None:
    given = tmp_path / "t.jsonl"
    given.write_text("".join(TALK), encoding="utf-8")
    payload = {"session_id": SESSION, "transcript_path": str(given)}
    path = transcript_path("claude-code", payload, tmp_path)
    assert path == given
    told = read_transcript(path)
    kept = memory.journal.add_session(session_of(payload), told.turns, notices=told.notices)
    assert (kept.session, kept.added, kept.duplicates, kept.held) == (SESSION, 3, 0, 2)
    assert sorted((one["speaker"], one["text"]) for one in memory.list(kind="conversation")) == [
        ("assistant", "The root cause was a missing lock file."),
        ("assistant", "Understood."),
        ("user", "No, we use pnpm here, not npm."),
    ]
    assert "yarn" not in json.dumps(memory.facts.review().to_json())
    again = memory.journal.add_session(SESSION, read_transcript(path).turns)
    assert (again.added, again.duplicates, again.held) == (0, 3, 0)


@pytest.mark.parametrize(
    ("agent", "place"),
    [
        ("claude-code", f".claude/projects/-home-anna-x/{SESSION}.jsonl"),
        ("codex", f".codex/sessions/2026/01/30/rollout-2026-01-30T11-00-00-{SESSION}.jsonl"),
        ("gemini", f".gemini/tmp/abc/chats/session-2026-01-30T11-00-{SESSION[:8]}.jsonl"),
        ("gemini", f".gemini/tmp/abc/chats/session-2026-01-30T11-00-{SESSION[:8]}.json"),
        ("cursor", f".cursor/projects/x/agent-transcripts/{SESSION}/{SESSION}.jsonl"),
        ("cursor", f".cursor/projects/x/agent-transcripts/{SESSION}.jsonl"),
        ("windsurf", f".windsurf/transcripts/{SESSION}.jsonl"),
    ],
)
def test_a_session_is_found_where_its_agent_keeps_it(tmp_path: Path, agent: str, place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(line("user", "Hello there", 1), encoding="utf-8")
    assert transcript_path(agent, {"conversation_id": SESSION}, tmp_path) == path
    assert transcript_path("zed", {"conversation_id": SESSION}, tmp_path) is None


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"session_id": SESSION},
        {"session_id": "../../../../etc/passwd"},
        {"session_id": "*" * 20},
        {"session_id": "[a-z]?" * 5},
        {"transcript_path": "relative.jsonl"},
        {"transcript_path": ["x"], "session_id": 7},
        {"transcript_path": None},
    ],
)
def test_nothing_else_leads_to_a_file(tmp_path: Path, payload: dict[str, Any]) -> None:
    kept = tmp_path / ".claude" / "projects" / "x"
    kept.mkdir(parents=True)
    (kept / "another-session.jsonl").write_text(TALK[0], encoding="utf-8")
    assert transcript_path("claude-code", payload, tmp_path) is None
