"""Find what a session taught."""
