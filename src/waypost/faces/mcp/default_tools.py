"""The ten tools of every profile. Few and short, because each costs context."""

from dataclasses import replace

from waypost.faces.mcp.index_progress import STATUS
from waypost.faces.mcp.read_tools import ABOUT_CODE, BRIEF, RECALL, WHY
from waypost.faces.mcp.structure_tools import SYMBOLS, USES
from waypost.faces.mcp.tool import Tool
from waypost.faces.mcp.write_tools import DECIDE, REMEMBER, REVIEW

_TOOLS = (RECALL, REMEMBER, BRIEF, ABOUT_CODE, SYMBOLS, USES, DECIDE, WHY, REVIEW, STATUS)
DEFAULT_TOOLS: tuple[Tool, ...] = tuple(replace(tool, short_ids=True) for tool in _TOOLS)
