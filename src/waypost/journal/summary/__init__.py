"""Summarise weeks, months and years without a language model, or with one."""
