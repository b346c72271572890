"""Versions of memories: prepare, store and look up. Every flow that writes builds on this."""
