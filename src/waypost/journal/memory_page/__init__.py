"""Writing the journal's index page, MEMORY.md."""
