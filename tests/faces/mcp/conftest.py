"""A client of the SDK, connected to our server in this process, and a small project to work on."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.conftest import TestClock

from waypost.embed.fake import FakeEngine
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.server import build_server
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.tool import Tool
from waypost.memory import Memory

STRUCTURED_TOOLS = tools_of("default", structured=True)
HANDSHAKE, ENVELOPE = "legacy", "2026-07-28"  # the two ways in which a client and a server get to know each other
_SHOP = '''"""A small shop."""

TOKEN_MINUTES = 15


class Shop:
    """Sells things."""

    def is_fresh(self, token: str) -> bool:
        """Tokens live for TOKEN_MINUTES."""
        return bool(token)
'''


@dataclass(frozen=True)
class Agent:
    """Works on a project through a client of the SDK."""

    project: ServedProject

    def with_client(
        self,
        work: Callable[[Client], Awaitable[Any]],
        tools: Sequence[Tool] = STRUCTURED_TOOLS,
        mode: str = HANDSHAKE,
        **client: Any,
    ) -> Any:
        """What `work` returns, done with a connected client."""

        async def connected() -> Any:
            info = types.Implementation(name="test-agent", version="1")
            server = build_server(tools, self.project)
            async with Client(server, mode=mode, client_info=info, **client) as one:
                try:
                    return await asyncio.wait_for(work(one), 20)
                except MCPError as error:  # outside, where it is not one of a group
                    return error

        result = asyncio.run(connected())
        if isinstance(result, MCPError):
            raise result
        return result

    def call(self, name: str, /, mode: str = HANDSHAKE, **arguments: Any) -> types.CallToolResult:
        """One call in a session of its own."""
        result: types.CallToolResult = self.with_client(lambda one: one.call_tool(name, arguments), mode=mode)
        return result

    def data(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that must succeed."""
        result = self.call(name, **arguments)
        assert not result.is_error, text_of(result)
        data: dict[str, Any] = result.structured_content
        return data

    def text(self, name: str, /, **arguments: Any) -> str:
        result = self.call(name, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    def refusal(self, name: str, /, **arguments: Any) -> str:
        """What the agent is told when its call cannot be done."""
        result = self.call(name, **arguments)
        assert result.is_error
        return text_of(result)

    @property
    def memory(self) -> Memory:
        return Memory.open(self.project.directory or ".", clock=self.project.clock)


def text_of(result: types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project of one file."""
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    (folder / "app.py").write_text(_SHOP)
    return folder


@pytest.fixture
def agent(shop: Path, clock: TestClock, fake_engine: FakeEngine) -> Agent:
    return Agent(ServedProject(shop, clock=clock))
