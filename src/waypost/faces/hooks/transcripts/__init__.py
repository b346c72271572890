"""Reads agents' session transcripts."""
