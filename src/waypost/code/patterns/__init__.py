"""Find definitions by patterns, for languages without a grammar."""
