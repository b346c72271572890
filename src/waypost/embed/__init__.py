"""Texts into vectors: the engines, their weights and how these are installed."""
