"""The tools that every profile has: eight, so that they cost an agent's context little."""

from waypost.faces.mcp.defaults_read import ABOUT_CODE, BRIEF, RECALL, WHY
from waypost.faces.mcp.defaults_status import STATUS
from waypost.faces.mcp.defaults_write import DECIDE, REMEMBER, REVIEW
from waypost.faces.mcp.tool import Tool

DEFAULT_TOOLS: tuple[Tool, ...] = (RECALL, REMEMBER, BRIEF, ABOUT_CODE, DECIDE, WHY, REVIEW, STATUS)
