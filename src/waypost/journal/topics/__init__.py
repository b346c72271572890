"""Grouping entries by topic."""
