"""Spaces, users, members and tokens of a team."""
