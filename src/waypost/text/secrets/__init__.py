"""Finding secrets in text and masking them."""
