"""Finding what a session taught."""
