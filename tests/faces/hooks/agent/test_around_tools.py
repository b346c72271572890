"""Hooks around the tools of an agent: what is known about a file, what an edit made stale, and the fix of an error."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Git

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.faces.hooks.agent.event import answers, handle
from waypost.faces.hooks.agent.tool_input import tool_command, tool_files, tool_problem
from waypost.faces.hooks.socket.place import run_folder
from waypost.faces.hooks.socket.server import serve_hooks
from waypost.system.hook_log import late_hooks

CODE = "def total(prices):\n    return sum(prices)\n"
CENTS = "Prices are integers in cents; floats lost money in March."
FIX = "ModuleNotFoundError: No module named 'yaml' → Fixed by installing pyyaml."


@pytest.fixture
def shop(tmp_path: Path, git: Git, fake_engine: FakeEngine) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q")
    (root / "prices.py").write_text(CODE)
    (root / "other.py").write_text("x = 1\n")
    git(root, "add", ".")
    git(root, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "Open")
    memory = Memory.open(root)
    memory.remember(CENTS, refs=["prices.py#L1-L2"])
    memory.remember(FIX, kind="fix")
    memory.remember("The office closes at six.")
    return root


Use = Callable[..., dict[str, Any]]


@pytest.fixture
def use(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Use]:
    """Tell a hook about the use of a tool while a server runs, and read what the agent would."""

    def use_(event: str, tool: dict[str, Any], *, agent: str = "claude-code", **members: Any) -> dict[str, Any]:
        names = {"pre-tool": "PreToolUse", "post-tool": "PostToolUse"}
        payload = {"session_id": "s", "cwd": str(shop), "hook_event_name": names[event], "tool_input": tool, **members}
        outcome = handle(event, agent, json.dumps(payload).encode(), time.monotonic() + 60)
        if not outcome.output:
            return {}
        outcome.written()
        answer: dict[str, Any] = json.loads(outcome.output)
        return answer

    monkeypatch.setattr("waypost.faces.hooks.agent.event._AROUND_TOOL", 60.0)
    folder = run_folder(config.load().home, Memory.open(shop).identity.space_id)
    with serve_hooks(answers(config.load()), folder):
        yield use_


def context(answer: dict[str, Any]) -> str:
    return str(answer["hookSpecificOutput"]["additionalContext"]) if answer else ""


def test_before_a_file_is_read_its_memories_come_once_in_a_session(use: Use, shop: Path) -> None:
    answer = use("pre-tool", {"file_path": str(shop / "prices.py")})
    assert answer["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    assert answer["systemMessage"] == "Waypost: 1 memory"
    assert "Remembered about prices.py:" in context(answer)
    assert CENTS in context(answer) and "office" not in context(answer)
    assert context(answer).startswith("<waypost-memory ")
    assert use("pre-tool", {"file_path": str(shop / "prices.py")}) == {}
    assert CENTS in context(use("pre-tool", {"file_path": "prices.py"}, session_id="another"))


def test_where_nothing_is_known_a_tool_hook_is_silent(use: Use, shop: Path) -> None:
    for path in (str(shop / "other.py"), "missing.py", "/etc/passwd", "../outside.py", "a\0b", ".", ""):
        assert use("pre-tool", {"file_path": path}) == {}
    assert use("pre-tool", {"query": "prices"}) == {}


def test_a_stale_memory_comes_with_what_changed(use: Use, shop: Path) -> None:
    (shop / "prices.py").write_text("def total(prices):\n    tax = 1.19\n    return round(sum(prices) * tax, 2)\n")
    text = context(use("pre-tool", {"file_path": "prices.py"}))
    assert "[stale:" in text
    assert "    -return sum(prices)\n    +tax = 1.19\n" in text


def test_after_an_edit_the_memories_that_it_made_stale_come_once(use: Use, shop: Path) -> None:
    edit = {"file_path": str(shop / "prices.py"), "old_string": "return sum(prices)", "new_string": "…"}
    assert CENTS in context(use("pre-tool", edit))
    (shop / "prices.py").write_text("def total(prices):\n    tax = 1.19\n    return round(sum(prices) * tax, 2)\n")
    text = context(use("post-tool", edit))
    assert "prices.py changed behind these memories." in text
    assert CENTS in text and "[stale:" in text and "waypost verify" in text
    assert use("post-tool", edit) == {}
    assert use("pre-tool", edit) == {}


def test_an_edit_that_keeps_memories_true_is_not_mentioned(use: Use, shop: Path) -> None:
    (shop / "prices.py").write_text(f"import os\n\n\n{CODE}")
    assert use("post-tool", {"file_path": "prices.py"}) == {}


def _say(memory: Memory, text: str, session: str = "earlier", speaker: str = "user") -> None:
    memory.remember(text, kind="conversation", session=session, speaker=speaker)


def test_before_a_command_runs_what_was_stated_about_it_comes_once(use: Use, shop: Path) -> None:
    memory = Memory.open(shop)
    memory.remember("Use pnpm, never npm.")
    _say(memory, "Good. Plain pytest takes nine minutes here, run tox -e fast instead. Now the docs.")
    _say(memory, "run pytest again please")
    _say(memory, "pytest is the runner here.", speaker="assistant")
    answer = use("pre-tool", {"command": "cd shop && python -m pytest -q"})
    assert "Remembered about `pytest`:" in context(answer)
    assert "run tox -e fast instead" in context(answer)
    assert (
        "again please" not in context(answer) and "the runner" not in context(answer) and "pnpm" not in context(answer)
    )
    assert use("pre-tool", {"command": "pytest"}) == {}
    assert "Use pnpm, never npm." in context(use("pre-tool", {"command": "npm install left-pad"}))
    assert use("pre-tool", {"command": "ls && git status"}) == {}


def test_before_a_file_is_read_what_was_stated_about_its_folder_comes(use: Use, shop: Path) -> None:
    (shop / "src" / "tax").mkdir(parents=True)
    (shop / "src" / "tax" / "rates.py").write_text("RATE = 19\n")
    _say(Memory.open(shop), "ja. Alles unter src/tax: Freigabe nur durch Ada, sonst hält der Bot das fest")
    assert "Freigabe nur durch Ada" in context(use("pre-tool", {"file_path": "src/tax/rates.py"}))
    assert use("pre-tool", {"file_path": "other.py"}) == {}


def test_what_was_said_in_this_session_is_not_repeated_at_a_tool(use: Use, shop: Path) -> None:
    _say(Memory.open(shop), "Never run pytest without -q here.", session="s")
    assert use("pre-tool", {"command": "pytest"}) == {}
    assert "without -q" in context(use("pre-tool", {"command": "pytest"}, session_id="later"))


def test_of_a_value_that_changed_a_tool_gets_the_newest(use: Use, shop: Path) -> None:
    memory = Memory.open(shop)
    _say(memory, "The host for load tests is stg-02.int, port 8443.", session="one")
    _say(memory, "The host for load tests is stg-02.int, but the port is 9443 now.", session="two")
    text = context(use("pre-tool", {"command": "curl https://stg-02.int/health"}))
    assert "9443" in text and "8443" not in text


def test_gemini_which_takes_nothing_before_a_tool_gets_it_after(use: Use) -> None:
    read = {"file_path": "prices.py"}
    assert use("pre-tool", read, agent="gemini") == {}
    answer = use("post-tool", read, agent="gemini", hook_event_name="AfterTool")
    assert answer["hookSpecificOutput"]["hookEventName"] == "AfterTool"
    assert CENTS in context(answer)


def test_after_a_failed_command_the_known_fix_of_its_error_comes(use: Use) -> None:
    error = "Exit code 1\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'"
    answer = use("post-tool", {"command": "python a"}, error=error, hook_event_name="PostToolUseFailure")
    assert answer["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure"
    assert FIX in context(answer)
    assert use("post-tool", {"command": "ls"}, error="Exit code 2\nls: cannot access 'qqq'") == {}
    assert use("post-tool", {"command": "python a"}, session_id="two", tool_response={"stdout": error}) != {}


def test_without_a_running_process_a_tool_does_not_wait(shop: Path) -> None:
    payload = {"session_id": "s", "cwd": str(shop), "tool_input": {"file_path": "prices.py"}}
    assert handle("pre-tool", "claude-code", json.dumps(payload).encode(), time.monotonic() + 60).output == ""


# What Copilot CLI sends, here before its server listens.
_COPILOT_EDIT: dict[str, Any] = {
    "hook_event_name": "PreToolUse",
    "session_id": "d1b4f586-7f42-41cb-b308-c1781cf9d650",
    "timestamp": "2026-11-18T09:00:00.451Z",
    "tool_name": "Edit",
    "tool_input": {"old_str": "return sum(prices)", "new_str": "return round(sum(prices) * 1.19)"},
}


def test_the_first_tool_of_a_session_is_answered_before_its_server_listens(shop: Path) -> None:
    session = {"cwd": str(shop), "session_id": _COPILOT_EDIT["session_id"]}
    handle("session-start", "copilot", json.dumps(session).encode(), time.monotonic() + 60).written()
    tool = {**_COPILOT_EDIT["tool_input"], "path": str(shop / "prices.py")}
    payload = json.dumps({**_COPILOT_EDIT, "cwd": str(shop), "tool_input": tool}).encode()
    first = handle("pre-tool", "copilot", payload, time.monotonic() + 60)
    first.written()
    assert CENTS in context(json.loads(first.output))
    assert handle("pre-tool", "copilot", payload, time.monotonic() + 60).output == ""


def test_a_sub_agent_gets_a_briefing_of_its_own(shop: Path) -> None:
    Memory.open(shop).remember("Deploy from main only.", level=0)

    def say(event: str) -> str:
        payload = {"session_id": "s", "cwd": str(shop), "agent_type": "Explore"}
        outcome = handle(event, "claude-code", json.dumps(payload).encode(), time.monotonic() + 60)
        if outcome.output:
            outcome.written()
        return context(json.loads(outcome.output)) if outcome.output else ""

    assert "Deploy from main only." in say("session-start")
    assert "Deploy from main only." in say("subagent-start")
    assert "Deploy from main only." in say("subagent-start")


@pytest.mark.parametrize(
    ("tool", "files"),
    [
        ({"file_path": "/p/a.py"}, ["/p/a.py"]),
        ({"path": "/p/a.py", "old_str": "b.py"}, ["/p/a.py"]),
        ({"command": "sed -i 's/a/b/' src/a.py && cat ./b.py > out.txt"}, ["src/a.py", "./b.py", "out.txt"]),
        ({"command": ["bash", "-lc", "cat src/a.py"]}, ["src/a.py"]),
        ({"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-x.y\n+z.y\n*** End Patch"}, ["a.py"]),
        ({"file_path": 7, "command": {"a": 1}}, []),
        ({"command": "x" * 100_000}, []),
    ],
)
def test_files_are_found_in_the_input_of_tools(tool: dict[str, Any], files: list[str]) -> None:
    assert tool_files({"tool_input": tool}) == files
    assert tool_files({"tool_input": [tool]}) == []


@pytest.mark.parametrize(
    ("tool", "command"),
    [
        ({"command": "cd a && pytest"}, "cd a && pytest"),
        ({"command": ["bash", "-lc", "pytest"]}, "bash -lc pytest"),
        ({"input": "*** Begin Patch\n*** Update File: a.py\n*** End Patch"}, ""),
        ({"file_path": "a.py"}, ""),
        ({"command": {"a": 1}}, ""),
        ({"command": "a\x00b\nc"}, "a b\nc"),
        ({"command": "x" * 100_000}, "x" * 2000),
    ],
)
def test_the_command_is_found_in_the_input_of_tools(tool: dict[str, Any], command: str) -> None:
    assert tool_command({"tool_input": tool}) == command
    assert tool_command({"tool_input": [tool]}) == ""


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"error": "Exit code 1\nboom"}, "Exit code 1\nboom"),
        ({"error": "stopped", "is_interrupt": True}, ""),
        ({"tool_response": {"llmContent": "Output: boom\nExit Code: 2"}}, "Output: boom\nExit Code: 2"),
        ({"tool_response": {"exit_code": 1, "stderr": "boom"}}, "boom"),
        ({"tool_response": "fine\nProcess exited with code 0"}, ""),
        ({"tool_result": {"result_type": "failure", "text_result_for_llm": "boom"}}, "boom"),
        ({"tool_result": {"result_type": "success", "text_result_for_llm": "all fine"}}, ""),
        ({"tool_response": None}, ""),
    ],
)
def test_why_a_tool_failed_is_read_from_what_agents_write(given: dict[str, Any], problem: str) -> None:
    assert tool_problem(given) == problem


def test_a_sub_agent_has_not_seen_what_its_session_has(use: Use, shop: Path) -> None:
    """A session that knows the file, and a sub-agent of it that opens the file too."""
    assert CENTS in context(use("pre-tool", {"file_path": "prices.py"}))
    assert CENTS in context(use("pre-tool", {"file_path": "prices.py"}, agent_id="sub-1"))
    assert use("pre-tool", {"file_path": "prices.py"}, agent_id="sub-1") == {}


def test_qwen_briefs_a_sub_agent_with_its_first_tool(use: Use, shop: Path) -> None:
    """Qwen Code drops what hooks say at the start of a sub-agent and before a tool."""
    Memory.open(shop).remember("Never edit CHANGES.rst by hand.", level=0)
    first = use("post-tool", {"file_path": "other.py"}, agent="qwen", agent_id="sub-1")
    assert "Never edit CHANGES.rst" in context(first)
    assert "Never edit" not in context(use("post-tool", {"file_path": "prices.py"}, agent="qwen", agent_id="sub-1"))
    assert "Never edit" not in context(use("post-tool", {"file_path": "prices.py"}, agent="qwen"))
    assert "Never edit" not in context(use("post-tool", {"file_path": "prices.py"}, agent_id="sub-1"))


def test_a_server_that_is_too_slow_around_a_tool_is_counted(
    use: Use, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.faces.hooks.agent.event.ask_running", lambda *_: None)
    assert use("pre-tool", {"file_path": "prices.py"}) == {}
    assert [(hook.event, hook.agent) for hook in late_hooks(config.load().home)] == [("pre-tool", "claude-code")]
