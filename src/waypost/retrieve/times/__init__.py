"""Find the times that a question names."""
