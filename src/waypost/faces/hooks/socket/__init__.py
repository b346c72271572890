"""Let a running process answer hooks."""
