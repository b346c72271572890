"""Scoring the importance of journal entries."""
