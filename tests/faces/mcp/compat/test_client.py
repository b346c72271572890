"""The SDK's client drives every tool of every profile, with valid and with hostile input, over a pipe and over a port."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.faces.mcp.conftest import text_of

from waypost.faces.mcp.compat import own_tools, tools_of

PROFILES = ("chainguard", "coding-brain", "locai", "memory-bridge")
TOOLS = {tool.name: tool for profile in PROFILES for tool in own_tools(profile)}

# In this order: each finds what those before it have left.
VALID: tuple[tuple[str, dict[str, Any]], ...] = (
    ("chainguard_memory_init", {"exclude_patterns": ["*.md"]}),
    ("chainguard_memory_status", {"working_dir": "."}),
    ("chainguard_memory_query", {"query": "Wie lange leben tokens?", "filter_type": "code"}),
    ("chainguard_memory_update", {"action": "add_learning", "learning": "Tokens are never renewed"}),
    ("chainguard_memory_summarize", {"file": "app.py", "force": True}),
    ("chainguard_analyze_code", {"file": "."}),
    ("chainguard_detect_architecture", {}),
    ("chainguard_memory_export", {"format": "jsonl", "include_embeddings": True}),
    ("chainguard_list_exports", {}),
    ("chainguard_set_scope", {"description": "Renew tokens", "checklist": [{"item": "app", "check": "test -f app.py"}]}),
    ("chainguard_track", {"file": "app.py", "action": "edit"}),
    ("chainguard_finish", {}),
    ("add_memories", {"text": "Tokens live 15 minutes", "category": "auth", "scope": "project", "code_refs": ["app.py#L3"]}),
    ("search_memory", {"query": "tokens", "exclude_stale": True, "min_confidence": 0.1, "limit": 3}),
    ("save_memory", {"content": "Answers in German, please", "type": "preference"}),
    ("recall_memory", {"query": "German", "limit": 2}),
    ("rlm_discover_project", {"task_hint": "renew tokens"}),
    ("rlm_route_context", {"query": "tokens", "max_tokens": 500, "include_stale": True}),
    ("rlm_extract_facts", {"source": "file", "file_path": "app.py", "auto_approve": True}),
    ("rlm_get_causal_chain", {"query": "why so short?"}),
    ("rlm_get_stale_facts", {"include_archived": True}),
    ("rlm_sync_state", {}),
)  # fmt: skip


async def drive(client: Client) -> set[str]:
    """Every tool as it is meant, then as it is not. Returns the names of the tools that were listed."""
    listed = {tool.name for tool in (await client.list_tools()).tools}
    answers: dict[str, types.CallToolResult] = {}
    for name, arguments in VALID:
        answers[name] = await client.call_tool(name, arguments)
        assert not answers[name].is_error, (name, text_of(answers[name]))
        assert text_of(answers[name]) and answers[name].structured_content, name
    export = (answers["chainguard_memory_export"].structured_content or {})["file"]
    fact = (answers["add_memories"].structured_content or {})["id"]
    for name, arguments in (
        ("chainguard_memory_import", {"file": export}),
        ("rlm_set_ttl", {"fact_id": fact, "ttl_seconds": 60, "refresh_trigger": "app.py"}),
    ):
        done = await client.call_tool(name, arguments)
        assert not done.is_error, (name, text_of(done))
    for name, tool in TOOLS.items():
        for wrong in hostile(tool.parameters):
            refused = await client.call_tool(name, wrong)
            assert refused.is_error and text_of(refused), (name, wrong)
    return listed


def hostile(parameters: Any) -> list[dict[str, Any]]:
    """What does not exist, what has the wrong type, and what leads out of the project."""
    first = [{name: {"not": "this"}} for name in parameters][:1]
    outside = {"working_dir": "/", "project_root": "a\0b", "file": "../../../../etc/passwd"}
    return [{"no_such": 1}, *first, *({name: value} for name, value in outside.items() if name in parameters)]


@pytest.mark.slow
def test_every_tool_over_a_pipe(shop: Path, tmp_path: Path, git: Any) -> None:
    git(shop, "init", "-q")
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "waypost", "-C", str(shop), "mcp", "--structured", "--profile", "all"],
        env={**os.environ, "WAYPOST_MODELS": str(tmp_path / "none")},
        cwd=str(tmp_path),
    )

    async def work() -> set[str]:
        async with Client(command) as client:
            return await drive(client)

    listed = asyncio.run(asyncio.wait_for(work(), 120))
    assert listed == {tool.name for tool in tools_of("all")}


@pytest.mark.slow
def test_every_tool_over_a_port(shop: Path, tmp_path: Path, git: Any) -> None:
    git(shop, "init", "-q")
    command = [
        sys.executable,
        "-m",
        "waypost",
        "-C",
        str(shop),
        "mcp",
        "--structured",
        "--profile",
        "all",
        "--http",
        "--port",
        "0",
    ]
    environment = {**os.environ, "WAYPOST_MODELS": str(tmp_path / "none")}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            told = process.stderr.readline().split()
            address = next(word for word in told if word.startswith("http://")).rstrip(".,;")
            token = (tmp_path / "home" / "token").read_text().strip()
            listed = asyncio.run(asyncio.wait_for(_over_http(address, token), 120))
        finally:
            process.terminate()
    assert listed == {tool.name for tool in tools_of("all")}


async def _over_http(address: str, token: str) -> set[str]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        return await drive(client)


def test_the_calls_above_leave_no_tool_out() -> None:
    assert {name for name, _ in VALID} | {"chainguard_memory_import", "rlm_set_ttl"} == set(TOOLS)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_serves_its_tools_beside_the_default_ones(profile: str, agent: Any) -> None:
    async def listed(client: Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    assert agent.with_client(listed, tools_of(profile)) == {tool.name for tool in tools_of(profile)}
