"""Access to a language model, if one is configured."""
