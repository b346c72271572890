"""The dashboard: server-rendered pages to see and correct memories, with little script."""
