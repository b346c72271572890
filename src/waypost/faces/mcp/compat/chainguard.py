"""Profile `chainguard`: the tools of Chainguard's long-term memory."""

from waypost.faces.mcp.compat.chainguard_code import ANALYZE_CODE, DETECT_ARCHITECTURE, MEMORY_SUMMARIZE
from waypost.faces.mcp.compat.chainguard_memory import MEMORY_INIT, MEMORY_QUERY, MEMORY_STATUS, MEMORY_UPDATE
from waypost.faces.mcp.compat.chainguard_task import FINISH, SET_SCOPE, TRACK
from waypost.faces.mcp.compat.chainguard_transfer import LIST_EXPORTS, MEMORY_EXPORT, MEMORY_IMPORT
from waypost.faces.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = (
    MEMORY_INIT,
    MEMORY_QUERY,
    MEMORY_UPDATE,
    MEMORY_STATUS,
    MEMORY_SUMMARIZE,
    ANALYZE_CODE,
    DETECT_ARCHITECTURE,
    MEMORY_EXPORT,
    MEMORY_IMPORT,
    LIST_EXPORTS,
    SET_SCOPE,
    TRACK,
    FINISH,
)
