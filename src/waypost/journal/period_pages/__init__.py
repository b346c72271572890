"""Summaries of weeks, months and years, with or without a language model."""
