"""The dashboard: what agents remember, for people to see and put right. Server-rendered, with little script."""
