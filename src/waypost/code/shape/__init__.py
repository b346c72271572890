"""Reduce a file to what it says, without its layout."""
