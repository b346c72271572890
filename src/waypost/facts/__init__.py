"""Facts: validity, lifetime, identity, duplicates, domains and causal chains."""
