"""The REST API, the dashboard and MCP on one port, behind one gate."""
