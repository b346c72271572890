"""Code references of memories: pinning, following and confidence."""
