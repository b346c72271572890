"""Which files of a repository are read, and their text."""
