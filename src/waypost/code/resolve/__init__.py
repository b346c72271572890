"""Resolve names: which file an import refers to, which symbol a call reaches."""
