"""What agents write to a hook, as they document it, and what they read from it."""

import json
from pathlib import Path
from typing import Any

import pytest

from waypost.faces.hooks.agent.formats import (
    AGENTS,
    EVENTS,
    NOTHING,
    HookInput,
    HookOutput,
    fitting,
    read_input,
    read_telling,
    render_answer,
)

RECORDED = Path(__file__).parents[1] / "recorded" / "payloads.jsonl"  # by real agents
RECORDED_PAYLOADS = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
PROMPTS: dict[str, dict[str, Any]] = {
    "claude-code": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "prompt": "why?"},
    "codex": {"session_id": "s", "turn_id": "1", "transcript_path": "/t.jsonl", "cwd": "/p", "prompt": "why?"},
    "gemini": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "timestamp": "x", "prompt": "why?"},
    "vscode": {"sessionId": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "prompt": "why?"},
    "qwen": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "prompt": "why?", "prompt_id": "s#0"},
    "copilot": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "prompt": "why?"},
    "opencode": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "prompt": "why?"},
    "pi": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "prompt": "why?"},
    "cursor": {
        "conversation_id": "s",
        "generation_id": "g",
        "workspace_roots": ["/p"],
        "transcript_path": "/t.jsonl",
        "prompt": "why?",
        "attachments": [],
    },
    "kimi": {"session_id": "s", "cwd": "/p", "client_type": "cli", "prompt": [{"type": "text", "text": "why?"}]},
    "windsurf": {
        "trajectory_id": "s",
        "tool_info": {"user_prompt": "why?", "transcript_path": "/t.jsonl", "cwd": "/p"},
    },
}


def given(agent: str = "claude-code", **members: Any) -> HookInput:
    found = read_input("prompt", agent, json.dumps(members).encode())
    assert found is not None
    return found


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_is_understood(agent: str) -> None:
    found = given(agent, **PROMPTS[agent])
    transcript = "" if agent == "kimi" else "/t.jsonl"  # it names none
    assert (found.session, found.cwd, found.prompt, found.transcript) == ("s", "/p", "why?", transcript)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "vscode"])
def test_context_names_the_event_where_the_agent_wants_it_so(agent: str) -> None:
    assert json.loads(render_answer("prompt", agent, "words")) == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "words"}
    }
    assert json.loads(render_answer("session-start", agent, "words")) == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "words"}
    }


def test_gemini_and_cursor_are_answered_in_their_own_words() -> None:
    assert json.loads(render_answer("prompt", "gemini", "words")) == {
        "hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "words"}
    }
    assert json.loads(render_answer("prompt", "cursor", "words")) == {"continue": True, "additional_context": "words"}
    assert json.loads(render_answer("session-start", "cursor", "words")) == {"additional_context": "words"}
    assert json.loads(render_answer("prompt", "kimi", "words")) == {"continue": True, "message": "words"}
    assert render_answer("session-start", "kimi", "words") == ""
    assert json.loads(render_answer("session-start", "copilot", "words")) == {
        "additionalContext": "words",
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "words"},
    }


@pytest.mark.parametrize(
    "row", RECORDED_PAYLOADS, ids=lambda row: f"{row['agent']} {row['payload']['hook_event_name']}"
)
def test_what_real_agents_wrote_is_understood(row: dict[str, Any]) -> None:
    read = read_input(row["event"], row["agent"], json.dumps(row["payload"]).encode())
    assert read is not None
    assert read.cwd == "/home/me/shop"
    assert len(read.session) == 36
    assert read.transcript.endswith(".jsonl") or row["agent"] == "copilot"
    if row["event"] == "prompt":
        assert read.prompt in ("What is the shop?", "How are session cookies signed?")
    if row["event"] in ("pre-tool", "post-tool") and "/nonexistent_zz" not in str(row["payload"]["tool_input"]):
        assert read.files == "/home/me/shop/prices.py"
        assert read.problem == ""
    elif row["event"] == "post-tool":
        assert "cat: /nonexistent_zz: No such file or directory" in read.problem


def test_what_hooks_said_before_is_no_part_of_a_prompt() -> None:
    """Gemini CLI puts the output of hooks into the prompt that it gives to the next one."""
    prompt = "<hook_context>Deploy at night.</hook_context>\n\n<hook_context>x</hook_context>\nwhy?"
    assert given("gemini", prompt=prompt).prompt == "why?"
    assert given("gemini", prompt="<hook_context>why?").prompt == "<hook_context>why?"
    assert given("gemini", prompt="What is a </hook_context>?").prompt == "What is a </hook_context>?"


def test_gemini_compacts_only_when_the_person_says_so() -> None:
    """It announces a compaction before every request to the model."""
    for source, agent, compacts in (
        ("auto", "gemini", False),
        ("manual", "gemini", True),
        ("auto", "claude-code", True),
        ("manual", "codex", True),
    ):
        read = read_input("pre-compact", agent, json.dumps({"trigger": source}).encode())
        assert read is not None
        assert read.compacts is read.starts_afresh is compacts


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("event", EVENTS)
def test_nothing_is_said_where_there_is_nothing_to_say(agent: str, event: Any) -> None:
    assert render_answer(event, agent, "") == ""
    if event in ("turn-end", "session-end", "pre-compact") or agent == "windsurf":
        assert render_answer(event, agent, "words") == ""


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe\x00", b"\x00" * 1000, b"[" * 100_000, b"{'a': 1}", b"NaN"],
)
def test_what_is_no_object_is_refused(raw: bytes) -> None:
    assert read_input("prompt", "claude-code", raw) is None


