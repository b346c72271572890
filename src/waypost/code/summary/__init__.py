"""Summaries of files and one-line descriptions of symbols, with or without a language model.

Built from documentation, names, signatures and calls. The word lists are in words.toml and patterns.toml.
"""

from waypost.code.summary.build import Summary, SymbolSummary, summarise
from waypost.code.summary.describe import describe
from waypost.code.summary.prompt import summary_from_json, summary_prompt

__all__ = ["Summary", "SymbolSummary", "describe", "summarise", "summary_from_json", "summary_prompt"]
