"""Group entries by topic."""
