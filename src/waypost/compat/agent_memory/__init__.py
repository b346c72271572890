"""Import from other memories of agents: rule files, Claude Code, basic-memory, claude-mem and others."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.compat.agent_memory import importer as importer

AGENT_MEMORIES = ("rules", "claude-code", "claude-mem", "basic-memory", "mcp-memory-service", "server-memory", "mem0")
__getattr__ = lazy_modules(__name__)
