"""Syntax: source code read with tree-sitter. Queries say where things are, dialects what a query cannot say."""
