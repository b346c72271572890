"""`waypost mcp` as an agent starts it: a process of its own, spoken to by the SDK's client over its pipes."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from tests.faces.mcp.conftest import ENVELOPE, HANDSHAKE, text_of

pytestmark = pytest.mark.slow  # not for the inner loop


@pytest.mark.parametrize("mode", [HANDSHAKE, ENVELOPE])
def test_an_agent_works_with_a_server_that_it_started(shop: Path, tmp_path: Path, mode: str) -> None:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "waypost", "-C", str(shop), "mcp", "--structured"],
        env={**os.environ, "WAYPOST_MODELS": str(tmp_path / "none")},
        cwd=str(tmp_path),
    )

    async def work() -> Any:
        info = types.Implementation(name="test-agent", version="1")
        async with Client(command, mode=mode, client_info=info) as agent:
            assert len((await agent.list_tools()).tools) == 10
            kept = await agent.call_tool("remember", {"text": "Tokens live 15 minutes.", "refs": ["app.py#Shop"]})
            assert not kept.is_error, text_of(kept)
            wrong = await agent.call_tool("recall", {"question": 7})
            assert wrong.is_error
            return (await agent.call_tool("recall", {"question": "tokens", "scope": "facts"})).structured_content

    found = asyncio.run(asyncio.wait_for(work(), 60))
    assert [hit["where"] for hit in found["hits"]] == ["app.py:6"]
