"""Reduce a file to its meaning, without layout."""
