"""Counts MCP tool calls and limits those that write."""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost.faces.guard.asgi import CALLER
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.guard.limits import Buckets
from waypost.faces.mcp.tool import Tool
from waypost.faces.serve.metrics import ServerMetrics

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

_FACE = "mcp"
_RECALLING = frozenset({"recall", "chainguard_memory_query", "search_memory", "recall_memory"})


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """Middleware for the SDK's server."""

    names: frozenset[str]
    writing: frozenset[str]
    figures: ServerMetrics
    writes: Buckets

    async def __call__(self, ctx: "ServerRequestContext[Any, Any]", call_next: "CallNext") -> "HandlerResult":
        name = str((ctx.params or {}).get("name")) if ctx.method == "tools/call" else ""
        if name not in self.names:
            return await call_next(ctx)
        if name in self.writing and (wait := self._wait(ctx)):
            self.figures.refused.add("rate")
            self.figures.tools.add(name, "refused")
            return _too_many(wait)
        outcome, began = "error", time.perf_counter()
        try:
            result = await call_next(ctx)
            if not getattr(result, "is_error", False):
                outcome = "ok"
            return result
        finally:
            self.figures.tools.add(name, outcome)
            self.figures.tool_seconds.observe(time.perf_counter() - began, name)
            if outcome == "ok" and name in _RECALLING:
                self.figures.recalls.add(_FACE)
            elif outcome == "ok" and name in self.writing:
                self.figures.writes.add(_FACE)

    def _wait(self, ctx: "ServerRequestContext[Any, Any]") -> float:
        identity = ctx.request.scope.get(CALLER) if ctx.request is not None else None
        return self.writes.take(identity.key) if isinstance(identity, TokenIdentity) else 0.0


def tool_calls(tools: Iterable[Tool], figures: ServerMetrics, writes: Buckets) -> ToolCalls:
    all_tools = list(tools)
    names = frozenset(tool.name for tool in all_tools)
    return ToolCalls(names, frozenset(tool.name for tool in all_tools if not tool.reads_only), figures, writes)


def _too_many(wait: float) -> "HandlerResult":
    from mcp_types import CallToolResult, TextContent

    text = f"Too many writes. Wait {max(1, math.ceil(wait))} seconds, then call this again."
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
