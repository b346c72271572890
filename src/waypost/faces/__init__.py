"""Everything that calls us."""
