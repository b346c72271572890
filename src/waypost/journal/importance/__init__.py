"""Score how much an entry of the journal is worth keeping."""
