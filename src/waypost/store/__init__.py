"""Where memories are kept: small protocols, and one implementation for each database."""
