"""Ranking: what a question asks for, which memories answer it, and why. Pure functions."""
