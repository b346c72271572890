"""First facts about a new project, taken from its own files."""
