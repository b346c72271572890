"""Shortening old answers and tool output."""
