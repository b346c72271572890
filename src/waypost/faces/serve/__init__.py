"""One port for everything: the REST API, the dashboard and MCP, behind one gate."""
