"""The first facts about a tree that nobody has told anything of: what its own files say for sure."""
