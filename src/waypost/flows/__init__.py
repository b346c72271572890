"""One file per use case, from end to end. The only place where the rooms meet."""
