"""Facts from changes: what a colleague would note about a commit, as candidates for review."""
