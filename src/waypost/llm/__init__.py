"""Asking a language model, where one is configured."""
