"""Read a repository: files, syntax, relations, database schema, architecture and summaries."""
