"""Find the code that a text names."""
