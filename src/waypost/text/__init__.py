"""Text: what is written, read as language, code and secrets."""