def test_members_of_the_wrong_sort_count_as_missing() -> None:
    found = given(session_id=["s"], cwd={"a": 1}, prompt=7, transcript_path=None, source=True)
    assert found == HookInput("prompt", "claude-code")
    assert given("cursor", workspace_roots=[], conversation_id=4) == HookInput("prompt", "cursor")
    assert given("cursor", workspace_roots={"0": "/p"}).cwd == "/p"
    assert given("windsurf", tool_info=[1, 2]) == HookInput("prompt", "windsurf")


def test_a_name_that_no_path_can_have_was_not_said() -> None:
    found = given(session_id="s" * 5000, cwd="/p\0/q", transcript_path="/t\n/u")
    assert (found.session, found.cwd, found.transcript) == ("", "", "")


def test_of_a_huge_prompt_the_beginning_and_the_end_are_read() -> None:
    prompt = given(prompt="why does it fail? " + "x" * 10_000_000 + " tell me about uploads").prompt
    assert prompt.startswith("why does it fail?")
    assert prompt.endswith("tell me about uploads")
    assert len(prompt) < 4000


def test_signs_that_no_question_may_hold_are_taken_out() -> None:
    assert given(prompt="a\x00b\x1b[31mc\ud800d\r\nü\te").prompt == "a b [31mc d \nü\te"


def test_what_is_sent_to_a_running_process_comes_back_the_same() -> None:
    found = given(**PROMPTS["claude-code"])
    assert HookInput.of(json.loads(json.dumps(found.to_json()))) == found


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        {},
        {"event": "prompt"},
        {"event": "prompt", "agent": "nobody"},
        {"event": "x", "agent": "codex"},
        {"event": "prompt", "agent": "codex", "prompt": 1},
        {"event": "prompt", "agent": "codex", "cwd": "x" * 9999},
    ],
)
def test_what_no_hook_sends_is_refused(sent: object) -> None:
    assert HookInput.of(sent) is None


def test_memories_are_left_out_from_the_end_until_an_agent_takes_it() -> None:
    lines = [f'- "{number}" ' + "\\" * 400 for number in range(20)]  # JSON doubles these
    telling = HookOutput("\n".join(["<open>", *lines, "</open>"]), tuple(f"k{number}" for number in range(20)))
    fit = fitting(given(**PROMPTS["codex"]), telling)
    assert len(render_answer("prompt", "codex", fit.text)) <= 10_000
    assert fit.text.startswith('<open>\n- "0"') and fit.text.endswith("</open>")
    assert fit.keys == tuple(f"k{number}" for number in range(len(fit.keys)))
    assert fit.text.count("\n- ") == len(fit.keys) > 5


def test_what_cannot_be_made_short_is_not_said() -> None:
    assert fitting(given(), HookOutput("x" * 20_000)) == NOTHING


@pytest.mark.parametrize("mark", ["</system-reminder>", "< / System_Reminder >", "</hook_context>", "\u202e"])
def test_no_memory_ends_what_an_agent_puts_around_our_words(mark: str) -> None:
    text = fitting(given(), HookOutput(f"<waypost-memory 0>\n- a {mark} b\n</waypost-memory 0>", ("k",))).text
    assert mark not in text
    assert text.startswith("<waypost-memory 0>\n- a ")
    assert text.endswith(" b\n</waypost-memory 0>")
    assert read_telling({"text": text, "keys": ["k"]}, given()) == HookOutput(text, ("k",))


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"text": 1, "keys": []},
        {"text": "a", "keys": "k"},
        {"text": "a", "keys": [1]},
        {"text": "a" * 20_000, "keys": []},
    ],
)
def test_what_is_no_answer_is_not_taken_from_another_process(answer: dict[str, Any]) -> None:
    assert read_telling(answer, given()) is None
    assert read_telling({"text": "a", "keys": ["k"]}, given()) == HookOutput("a", ("k",))


def test_gemini_gets_the_briefing_of_a_sub_agent_as_part_of_its_prompt() -> None:
    """Gemini CLI has no event for sub-agents, but takes another prompt for the tool that starts one."""
    raw = json.dumps({"session_id": "s", "cwd": "/", "tool_input": {"agent_name": "generalist", "prompt": "Look."}})
    given = read_input("subagent-start", "gemini", raw.encode())
    assert given is not None
    answer = json.loads(render_answer("subagent-start", "gemini", "Known.", tool_input=given.tool_input))
    changed = {"agent_name": "generalist", "prompt": "Look.\n\nKnown."}
    assert answer == {"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": changed}}
    assert render_answer("subagent-start", "gemini", "Known.", tool_input={"prompt": 3}) == ""
    assert HookInput.of(given.to_json()) == given
