"""Read tables from SQL in any dialect.

sqlglot is no replacement: it needs the dialect, and one unknown statement (`GO`, `COPY`, `DO $$`) fails the whole file.
"""
