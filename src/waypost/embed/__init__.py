"""Embedding: the engines, their weights, and how weights are installed."""
