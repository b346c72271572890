"""Shorten old answers and tool output."""
