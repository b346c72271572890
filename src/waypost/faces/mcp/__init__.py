"""The MCP server: Waypost in the hands of an agent."""
