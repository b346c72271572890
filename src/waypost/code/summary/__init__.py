"""Summaries of files and one line about each symbol, with or without a language model.

Without one, a summary only quotes: the author's documentation, else the signature, callees, errors and tables.
"""
