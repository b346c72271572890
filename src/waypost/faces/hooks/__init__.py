"""Hooks: what other programs call when something has happened."""
