"""Profile `memory-bridge`: facts over time under the names of Memory Bridge."""

from waypost.faces.mcp.compat.memory_bridge_ageing import GET_STALE_FACTS, SET_TTL
from waypost.faces.mcp.compat.memory_bridge_asking import GET_CAUSAL_CHAIN, ROUTE_CONTEXT
from waypost.faces.mcp.compat.memory_bridge_learning import DISCOVER_PROJECT, EXTRACT_FACTS, SYNC_STATE
from waypost.faces.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = (
    DISCOVER_PROJECT,
    ROUTE_CONTEXT,
    EXTRACT_FACTS,
    GET_CAUSAL_CHAIN,
    SET_TTL,
    GET_STALE_FACTS,
    SYNC_STATE,
)
