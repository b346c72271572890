"""The commands, one module for each topic."""
