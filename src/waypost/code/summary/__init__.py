"""Summaries of files and one line about each symbol, in plain words; with a language model, better ones.

Built from documentation, names, frames and calls; the word lists are words.toml and patterns.toml.
"""

from waypost.code.summary.build import Described, Summary, summarise
from waypost.code.summary.describe import describe
from waypost.code.summary.prompt import summary_from_json, summary_prompt

__all__ = ["Described", "Summary", "describe", "summarise", "summary_from_json", "summary_prompt"]
