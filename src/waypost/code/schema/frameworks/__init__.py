"""Read schemas from models and migrations of frameworks."""
